//===- GpuProduct.cpp - A product that adds up as a GPU does --------------===//

#include "triton-shared/Conversion/GpuProduct.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

#include "../../../runtime/kernel/kernel.h"

using namespace mlir;
using namespace mlir::triton_shared;

DictionaryAttr GpuProduct::encode(MLIRContext *context) const {
  Builder builder(context);
  NamedAttrList attributes;
  attributes.set("instruction", builder.getStringAttr(instruction));
  attributes.set("left", builder.getStringAttr(left));
  attributes.set("right", builder.getStringAttr(right));
  attributes.set("sum", builder.getStringAttr(sum));
  attributes.set("block", builder.getI64IntegerAttr(block));
  attributes.set("fraction", builder.getI64IntegerAttr(fraction));
  attributes.set("result", builder.getI64IntegerAttr(result));
  attributes.set("part", builder.getI64IntegerAttr(part));
  return attributes.getDictionary(context);
}

std::optional<GpuProduct> GpuProduct::read(Operation *op) {
  auto attributes = op->getAttrOfType<DictionaryAttr>(tts::kGpuProduct);
  if (!attributes)
    return std::nullopt;
  auto text = [&](StringRef name) {
    auto value = attributes.getAs<StringAttr>(name);
    return value ? value.str() : "";
  };
  auto number = [&](StringRef name) {
    auto value = attributes.getAs<IntegerAttr>(name);
    return value ? value.getInt() : 0;
  };
  return GpuProduct{text("instruction"), text("left"),    text("right"),
                    text("sum"),         number("block"), number("fraction"),
                    number("result"),    number("part")};
}

std::optional<int32_t> triton_shared::findFormat(StringRef word) {
  return llvm::StringSwitch<std::optional<int32_t>>(word)
      .Case("f64", TRITON_SHARED_F64)
      .Case("f32", TRITON_SHARED_F32)
      .Case("f16", TRITON_SHARED_F16)
      .Case("bf16", TRITON_SHARED_BF16)
      .Case("e4m3", TRITON_SHARED_E4M3)
      .Case("e5m2", TRITON_SHARED_E5M2)
      .Case("tf32-nearest", TRITON_SHARED_TF32_NEAREST)
      .Case("tf32-cut", TRITON_SHARED_TF32_CUT)
      .Default(std::nullopt);
}

StringRef triton_shared::nameFormat(Type element) {
  return TypeSwitch<Type, StringRef>(element)
      .Case([](Float64Type) { return "f64"; })
      .Case([](Float32Type) { return "f32"; })
      .Case([](Float16Type) { return "f16"; })
      .Case([](BFloat16Type) { return "bf16"; })
      .Case([](Float8E4M3FNType) { return "e4m3"; })
      .Case([](Float8E5M2Type) { return "e5m2"; })
      .Default([](Type) { return ""; });
}
