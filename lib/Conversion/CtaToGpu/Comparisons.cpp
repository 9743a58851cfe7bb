//===- Comparisons.cpp - Comparisons that neighbours share ----------------===//
//
// A mask as `start + index < size` is the same for neighbours whose number
// divides start and size: for those that one thread holds, one comparison is
// enough. ptxas does not know what divides them.
//
//===----------------------------------------------------------------------===//

#include "Threads.h"
#include "Topics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "triton-shared/Transforms/TileNeighbours.h"

#include <map>

using namespace mlir;
using namespace mlir::triton_shared;

std::optional<SharedComparison>
triton_shared::findSharedComparison(const DataFlowSolver &solver,
                                    arith::CmpIOp op) {
  // With constants, LLVM decides comparisons that nobody has to make.
  if (!op.getLhs().getDefiningOp<cta::SplatOp>() &&
      !op.getRhs().getDefiningOp<cta::SplatOp>())
    return std::nullopt;
  auto type = cast<RankedTensorType>(op.getType());
  for (unsigned dim = 0; dim < type.getRank(); ++dim) {
    auto ascends = [&](Value tile) {
      std::optional<TileNeighbours> known =
          describeNeighbours(solver, tile, dim);
      return known && known->step == 1;
    };
    if (!ascends(op.getLhs()) && !ascends(op.getRhs()))
      continue;
    std::optional<TileNeighbours> found =
        describeNeighbours(solver, op.getResult(), dim);
    if (found && found->count > 1)
      return SharedComparison{dim, found->count};
  }
  return std::nullopt;
}

namespace {

/// Compares one register of each group of neighbours.
struct ConvertSharedComparison : OpConversionPattern<arith::CmpIOp> {
  ConvertSharedComparison(const TypeConverter &types,
                          const SharedComparisons &comparisons,
                          MLIRContext *context)
      : OpConversionPattern(types, context, /*benefit=*/2),
        comparisons(comparisons) {}

  LogicalResult
  matchAndRewrite(arith::CmpIOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto shared = comparisons.find(op);
    if (shared == comparisons.end())
      return rewriter.notifyMatchFailure(op, "differs between neighbours");
    cta::LinearLayout layout = cta::getLayout(op.getType());
    SmallVector<unsigned> first, groupOf;
    std::map<cta::Coordinates, unsigned> groups;
    for (unsigned reg = 0; reg < layout.getNumRegisters(); ++reg) {
      cta::Coordinates place = layout.applyRegister(reg);
      place[shared->second.dim] &= -static_cast<int32_t>(shared->second.count);
      auto [group, isNew] = groups.try_emplace(place, first.size());
      if (isNew)
        first.push_back(reg);
      groupOf.push_back(group->second);
    }
    Location loc = op.getLoc();
    Value result = arith::CmpIOp::create(
        rewriter, loc, op.getPredicate(),
        shuffleRegisters(rewriter, loc, adaptor.getLhs(), first),
        shuffleRegisters(rewriter, loc, adaptor.getRhs(), first));
    rewriter.replaceOp(op, shuffleRegisters(rewriter, loc, result, groupOf));
    return success();
  }

private:
  const SharedComparisons &comparisons;
};

} // namespace

void triton_shared::populateCtaToGpuComparisons(
    const TypeConverter &types, const SharedComparisons &comparisons,
    RewritePatternSet &patterns) {
  patterns.add<ConvertSharedComparison>(types, comparisons,
                                        patterns.getContext());
}
