//===- DotOperands.cpp - What a dot multiplies, as it is needed -----------===//

#include "DotOperands.h"
#include "VectorLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::triton_shared;

//===----------------------------------------------------------------------===//
// The body
//===----------------------------------------------------------------------===//

/// The two factors that the body multiplies and adds to what it has.
static std::optional<std::pair<Value, Value>>
findFactors(linalg::GenericOp op) {
  Operation *sum = op.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp>(sum))
    return std::nullopt;
  Value collected = op.getRegionOutputArgs().front();
  Value product =
      sum->getOperand(0) == collected ? sum->getOperand(1) : sum->getOperand(0);
  if (sum->getOperand(0) != collected && sum->getOperand(1) != collected)
    return std::nullopt;
  Operation *multiply = product.getDefiningOp();
  if (!isa_and_nonnull<arith::MulFOp, arith::MulIOp>(multiply))
    return std::nullopt;
  return std::make_pair(multiply->getOperand(0), multiply->getOperand(1));
}

/// Adds the operations of `body` that `value` is made of, in order; false if it
/// depends on another argument than `argument`.
static bool collectConversion(Value value, BlockArgument argument,
                              llvm::SetVector<Operation *> &conversion) {
  if (value == argument)
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != argument.getOwner() || op->getNumRegions() != 0)
    return op && op->getBlock() != argument.getOwner();
  for (Value operand : op->getOperands())
    if (!collectConversion(operand, argument, conversion))
      return false;
  conversion.insert(op);
  return true;
}

bool triton_shared::isDot(linalg::GenericOp op) {
  if (!op.hasPureBufferSemantics() || op.getNumDpsInputs() != 2 ||
      op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 1 ||
      llvm::any_of(op.getStaticLoopRanges(), ShapedType::isDynamic))
    return false;
  unsigned loops = op.getNumLoops();
  MLIRContext *context = op.getContext();
  auto dims = [&](ArrayRef<unsigned> last) {
    SmallVector<AffineExpr> results;
    for (unsigned batch = 0; batch + 3 < loops; ++batch)
      results.push_back(getAffineDimExpr(batch, context));
    for (unsigned dim : last)
      results.push_back(getAffineDimExpr(dim, context));
    return AffineMap::get(loops, 0, results, context);
  };
  if (loops < 3 || loops > 4)
    return false;
  unsigned m = loops - 3, n = loops - 2, k = loops - 1;
  if (op.getIndexingMapsArray() !=
      SmallVector<AffineMap>{dims({m, k}), dims({k, n}), dims({m, n})})
    return false;
  auto type = dyn_cast<MemRefType>(op.getDpsInits().front().getType());
  auto factors = findFactors(op);
  if (!type || !factors ||
      !isa<Float32Type, Float64Type, IntegerType>(type.getElementType()) ||
      type.getElementTypeBitWidth() < 8)
    return false;
  llvm::SetVector<Operation *> conversion;
  return type.isLastDimUnitStride() &&
         collectConversion(factors->first, op.getBody()->getArgument(0),
                           conversion) &&
         collectConversion(factors->second, op.getBody()->getArgument(1),
                           conversion);
}

int64_t triton_shared::getColumns(linalg::GenericOp op) {
  return op.getStaticLoopRanges()[op.getNumLoops() - 2];
}

/// The type of what a factor is widened from in its last step.
static Type getNarrowType(Value factor) {
  Operation *widening = factor.getDefiningOp();
  return isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(
             widening)
             ? widening->getOperand(0).getType()
             : Type();
}

/// What both factors are widened from in the last step, if they are.
static std::optional<std::pair<Type, Type>>
findNarrowTypes(linalg::GenericOp op) {
  auto factors = *findFactors(op);
  Type left = getNarrowType(factors.first);
  Type right = getNarrowType(factors.second);
  if (!left || !right)
    return std::nullopt;
  return std::make_pair(left, right);
}

/// True for products of bf16 in f32.
static bool multipliesBf16(linalg::GenericOp op) {
  auto types = findNarrowTypes(op);
  return types && types->first.isBF16() && types->second.isBF16() &&
         findFactors(op)->first.getType().isF32();
}

/// True for products of integers of up to 8 bits in i32.
static bool multipliesBytes(linalg::GenericOp op) {
  auto isByte = [](Type type) {
    return type.isInteger() && type.getIntOrFloatBitWidth() <= 8;
  };
  auto types = findNarrowTypes(op);
  return types && isByte(types->first) && isByte(types->second) &&
         findFactors(op)->first.getType().isInteger(32);
}

DotForm triton_shared::getVectorForm(linalg::GenericOp op,
                                     const DotSupport &support) {
  if (op.getStaticLoopRanges().back() % 2 != 0)
    return {};
  if (support.hasBf16Pairs && multipliesBf16(op))
    return {BFloat16Type::get(op.getContext()), 2};
  if (support.hasInt16Pairs && multipliesBytes(op))
    return {IntegerType::get(op.getContext(), 16), 2};
  return {};
}

std::optional<DotForm> triton_shared::getTileForm(linalg::GenericOp op,
                                                  const DotSupport &support) {
  int64_t depth = op.getStaticLoopRanges().back();
  if (support.hasBf16Tiles && depth % 2 == 0 && multipliesBf16(op))
    return DotForm{BFloat16Type::get(op.getContext()), 2};
  if (support.hasInt8Tiles && depth % 4 == 0 && multipliesBytes(op))
    return DotForm{IntegerType::get(op.getContext(), 8), 4};
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Where the sums start
//===----------------------------------------------------------------------===//

/// True if nothing between `first` and `last` of one block touches `memory`.
static bool isUntouchedBetween(Value memory, Operation *first,
                               Operation *last) {
  return llvm::all_of(memory.getUsers(), [&](Operation *user) {
    if (isa<ViewLikeOpInterface>(user))
      return isUntouchedBetween(user->getResult(0), first, last);
    Operation *inBlock = last->getBlock()->findAncestorOpInBlock(*user);
    if (!inBlock || inBlock == last || last->isBeforeInBlock(inBlock))
      return true;
    // What yields it gives it another name.
    return !first->isBeforeInBlock(inBlock) &&
           !user->hasTrait<OpTrait::IsTerminator>();
  });
}

/// The operation that makes the third matrix of `op` one number, if it has no
/// other purpose: `op` overwrites all of it.
static linalg::GenericOp findStart(linalg::GenericOp op) {
  Value result = op.getDpsInits().front();
  if (!result.getDefiningOp<memref::AllocOp>())
    return nullptr;
  for (Operation *user : result.getUsers()) {
    auto fill = dyn_cast<linalg::GenericOp>(user);
    if (fill && fill != op && linalg::isaFillOpInterface(fill) &&
        fill.getDpsInits().front() == result &&
        fill->getBlock() == op->getBlock() && fill->isBeforeInBlock(op) &&
        isUntouchedBetween(result, fill, op))
      return fill;
  }
  return nullptr;
}

Value triton_shared::takeStart(linalg::GenericOp op) {
  linalg::GenericOp fill = findStart(op);
  if (!fill)
    return {};
  Value start = *linalg::isaFillOpInterface(fill);
  fill.erase();
  return start;
}

//===----------------------------------------------------------------------===//
// The operands
//===----------------------------------------------------------------------===//

static bool liesRowByRow(Value matrix) {
  return cast<MemRefType>(matrix.getType()).isLastDimUnitStride();
}

/// True for a right operand whose rows lie apart, if the rows of the result are
/// enough to be worth a copy of it: memory at distances of a power of two has
/// room for few rows in the first cache, and every tile reads all of them.
/// Measured on Sapphire Rapids: 1.2 of the speed for f32 at such distances,
/// 0.97 to 1 at others; with fewer rows it may be less.
static bool isWorthCopying(Value matrix, int64_t rows) {
  constexpr int64_t kBytesForRow = 256;
  auto type = cast<MemRefType>(matrix.getType());
  int64_t bytes = type.getNumElements() * type.getElementTypeBitWidth() / 8;
  auto [strides, offset] = type.getStridesAndOffset();
  return strides.front() != type.getDimSize(1) && bytes <= kBytesForRow * rows;
}

/// Builds the integer `value` with the bits of `type` as `widening` would.
static Value widenLike(OpBuilder &builder, Operation *widening, Value value,
                       Type type) {
  if (value.getType() == type)
    return value;
  if (isa<arith::ExtSIOp>(widening))
    return arith::ExtSIOp::create(builder, widening->getLoc(), type, value);
  return arith::ExtUIOp::create(builder, widening->getLoc(), type, value);
}

/// A factor of the body, and what it is computed from. In a form of its own
/// type, it is what is there before the last widening, as that type.
struct Factor {
  Value value;
  BlockArgument argument;
  Type ownType;

  Value beforeWidening() const {
    return ownType ? value.getDefiningOp()->getOperand(0) : value;
  }
  Type getType() const { return ownType ? ownType : value.getType(); }
  bool isUnsigned() const {
    return isa_and_nonnull<arith::ExtUIOp>(value.getDefiningOp());
  }
  /// True if the operand has it as it is.
  bool isOperand() const {
    return beforeWidening() == argument && argument.getType() == getType();
  }
};

/// A buffer with `matrix` as `factor` of the body has it.
static Value convertMatrix(OpBuilder &builder, linalg::GenericOp op,
                           Value matrix, const Factor &factor) {
  Location loc = op.getLoc();
  auto type = cast<MemRefType>(matrix.getType());
  auto convertedType = MemRefType::get(type.getShape(), factor.getType());
  Value buffer = memref::AllocOp::create(builder, loc, convertedType);
  Value last = factor.beforeWidening();
  llvm::SetVector<Operation *> conversion;
  collectConversion(last, factor.argument, conversion);
  AffineMap identity = builder.getMultiDimIdentityMap(2);
  SmallVector<utils::IteratorType> loops(2, utils::IteratorType::parallel);
  linalg::GenericOp::create(
      builder, loc, matrix, buffer, ArrayRef{identity, identity}, loops,
      [&](OpBuilder &inner, Location at, ValueRange args) {
        IRMapping mapping;
        mapping.map(factor.argument, args[0]);
        for (Operation *converting : conversion)
          inner.clone(*converting, mapping);
        Value result = mapping.lookupOrDefault(last);
        if (factor.ownType)
          result = widenLike(inner, factor.value.getDefiningOp(), result,
                             factor.ownType);
        linalg::YieldOp::create(inner, at, result);
      });
  return buffer;
}

/// The elements of all rows at column 0, of all rows at column 1, and so on.
static Value interleaveAll(OpBuilder &builder, Location loc,
                           ArrayRef<Value> rows) {
  if (rows.size() == 1)
    return rows.front();
  SmallVector<Value> even, odd;
  for (auto [number, row] : llvm::enumerate(rows))
    (number % 2 == 0 ? even : odd).push_back(row);
  return vector::InterleaveOp::create(builder, loc,
                                      interleaveAll(builder, loc, even),
                                      interleaveAll(builder, loc, odd));
}

/// A buffer with as many rows of `matrix` in one as are multiplied `together`.
static Value interleaveRows(OpBuilder &builder, Location loc, Value matrix,
                            int64_t together, unsigned vectorBytes) {
  auto type = cast<MemRefType>(matrix.getType());
  int64_t rows = type.getDimSize(0), columns = type.getDimSize(1);
  Type element = type.getElementType();
  Value buffer = memref::AllocOp::create(
      builder, loc,
      MemRefType::get({rows / together, columns * together}, element));
  // As many of these make one vector.
  int64_t lanes = chooseLanes(columns, element.getIntOrFloatBitWidth() / 8,
                              vectorBytes / together);
  auto vectorType = VectorType::get(lanes, element);
  buildLoops(
      builder, loc, {rows / together, columns}, {1, lanes},
      [&](OpBuilder &inner, ArrayRef<Value> place) {
        Value count = arith::ConstantIndexOp::create(inner, loc, together);
        Value first = arith::MulIOp::create(inner, loc, place[0], count);
        SmallVector<Value> parts;
        for (int64_t number = 0; number < together; ++number) {
          Value row = arith::AddIOp::create(
              inner, loc, first,
              arith::ConstantIndexOp::create(inner, loc, number));
          parts.push_back(vector::LoadOp::create(inner, loc, vectorType, matrix,
                                                 ValueRange{row, place[1]}));
        }
        Value column = arith::MulIOp::create(inner, loc, place[1], count);
        vector::StoreOp::create(inner, loc, interleaveAll(inner, loc, parts),
                                buffer, ValueRange{place[0], column});
      });
  return buffer;
}

/// Matrix `number` of a batch.
static Value getMatrix(OpBuilder &builder, Location loc, Value batch,
                       Value number) {
  auto type = cast<MemRefType>(batch.getType());
  if (type.getRank() == 2)
    return batch;
  SmallVector<OpFoldResult> offsets(3, builder.getIndexAttr(0)), sizes,
      strides(3, builder.getIndexAttr(1));
  offsets.front() = number;
  for (int64_t size : type.getShape())
    sizes.push_back(builder.getIndexAttr(size));
  sizes.front() = builder.getIndexAttr(1);
  auto matrix = memref::SubViewOp::inferRankReducedResultType(
      type.getShape().drop_front(), type, offsets, sizes, strides);
  return memref::SubViewOp::create(builder, loc, cast<MemRefType>(matrix),
                                   batch, offsets, sizes, strides);
}

void triton_shared::forEachDot(
    OpBuilder &builder, linalg::GenericOp op, const DotForm &form, Value start,
    unsigned vectorBytes, function_ref<void(OpBuilder &, const Dot &)> build) {
  Location loc = op.getLoc();
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  auto factors = *findFactors(op);
  Factor left = {factors.first, op.getBody()->getArgument(0), form.type};
  Factor right = {factors.second, op.getBody()->getArgument(1), form.type};
  bool isOneByOne = form.together == 1;
  auto buildOne = [&](OpBuilder &inner, Value number) {
    Value a = getMatrix(inner, loc, op.getDpsInputs()[0], number);
    Value b = getMatrix(inner, loc, op.getDpsInputs()[1], number);
    Dot dot = {loc,
               a,
               b,
               getMatrix(inner, loc, op.getDpsInits()[0], number),
               a,
               b,
               sizes[sizes.size() - 3],
               sizes[sizes.size() - 2],
               sizes[sizes.size() - 1],
               form,
               left.isUnsigned(),
               right.isUnsigned(),
               start};
    if (!left.isOperand() || (!isOneByOne && !liesRowByRow(a)))
      dot.left = convertMatrix(inner, op, a, left);
    if (!right.isOperand() || !liesRowByRow(b) ||
        (isOneByOne && isWorthCopying(b, dot.rows)))
      dot.right = convertMatrix(inner, op, b, right);
    if (!isOneByOne)
      dot.right =
          interleaveRows(inner, loc, dot.right, form.together, vectorBytes);
    build(inner, dot);
  };
  if (sizes.size() == 3)
    return buildOne(builder, nullptr);
  buildLoops(builder, loc, sizes.front(), {},
             [&](OpBuilder &inner, ArrayRef<Value> number) {
               buildOne(inner, number.front());
             });
}
