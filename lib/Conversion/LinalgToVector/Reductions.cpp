//===- Reductions.cpp - Reductions as loops over vectors ------------------===//
//
// Along the last dimension, several vectors collect partial results, which a
// tree of fixed form then combines: the result depends on the shape alone.
// Along any other dimension, lanes are columns and rows keep their order.
//
//===----------------------------------------------------------------------===//

#include "ReductionLoops.h"
#include "VectorBody.h"
#include "VectorLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

struct Reduction {
  linalg::GenericOp op;
  ReductionLoops loops;
  /// Combines what is collected so far with one more element.
  Operation *combiner;
  /// True if a product is added without being rounded in between.
  bool fusesProducts;

  Type getType() const { return combiner->getResult(0).getType(); }
  /// The argument of the body that is what has been collected.
  BlockArgument getCollected() { return op.getRegionOutputArgs().front(); }
  OpOperand &getInit() { return *op.getDpsInitsMutable().begin(); }
};

/// The operation that yields the result, if it is associative and the only one
/// that sees what has been collected.
Operation *findCombiner(linalg::GenericOp op) {
  BlockArgument collected = op.getRegionOutputArgs().front();
  Operation *combiner =
      op.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  if (!combiner || !collected.hasOneUse() ||
      *collected.user_begin() != combiner || !combiner->hasOneUse())
    return nullptr;
  return isAssociative(combiner) ? combiner : nullptr;
}

/// The number that changes nothing. Negative zero, unlike zero, leaves a
/// negative zero what it is.
TypedAttr getNeutral(Operation *combiner) {
  if (auto sum = dyn_cast<arith::AddFOp>(combiner))
    return FloatAttr::get(sum.getType(), -0.0);
  return arith::getNeutralElement(combiner).value_or(nullptr);
}

std::optional<Reduction> matchReduction(linalg::GenericOp op,
                                        unsigned vectorBytes, bool hasFma) {
  if (!op.hasPureBufferSemantics() || op.getNumReductionLoops() != 1 ||
      op.getNumDpsInits() != 1 || !isVectorizable(op))
    return std::nullopt;
  Reduction reduction = {op, ReductionLoops(op), findCombiner(op), hasFma};
  ReductionLoops &loops = reduction.loops;
  if (!reduction.combiner || !getNeutral(reduction.combiner) ||
      !loops.canUseLanes(op))
    return std::nullopt;
  loops.lanes = chooseLanes(loops.sizes[loops.vectorLoop], getWidestBytes(op),
                            vectorBytes);
  if (loops.lanes < 2)
    return std::nullopt;
  return reduction;
}

//===----------------------------------------------------------------------===//
// Combining
//===----------------------------------------------------------------------===//

/// How two partial results, scalars or vectors, become one.
class Combiner {
public:
  virtual ~Combiner() = default;
  virtual Value combine(OpBuilder &builder, Value lhs, Value rhs) const = 0;
  virtual TypedAttr getStart() const = 0;
};

/// The operation of the kernel.
class ExactCombiner : public Combiner {
public:
  explicit ExactCombiner(Operation *op) : op(op) {}

  Value combine(OpBuilder &builder, Value lhs, Value rhs) const override {
    return triton_shared::combine(builder, op, lhs, rhs);
  }
  TypedAttr getStart() const override { return getNeutral(op); }

private:
  Operation *op;
};

/// The larger or smaller number by a comparison, one instruction instead of
/// five. It is right unless the result is a zero, whose sign it may miss, or
/// the start itself, where there may have been nothing but NaN.
class QuickExtremum : public Combiner {
public:
  static bool applies(Operation *op) {
    return isa<arith::MaxNumFOp, arith::MinNumFOp>(op);
  }
  explicit QuickExtremum(Operation *op)
      : loc(op->getLoc()), type(cast<FloatType>(op->getResult(0).getType())),
        isMaximum(isa<arith::MaxNumFOp>(op)) {}

  Value combine(OpBuilder &builder, Value lhs, Value rhs) const override {
    auto beyond =
        isMaximum ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT;
    Value isBeyond = arith::CmpFOp::create(builder, loc, beyond, rhs, lhs);
    return arith::SelectOp::create(builder, loc, isBeyond, rhs, lhs);
  }
  TypedAttr getStart() const override {
    return FloatAttr::get(type, APFloat::getInf(type.getFloatSemantics(),
                                                /*Negative=*/isMaximum));
  }
  /// True at run time if `result` is right.
  Value isRight(OpBuilder &builder, Value result) const {
    auto differsFrom = [&](TypedAttr number) -> Value {
      return arith::CmpFOp::create(
          builder, loc, arith::CmpFPredicate::UNE, result,
          arith::ConstantOp::create(builder, loc, number));
    };
    return arith::AndIOp::create(builder, loc,
                                 differsFrom(FloatAttr::get(type, 0.0)),
                                 differsFrom(getStart()));
  }

private:
  Location loc;
  FloatType type;
  bool isMaximum;
};

/// The lanes of `vector` combined: halves with each other until one is left.
Value combineLanes(OpBuilder &builder, Location loc, const Combiner &combiner,
                   Value vector) {
  int64_t lanes = cast<VectorType>(vector.getType()).getNumElements();
  while (lanes > 1) {
    lanes /= 2;
    SmallVector<int64_t> low = llvm::to_vector(llvm::seq<int64_t>(0, lanes));
    SmallVector<int64_t> high =
        llvm::to_vector(llvm::seq<int64_t>(lanes, 2 * lanes));
    Value lower = vector::ShuffleOp::create(builder, loc, vector, vector, low);
    Value upper = vector::ShuffleOp::create(builder, loc, vector, vector, high);
    vector = combiner.combine(builder, lower, upper);
  }
  return vector::ExtractOp::create(builder, loc, vector, 0);
}

/// Combines `collected` with the elements at `indices`.
Value collect(OpBuilder &builder, Reduction &reduction,
              const Combiner &combiner, Value collected,
              ArrayRef<Value> indices) {
  linalg::GenericOp op = reduction.op;
  VectorBody body(op, reduction.loops.lanes, reduction.loops.vectorLoop,
                  indices);
  for (OpOperand *input : op.getDpsInputOperands()) {
    bool isCommon = isSameForAllLanes(op, *input, reduction.loops.vectorLoop);
    body.setArgument(input->getOperandNumber(),
                     loadLanes(builder, op, *input, indices,
                               isCommon ? 0 : reduction.loops.lanes));
  }
  Operation *last = reduction.combiner;
  body.build(builder, last);
  Value element = last->getOperand(0) == reduction.getCollected()
                      ? last->getOperand(1)
                      : last->getOperand(0);
  auto product = element.getDefiningOp<arith::MulFOp>();
  if (reduction.fusesProducts && isa<arith::AddFOp>(last) && product &&
      product->getBlock() == op.getBody())
    return math::FmaOp::create(
        builder, last->getLoc(), body.getVector(builder, product.getLhs()),
        body.getVector(builder, product.getRhs()), collected);
  return combiner.combine(builder, collected, body.getVector(builder, element));
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// The elements of a row combined: they are lanes.
Value reduceLanes(OpBuilder &builder, Reduction &reduction,
                  const Combiner &combiner, ArrayRef<Value> outer) {
  Location loc = reduction.op.getLoc();
  int64_t lanes = reduction.loops.lanes, size = reduction.loops.sizes.back();
  int64_t collectors = std::min(kCollectors, size / lanes);
  while (size % (lanes * collectors) != 0)
    collectors /= 2;
  auto constant = [&](OpBuilder &b, int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  auto type = VectorType::get(lanes, reduction.getType());
  Value start = arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(type, Attribute(combiner.getStart())));
  auto loop = scf::ForOp::create(
      builder, loc, constant(builder, 0), constant(builder, size),
      constant(builder, lanes * collectors),
      SmallVector<Value>(collectors, start),
      [&](OpBuilder &inner, Location at, Value first, ValueRange collected) {
        SmallVector<Value> next;
        for (auto [number, soFar] : llvm::enumerate(collected)) {
          SmallVector<Value> indices(outer);
          indices.push_back(arith::AddIOp::create(
              inner, at, first, constant(inner, number * lanes)));
          next.push_back(collect(inner, reduction, combiner, soFar, indices));
        }
        scf::YieldOp::create(inner, at, next);
      });
  SmallVector<Value> parts(loop.getResults());
  while (parts.size() > 1) {
    size_t half = parts.size() / 2;
    for (size_t number = 0; number < half; ++number)
      parts[number] =
          combiner.combine(builder, parts[number], parts[number + half]);
    parts.truncate(half);
  }
  return combineLanes(builder, loc, combiner, parts.front());
}

/// The quick result if it is right, else the exact one.
Value reduceToExtremum(OpBuilder &builder, Reduction &reduction,
                       ArrayRef<Value> outer) {
  Location loc = reduction.op.getLoc();
  QuickExtremum quick(reduction.combiner);
  Value result = reduceLanes(builder, reduction, quick, outer);
  auto branch = scf::IfOp::create(
      builder, loc, quick.isRight(builder, result),
      [&](OpBuilder &inner, Location at) {
        scf::YieldOp::create(inner, at, result);
      },
      [&](OpBuilder &inner, Location at) {
        ExactCombiner exact(reduction.combiner);
        scf::YieldOp::create(inner, at,
                             reduceLanes(inner, reduction, exact, outer));
      });
  return branch.getResult(0);
}

/// Reduces one row and combines it with what is there.
void reduceRow(OpBuilder &builder, Reduction &reduction,
               ArrayRef<Value> outer) {
  Location loc = reduction.op.getLoc();
  ExactCombiner exact(reduction.combiner);
  Value row = QuickExtremum::applies(reduction.combiner)
                  ? reduceToExtremum(builder, reduction, outer)
                  : reduceLanes(builder, reduction, exact, outer);
  SmallVector<Value> indices(outer);
  indices.push_back(nullptr); // The place of the result does not depend on it.
  OpOperand &init = reduction.getInit();
  SmallVector<Value> place = getPlace(builder, reduction.op, init, indices);
  Value start = memref::LoadOp::create(builder, loc, init.get(), place);
  memref::StoreOp::create(builder, loc, exact.combine(builder, start, row),
                          init.get(), place);
}

/// Reduces as many columns as there are lanes, row after row.
void reduceColumns(OpBuilder &builder, Reduction &reduction,
                   ArrayRef<Value> parallel) {
  Location loc = reduction.op.getLoc();
  SmallVector<Value> indices(parallel);
  indices.insert(indices.begin() + reduction.loops.reduced, nullptr);
  OpOperand &init = reduction.getInit();
  ExactCombiner exact(reduction.combiner);
  SmallVector<Value> place = getPlace(builder, reduction.op, init, indices);
  auto type = VectorType::get(reduction.loops.lanes, reduction.getType());
  Value start = vector::LoadOp::create(builder, loc, type, init.get(), place);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  auto loop = scf::ForOp::create(
      builder, loc, constant(0),
      constant(reduction.loops.sizes[reduction.loops.reduced]), constant(1),
      start,
      [&](OpBuilder &inner, Location at, Value row, ValueRange collected) {
        indices[reduction.loops.reduced] = row;
        scf::YieldOp::create(
            inner, at,
            collect(inner, reduction, exact, collected.front(), indices));
      });
  vector::StoreOp::create(builder, loc, loop.getResult(0), init.get(), place);
}

struct VectorizeReduction : OpRewritePattern<linalg::GenericOp> {
  VectorizeReduction(MLIRContext *context, unsigned vectorBytes, bool hasFma)
      : OpRewritePattern(context), vectorBytes(vectorBytes), hasFma(hasFma) {}

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<Reduction> reduction =
        matchReduction(op, vectorBytes, hasFma);
    if (!reduction)
      return rewriter.notifyMatchFailure(op, "not a reduction by vectors");
    reduction->loops.buildOuter(rewriter, op.getLoc(),
                                [&](OpBuilder &inner, ArrayRef<Value> indices) {
                                  if (reduction->loops.isAlongLanes())
                                    reduceRow(inner, *reduction, indices);
                                  else
                                    reduceColumns(inner, *reduction, indices);
                                });
    rewriter.eraseOp(op);
    return success();
  }

private:
  unsigned vectorBytes;
  bool hasFma;
};

} // namespace

void triton_shared::populateReductionsToVector(RewritePatternSet &patterns,
                                               unsigned vectorBytes,
                                               bool hasFma) {
  patterns.add<VectorizeReduction>(patterns.getContext(), vectorBytes, hasFma);
}
