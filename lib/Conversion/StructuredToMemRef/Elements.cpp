//===- Elements.cpp - One element of an access at a time ------------------===//
//
// Views, addresses and loops that all lowerings of this folder are made of.
//
//===----------------------------------------------------------------------===//

#include "Elements.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "triton-shared/Conversion/NumberBits.h"
#include "triton-shared/Conversion/StructuredToMemRef.h"

using namespace mlir;
using namespace mlir::triton_shared;

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

OpFoldResult triton_shared::asIndex(OpBuilder &builder, Location loc,
                                    OpFoldResult value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return builder.getIndexAttr(*constant);
  Value integer = cast<Value>(value);
  if (integer.getType().isIndex())
    return integer;
  return getAsOpFoldResult(arith::IndexCastOp::create(
      builder, loc, builder.getIndexType(), integer));
}

OpFoldResult triton_shared::asIndex(OpBuilder &builder, Location loc,
                                    Value value) {
  return asIndex(builder, loc, OpFoldResult(value));
}

Value triton_shared::indexValue(OpBuilder &builder, Location loc,
                                OpFoldResult value) {
  return getValueOrCreateConstantIndexOp(builder, loc, value);
}

/// `Op` on two indices; constants are computed here.
template <typename Op>
static OpFoldResult combine(OpBuilder &builder, Location loc, OpFoldResult lhs,
                            OpFoldResult rhs,
                            int64_t (*compute)(int64_t, int64_t)) {
  std::optional<int64_t> left = getConstantIntValue(lhs);
  std::optional<int64_t> right = getConstantIntValue(rhs);
  if (left && right)
    return builder.getIndexAttr(compute(*left, *right));
  return getAsOpFoldResult(builder.createOrFold<Op>(
      loc, indexValue(builder, loc, lhs), indexValue(builder, loc, rhs)));
}

OpFoldResult triton_shared::addIndex(OpBuilder &builder, Location loc,
                                     OpFoldResult lhs, OpFoldResult rhs) {
  return combine<arith::AddIOp>(
      builder, loc, lhs, rhs, [](int64_t left, int64_t right) {
        return static_cast<int64_t>(uint64_t(left) + uint64_t(right));
      });
}

OpFoldResult triton_shared::subtractIndex(OpBuilder &builder, Location loc,
                                          OpFoldResult lhs, OpFoldResult rhs) {
  return combine<arith::SubIOp>(
      builder, loc, lhs, rhs, [](int64_t left, int64_t right) {
        return static_cast<int64_t>(uint64_t(left) - uint64_t(right));
      });
}

OpFoldResult triton_shared::multiplyIndex(OpBuilder &builder, Location loc,
                                          OpFoldResult lhs, OpFoldResult rhs) {
  return combine<arith::MulIOp>(
      builder, loc, lhs, rhs, [](int64_t left, int64_t right) {
        return static_cast<int64_t>(uint64_t(left) * uint64_t(right));
      });
}

OpFoldResult triton_shared::smallerIndex(OpBuilder &builder, Location loc,
                                         OpFoldResult lhs, OpFoldResult rhs) {
  return combine<arith::MinSIOp>(
      builder, loc, lhs, rhs,
      [](int64_t left, int64_t right) { return std::min(left, right); });
}

OpFoldResult triton_shared::largerIndex(OpBuilder &builder, Location loc,
                                        OpFoldResult lhs, OpFoldResult rhs) {
  return combine<arith::MaxSIOp>(
      builder, loc, lhs, rhs,
      [](int64_t left, int64_t right) { return std::max(left, right); });
}

Interval triton_shared::clampBounds(OpBuilder &builder, Location loc, Value low,
                                    Value high, int64_t size) {
  auto clamp = [&](Value value, OpFoldResult least) {
    OpFoldResult raised =
        largerIndex(builder, loc, asIndex(builder, loc, value), least);
    return smallerIndex(builder, loc, raised, builder.getIndexAttr(size));
  };
  OpFoldResult first = clamp(low, builder.getIndexAttr(0));
  return {first, clamp(high, first)};
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Value triton_shared::elementOf(OpBuilder &builder, Location loc,
                               Value tensorOrScalar, ValueRange indices) {
  if (!isa<RankedTensorType>(tensorOrScalar.getType()))
    return tensorOrScalar;
  return tensor::ExtractOp::create(builder, loc, tensorOrScalar, indices);
}

Value triton_shared::zeroOf(OpBuilder &builder, Location loc, Type type) {
  return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
}

/// The least that `value` may be, if it is a sum of constants, or a choice
/// among such; nothing otherwise.
static std::optional<int64_t> findLeast(Value value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return constant;
  if (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    return findLeast(cast.getIn());
  if (auto wide = value.getDefiningOp<arith::ExtSIOp>())
    return findLeast(wide.getIn());
  std::optional<int64_t> left, right;
  if (auto choice = value.getDefiningOp<arith::SelectOp>()) {
    left = findLeast(choice.getTrueValue());
    right = findLeast(choice.getFalseValue());
    return left && right ? std::optional(std::min(*left, *right))
                         : std::nullopt;
  }
  auto sum = value.getDefiningOp<arith::AddIOp>();
  if (!sum)
    return std::nullopt;
  left = findLeast(sum.getLhs());
  right = findLeast(sum.getRhs());
  int64_t result;
  return left && right && !llvm::AddOverflow(*left, *right, result)
             ? std::optional(result)
             : std::nullopt;
}

/// True if `offset` is a constant below zero, or becomes one when a condition
/// is known.
static bool mayBecomeNegative(OpFoldResult offset) {
  std::optional<int64_t> least = getConstantIntValue(offset);
  if (auto value = dyn_cast<Value>(offset))
    least = findLeast(value);
  return least && *least < 0;
}

/// A memref of the memory from the element `offset` of `base` on.
static Value startAt(OpBuilder &builder, Location loc, Value base,
                     OpFoldResult offset) {
  Value pointer = pointToElement(builder, loc, base, offset);
  return memrefFromPointer(builder, loc, pointer,
                           tts::getAccessElementType(base.getType()));
}

Value triton_shared::viewMemory(OpBuilder &builder, Location loc, Value base,
                                OpFoldResult offset,
                                ArrayRef<OpFoldResult> sizes,
                                ArrayRef<OpFoldResult> strides) {
  // `memref.reinterpret_cast` takes no constant below zero.
  if (mayBecomeNegative(offset)) {
    base = startAt(builder, loc, base, offset);
    offset = builder.getIndexAttr(0);
  }
  return memref::ReinterpretCastOp::create(builder, loc, base, offset, sizes,
                                           strides);
}

Value triton_shared::viewElement(OpBuilder &builder, Location loc, Value base,
                                 OpFoldResult offset) {
  OpFoldResult one = builder.getIndexAttr(1);
  return viewMemory(builder, loc, base, offset, one, one);
}

Value triton_shared::pointToElement(OpBuilder &builder, Location loc,
                                    Value base, OpFoldResult offset) {
  int64_t bytes =
      (tts::getAccessElementType(base.getType()).getIntOrFloatBitWidth() + 7) /
      8;
  Value start =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, base);
  OpFoldResult distance =
      multiplyIndex(builder, loc, offset, builder.getIndexAttr(bytes));
  Value address =
      indexValue(builder, loc, addIndex(builder, loc, start, distance));
  Value integer =
      arith::IndexCastOp::create(builder, loc, builder.getI64Type(), address);
  unsigned space = cast<BaseMemRefType>(base.getType()).getMemorySpaceAsInt();
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext(), space);
  return LLVM::IntToPtrOp::create(builder, loc, pointer, integer);
}

Value triton_shared::loadElement(OpBuilder &builder, Location loc, Value base,
                                 OpFoldResult offset, bool isVolatile) {
  if (!isVolatile)
    return affine::AffineLoadOp::create(
        builder, loc, viewElement(builder, loc, base, offset),
        builder.getConstantAffineMap(0), ValueRange());
  // memref has no volatile access; LLVM knows no 8-bit floats.
  Type type = tts::getAccessElementType(base.getType());
  Value bits = LLVM::LoadOp::create(builder, loc, getBitsType(type),
                                    pointToElement(builder, loc, base, offset),
                                    /*alignment=*/0, /*isVolatile=*/true);
  return fromBits(builder, loc, bits, type);
}

void triton_shared::storeElement(OpBuilder &builder, Location loc, Value value,
                                 Value base, OpFoldResult offset) {
  affine::AffineStoreOp::create(builder, loc, value,
                                viewElement(builder, loc, base, offset),
                                builder.getConstantAffineMap(0), ValueRange());
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

bool ElementAccess::isComplete() const {
  if (mask)
    return false;
  for (auto [interval, size] : llvm::zip_equal(intervals, shape))
    if (!isConstantIntValue(interval.low, 0) ||
        !isConstantIntValue(interval.high, size))
      return false;
  return true;
}

void triton_shared::forEachElement(OpBuilder &builder, Location loc,
                                   const ElementAccess &access,
                                   ElementBody body) {
  SmallVector<Value> lows, highs;
  for (const Interval &interval : access.intervals) {
    lows.push_back(indexValue(builder, loc, interval.low));
    highs.push_back(indexValue(builder, loc, interval.high));
  }
  Value one;
  if (!lows.empty())
    one = arith::ConstantIndexOp::create(builder, loc, 1);
  SmallVector<Value> steps(lows.size(), one);
  scf::buildLoopNest(
      builder, loc, lows, highs, steps,
      [&](OpBuilder &inner, Location innerLoc, ValueRange indices) {
        if (!access.mask)
          return body(inner, innerLoc, indices);
        Value takesPart = elementOf(inner, innerLoc, access.mask, indices);
        scf::IfOp::create(inner, innerLoc, takesPart,
                          [&](OpBuilder &masked, Location maskedLoc) {
                            body(masked, maskedLoc, indices);
                            scf::YieldOp::create(masked, maskedLoc);
                          });
      });
}

SmallVector<Interval> triton_shared::wholeBlock(OpBuilder &builder,
                                                ArrayRef<int64_t> shape) {
  return llvm::map_to_vector(shape, [&](int64_t size) {
    return Interval{builder.getIndexAttr(0), builder.getIndexAttr(size)};
  });
}

ElementAccess triton_shared::accessByOffsets(OpBuilder &builder, Value base,
                                             Value offsets, Value mask) {
  ElementAccess access;
  access.base = base;
  if (auto type = dyn_cast<RankedTensorType>(offsets.getType()))
    access.shape = type.getShape();
  access.intervals = wholeBlock(builder, access.shape);
  access.mask = mask;
  access.offsetOf = [offsets](OpBuilder &inner, Location loc,
                              ValueRange indices) {
    return asIndex(inner, loc, elementOf(inner, loc, offsets, indices));
  };
  return access;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

Value triton_shared::allocateBlock(OpBuilder &builder, Location loc,
                                   RankedTensorType type) {
  return memref::AllocOp::create(
      builder, loc, MemRefType::get(type.getShape(), type.getElementType()));
}

void triton_shared::fillBlock(OpBuilder &builder, Location loc, Value buffer,
                              Value scalarOrTensor) {
  if (isa<RankedTensorType>(scalarOrTensor.getType())) {
    auto copy = bufferization::MaterializeInDestinationOp::create(
        builder, loc, scalarOrTensor, buffer);
    copy.setWritable(true);
    return;
  }
  linalg::FillOp::create(builder, loc, scalarOrTensor, buffer);
}

Value triton_shared::blockContents(OpBuilder &builder, Location loc,
                                   Value buffer, RankedTensorType type) {
  return bufferization::ToTensorOp::create(builder, loc, type, buffer,
                                           /*restrict=*/true,
                                           /*writable=*/true);
}
