//===- Scans.cpp - tts.scan to a loop over its axis -----------------------===//
//
// A scan is a chain along its axis and independent work across it: a loop that
// carries what is combined so far, and linalg on one slice per iteration.
//
//===----------------------------------------------------------------------===//

#include "Elements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "triton-shared/Conversion/StructuredToMemRef.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// The slices of tensors at one place along an axis, which they keep as a
/// dimension of size 1: which of several such dimensions a slice without it had
/// lost is a guess that canonicalization gets wrong. A slice of a tensor of
/// rank 1 is a scalar, so that such a scan needs no memory but its result's.
struct Slices {
  RankedTensorType shape;
  int64_t axis;

  bool areScalars() const { return shape.getRank() == 1; }

  RankedTensorType getType(Type elementType) const {
    SmallVector<int64_t> sizes(shape.getShape());
    sizes[axis] = 1;
    return RankedTensorType::get(sizes, elementType);
  }

  Value read(OpBuilder &builder, Location loc, Value tensor,
             Value place) const {
    if (areScalars())
      return tensor::ExtractOp::create(builder, loc, tensor, place);
    return tensor::ExtractSliceOp::create(
        builder, loc, getType(getElementTypeOrSelf(tensor)), tensor,
        getOffsets(builder, place), getSizes(builder), getStrides(builder));
  }

  Value write(OpBuilder &builder, Location loc, Value slice, Value tensor,
              Value place) const {
    if (areScalars())
      return tensor::InsertOp::create(builder, loc, slice, tensor, place);
    return tensor::InsertSliceOp::create(
        builder, loc, slice, tensor, getOffsets(builder, place),
        getSizes(builder), getStrides(builder));
  }

private:
  SmallVector<OpFoldResult> getOffsets(OpBuilder &builder, Value place) const {
    SmallVector<OpFoldResult> offsets(shape.getRank(), builder.getIndexAttr(0));
    offsets[axis] = place;
    return offsets;
  }
  SmallVector<OpFoldResult> getSizes(OpBuilder &builder) const {
    SmallVector<OpFoldResult> sizes =
        getAsIndexOpFoldResult(builder.getContext(), shape.getShape());
    sizes[axis] = builder.getIndexAttr(1);
    return sizes;
  }
  SmallVector<OpFoldResult> getStrides(OpBuilder &builder) const {
    return SmallVector<OpFoldResult>(shape.getRank(), builder.getIndexAttr(1));
  }
};

//===----------------------------------------------------------------------===//
// The pattern
//===----------------------------------------------------------------------===//

/// Per operand the loop carries the running slice and the result:
///
///   %r:2 = scf.for %k = %c1 to %n iter_args(%sum = %first, %out = %out0) {
///     %new = tensor.extract_slice %x[0, %k] [m, 1] [1, 1]
///     %old = tensor.extract_slice %out[0, %k] [m, 1] [1, 1]
///     %s:2 = linalg.generic ins(%new) outs(%sum, %old) { ... }
///     %out1 = tensor.insert_slice %s#1 into %out[0, %k] [m, 1] [1, 1]
///     scf.yield %s#0, %out1
///   }
///
/// The generic writes its result twice, to the running slice and to its place
/// in the whole, so both stay in the buffers they have. In reverse, place k is
/// counted from the end.
struct LowerScan : OpRewritePattern<tts::ScanOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tts::ScanOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    ValueRange sources = op.getSources();
    auto type = cast<RankedTensorType>(sources.front().getType());
    auto axis = static_cast<int64_t>(op.getAxis());
    Slices slices{type, axis};

    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(rewriter, loc, value);
    };
    int64_t size = type.getDimSize(axis);
    Value last = constant(size - 1);
    Value end = constant(size);
    Value one = constant(1);
    Value start = op.getReverse() ? last : constant(0);

    SmallVector<Value> carried = llvm::map_to_vector(sources, [&](Value src) {
      return slices.read(rewriter, loc, src, start);
    });
    for (auto [src, first] :
         llvm::zip_equal(sources, SmallVector<Value>(carried))) {
      Value empty = tensor::EmptyOp::create(
          rewriter, loc, type.getShape(), getElementTypeOrSelf(src.getType()));
      carried.push_back(slices.write(rewriter, loc, first, empty, start));
    }

    auto body = [&](OpBuilder &b, Location loc, Value k, ValueRange carried) {
      Value place = k;
      if (op.getReverse())
        place = arith::SubIOp::create(b, loc, last, k);
      scf::YieldOp::create(b, loc,
                           buildStep(rewriter, op, slices, carried, place));
    };
    auto loop = scf::ForOp::create(rewriter, loc, one, end, one, carried, body);
    rewriter.replaceOp(op, loop.getResults().drop_front(sources.size()));
    return success();
  }

private:
  /// One iteration: from the running slices and the results so far to the next.
  static SmallVector<Value> buildStep(RewriterBase &rewriter, tts::ScanOp op,
                                      const Slices &slices, ValueRange carried,
                                      Value place) {
    Location loc = op.getLoc();
    ValueRange sources = op.getSources();
    ValueRange sums = carried.take_front(sources.size());
    ValueRange outs = carried.drop_front(sources.size());
    SmallVector<Value> news = llvm::map_to_vector(sources, [&](Value src) {
      return slices.read(rewriter, loc, src, place);
    });

    SmallVector<Value> next;
    SmallVector<Value> written;
    if (slices.areScalars()) {
      next = written = combine(rewriter, op, sums, news);
    } else {
      SmallVector<Value> old = llvm::map_to_vector(outs, [&](Value out) {
        return slices.read(rewriter, loc, out, place);
      });
      next = combineSlices(rewriter, op, slices, sums, news, old);
      written.assign(next.begin() + sources.size(), next.end());
      next.truncate(sources.size());
    }
    for (auto [slice, out] : llvm::zip_equal(written, outs))
      next.push_back(slices.write(rewriter, loc, slice, out, place));
    return next;
  }

  /// Moves the region to where `rewriter` stands.
  static SmallVector<Value> combine(RewriterBase &rewriter, tts::ScanOp op,
                                    ValueRange sums, ValueRange news) {
    SmallVector<Value> leftThenRight(sums);
    llvm::append_range(leftThenRight, news);
    Block &region = op.getCombine().front();
    Operation *yield = region.getTerminator();
    rewriter.inlineBlockBefore(&region, rewriter.getInsertionBlock(),
                               rewriter.getInsertionPoint(), leftThenRight);
    SmallVector<Value> results(yield->getOperands());
    rewriter.eraseOp(yield);
    return results;
  }

  /// The combined slices, twice: in the buffers of `sums` and of `old`.
  static SmallVector<Value> combineSlices(RewriterBase &rewriter,
                                          tts::ScanOp op, const Slices &slices,
                                          ValueRange sums, ValueRange news,
                                          ValueRange old) {
    SmallVector<Value> inits(sums);
    llvm::append_range(inits, old);
    int64_t rank = slices.shape.getRank();
    SmallVector<AffineMap> maps(news.size() + inits.size(),
                                rewriter.getMultiDimIdentityMap(rank));
    SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
    auto body = [&](OpBuilder &, Location loc, ValueRange args) {
      size_t count = news.size();
      SmallVector<Value> results = combine(
          rewriter, op, args.slice(count, count), args.take_front(count));
      llvm::append_range(results, SmallVector<Value>(results));
      linalg::YieldOp::create(rewriter, loc, results);
    };
    auto generic =
        linalg::GenericOp::create(rewriter, op.getLoc(), TypeRange(inits), news,
                                  inits, maps, loops, body);
    return SmallVector<Value>(generic.getResults());
  }
};

} // namespace

void triton_shared::populateScansToLoops(RewritePatternSet &patterns) {
  patterns.add<LowerScan>(patterns.getContext());
}
