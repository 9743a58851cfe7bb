//===- DotOperands.cpp - What a dot multiplies, as it is needed -----------===//

#include "DotOperands.h"
#include "VectorLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
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

//===----------------------------------------------------------------------===//
// The operands
//===----------------------------------------------------------------------===//

static bool liesRowByRow(Value matrix) {
  return cast<MemRefType>(matrix.getType()).isLastDimUnitStride();
}

/// A buffer with `matrix` as the factor `factor` of the body has it.
static Value convertMatrix(OpBuilder &builder, linalg::GenericOp op,
                           Value matrix, Value factor, BlockArgument argument) {
  Location loc = op.getLoc();
  auto type = cast<MemRefType>(matrix.getType());
  auto convertedType = MemRefType::get(type.getShape(), factor.getType());
  Value buffer = memref::AllocOp::create(builder, loc, convertedType);
  llvm::SetVector<Operation *> conversion;
  collectConversion(factor, argument, conversion);
  AffineMap identity = builder.getMultiDimIdentityMap(2);
  SmallVector<utils::IteratorType> loops(2, utils::IteratorType::parallel);
  linalg::GenericOp::create(
      builder, loc, matrix, buffer, ArrayRef{identity, identity}, loops,
      [&](OpBuilder &inner, Location at, ValueRange args) {
        IRMapping mapping;
        mapping.map(argument, args[0]);
        for (Operation *converting : conversion)
          inner.clone(*converting, mapping);
        linalg::YieldOp::create(inner, at, mapping.lookupOrDefault(factor));
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
    OpBuilder &builder, linalg::GenericOp op,
    function_ref<void(OpBuilder &, const Dot &)> build) {
  Location loc = op.getLoc();
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  auto factors = *findFactors(op);
  BlockArgument left = op.getBody()->getArgument(0);
  BlockArgument right = op.getBody()->getArgument(1);
  auto buildOne = [&](OpBuilder &inner, Value number) {
    Dot dot = {loc,
               getMatrix(inner, loc, op.getDpsInputs()[0], number),
               getMatrix(inner, loc, op.getDpsInputs()[1], number),
               getMatrix(inner, loc, op.getDpsInits()[0], number),
               sizes[sizes.size() - 3],
               sizes[sizes.size() - 2],
               sizes[sizes.size() - 1]};
    if (factors.first != left)
      dot.left = convertMatrix(inner, op, dot.left, factors.first, left);
    if (factors.second != right || !liesRowByRow(dot.right))
      dot.right = convertMatrix(inner, op, dot.right, factors.second, right);
    build(inner, dot);
  };
  if (sizes.size() == 3)
    return buildOne(builder, nullptr);
  buildLoops(builder, loc, sizes.front(), {},
             [&](OpBuilder &inner, ArrayRef<Value> number) {
               buildOne(inner, number.front());
             });
}
