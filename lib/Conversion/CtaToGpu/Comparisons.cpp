//===- Comparisons.cpp - Comparisons that neighbours share ----------------===//
//
// A mask as `start + index < size` is the same for neighbours whose number
// divides start and size: for those that one thread holds, one comparison is
// enough. ptxas does not know what divides them.
//
//===----------------------------------------------------------------------===//

#include "Parts.h"
#include "Threads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "triton-shared/Analysis/Divisibility.h"

#include <map>

using namespace mlir;
using namespace mlir::triton_shared;

/// More neighbours than this no thread holds.
static constexpr int64_t kMostNeighbours = 1 << 16;

/// What divides all elements of a tile that are the same; nothing if they may
/// differ.
static std::optional<int64_t> findDivisor(const DataFlowSolver &solver,
                                          Value tile) {
  if (auto splat = tile.getDefiningOp<cta::SplatOp>())
    return getKnownDivisor(solver, splat.getSource(), kMostNeighbours);
  APInt constant;
  if (matchPattern(tile, m_ConstantInt(&constant)))
    return int64_t(1) << std::min<unsigned>(constant.countr_zero(),
                                            llvm::Log2_64(kMostNeighbours));
  return std::nullopt;
}

/// The dimension along which the elements of `tile` ascend one by one, from a
/// multiple of how many.
static std::optional<SharedComparison>
findSequence(const DataFlowSolver &solver, Value tile) {
  Operation *origin = tile.getDefiningOp();
  if (auto iota = dyn_cast_or_null<cta::IotaOp>(origin))
    return SharedComparison{static_cast<unsigned>(iota.getDim()),
                            kMostNeighbours};
  if (isa_and_nonnull<arith::IndexCastOp, arith::ExtSIOp, arith::ExtUIOp>(
          origin))
    return findSequence(solver, origin->getOperand(0));
  auto sum = dyn_cast_or_null<arith::AddIOp>(origin);
  if (!sum)
    return std::nullopt;
  for (auto [ascending, start] : {std::pair(sum.getLhs(), sum.getRhs()),
                                  std::pair(sum.getRhs(), sum.getLhs())}) {
    std::optional<int64_t> divisor = findDivisor(solver, start);
    if (!divisor)
      continue;
    if (std::optional<SharedComparison> found = findSequence(solver, ascending))
      return SharedComparison{found->dim, std::min(found->count, *divisor)};
  }
  return std::nullopt;
}

std::optional<SharedComparison>
triton_shared::findSharedComparison(const DataFlowSolver &solver,
                                    arith::CmpIOp op) {
  using Kind = arith::CmpIPredicate;
  Value ascending, bound;
  switch (op.getPredicate()) {
  case Kind::slt:
  case Kind::ult:
  case Kind::sge:
  case Kind::uge:
    ascending = op.getLhs(), bound = op.getRhs();
    break;
  case Kind::sgt:
  case Kind::ugt:
  case Kind::sle:
  case Kind::ule:
    ascending = op.getRhs(), bound = op.getLhs();
    break;
  case Kind::eq:
  case Kind::ne:
    return std::nullopt;
  }
  // With constants, LLVM decides comparisons that nobody has to make.
  if (!bound.getDefiningOp<cta::SplatOp>())
    return std::nullopt;
  std::optional<SharedComparison> found = findSequence(solver, ascending);
  if (!found)
    return std::nullopt;
  found->count = std::min(found->count, *findDivisor(solver, bound));
  return found->count > 1 ? found : std::nullopt;
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
