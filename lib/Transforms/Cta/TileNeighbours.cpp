//===- TileNeighbours.cpp - What neighbours in a tile share ---------------===//

#include "triton-shared/Transforms/TileNeighbours.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "triton-shared/Analysis/Divisibility.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"
#include "triton-shared/Dialect/Structured/IR/KernelSignature.h"
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

/// True for what is made of indices, sizes of the grid and constants that are
/// not negative; as everywhere, sums and products of indices do not overflow.
static bool isNonNegative(Value value, unsigned depth = 0) {
  constexpr unsigned kDeepest = 16;
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return !constant.isNegative();
  Operation *op = value.getDefiningOp();
  if (!op) {
    auto argument = cast<BlockArgument>(value);
    auto function =
        dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
    return function &&
           function.getArgAttr(argument.getArgNumber(), tts::kParameter);
  }
  if (isa<cta::IotaOp, arith::ExtUIOp>(op))
    return true;
  return depth < kDeepest &&
         isa<cta::SplatOp, cta::BroadcastOp, cta::ReshapeOp,
             cta::ConvertLayoutOp, arith::ExtSIOp, arith::IndexCastOp,
             arith::AddIOp, arith::MulIOp, arith::DivSIOp, arith::RemSIOp>(
             op) &&
         llvm::all_of(
             op->getOperands(),
             [&](Value operand) { return isNonNegative(operand, depth + 1); });
}

/// True if all elements that do not take part get the same.
static bool isOneValue(Value other) {
  SplatElementsAttr constant;
  return !other || !isa<RankedTensorType>(other.getType()) ||
         other.getDefiningOp<cta::SplatOp>() ||
         matchPattern(other, m_Constant(&constant));
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
        .Case<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(
            [&](auto) { return divide(op, dim); })
        .Case<arith::SelectOp, arith::SubIOp, arith::OrIOp, arith::XOrIOp,
              arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp, arith::MinSIOp,
              arith::MaxSIOp, arith::TruncIOp>(
            [&](auto) { return findSame(op->getOperands(), dim); })
        .Case<tts::GatherOp>([&](tts::GatherOp gather) -> Facts {
          if (gather.getIsVolatile() || !isOneValue(gather.getOther()))
            return std::nullopt;
          SmallVector<Value> decides = {gather.getOffset()};
          if (Value mask = gather.getMask())
            decides.push_back(mask);
          return findSame(decides, dim);
        })
        .Case<tts::LoadOp>(
            [&](tts::LoadOp load) { return findLoaded(load, dim); })
        .Default(Facts());
  }

  /// One element that is loaded for a whole dimension, as far as bounds do not
  /// part it.
  Facts findLoaded(tts::LoadOp load, Dim dim) {
    if (!dim || load.getIsVolatile() || load.getMask() ||
        !isOneValue(load.getOther()))
      return std::nullopt;
    tts::DimensionAccess access = load.getDimensions()[*dim];
    if (getConstantIntValue(access.stride) != 0 || access.isGathered())
      return std::nullopt;
    int64_t count = kMost;
    if (access.isBounded())
      count = std::min(getKnownDivisor(solver, access.low, kMost),
                       getKnownDivisor(solver, access.high, kMost));
    return TileNeighbours{0, count, 1};
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

  /// What is computed or loaded of the same is the same.
  Facts findSame(ValueRange operands, Dim dim) {
    int64_t count = kMost;
    for (Value operand : operands) {
      Facts facts = find(operand, dim);
      if (!facts || facts->step != 0)
        return std::nullopt;
      count = std::min(count, facts->count);
    }
    return TileNeighbours{0, count, 1};
  }

  /// By multiples of a group, what ascends leaves the same quotient for all of
  /// it, and rests that ascend; towards zero, negative numbers do not.
  Facts divide(Operation *op, Dim dim) {
    Facts a = find(op->getOperand(0), dim), b = find(op->getOperand(1), dim);
    if (!a || !b || b->step != 0)
      return std::nullopt;
    bool isRest = isa<arith::RemSIOp, arith::RemUIOp>(op);
    int64_t count = std::min(a->count, b->count);
    if (a->step == 0)
      return TileNeighbours{0, count,
                            isRest ? std::min(a->divisor, b->divisor) : 1};
    if (isa<arith::DivSIOp, arith::RemSIOp>(op) &&
        !isNonNegative(op->getOperand(0)))
      return std::nullopt;
    count = std::min(count, b->divisor);
    return isRest ? TileNeighbours{1, count, count}
                  : TileNeighbours{0, count, 1};
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

/// True if `mask` takes at most one of so many neighbours along `dim`, at least
/// two: of ascending numbers, those with one rest.
static bool takesOneOfMany(const DataFlowSolver &solver, Value mask,
                           unsigned dim) {
  if (auto broadcast = mask.getDefiningOp<cta::BroadcastOp>()) {
    mask = broadcast.getSource();
    return cta::getTile(mask).getDimSize(dim) != 1 &&
           takesOneOfMany(solver, mask, dim);
  }
  if (auto both = mask.getDefiningOp<arith::AndIOp>())
    return takesOneOfMany(solver, both.getLhs(), dim) ||
           takesOneOfMany(solver, both.getRhs(), dim);
  auto compare = mask.getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq)
    return false;
  Operation *rest = compare.getLhs().getDefiningOp();
  APInt divisor;
  if (!isa_and_nonnull<arith::RemSIOp, arith::RemUIOp>(rest) ||
      !matchPattern(rest->getOperand(1), m_ConstantInt(&divisor)) ||
      divisor.slt(2))
    return false;
  auto numbers = describeNeighbours(solver, rest->getOperand(0), dim);
  auto sought = describeNeighbours(solver, compare.getRhs(), dim);
  return numbers && numbers->step == 1 && sought && sought->step == 0 &&
         std::min(numbers->count, sought->count) >= 2;
}

AccessWidth triton_shared::describeMaskedWidth(const DataFlowSolver &solver,
                                               tts::AccessOpInterface access) {
  AccessWidth width = describeAccessWidth(solver, access);
  if (!width.order.empty())
    width.uniform =
        countSame(solver, access.getMask(), width.order.front(), width.uniform);
  Value mask = access.getMask();
  width.isNeverWhole = mask && isa<RankedTensorType>(mask.getType()) &&
                       width.elements > 1 && !width.isUniform() &&
                       takesOneOfMany(solver, mask, width.order.front());
  return width;
}

/// How many neighbours along `dim`, in groups of `count`, one instruction may
/// move.
static int64_t countMoved(const DataFlowSolver &solver,
                          tts::AccessOpInterface access, unsigned dim,
                          int64_t count) {
  RankedTensorType block = access.getTileType();
  int64_t most =
      getKnownDivisor(solver, access.getBase(), GpuTarget::kBytesPerAccess) /
      cta::getElementBytes(block);
  return std::min({count, most, block.getDimSize(dim)});
}

/// Neighbours along `dim` come first, so many of which take part together.
static AccessWidth moveTogether(AccessWidth width, unsigned dim,
                                int64_t elements) {
  llvm::erase(width.order, dim);
  width.order.insert(width.order.begin(), dim);
  width.isContiguous = true;
  width.uniform = width.elements = elements;
  return width;
}

static AccessWidth describeOffsetWidth(const DataFlowSolver &solver,
                                       tts::AccessOpInterface access) {
  AccessWidth width = describeAccessWidth(solver, access);
  auto gather = dyn_cast<tts::GatherOp>(*access);
  for (unsigned dim : SmallVector<unsigned>(width.order)) {
    std::optional<TileNeighbours> offsets =
        describeNeighbours(solver, access.getOffset(), dim);
    bool isOnePlace = offsets && offsets->step == 0;
    if (!offsets || (isOnePlace && (!gather || gather.getIsVolatile() ||
                                    !isOneValue(gather.getOther()))))
      continue;
    int64_t elements =
        isOnePlace
            ? std::min(offsets->count, access.getTileType().getDimSize(dim))
            : countMoved(solver, access, dim, offsets->count);
    elements = countSame(solver, access.getMask(), dim, elements);
    if (elements < 2)
      continue;
    width = moveTogether(width, dim, elements);
    width.isContiguous = !isOnePlace;
    width.isOnePlace = isOnePlace;
    return width;
  }
  return width;
}

static AccessWidth describeUpdateWidth(const DataFlowSolver &solver,
                                       tts::AtomicRMWOp op) {
  AccessWidth width = describeAccessWidth(solver, op);
  if (!canBeTogether(op))
    return width;
  for (unsigned dim : SmallVector<unsigned>(width.order)) {
    std::optional<TileNeighbours> offsets =
        describeNeighbours(solver, op.getOffset(), dim);
    if (!offsets || offsets->step != 1)
      continue;
    int64_t elements = countMoved(solver, op, dim, offsets->count);
    if (elements < 2)
      continue;
    width = moveTogether(width, dim, elements);
    width.uniform = countSame(solver, op.getMask(), dim, elements);
    return width;
  }
  return width;
}

AccessWidth triton_shared::describeWidth(const DataFlowSolver &solver,
                                         tts::AccessOpInterface access) {
  if (!access.hasOffsetPerElement())
    return describeMaskedWidth(solver, access);
  if (auto update = dyn_cast<tts::AtomicRMWOp>(*access))
    return describeUpdateWidth(solver, update);
  return access.isAtomic() ? describeAccessWidth(solver, access)
                           : describeOffsetWidth(solver, access);
}
