//===- BoundedOperations.cpp - Bounds of operations on floats -------------===//
//
// Units in the last place are those of python/triton_shared/diff/census.py:
// what a GPU may be off, as its manual says.
//
//===----------------------------------------------------------------------===//

#include "BoundedOperations.h"
#include "FloatTracks.h"
#include "LibraryInDouble.h"
#include "StoredFloats.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

static constexpr double kOfQuotient = 2;
static constexpr double kOfRoot = 2;
static constexpr double kOfFunction = 4;
/// Results of exponentials that are smaller may be zero.
static constexpr double kFlushed = 0x1p-126;

static FloatType getFloat(Value value) {
  return cast<FloatType>(getElementTypeOrSelf(value.getType()));
}

/// The name in the dialect `math` of what `op` computes; empty for anything
/// that is none of the functions with a rule.
static StringRef nameFunction(Operation *op) {
  StringRef name;
  std::string symbol;
  if (auto call = dyn_cast<tt::ExternElementwiseOp>(op)) {
    symbol = nameInDouble(call.getSymbol());
    name = symbol.empty() ? call.getSymbol() : StringRef(symbol);
    name.consume_front("__nv_");
  } else if (isa<math::MathDialect>(op->getDialect())) {
    name = op->getName().stripDialect();
  } else if (isa<tt::PreciseSqrtOp>(op)) {
    name = "sqrt";
  }
  return llvm::StringSwitch<StringRef>(name)
      .Cases({"exp", "math.exp"}, "exp")
      .Case("exp2", "exp2")
      .Case("log", "log")
      .Case("log2", "log2")
      .Case("sqrt", "sqrt")
      .Case("rsqrt", "rsqrt")
      .Case("erf", "erf")
      .Case("tanh", "tanh")
      .Case("floor", "floor")
      .Case("ceil", "ceil")
      .Case("sin", "sin")
      .Case("cos", "cos")
      .Default("");
}

static bool picksOperand(Operation *op) {
  return isa<arith::MaxNumFOp, arith::MinNumFOp, arith::MaximumFOp,
             arith::MinimumFOp, tt::ClampFOp>(op);
}

bool triton_shared::hasElementRule(Operation *op) {
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
             arith::NegFOp, arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp,
             arith::UIToFPOp, math::AbsFOp, math::FmaOp, tt::FpToFpOp,
             tt::PreciseDivFOp, tt::ApproxDivFOp>(op) ||
         picksOperand(op) || !nameFunction(op).empty();
}

/// `op` on numbers without rounding.
static Value computeReal(Operation *op, ArrayRef<Bounded> x,
                         OpBuilder &builder) {
  Location loc = op->getLoc();
  if (isa<arith::ExtFOp, arith::TruncFOp, tt::FpToFpOp>(op))
    return x[0].value;
  if (isa<tt::PreciseDivFOp, tt::ApproxDivFOp>(op))
    return arith::DivFOp::create(builder, loc, x[0].value, x[1].value);
  OperationState state(loc, op->getName());
  for (Bounded operand : x)
    state.operands.push_back(operand.value);
  Type real = getReal(op->getContext());
  if (auto block = dyn_cast<RankedTensorType>(op->getResult(0).getType()))
    real = block.clone(real);
  state.types.push_back(real);
  state.addAttributes(op->getAttrs());
  return builder.create(state)->getResult(0);
}

static Value computeFunction(StringRef name, Value operand, Location loc,
                             OpBuilder &builder) {
  OperationState state(loc, ("math." + name).str());
  state.addOperands(operand);
  state.addTypes(operand.getType());
  return builder.create(state)->getResult(0);
}

static Bounded boundFunction(Operation *op, Bounded x, OpBuilder &builder) {
  Location loc = op->getLoc();
  BoundArithmetic bounds(builder, loc);
  StringRef name = nameFunction(op);
  auto compute = [&](Value operand) {
    return computeFunction(name, operand, loc, builder);
  };
  Value value = compute(x.value);
  FloatType type = getFloat(op->getResult(0));
  if (name == "sin" || name == "cos")
    return {value, bounds.round(value, x.bound, {type, kOfFunction, 0x1p-126})};
  Value carried = bounds.ofMonotone(value, x, compute);
  if (name == "floor" || name == "ceil")
    return {value, bounds.round(value, carried, {type, 0.0})};
  bool isRoot = name == "sqrt" || name == "rsqrt";
  Rounding rounding = {type, isRoot ? kOfRoot : kOfFunction, getSmallest(type)};
  bool isPower = name == "exp" || name == "exp2";
  if (isPower && !type.isF64())
    rounding.smallest = std::max(rounding.smallest, kFlushed);
  // A GPU computes 2^(x log2 e) in f32: the product is rounded, and log2 e.
  if (name == "exp" && !type.isF64()) {
    Value relative = bounds.scale(2 * 0x1p-24, bounds.size(x.value));
    carried = bounds.add(carried, bounds.scale(relative, value));
  }
  return {value, bounds.round(value, carried, rounding)};
}

/// Integers that a float holds are exact.
static Value boundInteger(Operation *op, Value value, BoundArithmetic &bounds) {
  FloatType type = getFloat(op->getResult(0));
  Value zero = bounds.constant(value.getType(), 0.0);
  Value rounded = bounds.round(value, zero, {type});
  Value limit = bounds.constant(value.getType(), 1.0 / getUnitRoundoff(type));
  Value isHeld =
      bounds.compare(arith::CmpFPredicate::OLE, bounds.size(value), limit);
  return bounds.select(isHeld, zero, rounded);
}

Bounded triton_shared::computeElement(Operation *op, ArrayRef<Bounded> x,
                                      OpBuilder &builder) {
  if (!nameFunction(op).empty())
    return boundFunction(op, x[0], builder);
  BoundArithmetic bounds(builder, op->getLoc());
  FloatType type = getFloat(op->getResult(0));
  Value value = computeReal(op, x, builder);
  auto round = [&](Value carried, double units, double smallest) -> Bounded {
    return {value, bounds.round(value, carried, {type, units, smallest})};
  };
  return TypeSwitch<Operation *, Bounded>(op)
      .Case<arith::AddFOp, arith::SubFOp>([&](Operation *) {
        return round(bounds.add(x[0].bound, x[1].bound), 0.5, 0.0);
      })
      .Case<arith::MulFOp>([&](Operation *) {
        return round(bounds.ofProduct(x[0], x[1]), 0.5, getSmallest(type));
      })
      .Case<math::FmaOp>([&](Operation *) {
        // It may be rounded twice.
        Value product = bounds.multiply(x[0].value, x[1].value);
        Value carried = bounds.round(product, bounds.ofProduct(x[0], x[1]),
                                     {type, 0.5, getSmallest(type)});
        return round(bounds.add(carried, x[2].bound), 0.5, 0.0);
      })
      .Case<arith::DivFOp, tt::PreciseDivFOp, tt::ApproxDivFOp>(
          [&](Operation *) {
            return round(bounds.ofQuotient(value, x[0], x[1]), kOfQuotient,
                         getSmallest(type));
          })
      .Case<arith::TruncFOp, tt::FpToFpOp>([&](Operation *) {
        return round(x[0].bound, 0.5, getSmallest(type));
      })
      .Case<arith::SIToFPOp, arith::UIToFPOp>([&](Operation *) -> Bounded {
        return {value, boundInteger(op, value, bounds)};
      })
      .Case<arith::ExtFOp, arith::NegFOp, math::AbsFOp>(
          [&](Operation *) -> Bounded { return {value, x[0].bound}; })
      .Default([&](Operation *) -> Bounded {
        Value bound = x[0].bound;
        for (Bounded operand : x.drop_front())
          bound = bounds.larger(bound, operand.bound);
        return {value, bound};
      });
}

Operation *triton_shared::findCombiner(Operation *op) {
  if (op->getNumOperands() != 1 || op->getNumRegions() != 1)
    return nullptr;
  Block &block = op->getRegion(0).front();
  if (!llvm::hasNItems(block, 2))
    return nullptr;
  Operation &combiner = block.front();
  if (!isa<arith::AddFOp, arith::MaxNumFOp, arith::MinNumFOp, arith::MaximumFOp,
           arith::MinimumFOp>(combiner) ||
      block.back().getOperand(0) != combiner.getResult(0))
    return nullptr;
  Value a = combiner.getOperand(0), b = combiner.getOperand(1);
  bool takesBoth = a != b && a.getParentBlock() == &block &&
                   b.getParentBlock() == &block && isa<BlockArgument>(a) &&
                   isa<BlockArgument>(b);
  return takesBoth ? &combiner : nullptr;
}

/// Whether a comparison that `op` takes part in may end up in anything but the
/// choice of a float; `op` uses it.
static bool isChoice(Operation *op) {
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return isa<FloatType>(getElementTypeOrSelf(select.getType()));
  if (!isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp, tt::ExpandDimsOp,
           tt::BroadcastOp, tt::SplatOp, tt::ReshapeOp, tt::TransOp>(op))
    return false;
  return llvm::all_of(op->getResult(0).getUsers(), isChoice);
}

/// Why `op`, which has floats, has no rule; empty if it has one.
static std::string findObstacle(Operation *op) {
  if (isa<tt::ReduceOp, tt::ScanOp>(op))
    return findCombiner(op) ? "" : "combines floats by more than one sum";
  if (op->getParentOfType<tt::ReduceOp>() || op->getParentOfType<tt::ScanOp>())
    return "";
  if (isa<arith::CmpFOp>(op))
    return llvm::all_of(op->getResult(0).getUsers(), isChoice)
               ? ""
               : "decides a mask, a branch or an integer by floats";
  if (auto dot = dyn_cast<tt::DotOp>(op))
    return llvm::is_contained({tt::InputPrecision::IEEE,
                               tt::InputPrecision::TF32,
                               tt::InputPrecision::TF32x3},
                              dot.getInputPrecision())
               ? ""
               : "multiplies in several parts of bf16";
  if (movesNumbers(op) || isa<scf::SCFDialect>(op->getDialect()) ||
      isa<arith::ConstantOp, tt::PrintOp>(op) || hasElementRule(op))
    return "";
  return TypeSwitch<Operation *, std::string>(op)
      .Case<tt::ExternElementwiseOp>([](tt::ExternElementwiseOp call) {
        return "calls '" + call.getSymbol().str() + "'";
      })
      .Case<tt::AtomicRMWOp, tt::AtomicCASOp, tt::DescriptorReduceOp>(
          [](Operation *) { return "combines floats in memory"; })
      .Case<arith::FPToSIOp, arith::FPToUIOp>(
          [](Operation *) { return "makes integers of floats"; })
      .Default([](Operation *other) {
        StringRef need = findNeedOfStorage(other);
        return need.empty() ? "has no rule for rounding" : need.str();
      });
}

LogicalResult triton_shared::checkHasBounds(ModuleOp module) {
  WalkResult checked = module.walk([](Operation *op) {
    if (!hasNumbers(op, isRounded))
      return WalkResult::advance();
    std::string obstacle = findObstacle(op);
    if (obstacle.empty())
      return WalkResult::advance();
    InFlightDiagnostic error = op->emitOpError()
                               << obstacle << ", and no bound is derived";
    error.attachNote() << "how far off results may be follows from operations "
                          "whose rounding is known";
    error.attachNote() << "compare this kernel within the bound that diff "
                          "chooses, without --error-bound derived";
    return WalkResult::interrupt();
  });
  return failure(checked.wasInterrupted());
}
