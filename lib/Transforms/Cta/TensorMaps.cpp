//===- TensorMaps.cpp - Boxes of tensors, told to the copy engine ---------===//

#include "TensorMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "triton-shared/Dialect/Cta/IR/MatrixDescriptor.h"
#include "triton-shared/Dialect/Structured/IR/IndexNumbers.h"
#include "triton-shared/Dialect/Structured/IR/KernelSignature.h"

using namespace mlir;
using namespace mlir::triton_shared;

/// The most elements that one copy takes along one dimension.
static constexpr int64_t kMaxPiece = 256;

/// The number as an i64. Numbers that a launch knows are `function`'s.
static Value createNumber(OpBuilder &builder, FunctionOpInterface function,
                          const BoxNumber &number) {
  Location loc = function.getLoc();
  Value value;
  if (const auto *known = std::get_if<tts::LaunchNumber>(&number)) {
    if (!known->isArgument)
      return arith::ConstantIntOp::create(builder, loc, known->value, 64);
    value = function.getArgument(known->value);
  } else {
    value = std::get<Value>(number);
  }
  return tts::extendToI64(builder, loc, value);
}

bool triton_shared::canTell(const TensorBox &box,
                            FunctionOpInterface function) {
  GpuTarget target = cta::getTarget(function);
  return target.hasTma() && (box.isKnownAtLaunch() || target.makesTensorMaps());
}

SmallVector<Value> triton_shared::getComputedNumbers(const TensorBox &box) {
  if (box.isKnownAtLaunch())
    return {};
  SmallVector<Value> values = {box.base};
  for (const BoxDimension &dimension : box.dimensions)
    for (const BoxNumber &number : {dimension.size, dimension.stride})
      if (const auto *value = std::get_if<Value>(&number))
        values.push_back(*value);
  return values;
}

/// A builder behind the last of `values`, which are all there at one place of
/// the program.
static OpBuilder createBuilderBehind(ArrayRef<Value> values) {
  auto isBehind = [](Value value, Value other) {
    Block *block = value.getParentBlock(), *before = other.getParentBlock();
    if (block != before)
      return before->getParentOp()->isProperAncestor(block->getParentOp());
    Operation *op = value.getDefiningOp(), *otherOp = other.getDefiningOp();
    return op && (!otherOp || otherOp->isBeforeInBlock(op));
  };
  Value last = values.front();
  for (Value value : values)
    if (isBehind(value, last))
      last = value;
  OpBuilder builder(last.getContext());
  builder.setInsertionPointAfterValue(last);
  return builder;
}

/// Makes the map in the kernel.
static Value makeTensorMap(const TensorBox &box, const TensorMap &map,
                           int64_t swizzle, FunctionOpInterface function) {
  OpBuilder builder = createBuilderBehind(getComputedNumbers(box));
  SmallVector<Value> sizes, strides;
  for (const BoxDimension &dimension : box.dimensions) {
    sizes.push_back(createNumber(builder, function, dimension.size));
    strides.push_back(createNumber(builder, function, dimension.stride));
  }
  strides.pop_back();
  return cta::MakeTensorMapOp::create(
      builder, box.base.getLoc(),
      LLVM::LLVMPointerType::get(builder.getContext()), box.base, sizes,
      strides, /*place=*/Value(), map.piece, swizzle,
      box.isNanOutside == tts::LaunchNumber::constant(1));
}

TensorMap triton_shared::addTensorMap(const TensorBox &box,
                                      cta::AllocOp buffer) {
  cta::BufferType type = buffer.getBuffer().getType();
  std::optional<cta::LinesOfBoxes> lines = cta::describeLines(type);
  assert(lines && "the copy engine writes lines");
  int64_t line = lines->bytes / cta::getElementBytes(type.getElementType());
  TensorMap map;
  for (const BoxDimension &dimension : box.dimensions) {
    int64_t size = type.getShape()[dimension.ofBlock];
    bool isAlongLines = dimension.ofBlock == lines->along;
    map.dims.push_back(dimension.ofBlock);
    map.piece.push_back(isAlongLines ? line : std::min(size, kMaxPiece));
  }
  auto function = buffer->getParentOfType<func::FuncOp>();
  if (!box.isKnownAtLaunch()) {
    map.address = makeTensorMap(box, map, lines->bytes, function);
    return map;
  }
  SmallVector<tts::LaunchNumber> sizes, strides;
  for (const BoxDimension &dimension : box.dimensions) {
    sizes.push_back(std::get<tts::LaunchNumber>(dimension.size));
    strides.push_back(std::get<tts::LaunchNumber>(dimension.stride));
  }
  auto recipe = tts::TensorMapAttr::get(
      buffer.getContext(), type.getElementType(), *box.parameter, sizes,
      strides, map.piece, lines->bytes, box.isNanOutside);
  map.address = tts::KernelSignature::getOrAppend(function, recipe);
  return map;
}

/// The least coordinate.
static constexpr int64_t kLeast = std::numeric_limits<int32_t>::min();

/// A coordinate of a box as an i32; one beyond every tensor stays beyond.
static Value createCoordinate(OpBuilder &builder, Location loc,
                              OpFoldResult start, const IRMapping &mapping) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  if (std::optional<int64_t> constant = getConstantIntValue(start))
    return arith::ConstantIntOp::create(
        builder, loc, std::clamp(*constant, kLeast, kMost), 32);
  auto value = cast<Value>(start);
  if (auto extension = value.getDefiningOp<arith::ExtSIOp>())
    if (extension.getIn().getType().isInteger(32))
      return mapping.lookupOrDefault(extension.getIn());
  Value wide = mapping.lookupOrDefault(value);
  auto clamp = [&](int64_t limit) {
    return arith::ConstantIntOp::create(builder, loc, limit, 64);
  };
  wide = arith::MaxSIOp::create(builder, loc, wide, clamp(kLeast));
  wide = arith::MinSIOp::create(builder, loc, wide, clamp(kMost));
  return arith::TruncIOp::create(builder, loc, builder.getI32Type(), wide);
}

SmallVector<Value> triton_shared::createBoxStart(OpBuilder &builder,
                                                 Location loc,
                                                 tts::AccessOpInterface access,
                                                 const TensorBox &box,
                                                 const IRMapping &mapping) {
  auto function = access->getParentOfType<FunctionOpInterface>();
  return llvm::map_to_vector(
      box.dimensions, [&](const BoxDimension &dimension) -> Value {
        Value start = createCoordinate(
            builder, loc, getBoxStart(access, dimension.ofBlock), mapping);
        if (box.isKnownAtLaunch())
          return start;
        // No map has a size of zero: a box of nothing begins far outside.
        Value size = createNumber(builder, function, dimension.size);
        Value isThere = arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::sgt, size,
            arith::ConstantIntOp::create(builder, loc, 0, 64));
        Value outside = arith::ConstantIntOp::create(builder, loc, kLeast, 32);
        return arith::SelectOp::create(builder, loc, isThere, start, outside);
      });
}
