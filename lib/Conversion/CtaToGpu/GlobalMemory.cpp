//===- GlobalMemory.cpp - Loads and stores under a predicate --------------===//
//
// Those that may not happen are assembly: neither LLVM nor NVVM has an access
// with a predicate, and a branch around each would keep them from overlapping.
//
//===----------------------------------------------------------------------===//

#include "GlobalMemory.h"

#include "Threads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "triton-shared/Transforms/InlinePtx.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// The words that PTX moves for a vector.
struct Words {
  explicit Words(VectorType type) {
    unsigned bits =
        type.getNumElements() * type.getElementType().getIntOrFloatBitWidth();
    width = std::min(bits, 32u);
    count = bits / width;
  }

  /// `.v4.b32`, `.b16`.
  std::string getSuffix() const {
    std::string vector = count > 1 ? ".v" + std::to_string(count) : "";
    return vector + ".b" + std::to_string(width);
  }
  /// PTX has no registers of 8 bits: those of 16 hold them.
  unsigned getRegisterWidth() const { return std::max(width, 16u); }
  StringRef getConstraint() const { return width == 32 ? "r" : "h"; }

  unsigned width;
  unsigned count;
};

} // namespace

static SmallVector<Value> toWords(OpBuilder &builder, Location loc,
                                  Value vector, const Words &words) {
  Type word = builder.getIntegerType(words.width);
  Value bits = vector::BitCastOp::create(
      builder, loc, VectorType::get({words.count}, word), vector);
  SmallVector<Value> values = unpackRegisters(builder, loc, bits);
  Type held = builder.getIntegerType(words.getRegisterWidth());
  if (word != held)
    for (Value &value : values)
      value = arith::ExtUIOp::create(builder, loc, held, value);
  return values;
}

static Value fromWords(OpBuilder &builder, Location loc, ArrayRef<Value> values,
                       VectorType type, const Words &words) {
  SmallVector<Value> cut(values);
  Type word = builder.getIntegerType(words.width);
  if (words.width != words.getRegisterWidth())
    for (Value &value : cut)
      value = arith::TruncIOp::create(builder, loc, word, value);
  return vector::BitCastOp::create(builder, loc, type,
                                   packRegisters(builder, loc, cut));
}

static int64_t getBytes(VectorType type) {
  return type.getNumElements() * type.getElementType().getIntOrFloatBitWidth() /
         8;
}

Value triton_shared::createGlobalLoad(OpBuilder &builder, Location loc,
                                      VectorType type, Value pointer,
                                      Value predicate, Value other,
                                      bool isVolatile) {
  if (!predicate)
    return LLVM::LoadOp::create(builder, loc, type, pointer, getBytes(type),
                                isVolatile);
  Words words(type);
  if (!other)
    other = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  SmallVector<Value> operands = {pointer, predicate};
  llvm::append_range(operands, toWords(builder, loc, other, words));

  // Results first, then the address, the predicate and what else they are.
  unsigned count = words.count;
  std::string text, constraints;
  std::string move = "mov.b" + std::to_string(words.getRegisterWidth());
  for (unsigned i = 0; i < count; ++i) {
    text += move + " $" + std::to_string(i) + ", $" +
            std::to_string(count + 2 + i) + ";\n";
    // Written before the last input is read.
    constraints += ("=&" + words.getConstraint() + ",").str();
  }
  text += "@$" + std::to_string(count + 1) + " ld" +
          (isVolatile ? ".volatile" : "") + ".global" + words.getSuffix() +
          " " + listPlaceholders(0, count) + ", [$" + std::to_string(count) +
          "];";
  constraints += "l,b" + repeatConstraint(words.getConstraint(), count);

  Type held = builder.getIntegerType(words.getRegisterWidth());
  SmallVector<Value> values =
      createPtx(builder, loc, SmallVector<Type>(count, held), operands, text,
                constraints, PtxEffects::Memory);
  return fromWords(builder, loc, values, type, words);
}

void triton_shared::createGlobalStore(OpBuilder &builder, Location loc,
                                      Value vector, Value pointer,
                                      Value predicate) {
  auto type = cast<VectorType>(vector.getType());
  if (!predicate) {
    LLVM::StoreOp::create(builder, loc, vector, pointer, getBytes(type));
    return;
  }
  Words words(type);
  SmallVector<Value> operands = {pointer, predicate};
  llvm::append_range(operands, toWords(builder, loc, vector, words));
  std::string text = "@$1 st.global" + words.getSuffix() + " [$0], " +
                     listPlaceholders(2, words.count) + ";";
  createPtx(builder, loc, {}, operands, text,
            "l,b" + repeatConstraint(words.getConstraint(), words.count),
            PtxEffects::Memory);
}
