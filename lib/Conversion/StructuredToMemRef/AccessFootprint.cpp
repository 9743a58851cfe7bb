//===- AccessFootprint.cpp - Between which elements an access lies --------===//
//
// A strided dimension adds an interval that its first and its last index span;
// blocks of indices and offsets are reduced to their smallest and their
// largest.
//
//===----------------------------------------------------------------------===//

#include "AccessFootprint.h"

#include "Elements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <limits>

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

//===----------------------------------------------------------------------===//
// Blocks of numbers
//===----------------------------------------------------------------------===//

Value constant(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, value, 64);
}

/// Which elements of a block of numbers count: those where `mask`, a tensor,
/// holds, and, of a list, those within `interval`. Either may be missing.
struct Selection {
  Value mask;
  std::optional<Interval> interval;
};

/// True for the element that the body of an operation looks at; null if all
/// count.
Value isSelected(OpBuilder &builder, Location loc, const Selection &selection,
                 ValueRange inputs) {
  if (selection.mask)
    return inputs[1];
  if (!selection.interval)
    return nullptr;
  Value index = linalg::IndexOp::create(builder, loc, 0);
  Value low = indexValue(builder, loc, selection.interval->low);
  Value high = indexValue(builder, loc, selection.interval->high);
  return arith::AndIOp::create(
      builder, loc,
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, index,
                            low),
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, index,
                            high));
}

/// The smallest (`Op` is arith.minsi) or largest of the i64 in `numbers` that
/// count; `none` if there are none. An index.
template <typename Op>
Value reduce(OpBuilder &builder, Location loc, Value numbers,
             const Selection &selection, int64_t none) {
  auto type = cast<RankedTensorType>(numbers.getType());
  Value identity = constant(builder, loc, none);
  Value init = tensor::FromElementsOp::create(
      builder, loc, RankedTensorType::get({}, builder.getI64Type()), identity);
  AffineMap all = builder.getMultiDimIdentityMap(type.getRank());
  AffineMap single = AffineMap::get(type.getRank(), 0, builder.getContext());
  SmallVector<Value> inputs = {numbers};
  SmallVector<AffineMap> maps = {all};
  if (selection.mask) {
    inputs.push_back(selection.mask);
    maps.push_back(all);
  }
  maps.push_back(single);
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::reduction);
  auto generic = linalg::GenericOp::create(
      builder, loc, init.getType(), inputs, init, maps, loops,
      [&](OpBuilder &inner, Location innerLoc, ValueRange args) {
        Value number = args[0];
        if (Value counts = isSelected(inner, innerLoc, selection, args))
          number = arith::SelectOp::create(inner, innerLoc, counts, number,
                                           identity);
        linalg::YieldOp::create(
            inner, innerLoc,
            Op::create(inner, innerLoc, args.back(), number).getResult());
      });
  Value result = tensor::ExtractOp::create(builder, loc, generic.getResult(0),
                                           ValueRange());
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                    result);
}

Value findSmallest(OpBuilder &builder, Location loc, Value numbers,
                   const Selection &selection) {
  return reduce<arith::MinSIOp>(builder, loc, numbers, selection,
                                std::numeric_limits<int64_t>::max());
}

Value findLargest(OpBuilder &builder, Location loc, Value numbers,
                  const Selection &selection) {
  return reduce<arith::MaxSIOp>(builder, loc, numbers, selection,
                                std::numeric_limits<int64_t>::min());
}

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

/// Computes the footprint of one access.
class Measuring {
public:
  Measuring(OpBuilder &builder, tts::AccessOpInterface op)
      : builder(builder), op(op), loc(op->getLoc()) {}

  AccessFootprint measure() {
    if (op.hasOffsetPerElement())
      return measureOffsets();
    OpFoldResult start = asIndex(builder, loc, op.getOffset());
    OpFoldResult low = start, high = start;
    SmallVector<tts::DimensionAccess> dimensions = op.getDimensions();
    RankedTensorType type = op.getTileType();
    for (auto [d, dimension] : llvm::enumerate(dimensions)) {
      Interval reached = measureDimension(dimension, type.getDimSize(d));
      low = addIndex(builder, loc, low, reached.low);
      high = addIndex(builder, loc, high, reached.high);
    }
    return {indexValue(builder, loc, low), indexValue(builder, loc, high)};
  }

private:
  /// Without an element that counts, the smallest is larger than the largest.
  AccessFootprint measureOffsets() {
    Selection selection{op.getMask(), std::nullopt};
    Value low = findSmallest(builder, loc, op.getOffset(), selection);
    Value high = findLargest(builder, loc, op.getOffset(), selection);
    return {low, high};
  }

  /// What the positions of a dimension add to the offset, at least and at most.
  Interval measureDimension(const tts::DimensionAccess &dimension,
                            int64_t size) {
    Interval indices = {builder.getIndexAttr(0), builder.getIndexAttr(size)};
    if (dimension.isBounded())
      indices = clampBounds(builder, loc, dimension.low, dimension.high, size);
    OpFoldResult first = indices.low;
    OpFoldResult last =
        subtractIndex(builder, loc, indices.high, builder.getIndexAttr(1));
    if (dimension.isGathered()) {
      Selection selection;
      if (dimension.isBounded())
        selection.interval = indices;
      first = findSmallest(builder, loc, dimension.indices, selection);
      last = findLargest(builder, loc, dimension.indices, selection);
    } else if (dimension.isWrapped()) {
      first = builder.getIndexAttr(0);
      last =
          subtractIndex(builder, loc, asIndex(builder, loc, dimension.wrapSize),
                        builder.getIndexAttr(1));
    }
    OpFoldResult stride = asIndex(builder, loc, dimension.stride);
    OpFoldResult atFirst = multiplyIndex(builder, loc, first, stride);
    OpFoldResult atLast = multiplyIndex(builder, loc, last, stride);
    std::optional<int64_t> known = getConstantIntValue(stride);
    if (known)
      return *known < 0 ? Interval{atLast, atFirst} : Interval{atFirst, atLast};
    return {smallerIndex(builder, loc, atFirst, atLast),
            largerIndex(builder, loc, atFirst, atLast)};
  }

  OpBuilder &builder;
  tts::AccessOpInterface op;
  Location loc;
};

} // namespace

AccessFootprint triton_shared::measureFootprint(OpBuilder &builder,
                                                tts::AccessOpInterface op) {
  return Measuring(builder, op).measure();
}
