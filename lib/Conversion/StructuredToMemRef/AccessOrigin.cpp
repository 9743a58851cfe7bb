//===- AccessOrigin.cpp - Which tensor an access is meant for -------------===//
//
// A place in memory is an address and numbers that are added to it. What
// chooses between two places has the tensor of both, if that is the same.
//
//===----------------------------------------------------------------------===//

#include "AccessOrigin.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::triton_shared;

BlockArgument triton_shared::findParameter(Value base, unsigned numWritten) {
  while (auto from = base.getDefiningOp<tts::FromAddressOp>()) {
    auto to = from.getAddress().getDefiningOp<tts::ToAddressOp>();
    if (!to)
      return nullptr;
    base = to.getBase();
  }
  auto argument = dyn_cast<BlockArgument>(base);
  bool isWritten = argument &&
                   isa<func::FuncOp>(argument.getOwner()->getParentOp()) &&
                   argument.getArgNumber() < numWritten;
  return isWritten ? argument : nullptr;
}

namespace {

/// What a number is computed of.
struct Origin {
  /// Null for a number that is no address.
  BlockArgument parameter;
  /// It may be an address in one tensor or in another, or in one that is not a
  /// parameter.
  bool isUnknown = false;

  static Origin unknown() { return {nullptr, /*isUnknown=*/true}; }
  bool operator==(const Origin &other) const {
    return parameter == other.parameter && isUnknown == other.isUnknown;
  }
};

class Origins {
public:
  explicit Origins(unsigned numWritten) : numWritten(numWritten) {}

  Origin of(Value value) {
    if (auto found = known.find(value); found != known.end())
      return found->second;
    Origin origin = find(value);
    known[value] = origin;
    return origin;
  }

  /// What is computed of all of `values` at once.
  Origin ofSum(ValueRange values) {
    Origin sum;
    for (Value value : values) {
      Origin origin = of(value);
      bool areTwo = sum.parameter && origin.parameter;
      if (origin.isUnknown || areTwo)
        return Origin::unknown();
      if (origin.parameter)
        sum = origin;
    }
    return sum;
  }

private:
  /// What is one of two numbers.
  Origin ofEither(Value first, Value second) {
    Origin one = of(first), other = of(second);
    return one == other ? one : Origin::unknown();
  }

  /// What a loop carries. Its begin stands for it while its turn is looked at.
  Origin ofCarried(Value carried, Value begin, Value next) {
    known[carried] = of(begin);
    return ofEither(begin, next);
  }

  /// Of an operation whose regions are not followed: no address where it has
  /// seen none.
  Origin ofRegions(Operation *op) {
    bool makesAddress = op->walk([](tts::ToAddressOp) {
                            return WalkResult::interrupt();
                          }).wasInterrupted();
    SetVector<Value> seen;
    getUsedValuesDefinedAbove(op->getRegions(), seen);
    seen.insert_range(op->getOperands());
    return !makesAddress && ofSum(seen.getArrayRef()) == Origin()
               ? Origin()
               : Origin::unknown();
  }

  Origin find(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return findOfArgument(argument);
    auto result = cast<OpResult>(value);
    Operation *op = result.getOwner();
    unsigned number = result.getResultNumber();
    if (auto to = dyn_cast<tts::ToAddressOp>(op)) {
      BlockArgument parameter = findParameter(to.getBase(), numWritten);
      return parameter ? Origin{parameter} : Origin::unknown();
    }
    if (auto select = dyn_cast<arith::SelectOp>(op))
      return ofEither(select.getTrueValue(), select.getFalseValue());
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return ofEither(branch.thenYield().getOperand(number),
                      branch.elseYield().getOperand(number));
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return ofCarried(value, loop.getInitArgs()[number],
                       loop.getYieldedValues()[number]);
    if (auto each = dyn_cast<linalg::LinalgOp>(op))
      return of(each.getBlock()->getTerminator()->getOperand(number));
    // Numbers that were loaded are offsets, as far as anyone can tell.
    if (isa<tts::AccessOpInterface>(op))
      return {};
    return op->getNumRegions() ? ofRegions(op) : ofSum(op->getOperands());
  }

  Origin findOfArgument(BlockArgument argument) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (isa<func::FuncOp>(parent))
      return {};
    if (isa<linalg::LinalgOp>(parent))
      return of(parent->getOperand(argument.getArgNumber()));
    auto loop = dyn_cast<scf::ForOp>(parent);
    if (!loop)
      return ofRegions(parent);
    if (argument == loop.getInductionVar())
      return ofSum({loop.getLowerBound(), loop.getStep()});
    return ofCarried(argument, loop.getTiedLoopInit(argument)->get(),
                     loop.getTiedLoopYieldedValue(argument)->get());
  }

  unsigned numWritten;
  DenseMap<Value, Origin> known;
};

} // namespace

/// Whatever says where elements of `op` lie, from its base on.
static SmallVector<Value> getPlaces(tts::AccessOpInterface op) {
  SmallVector<Value> places{op.getOffset()};
  for (const tts::DimensionAccess &dimension : op.getDimensions()) {
    places.push_back(dyn_cast<Value>(dimension.stride));
    places.append({dimension.wrapStart, dimension.wrapSize, dimension.indices});
  }
  llvm::erase(places, Value());
  return places;
}

BlockArgument triton_shared::findOrigin(tts::AccessOpInterface op,
                                        unsigned numWritten) {
  Origins origins(numWritten);
  Value base = op.getBase();
  SmallVector<Value> places = getPlaces(op);
  if (BlockArgument parameter = findParameter(base, numWritten))
    return origins.ofSum(places) == Origin() ? parameter : nullptr;
  auto from = base.getDefiningOp<tts::FromAddressOp>();
  if (!from)
    return nullptr;
  places.push_back(from.getAddress());
  return origins.ofSum(places).parameter;
}
