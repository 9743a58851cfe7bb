//===- Scans.cpp - Running results by vectors -----------------------------===//
//
// A scan of a row is a loop that carries what it has so far:
//
//   %last = scf.for %i = %c1 to %n step %c1 iter_args(%sum = %row[0]) {
//     %next = combine(%sum, %row[%i])
//     memref.store %next, %out[%i]
//     scf.yield %next
//   }
//
// Each vector combines its lanes with those 1, 2, 4, ... places before them,
// then all of them with what the vectors before it came to.
//
//===----------------------------------------------------------------------===//

#include "VectorLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

struct Scan {
  Value row, result;
  Operation *combiner;
  int64_t size, lanes;
};

/// True for memory whose element `index`, the only index, has neighbours.
bool isPlaceInRow(Value memory, ValueRange indices, Value index) {
  auto type = cast<MemRefType>(memory.getType());
  return indices.size() == 1 && indices.front() == index &&
         type.isLastDimUnitStride() && !type.getElementType().isInteger(1);
}

std::optional<Scan> matchScan(scf::ForOp loop, unsigned vectorBytes) {
  std::optional<int64_t> size = getConstantIntValue(loop.getUpperBound());
  if (loop.getNumRegionIterArgs() != 1 || !size ||
      !isConstantIntValue(loop.getLowerBound(), 1) ||
      !isConstantIntValue(loop.getStep(), 1) ||
      loop.getBody()->getOperations().size() != 4)
    return std::nullopt;
  auto ops = loop.getBody()->begin();
  auto load = dyn_cast<memref::LoadOp>(*ops++);
  Operation *combiner = &*ops++;
  auto store = dyn_cast<memref::StoreOp>(*ops++);
  auto first = loop.getInitArgs().front().getDefiningOp<memref::LoadOp>();
  Value index = loop.getInductionVar(), soFar = loop.getRegionIterArg(0);
  if (!load || !store || !isAssociative(combiner) || !first ||
      !loop.isDefinedOutsideOfLoop(load.getMemRef()) ||
      !loop.isDefinedOutsideOfLoop(store.getMemRef()) ||
      !isPlaceInRow(load.getMemRef(), load.getIndices(), index) ||
      !isPlaceInRow(store.getMemRef(), store.getIndices(), index))
    return std::nullopt;
  bool combinesBoth =
      (combiner->getOperand(0) == soFar && combiner->getOperand(1) == load) ||
      (combiner->getOperand(1) == soFar && combiner->getOperand(0) == load);
  Value next = combiner->getResult(0);
  if (!combinesBoth || store.getValue() != next ||
      loop.getYieldedValues().front() != next ||
      first.getMemRef() != load.getMemRef() ||
      !isConstantIntValue(first.getIndices().front(), 0))
    return std::nullopt;
  unsigned bytes = next.getType().getIntOrFloatBitWidth() / 8;
  Scan scan = {load.getMemRef(), store.getMemRef(), combiner, *size,
               chooseLanes(*size, bytes, vectorBytes)};
  return scan.lanes < 4 ? std::nullopt : std::optional(scan);
}

/// Builds a scan in place of its loop.
class ScanBuilder {
public:
  ScanBuilder(const Scan &scan, Location loc)
      : scan(scan), loc(loc),
        type(VectorType::get(scan.lanes,
                             scan.combiner->getResult(0).getType())) {}

  /// Returns the last of all results.
  Value build(OpBuilder &builder) {
    Value start = constant(builder, 0), step = constant(builder, scan.lanes);
    Value first = buildPrefixes(builder, start);
    vector::StoreOp::create(builder, loc, first, scan.result, start);
    auto loop = scf::ForOp::create(
        builder, loc, step, constant(builder, scan.size), step,
        getLast(builder, first),
        [&](OpBuilder &inner, Location, Value index, ValueRange soFar) {
          Value prefixes = buildPrefixes(inner, index);
          Value before =
              vector::BroadcastOp::create(inner, loc, type, soFar.front());
          Value results = combine(inner, scan.combiner, before, prefixes);
          vector::StoreOp::create(inner, loc, results, scan.result, index);
          scf::YieldOp::create(inner, loc,
                               combine(inner, scan.combiner, soFar.front(),
                                       getLast(inner, prefixes)));
        });
    return loop.getResult(0);
  }

private:
  Value constant(OpBuilder &builder, int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }

  Value getLast(OpBuilder &builder, Value vector) {
    return vector::ExtractOp::create(builder, loc, vector, scan.lanes - 1);
  }

  /// The scan of the vector at `index` of the row alone.
  Value buildPrefixes(OpBuilder &builder, Value index) {
    Value vector = vector::LoadOp::create(builder, loc, type, scan.row, index);
    for (int64_t distance = 1; distance < scan.lanes; distance *= 2) {
      SmallVector<int64_t> places;
      SmallVector<bool> hasOther;
      for (int64_t lane = 0; lane < scan.lanes; ++lane) {
        places.push_back(std::max<int64_t>(lane - distance, 0));
        hasOther.push_back(lane >= distance);
      }
      Value other =
          vector::ShuffleOp::create(builder, loc, vector, vector, places);
      Value both = combine(builder, scan.combiner, other, vector);
      Value mask = arith::ConstantOp::create(
          builder, loc,
          DenseElementsAttr::get(type.clone(builder.getI1Type()), hasOther));
      vector = arith::SelectOp::create(builder, loc, mask, both, vector);
    }
    return vector;
  }

  const Scan &scan;
  Location loc;
  VectorType type;
};

struct VectorizeScan : OpRewritePattern<scf::ForOp> {
  VectorizeScan(MLIRContext *context, unsigned vectorBytes)
      : OpRewritePattern(context), vectorBytes(vectorBytes) {}

  LogicalResult matchAndRewrite(scf::ForOp loop,
                                PatternRewriter &rewriter) const override {
    std::optional<Scan> scan = matchScan(loop, vectorBytes);
    if (!scan)
      return rewriter.notifyMatchFailure(loop, "no scan of a row");
    rewriter.replaceOp(loop, ScanBuilder(*scan, loop.getLoc()).build(rewriter));
    return success();
  }

private:
  unsigned vectorBytes;
};

} // namespace

void triton_shared::populateScansToVector(RewritePatternSet &patterns,
                                          unsigned vectorBytes) {
  patterns.add<VectorizeScan>(patterns.getContext(), vectorBytes);
}
