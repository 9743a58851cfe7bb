//===- TupleReductions.cpp - Reductions of several results by vectors -----===//
//
// `tl.argmax` reduces numbers and their places. Along the last dimension this
// goes by vectors if one of two tuples is taken whatever their order is; along
// any other one lanes are columns, and rows keep their order.
//
//===----------------------------------------------------------------------===//

#include "ReductionLoops.h"
#include "VectorBody.h"
#include "VectorLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "triton-shared/Dialect/Cta/IR/Choice.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

using Tuple = SmallVector<Value>;

class TupleReduction {
public:
  /// Nothing if `op` is no reduction of this kind.
  static std::optional<TupleReduction> match(linalg::GenericOp op,
                                             unsigned vectorBytes);

  /// Builds loops that do what the operation does.
  void build(OpBuilder &builder) const;

private:
  explicit TupleReduction(linalg::GenericOp op) : op(op), loops(op) {}

  Tuple combineElements(OpBuilder &builder, ArrayRef<Value> indices,
                        ValueRange collected) const;
  Tuple combineVectors(OpBuilder &builder, ValueRange left,
                       ValueRange right) const;
  Tuple combineLanes(OpBuilder &builder, Tuple vectors) const;
  Tuple combineRest(OpBuilder &builder, ArrayRef<Value> outer, int64_t first,
                    ValueRange collected) const;
  Tuple reduceLanes(OpBuilder &builder, ArrayRef<Value> outer,
                    ValueRange start) const;
  void reduceRow(OpBuilder &builder, ArrayRef<Value> outer) const;
  void reduceColumns(OpBuilder &builder, ArrayRef<Value> parallel) const;

  Value constant(OpBuilder &builder, int64_t value) const {
    return arith::ConstantIndexOp::create(builder, op->getLoc(), value);
  }
  ValueRange getYielded() const {
    return op.getBlock()->getTerminator()->getOperands();
  }

  mutable linalg::GenericOp op;
  ReductionLoops loops;
};

std::optional<TupleReduction> TupleReduction::match(linalg::GenericOp op,
                                                    unsigned vectorBytes) {
  if (!op.hasPureBufferSemantics() || op.getNumReductionLoops() != 1 ||
      op.getNumDpsInits() < 2 || !isVectorizable(op))
    return std::nullopt;
  TupleReduction found(op);
  ReductionLoops &loops = found.loops;
  if (!loops.canUseLanes(op))
    return std::nullopt;
  if (!loops.isAlongLanes()) {
    loops.lanes =
        chooseLanes(loops.sizes.back(), getWidestBytes(op), vectorBytes);
  } else {
    if (op.getNumDpsInputs() != op.getNumDpsInits() ||
        !cta::isSymmetricChoice(op.getRegion()))
      return std::nullopt;
    loops.lanes = vectorBytes / getWidestBytes(op);
    if (loops.sizes.back() < 2 * loops.lanes)
      return std::nullopt;
  }
  return loops.lanes < 2 ? std::nullopt : std::optional(found);
}

//===----------------------------------------------------------------------===//
// Combining
//===----------------------------------------------------------------------===//

/// Combines `collected` with the elements at `indices`, in all lanes.
Tuple TupleReduction::combineElements(OpBuilder &builder,
                                      ArrayRef<Value> indices,
                                      ValueRange collected) const {
  VectorBody body(op, loops.lanes, loops.vectorLoop, indices);
  for (OpOperand *input : op.getDpsInputOperands()) {
    bool isCommon = isSameForAllLanes(op, *input, loops.vectorLoop);
    body.setArgument(
        input->getOperandNumber(),
        loadLanes(builder, op, *input, indices, isCommon ? 0 : loops.lanes));
  }
  for (auto [number, value] : llvm::enumerate(collected))
    body.setArgument(op.getNumDpsInputs() + number, value);
  body.build(builder);
  return llvm::map_to_vector(getYielded(), [&](Value value) {
    return body.getVector(builder, value);
  });
}

/// Takes one of two tuples in each lane.
Tuple TupleReduction::combineVectors(OpBuilder &builder, ValueRange left,
                                     ValueRange right) const {
  VectorValues values(
      cast<VectorType>(left.front().getType()).getNumElements());
  for (auto [argument, value] : llvm::zip_equal(op.getRegionInputArgs(), left))
    values.map(argument, value);
  for (auto [argument, value] :
       llvm::zip_equal(op.getRegionOutputArgs(), right))
    values.map(argument, value);
  for (Operation &nested : op.getBlock()->without_terminator())
    values.buildElementwise(builder, &nested);
  return llvm::map_to_vector(getYielded(), [&](Value value) {
    return values.getVector(builder, value);
  });
}

/// Halves with each other until one lane is left, as scalars.
Tuple TupleReduction::combineLanes(OpBuilder &builder, Tuple vectors) const {
  Location loc = op.getLoc();
  for (int64_t left = loops.lanes / 2; left > 0; left /= 2) {
    auto takeFrom = [&](int64_t first) {
      return llvm::map_to_vector(vectors, [&](Value vector) -> Value {
        return vector::ShuffleOp::create(
            builder, loc, vector, vector,
            llvm::to_vector(llvm::seq<int64_t>(first, first + left)));
      });
    };
    Tuple lower = takeFrom(0), upper = takeFrom(left);
    vectors = combineVectors(builder, lower, upper);
  }
  return llvm::map_to_vector(vectors, [&](Value vector) -> Value {
    return vector::ExtractOp::create(builder, loc, vector, 0);
  });
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// One element after the other from `first` on.
Tuple TupleReduction::combineRest(OpBuilder &builder, ArrayRef<Value> outer,
                                  int64_t first, ValueRange collected) const {
  auto loop = scf::ForOp::create(
      builder, op.getLoc(), constant(builder, first),
      constant(builder, loops.sizes.back()), constant(builder, 1), collected,
      [&](OpBuilder &inner, Location at, Value place, ValueRange soFar) {
        SmallVector<Value> indices(outer);
        indices.push_back(place);
        IRMapping values;
        for (OpOperand *input : op.getDpsInputOperands())
          values.map(op.getMatchingBlockArgument(input),
                     loadLanes(inner, op, *input, indices, 0));
        values.map(op.getRegionOutputArgs(), soFar);
        for (Operation &nested : op.getBlock()->without_terminator())
          inner.clone(nested, values);
        scf::YieldOp::create(inner, at,
                             llvm::map_to_vector(getYielded(), [&](Value v) {
                               return values.lookup(v);
                             }));
      });
  return Tuple(loop.getResults());
}

/// A row combined with `start`, which any number of lanes may begin with: of
/// two equal tuples either is taken.
Tuple TupleReduction::reduceLanes(OpBuilder &builder, ArrayRef<Value> outer,
                                  ValueRange start) const {
  Location loc = op.getLoc();
  size_t width = start.size();
  int64_t lanes = loops.lanes, size = loops.sizes.back();
  int64_t collectors = std::min(kCollectors, size / lanes);
  int64_t step = collectors * lanes, end = size / step * step;
  Tuple first = llvm::map_to_vector(start, [&](Value value) -> Value {
    return vector::BroadcastOp::create(
        builder, loc, VectorType::get(lanes, value.getType()), value);
  });
  Tuple all;
  for (int64_t i = 0; i < collectors; ++i)
    llvm::append_range(all, first);
  auto loop = scf::ForOp::create(
      builder, loc, constant(builder, 0), constant(builder, end),
      constant(builder, step), all,
      [&](OpBuilder &inner, Location at, Value place, ValueRange collected) {
        Tuple next;
        for (int64_t i = 0; i < collectors; ++i) {
          SmallVector<Value> indices(outer);
          indices.push_back(arith::AddIOp::create(inner, at, place,
                                                  constant(inner, i * lanes)));
          llvm::append_range(
              next, combineElements(inner, indices,
                                    collected.slice(i * width, width)));
        }
        scf::YieldOp::create(inner, at, next);
      });
  ValueRange results = loop.getResults();
  Tuple vectors(results.take_front(width));
  for (int64_t i = 1; i < collectors; ++i)
    vectors = combineVectors(builder, vectors, results.slice(i * width, width));
  return combineRest(builder, outer, end, combineLanes(builder, vectors));
}

void TupleReduction::reduceRow(OpBuilder &builder,
                               ArrayRef<Value> outer) const {
  SmallVector<Value> indices(outer);
  indices.push_back(nullptr); // The places of results do not depend on it.
  Tuple start;
  for (OpOperand &init : op.getDpsInitsMutable())
    start.push_back(loadLanes(builder, op, init, indices, 0));
  Tuple row = reduceLanes(builder, outer, start);
  for (auto [init, value] : llvm::zip_equal(op.getDpsInitsMutable(), row))
    memref::StoreOp::create(builder, op.getLoc(), value, init.get(),
                            getPlace(builder, op, init, indices));
}

/// Reduces as many columns as there are lanes, row after row.
void TupleReduction::reduceColumns(OpBuilder &builder,
                                   ArrayRef<Value> parallel) const {
  Location loc = op.getLoc();
  SmallVector<Value> indices(parallel);
  indices.insert(indices.begin() + loops.reduced, nullptr);
  Tuple start;
  for (OpOperand &init : op.getDpsInitsMutable())
    start.push_back(loadLanes(builder, op, init, indices, loops.lanes));
  auto loop = scf::ForOp::create(
      builder, loc, constant(builder, 0),
      constant(builder, loops.sizes[loops.reduced]), constant(builder, 1),
      start,
      [&](OpBuilder &inner, Location at, Value row, ValueRange collected) {
        SmallVector<Value> places(indices);
        places[loops.reduced] = row;
        scf::YieldOp::create(inner, at,
                             combineElements(inner, places, collected));
      });
  for (auto [init, value] :
       llvm::zip_equal(op.getDpsInitsMutable(), loop.getResults()))
    vector::StoreOp::create(builder, loc, value, init.get(),
                            getPlace(builder, op, init, indices));
}

void TupleReduction::build(OpBuilder &builder) const {
  loops.buildOuter(builder, op.getLoc(),
                   [&](OpBuilder &inner, ArrayRef<Value> indices) {
                     if (loops.isAlongLanes())
                       reduceRow(inner, indices);
                     else
                       reduceColumns(inner, indices);
                   });
}

struct VectorizeTupleReduction : OpRewritePattern<linalg::GenericOp> {
  VectorizeTupleReduction(MLIRContext *context, unsigned vectorBytes)
      : OpRewritePattern(context), vectorBytes(vectorBytes) {}

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<TupleReduction> reduction =
        TupleReduction::match(op, vectorBytes);
    if (!reduction)
      return rewriter.notifyMatchFailure(op, "not a reduction by vectors");
    reduction->build(rewriter);
    rewriter.eraseOp(op);
    return success();
  }

private:
  unsigned vectorBytes;
};

} // namespace

void triton_shared::populateTupleReductionsToVector(RewritePatternSet &patterns,
                                                    unsigned vectorBytes) {
  patterns.add<VectorizeTupleReduction>(patterns.getContext(), vectorBytes);
}
