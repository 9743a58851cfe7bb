//===- AccessPlaces.cpp - How accesses lie to each other ------------------===//

#include "AccessPlaces.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "triton-shared/Analysis/LoopForms.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::triton_shared;

/// Further turns are not looked at one by one.
static constexpr int64_t kMostTurns = 64;
/// Nor more differences between the indices of one dimension.
static constexpr int64_t kMostSteps = 16;

//===----------------------------------------------------------------------===//
// Lattices
//===----------------------------------------------------------------------===//

namespace mlir::triton_shared {

/// The numbers `stride * i` for `low <= i <= high`; strides are positive.
struct Steps {
  int64_t stride, low, high;
};

/// All sums of one number of each of some `Steps`.
class Lattice {
public:
  void add(Steps added) {
    lowest += added.stride * added.low;
    highest += added.stride * added.high;
    auto *place = llvm::find_if(
        steps, [&](const Steps &one) { return one.stride <= added.stride; });
    if (place == steps.end() || place->stride < added.stride) {
      steps.insert(place, added);
      return;
    }
    place->low += added.low;
    place->high += added.high;
  }

  bool isBelow(int64_t number) const { return highest < number; }
  bool isAbove(int64_t number) const { return lowest > number; }
  bool isBeyond(int64_t number) const {
    return isBelow(number) || isAbove(number);
  }

  /// False if `number` is certainly no such sum.
  bool mayContain(int64_t number) const {
    return mayContain(steps, lowest, highest, number);
  }

private:
  static bool mayContain(ArrayRef<Steps> steps, int64_t lowest, int64_t highest,
                         int64_t number) {
    if (number < lowest || number > highest)
      return false;
    if (steps.empty())
      return true;
    const Steps &widest = steps.front();
    lowest -= widest.stride * widest.low;
    highest -= widest.stride * widest.high;
    int64_t first = std::max(
        widest.low, llvm::divideCeilSigned(number - highest, widest.stride));
    int64_t last = std::min(
        widest.high, llvm::divideFloorSigned(number - lowest, widest.stride));
    if (last - first >= kMostSteps)
      return true;
    for (int64_t i = first; i <= last; ++i)
      if (mayContain(steps.drop_front(), lowest, highest,
                     number - widest.stride * i))
        return true;
    return false;
  }

  /// The widest first, no two alike.
  SmallVector<Steps> steps;
  int64_t lowest = 0, highest = 0;
};

} // namespace mlir::triton_shared

/// Adds the places of a block relative to its first element, or those from
/// which they go away; false if the dimensions do not say where that is.
static bool addSteps(tts::AccessOpInterface access, bool isSubtracted,
                     Lattice &lattice) {
  RankedTensorType type = access.getTileType();
  if (!type)
    return true;
  if (access.hasOffsetPerElement())
    return false;
  for (auto [dim, size] :
       llvm::zip_equal(access.getDimensions(), type.getShape())) {
    if (size == 1 && !dim.isWrapped() && !dim.isGathered())
      continue;
    std::optional<int64_t> stride = getConstantIntValue(dim.stride);
    // Products with sizes stay far below 64 bits.
    if (!stride || !llvm::isInt<32>(*stride) || dim.isWrapped() ||
        dim.isGathered())
      return false;
    if (*stride == 0)
      continue;
    bool isBackward = (*stride < 0) != isSubtracted;
    lattice.add({std::abs(*stride), isBackward ? 1 - size : 0,
                 isBackward ? 0 : size - 1});
  }
  return true;
}

static std::optional<int64_t> getConstant(AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// AccessPlaces
//===----------------------------------------------------------------------===//

AffineAnalysis &AccessPlaces::getForms() {
  if (!forms)
    forms.emplace(function);
  return *forms;
}

std::optional<AccessPlaces::Distance>
AccessPlaces::findDistance(tts::AccessOpInterface earlier,
                           tts::AccessOpInterface later, scf::ForOp loop) {
  AffineExpr from = getForms().getForm(earlier.getOffset()).expr;
  AffineExpr to = getForms().getForm(later.getOffset()).expr;
  AffineExpr zero = getAffineConstantExpr(0, function->getContext());
  if (!loop) {
    AffineExpr distance = subtract(to, from);
    return distance ? std::optional(Distance{distance, zero}) : std::nullopt;
  }
  LoopForms loopForms(getForms(), loop);
  from = loopForms.unroll(from);
  to = loopForms.unroll(to);
  if (!from || !to)
    return std::nullopt;
  std::optional<LinearForm> fromForm = loopForms.findLinear(from),
                            toForm = loopForms.findLinear(to);
  if (!fromForm || !toForm || fromForm->slope != toForm->slope)
    return std::nullopt;
  AffineExpr step = getForms().getForm(loop.getStep()).expr;
  AffineExpr perTurn = multiply(toForm->slope, step);
  AffineExpr distance = subtract(toForm->base, fromForm->base);
  AffineExpr first = distance && perTurn ? add(distance, perTurn) : nullptr;
  return first ? std::optional(Distance{first, perTurn}) : std::nullopt;
}

int64_t AccessPlaces::countLaterTurns(scf::ForOp loop) {
  AffineExpr number = getForms().getForm(loop.getInductionVar()).expr;
  IndexRange range = getForms().getRange(number, /*shape=*/{});
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!step || *step <= 0 || !llvm::isInt<48>(range.low) ||
      !llvm::isInt<48>(range.high))
    return IndexRange::highest;
  return std::max<int64_t>(0, (range.high - range.low) / *step);
}

bool AccessPlaces::goAway(const Distance &distance,
                          const Lattice &differences) {
  IndexRange first = getForms().getRange(distance.first, /*shape=*/{});
  IndexRange perTurn = getForms().getRange(distance.perTurn, /*shape=*/{});
  return (differences.isBelow(first.low) && perTurn.low >= 0) ||
         (differences.isAbove(first.high) && perTurn.high <= 0);
}

bool AccessPlaces::areApart(tts::AccessOpInterface earlier,
                            tts::AccessOpInterface later, scf::ForOp loop) {
  // They meet where the first element of `later` less that of `earlier` is a
  // difference of places in their blocks.
  Lattice differences;
  if (!addSteps(earlier, /*isSubtracted=*/false, differences) ||
      !addSteps(later, /*isSubtracted=*/true, differences))
    return false;
  std::optional<Distance> distance = findDistance(earlier, later, loop);
  if (!distance)
    return false;
  if (goAway(*distance, differences))
    return true;
  std::optional<int64_t> number = getConstant(distance->first),
                         perTurn = getConstant(distance->perTurn);
  if (!number || !perTurn || !llvm::isInt<48>(*number) ||
      !llvm::isInt<48>(*perTurn))
    return false;
  int64_t turns = loop ? countLaterTurns(loop) : 1;
  for (int64_t turn = 0; turn < std::min(turns, kMostTurns); ++turn) {
    if (differences.mayContain(*number))
      return false;
    bool goesAway = (*perTurn > 0) == (*number > 0);
    if (*perTurn == 0 || (goesAway && differences.isBeyond(*number)))
      return true;
    *number += *perTurn;
  }
  return turns <= kMostTurns;
}

/// True if elements of a block lie at the same places as those of the other,
/// seen from its first one, and each at one of its own.
static bool haveSameShape(tts::AccessOpInterface a, tts::AccessOpInterface b) {
  if (a.getTile().getType() != b.getTile().getType() ||
      a.hasOffsetPerElement() || b.hasOffsetPerElement())
    return false;
  SmallVector<tts::DimensionAccess> dims = a.getDimensions();
  if (dims.size() != b.getDimensions().size())
    return false;
  return llvm::all_of(llvm::zip_equal(dims, b.getDimensions()), [](auto pair) {
    auto &[one, other] = pair;
    return one.stride == other.stride && !isConstantIntValue(one.stride, 0) &&
           !one.isWrapped() && !other.isWrapped() && !one.isGathered() &&
           !other.isGathered();
  });
}

/// True if one thread accesses each element: what is written, only one writes.
static bool hasOneThreadPerElement(tts::AccessOpInterface access) {
  if (access.isWrite())
    return true;
  RankedTensorType type = access.getTileType();
  return type && cta::getLayout(type).hasOneThreadPerElement();
}

bool AccessPlaces::areOfSameThreads(tts::AccessOpInterface earlier,
                                    tts::AccessOpInterface later,
                                    scf::ForOp loop) {
  if (!haveSameShape(earlier, later) || !hasOneThreadPerElement(earlier) ||
      !hasOneThreadPerElement(later))
    return false;
  std::optional<Distance> distance = findDistance(earlier, later, loop);
  return distance && getConstant(distance->first) == 0 &&
         getConstant(distance->perTurn) == 0;
}
