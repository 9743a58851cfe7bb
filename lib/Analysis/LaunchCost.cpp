//===- LaunchCost.cpp - What one program computes and moves ---------------===//
//
// Runs the integers of a kernel, which say how often loops turn and which part
// of a block is accessed, and counts on the way what happens to tensors.
//
//===----------------------------------------------------------------------===//

#include "triton-shared/Analysis/LaunchCost.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "triton-shared/Dialect/Structured/IR/ElementBytes.h"
#include "triton-shared/Dialect/Structured/IR/KernelSignature.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::triton_shared;

/// A program that takes more is not followed to its end: that would take
/// seconds.
static constexpr uint64_t kMostSteps = 1 << 22;

/// How often `op`, in the body of a linalg operation or on its own, computes
/// with one float.
static uint64_t countOperations(Operation *op) {
  if (op->getNumResults() != 1 ||
      !isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType())) ||
      !isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
      isa<CastOpInterface, arith::SelectOp>(op) ||
      op->hasTrait<OpTrait::ConstantLike>())
    return 0;
  return isa<math::FmaOp>(op) ? 2 : 1;
}

static uint64_t countInside(Block &body) {
  uint64_t sum = 0;
  body.walk([&](Operation *op) { sum += countOperations(op); });
  return sum;
}

namespace {

class Counter {
public:
  explicit Counter(LaunchCost &cost) : cost(cost) {}

  void set(Value value, int64_t number) {
    if (unsigned width = getWidth(value))
      numbers[value] = APInt(64, number).sextOrTrunc(width);
  }

  /// False if it cannot be known: `cost` has the reason.
  bool count(Block &block) {
    return llvm::all_of(block, [&](Operation &op) { return count(op); });
  }

private:
  /// Of an integer; 0 for anything else.
  static unsigned getWidth(Value value) {
    bool isNumber = value.getType().isIntOrIndex();
    return isNumber ? ConstantIntRanges::getStorageBitwidth(value.getType())
                    : 0;
  }

  std::optional<int64_t> find(Value value) const {
    auto found = numbers.find(value);
    if (found == numbers.end() || found->second.getBitWidth() > 64)
      return std::nullopt;
    return found->second.getSExtValue();
  }

  bool fail(Operation &op, llvm::StringLiteral reason) {
    cost.unknown = UnknownCost{&op, reason};
    return false;
  }

  void pass(ValueRange from, ValueRange to) {
    SmallVector<std::optional<APInt>> passed;
    for (Value value : from) {
      auto found = numbers.find(value);
      passed.push_back(found == numbers.end() ? std::nullopt
                                              : std::optional(found->second));
    }
    for (auto [value, number] : llvm::zip_equal(to, passed))
      if (number)
        numbers.insert_or_assign(value, *number);
      else
        numbers.erase(value);
  }

  bool count(Operation &op) {
    if (++steps > kMostSteps)
      return fail(op, "is done too often to be followed");
    return llvm::TypeSwitch<Operation *, bool>(&op)
        .Case<scf::ForOp, scf::WhileOp, scf::IfOp, tts::ScanOp,
              linalg::LinalgOp>([&](auto known) { return count(known); })
        .Case<tts::AccessOpInterface>([&](auto access) {
          countBytes(access);
          return true;
        })
        .Default([&](Operation *other) { return countOther(*other); });
  }

  bool count(scf::ForOp loop) {
    std::optional<int64_t> low = find(loop.getLowerBound()),
                           high = find(loop.getUpperBound()),
                           step = find(loop.getStep());
    bool isUnknown = !low || !high || !step || *step <= 0;
    if (isUnknown || (loop.getUnsignedCmp() && (*low < 0 || *high < 0)))
      return fail(*loop, "turns as often as data say");
    pass(loop.getInitArgs(), loop.getRegionIterArgs());
    for (int64_t at = *low; at < *high; at += *step) {
      set(loop.getInductionVar(), at);
      if (!count(*loop.getBody()))
        return false;
      pass(loop.getYieldedValues(), loop.getRegionIterArgs());
    }
    pass(loop.getRegionIterArgs(), loop.getResults());
    return true;
  }

  bool count(scf::WhileOp loop) {
    pass(loop.getInits(), loop.getBeforeArguments());
    while (true) {
      if (!count(*loop.getBeforeBody()))
        return false;
      scf::ConditionOp condition = loop.getConditionOp();
      std::optional<int64_t> goesOn = find(condition.getCondition());
      if (!goesOn)
        return fail(*loop, "turns as often as data say");
      if (*goesOn == 0) {
        pass(condition.getArgs(), loop.getResults());
        return true;
      }
      pass(condition.getArgs(), loop.getAfterArguments());
      if (!count(*loop.getAfterBody()))
        return false;
      pass(loop.getYieldedValues(), loop.getBeforeArguments());
    }
  }

  bool count(scf::IfOp branch) {
    std::optional<int64_t> condition = find(branch.getCondition());
    if (!condition)
      return fail(*branch, "is done or not as data say");
    Region &taken =
        *condition != 0 ? branch.getThenRegion() : branch.getElseRegion();
    if (taken.empty())
      return true;
    if (!count(taken.front()))
      return false;
    pass(taken.front().getTerminator()->getOperands(), branch.getResults());
    return true;
  }

  bool count(tts::ScanOp scan) {
    auto block = cast<ShapedType>(scan.getSources().front().getType());
    cost.operations +=
        countInside(scan.getCombine().front()) * block.getNumElements();
    return true;
  }

  bool count(linalg::LinalgOp tiles) {
    bool isProduct = linalg::isaContractionOpInterface(tiles);
    uint64_t each = isProduct ? 2 : countInside(*tiles.getBlock());
    for (int64_t size : tiles.getStaticLoopRanges()) {
      if (each != 0 && ShapedType::isDynamic(size))
        return fail(*tiles, "has a size that data say");
      each *= size;
    }
    cost.operations += each;
    return true;
  }

  bool countOther(Operation &op) {
    if (op.getNumRegions() != 0)
      return fail(op, "cannot be followed");
    uint64_t each = countOperations(&op);
    if (each != 0)
      if (auto type = dyn_cast<ShapedType>(op.getResult(0).getType()))
        each *= type.getNumElements();
    cost.operations += each;
    compute(op);
    return true;
  }

  /// The results, if they are integers that follow from known ones.
  void compute(Operation &op) {
    auto ranges = dyn_cast<InferIntRangeInterface>(op);
    if (!ranges || !llvm::all_of(op.getResults(), getWidth))
      return;
    SmallVector<ConstantIntRanges> operands;
    for (Value operand : op.getOperands()) {
      if (getWidth(operand) == 0)
        return;
      auto found = numbers.find(operand);
      operands.push_back(found == numbers.end()
                             ? ConstantIntRanges::maxRange(getWidth(operand))
                             : ConstantIntRanges::constant(found->second));
    }
    for (Value result : op.getResults())
      numbers.erase(result);
    ranges.inferResultRanges(
        operands, [&](Value result, const ConstantIntRanges &range) {
          if (std::optional<APInt> number = range.getConstantValue())
            numbers.insert_or_assign(result, *number);
        });
  }

  void countBytes(tts::AccessOpInterface access) {
    for (Value result : access->getResults())
      numbers.erase(result);
    std::optional<uint64_t> elements = countElements(access);
    if (elements)
      cost.bytes +=
          *elements * tts::getElementBytes(access.getTile().getType());
    else if (!cost.unknownBytes)
      cost.unknownBytes =
          UnknownCost{access, "accesses as many elements as data say"};
  }

  std::optional<uint64_t> countElements(tts::AccessOpInterface access) const {
    uint64_t elements = 1;
    if (Value mask = access.getMask()) {
      std::optional<int64_t> isLive = find(mask);
      if (!isLive)
        return std::nullopt;
      elements = *isLive != 0;
    }
    RankedTensorType block = access.getTileType();
    if (!block)
      return elements;
    SmallVector<tts::DimensionAccess> dimensions = access.getDimensions();
    if (dimensions.empty())
      return elements * block.getNumElements();
    for (auto [dimension, size] :
         llvm::zip_equal(dimensions, block.getShape())) {
      std::optional<int64_t> some = countElements(dimension, size);
      if (!some)
        return std::nullopt;
      elements *= *some;
    }
    return elements;
  }

  std::optional<int64_t> countElements(const tts::DimensionAccess &dimension,
                                       int64_t size) const {
    if (dimension.isBounded()) {
      std::optional<int64_t> low = find(dimension.low),
                             high = find(dimension.high);
      if (!low || !high)
        return std::nullopt;
      size = std::max<int64_t>(0, std::min(*high, size) -
                                      std::max<int64_t>(*low, 0));
    }
    if (getStride(dimension) == 0)
      return std::min<int64_t>(size, 1);
    return size;
  }

  std::optional<int64_t>
  getStride(const tts::DimensionAccess &dimension) const {
    if (auto value = dyn_cast<Value>(dimension.stride))
      return find(value);
    return getConstantIntValue(dimension.stride);
  }

  LaunchCost &cost;
  /// Integers that are known where the program is now.
  llvm::DenseMap<Value, APInt> numbers;
  uint64_t steps = 0;
};

} // namespace

LaunchCost triton_shared::countCost(FunctionOpInterface kernel,
                                    const llvm::StringMap<int64_t> &numbers) {
  LaunchCost cost;
  Counter counter(cost);
  tts::KernelSignature signature(kernel);
  for (BlockArgument argument : kernel.getArguments()) {
    std::string name;
    if (std::optional<tts::ParameterKind> kind = signature.findKind(argument))
      name = tts::stringifyParameterKind(*kind).str();
    else if (auto named = argument.getLoc()->findInstanceOf<NameLoc>())
      name = named.getName().str();
    if (auto found = numbers.find(name); found != numbers.end())
      counter.set(argument, found->second);
  }
  counter.count(kernel.getFunctionBody().front());
  return cost;
}
