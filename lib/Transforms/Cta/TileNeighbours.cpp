//===- TileNeighbours.cpp - What neighbours in a tile share ---------------===//

#include "triton-shared/Transforms/TileNeighbours.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "triton-shared/Analysis/Divisibility.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::triton_shared;

std::optional<unsigned> triton_shared::findReshapedDim(RankedTensorType to,
                                                       RankedTensorType from,
                                                       unsigned dim) {
  auto isWide = [](int64_t size) { return size != 1; };
  auto wideSizes = [&](RankedTensorType type) {
    return llvm::to_vector(llvm::make_filter_range(type.getShape(), isWide));
  };
  if (to.getDimSize(dim) == 1 || wideSizes(to) != wideSizes(from))
    return std::nullopt;
  auto number = llvm::count_if(to.getShape().take_front(dim), isWide);
  for (unsigned source = 0; source < from.getRank(); ++source)
    if (isWide(from.getDimSize(source)) && number-- == 0)
      return source;
  return std::nullopt;
}

namespace {

/// More neighbours than this no thread holds.
constexpr int64_t kMost = 1 << 16;

/// The facts about one tile, from those about what it is computed of. Without a
/// dimension they are about elements one by one: what divides them all.
class NeighbourFinder {
public:
  using Facts = std::optional<TileNeighbours>;
  using Dim = std::optional<unsigned>;

  explicit NeighbourFinder(const DataFlowSolver &solver) : solver(solver) {}

  Facts find(Value tile, Dim dim) {
    Operation *op = tile.getDefiningOp();
    Facts found;
    if (op && numVisited++ < kMostVisited)
      found = find(op, dim);
    return found || dim ? found : same(1);
  }

private:
  /// Those of elements that are all the same.
  static TileNeighbours same(int64_t divisor) { return {0, kMost, divisor}; }

  Facts find(Operation *op, Dim dim) {
    APInt constant;
    if (matchPattern(op, m_ConstantInt(&constant)))
      return same(int64_t(1) << std::min<unsigned>(constant.countr_zero(),
                                                   llvm::Log2_64(kMost)));
    return TypeSwitch<Operation *, Facts>(op)
        .Case<cta::SplatOp>([&](cta::SplatOp splat) {
          return same(getKnownDivisor(solver, splat.getSource(), kMost));
        })
        .Case<cta::IotaOp>([&](cta::IotaOp iota) -> Facts {
          if (dim == static_cast<unsigned>(iota.getDim()))
            return TileNeighbours{1, kMost, kMost};
          return same(1);
        })
        .Case<arith::ExtSIOp, arith::ExtUIOp, arith::IndexCastOp,
              cta::ConvertLayoutOp>(
            [&](auto) { return find(op->getOperand(0), dim); })
        .Case<cta::BroadcastOp>([&](cta::BroadcastOp broadcast) {
          bool isSpread =
              dim && cta::getTile(broadcast.getSource()).getDimSize(*dim) == 1;
          return find(broadcast.getSource(), isSpread ? Dim() : dim);
        })
        .Case<cta::ReshapeOp>(
            [&](cta::ReshapeOp reshape) { return findReshaped(reshape, dim); })
        .Case<arith::AddIOp, arith::MulIOp, arith::AndIOp, arith::CmpIOp>(
            [&](auto) { return combine(op, dim); })
        .Default(Facts());
  }

  Facts findReshaped(cta::ReshapeOp reshape, Dim dim) {
    RankedTensorType to = cta::getTile(reshape.getResult());
    if (!dim || to.getDimSize(*dim) == 1)
      return find(reshape.getSource(), std::nullopt);
    Dim source = findReshapedDim(to, cta::getTile(reshape.getSource()), *dim);
    return source ? find(reshape.getSource(), source) : Facts();
  }

  Facts combine(Operation *op, Dim dim) {
    Facts a = find(op->getOperand(0), dim), b = find(op->getOperand(1), dim);
    if (!a || !b)
      return std::nullopt;
    int64_t count = std::min(a->count, b->count);
    int64_t divisor = std::min(a->divisor, b->divisor);
    if (a->step + b->step == 0)
      return TileNeighbours{0, count,
                            isa<arith::AddIOp>(op) ? divisor
                            : isa<arith::MulIOp>(op)
                                ? std::min(kMost, a->divisor * b->divisor)
                                : 1};
    if (a->step + b->step != 1)
      return std::nullopt;
    // The start of groups, or what they are compared with, is a multiple too.
    count = std::min(count, divisor);
    if (isa<arith::AddIOp>(op))
      return TileNeighbours{1, count, count};
    auto compare = dyn_cast<arith::CmpIOp>(op);
    if (compare && isDecidedByFirst(compare.getPredicate(), a->step == 1))
      return TileNeighbours{0, count, 1};
    return std::nullopt;
  }

  /// True if a comparison of what ascends with a multiple of how many is the
  /// same for all of a group. `isOnLeft` says where that is.
  static bool isDecidedByFirst(arith::CmpIPredicate predicate, bool isOnLeft) {
    using Kind = arith::CmpIPredicate;
    switch (predicate) {
    case Kind::slt:
    case Kind::ult:
    case Kind::sge:
    case Kind::uge:
      return isOnLeft;
    case Kind::sgt:
    case Kind::ugt:
    case Kind::sle:
    case Kind::ule:
      return !isOnLeft;
    case Kind::eq:
    case Kind::ne:
      return false;
    }
    llvm_unreachable("covered switch");
  }

  /// What shares operands is looked at again: longer computations are left.
  static constexpr unsigned kMostVisited = 256;

  const DataFlowSolver &solver;
  unsigned numVisited = 0;
};

/// True if memory adds several floats of `op` at once.
bool canBeTogether(tts::AtomicRMWOp op) {
  Type element = getElementTypeOrSelf(op.getType());
  auto function = op->getParentOfType<FunctionOpInterface>();
  return isa<RankedTensorType>(op.getOffset().getType()) && op->use_empty() &&
         op.getKind() == tts::AtomicKind::FAdd &&
         (element.isF32() || element.isF16() || element.isBF16()) && function &&
         cta::getTarget(function).hasVectorUpdates();
}

} // namespace

std::optional<TileNeighbours>
triton_shared::describeNeighbours(const DataFlowSolver &solver, Value tile,
                                  unsigned dim) {
  return NeighbourFinder(solver).find(tile, dim);
}

/// For how many of `elements` neighbours `mask` (may be null: true) is the
/// same.
static int64_t countSame(const DataFlowSolver &solver, Value mask, unsigned dim,
                         int64_t elements) {
  if (!mask || !isa<RankedTensorType>(mask.getType()))
    return elements;
  std::optional<TileNeighbours> found = describeNeighbours(solver, mask, dim);
  return found && found->step == 0 ? std::min(found->count, elements) : 1;
}

AccessWidth triton_shared::describeMaskedWidth(const DataFlowSolver &solver,
                                               tts::AccessOpInterface access) {
  AccessWidth width = describeAccessWidth(solver, access);
  if (!width.order.empty())
    width.uniform =
        countSame(solver, access.getMask(), width.order.front(), width.uniform);
  return width;
}

AccessWidth triton_shared::describeUpdateWidth(const DataFlowSolver &solver,
                                               tts::AtomicRMWOp op) {
  AccessWidth width = describeAccessWidth(solver, op);
  if (!canBeTogether(op))
    return width;
  RankedTensorType block = cta::getTile(op.getResult());
  int64_t most =
      getKnownDivisor(solver, op.getBase(), GpuTarget::kBytesPerAccess) /
      cta::getElementBytes(block);
  for (unsigned dim : SmallVector<unsigned>(width.order)) {
    std::optional<TileNeighbours> offsets =
        describeNeighbours(solver, op.getOffset(), dim);
    if (!offsets || offsets->step != 1)
      continue;
    int64_t elements = std::min({offsets->count, most, block.getDimSize(dim)});
    if (elements < 2)
      continue;
    llvm::erase(width.order, dim);
    width.order.insert(width.order.begin(), dim);
    width.isContiguous = true;
    width.elements = elements;
    width.uniform = countSame(solver, op.getMask(), dim, elements);
    return width;
  }
  return width;
}
