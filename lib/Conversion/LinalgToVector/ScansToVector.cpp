//===- ScansToVector.cpp - Running results by vectors ---------------------===//
//
// A scan of the rows of a block goes from vector to vector of each row. Lanes
// are combined with those 1, 2, 4, ... places before them, then all of them
// with what the vectors before came to, which is carried in every lane:
//
//   a  b  c   d       lanes of the row
//   a  ab bc  cd      with those 1 place before
//   a  ab abc abcd    with those 2 places before
//
// In reverse, what comes before stands behind.
//
//===----------------------------------------------------------------------===//

#include "ScanLoop.h"
#include "VectorBody.h"
#include "VectorLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "triton-shared/Conversion/LinalgToCpu.h"

namespace mlir::triton_shared {
#define GEN_PASS_DECL_CPUSCANSTOVECTOR
#define GEN_PASS_DEF_CPUSCANSTOVECTOR
#include "triton-shared/Conversion/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

//===----------------------------------------------------------------------===//
// Which scans
//===----------------------------------------------------------------------===//

/// LLVM 22 does not come to an end where it merges shuffles of 64 bytes for
/// CPUs that have such an instruction (AVX512_VBMI).
constexpr int64_t kMostLanes = 32;

/// A vector combines its lanes log2(lanes) + 2 times. Where that takes a few
/// operations the scalar loop waits for results, and four lanes are faster;
/// where it takes the many of a polynomial, eight (f64) are not.
constexpr int64_t kLanesForFunctions = 16;

/// Arithmetic on other small floats than f16, which CPUs convert, becomes
/// arithmetic on f32 only later, and only as scalars.
bool isSmallFloat(Type type) {
  auto format = dyn_cast<FloatType>(type);
  return format && format.getWidth() < 32 && !format.isF16();
}

/// True if the CPU computes `op` for all lanes at once. What it computes for
/// one after the other is not worth it: a vector combines its lanes more often
/// than a scalar loop does.
bool isComputedAtOnce(Operation *op) {
  if (!isVectorizable(op) ||
      llvm::any_of(op->getOperandTypes(), isSmallFloat) ||
      llvm::any_of(op->getResultTypes(), isSmallFloat))
    return false;
  // May round in ways of its own.
  if (isa<arith::TruncFOp>(op) && op->getResult(0).getType().isF16())
    return false;
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
          arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(op))
    return false;
  return !isa<math::MathDialect>(op->getDialect()) ||
         isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp,
             math::FloorOp, math::FmaOp, math::RoundEvenOp, math::RoundOp,
             math::RsqrtOp, math::SqrtOp, math::TruncOp>(op);
}

/// True if rows of the operands can be read as vectors.
bool hasVectors(const ScanLoop &scan) {
  return llvm::all_of(scan.getSources(), [&](Value source) {
    Type element = getElementTypeOrSelf(source.getType());
    // Booleans are packed in a vector, bytes in memory.
    return isLane(element) && !element.isInteger(1) && !isSmallFloat(element);
  });
}

/// How many lanes a vector of the scan has: the widest number that it combines
/// or computes with decides.
int64_t chooseScanLanes(const ScanLoop &scan, unsigned vectorBytes) {
  SmallVector<Type> types =
      llvm::map_to_vector(scan.getSources(), [](Value source) {
        return getElementTypeOrSelf(source.getType());
      });
  for (Operation *op : scan.getBody().operations)
    llvm::append_range(types, op->getResultTypes());
  return std::min(kMostLanes, chooseLanes(scan.getSize(), getWidestBytes(types),
                                          vectorBytes));
}

/// Makes functions in the region polynomials.
void expandFunctions(scf::ForOp loop) {
  RewritePatternSet patterns(loop.getContext());
  populateCpuExpandMath(patterns, /*hasScale=*/false);
  walkAndApplyPatterns(loop, std::move(patterns));
}

/// Finds the lanes for a scan, and prepares its loop; none if it stays one.
std::optional<int64_t> prepareScan(const ScanLoop &scan, unsigned vectorBytes,
                                   bool expandMath) {
  int64_t lanes = chooseScanLanes(scan, vectorBytes);
  if (!hasVectors(scan) || lanes < 4)
    return std::nullopt;
  auto isReady = [&] {
    return llvm::all_of(scan.getBody().operations, isComputedAtOnce);
  };
  if (isReady())
    return lanes;
  if (!expandMath || lanes < kLanesForFunctions)
    return std::nullopt;
  expandFunctions(scan.getLoop());
  lanes = chooseScanLanes(scan, vectorBytes);
  return isReady() && lanes >= kLanesForFunctions ? std::optional(lanes)
                                                  : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Their form by vectors
//===----------------------------------------------------------------------===//

/// Builds a scan before its loop. A list of values has one for each operand.
class ScanBuilder {
public:
  ScanBuilder(const ScanLoop &scan, int64_t lanes)
      : scan(scan), body(scan.getBody()), sources(scan.getSources()),
        loc(scan.getLoop().getLoc()), lanes(lanes) {}

  SmallVector<Value> build() {
    OpBuilder builder(scan.getLoop());
    SmallVector<Value> results;
    for (Value source : sources) {
      auto type = cast<RankedTensorType>(source.getType());
      results.push_back(tensor::EmptyOp::create(builder, loc, type.getShape(),
                                                type.getElementType()));
    }
    auto shape = cast<RankedTensorType>(sources.front().getType()).getShape();
    SmallVector<Value> ends;
    for (int64_t rows : shape.drop_back())
      ends.push_back(constant(builder, rows));
    SmallVector<Value> lows(ends.size(), constant(builder, 0));
    SmallVector<Value> steps(ends.size(), constant(builder, 1));
    scf::LoopNest rows = scf::buildLoopNest(
        builder, loc, lows, ends, steps, results,
        [&](OpBuilder &inner, Location, ValueRange row, ValueRange soFar) {
          return buildRow(inner, row, soFar);
        });
    return SmallVector<Value>(rows.results);
  }

private:
  Value constant(OpBuilder &builder, int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }

  /// Scans one row into `results`. The first vector has nothing before it.
  SmallVector<Value> buildRow(OpBuilder &builder, ValueRange row,
                              ValueRange results) {
    int64_t last = scan.getSize() - lanes;
    Value lastPlace = constant(builder, last);
    Value start = scan.isReverse() ? lastPlace : constant(builder, 0);
    SmallVector<Value> prefixes = buildPrefixes(builder, row, start);
    SmallVector<Value> carried = spreadLast(builder, prefixes);
    llvm::append_range(carried, write(builder, prefixes, results, row, start));
    size_t count = sources.size();
    if (last == 0)
      return SmallVector<Value>(llvm::drop_begin(carried, count));
    Value step = constant(builder, lanes);
    auto loop = scf::ForOp::create(
        builder, loc, step, constant(builder, scan.getSize()), step, carried,
        [&](OpBuilder &inner, Location, Value index, ValueRange soFar) {
          Value place = index;
          if (scan.isReverse())
            place = arith::SubIOp::create(inner, loc, lastPlace, index);
          scf::YieldOp::create(inner, loc,
                               buildStep(inner, row, place,
                                         soFar.take_front(count),
                                         soFar.drop_front(count)));
        });
    return SmallVector<Value>(loop.getResults().drop_front(count));
  }

  /// Scans the vectors at `place`. What is carried depends on what was carried
  /// by one combination alone, so that vectors need not wait for each other.
  SmallVector<Value> buildStep(OpBuilder &builder, ValueRange row, Value place,
                               ValueRange carried, ValueRange results) {
    SmallVector<Value> prefixes = buildPrefixes(builder, row, place);
    SmallVector<Value> whole = combine(builder, carried, prefixes);
    SmallVector<Value> next =
        combine(builder, carried, spreadLast(builder, prefixes));
    llvm::append_range(next, write(builder, whole, results, row, place));
    return next;
  }

  /// The scan of the vectors at `place` alone.
  SmallVector<Value> buildPrefixes(OpBuilder &builder, ValueRange row,
                                   Value place) {
    SmallVector<Value> indices(row);
    indices.push_back(place);
    SmallVector<Value> prefixes =
        llvm::map_to_vector(sources, [&](Value source) -> Value {
          Type element = getElementTypeOrSelf(source.getType());
          return vector::TransferReadOp::create(
              builder, loc, VectorType::get(lanes, element), source, indices,
              ub::PoisonOp::create(builder, loc, element),
              ArrayRef<bool>(true));
        });
    for (int64_t distance = 1; distance < lanes; distance *= 2)
      prefixes = combineAcross(builder, prefixes, distance);
    return prefixes;
  }

  /// Combines lanes with those `distance` places before them, if there are any.
  SmallVector<Value> combineAcross(OpBuilder &builder, ValueRange vectors,
                                   int64_t distance) {
    SmallVector<int64_t> places;
    SmallVector<bool> hasOther;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      int64_t other = scan.isReverse() ? lane + distance : lane - distance;
      hasOther.push_back(0 <= other && other < lanes);
      places.push_back(hasOther.back() ? other : lane);
    }
    SmallVector<Value> both =
        combine(builder, shuffle(builder, vectors, places), vectors);
    Value mask = arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(VectorType::get(lanes, builder.getI1Type()),
                               hasOther));
    return llvm::map_to_vector(
        llvm::zip_equal(both, vectors), [&](auto pair) -> Value {
          auto [combined, alone] = pair;
          return arith::SelectOp::create(builder, loc, mask, combined, alone);
        });
  }

  SmallVector<Value> shuffle(OpBuilder &builder, ValueRange vectors,
                             ArrayRef<int64_t> places) {
    return llvm::map_to_vector(vectors, [&](Value vector) -> Value {
      return vector::ShuffleOp::create(builder, loc, vector, vector, places);
    });
  }

  /// What the vectors have come to, in every lane.
  SmallVector<Value> spreadLast(OpBuilder &builder, ValueRange prefixes) {
    SmallVector<int64_t> places(lanes, scan.isReverse() ? 0 : lanes - 1);
    return shuffle(builder, prefixes, places);
  }

  SmallVector<Value> combine(OpBuilder &builder, ValueRange running,
                             ValueRange next) {
    VectorValues values(lanes);
    for (auto [value, operand] : body.running)
      values.map(value, running[operand]);
    for (auto [value, operand] : body.next)
      values.map(value, next[operand]);
    for (Operation *op : body.operations)
      values.buildElementwise(builder, op);
    return llvm::map_to_vector(body.results, [&](Value result) {
      return values.getVector(builder, result);
    });
  }

  /// The results with `vectors` at `place` of the row.
  SmallVector<Value> write(OpBuilder &builder, ValueRange vectors,
                           ValueRange results, ValueRange row, Value place) {
    SmallVector<Value> indices(row);
    indices.push_back(place);
    return llvm::map_to_vector(
        llvm::zip_equal(vectors, results), [&](auto pair) -> Value {
          auto [vector, result] = pair;
          return vector::TransferWriteOp::create(builder, loc, vector, result,
                                                 indices, ArrayRef<bool>(true))
              .getResult();
        });
  }

  const ScanLoop &scan;
  ScanBody body;
  SmallVector<Value> sources;
  Location loc;
  int64_t lanes;
};

/// Erases what has prepared loops that are no more.
void eraseUnused(func::FuncOp function) {
  function.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isOpTriviallyDead(op))
      op->erase();
  });
}

struct CpuScansToVector
    : triton_shared::impl::CpuScansToVectorBase<CpuScansToVector> {
  using CpuScansToVectorBase::CpuScansToVectorBase;

  void runOnOperation() override {
    bool hasScans = false;
    getOperation().walk([&](scf::ForOp loop) {
      std::optional<ScanLoop> scan = ScanLoop::match(loop);
      std::optional<int64_t> lanes =
          scan ? prepareScan(*scan, vectorBytes, expandMath) : std::nullopt;
      if (!lanes)
        return;
      SmallVector<Value> results = ScanBuilder(*scan, *lanes).build();
      for (auto [old, result] : llvm::zip_equal(scan->getResults(), results))
        old.replaceAllUsesWith(result);
      loop.erase();
      hasScans = true;
    });
    if (hasScans)
      eraseUnused(getOperation());
  }
};

} // namespace
