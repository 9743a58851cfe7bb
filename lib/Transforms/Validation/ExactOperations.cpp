//===- ExactOperations.cpp - What operations on floats are in the ring ----===//
//
// Sums, differences and products are those of the ring; conversions between
// floats are nothing; other functions are known by their name. An operation
// that picks an operand does so by what the operands are in f64.
//
//===----------------------------------------------------------------------===//

#include "ExactFloats.h"
#include "LibraryInDouble.h"
#include "RingArithmetic.h"
#include "StoredFloats.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

/// Functions that nothing is known of but their names.
static bool isNamedFunction(Operation *op) {
  return isa<math::MathDialect>(op->getDialect()) &&
         !isa<math::AbsFOp, math::FmaOp, math::CopySignOp>(op) &&
         op->getNumResults() == 1 && isRounded(op->getResult(0).getType());
}

static bool picksOperand(Operation *op) {
  return isa<arith::MaxNumFOp, arith::MinNumFOp, arith::MaximumFOp,
             arith::MinimumFOp, tt::ClampFOp, math::AbsFOp>(op);
}

bool triton_shared::computesNumber(Operation *op) {
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
             arith::RemFOp, arith::NegFOp, arith::ExtFOp, arith::TruncFOp,
             arith::SIToFPOp, arith::UIToFPOp, math::FmaOp, tt::FpToFpOp,
             tt::PreciseSqrtOp, tt::PreciseDivFOp, tt::ApproxDivFOp, tt::DotOp,
             tt::ExternElementwiseOp>(op) ||
         picksOperand(op) || isNamedFunction(op);
}

/// An integer as a number of the ring.
static Value widen(Value integer, bool isSigned, Location loc,
                   OpBuilder &builder) {
  Type element = getElementTypeOrSelf(integer.getType());
  if (element.isInteger(64))
    return integer;
  Type type = builder.getI64Type();
  if (auto block = dyn_cast<RankedTensorType>(integer.getType()))
    type = block.clone(type);
  if (isSigned)
    return arith::ExtSIOp::create(builder, loc, type, integer);
  return arith::ExtUIOp::create(builder, loc, type, integer);
}

/// `exp` for `__nv_fast_expf`.
static StringRef nameFunction(StringRef symbolInDouble) {
  symbolInDouble.consume_front("__nv_");
  return symbolInDouble;
}

Value triton_shared::computeInRing(Operation *op, ArrayRef<Value> x,
                                   OpBuilder &builder) {
  Ring ring(builder, op->getLoc());
  auto apply = [&](StringRef name) {
    SmallVector<Value> numbers;
    for (Value operand : x)
      numbers.push_back(widen(operand, true, op->getLoc(), builder));
    return ring.apply(name, numbers);
  };
  return TypeSwitch<Operation *, Value>(op)
      .Case<arith::AddFOp>([&](Operation *) { return ring.add(x[0], x[1]); })
      .Case<arith::SubFOp>(
          [&](Operation *) { return ring.subtract(x[0], x[1]); })
      .Case<arith::MulFOp>(
          [&](Operation *) { return ring.multiply(x[0], x[1]); })
      .Case<arith::DivFOp, tt::PreciseDivFOp, tt::ApproxDivFOp>(
          [&](Operation *) { return ring.divide(x[0], x[1]); })
      .Case<arith::NegFOp>([&](Operation *) { return ring.negate(x[0]); })
      .Case<arith::ExtFOp, arith::TruncFOp, tt::FpToFpOp>(
          [&](Operation *) { return x[0]; })
      .Case<arith::SIToFPOp>(
          [&](Operation *) { return widen(x[0], true, op->getLoc(), builder); })
      .Case<arith::UIToFPOp>([&](Operation *) {
        return widen(x[0], false, op->getLoc(), builder);
      })
      .Case<math::FmaOp>([&](Operation *) {
        return ring.add(ring.multiply(x[0], x[1]), x[2]);
      })
      .Case<tt::DotOp>(
          [&](Operation *) { return ring.multiplyMatrices(x[0], x[1], x[2]); })
      .Case<arith::RemFOp>([&](Operation *) { return apply("fmod"); })
      .Case<tt::PreciseSqrtOp>([&](Operation *) { return apply("sqrt"); })
      .Case<tt::ExternElementwiseOp>([&](tt::ExternElementwiseOp call) {
        return apply(nameFunction(getSymbolInDouble(call)));
      })
      .Default(
          [&](Operation *) { return apply(op->getName().stripDialect()); });
}

/// Picks `b` where it is beyond `a`, and of two that are equal the larger one
/// in the ring: so no order matters.
static Value pickFurther(Value aRing, Value aReal, Value bRing, Value bReal,
                         bool isMaximum, bool keepsNan, Location loc,
                         OpBuilder &builder) {
  auto compare = [&](arith::CmpFPredicate predicate, Value x,
                     Value y) -> Value {
    return arith::CmpFOp::create(builder, loc, predicate, x, y);
  };
  Value beyond =
      compare(isMaximum ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT,
              bReal, aReal);
  Value larger = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ugt,
                                       bRing, aRing);
  Value isTie = arith::AndIOp::create(
      builder, loc, compare(arith::CmpFPredicate::OEQ, aReal, bReal), larger);
  // What is no number is picked, or never is.
  Value odd = keepsNan ? bReal : aReal;
  Value isOdd = compare(arith::CmpFPredicate::UNO, odd, odd);
  Value takes = arith::OrIOp::create(
      builder, loc, arith::OrIOp::create(builder, loc, beyond, isTie), isOdd);
  return arith::SelectOp::create(builder, loc, takes, bRing, aRing);
}

Value triton_shared::pickOperand(Operation *op, ArrayRef<Value> ring,
                                 ArrayRef<Value> real, OpBuilder &builder) {
  Location loc = op->getLoc();
  if (!picksOperand(op))
    return nullptr;
  if (isa<math::AbsFOp>(op)) {
    Attribute zero =
        builder.getFloatAttr(getElementTypeOrSelf(real[0].getType()), 0.0);
    if (auto block = dyn_cast<RankedTensorType>(real[0].getType()))
      zero = DenseElementsAttr::get(block, zero);
    Value isNegative = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::OLT, real[0],
        arith::ConstantOp::create(builder, loc, cast<TypedAttr>(zero)));
    return arith::SelectOp::create(builder, loc, isNegative,
                                   Ring(builder, loc).negate(ring[0]), ring[0]);
  }
  if (isa<tt::ClampFOp>(op)) {
    auto isBeyond = [&](arith::CmpFPredicate predicate, Value bound) -> Value {
      return arith::CmpFOp::create(builder, loc, predicate, real[0], bound);
    };
    Value above = arith::SelectOp::create(
        builder, loc, isBeyond(arith::CmpFPredicate::OLT, real[1]), ring[1],
        ring[0]);
    return arith::SelectOp::create(builder, loc,
                                   isBeyond(arith::CmpFPredicate::OGT, real[2]),
                                   ring[2], above);
  }
  bool isMaximum = isa<arith::MaxNumFOp, arith::MaximumFOp>(op);
  bool keepsNan = isa<arith::MaximumFOp, arith::MinimumFOp>(op);
  return pickFurther(ring[0], real[0], ring[1], real[1], isMaximum, keepsNan,
                     loc, builder);
}

std::string triton_shared::getSymbolInDouble(triton::ExternElementwiseOp call) {
  auto isDouble = [](Type type) {
    Type element = getElementTypeOrSelf(type);
    return !isa<FloatType>(element) || element.isF64();
  };
  if (llvm::all_of(call->getOperandTypes(), isDouble) &&
      llvm::all_of(call->getResultTypes(), isDouble))
    return call.getSymbol().str();
  return nameInDouble(call.getSymbol());
}

bool triton_shared::needsReal(ModuleOp module) {
  WalkResult found = module.walk([](Operation *op) {
    bool decides = isa<arith::CmpFOp, arith::FPToSIOp, arith::FPToUIOp>(op);
    return decides || picksOperand(op) ? WalkResult::interrupt()
                                       : WalkResult::advance();
  });
  return found.wasInterrupted();
}

/// True if the ring knows nothing of `op` but its name.
static bool isOpaque(Operation *op) {
  return isNamedFunction(op) ||
         isa<arith::DivFOp, arith::RemFOp, tt::PreciseSqrtOp, tt::PreciseDivFOp,
             tt::ApproxDivFOp, tt::ExternElementwiseOp>(op);
}

/// True if `op` is part of how a reduction or a scan combines two elements.
static bool isPartOfCombination(Operation *op) {
  return op->getParentOfType<tt::ReduceOp>() ||
         op->getParentOfType<tt::ScanOp>();
}

/// Why `op`, which has floats, has no form in the ring; empty if it has one.
static std::string findObstacle(Operation *op) {
  if (isOpaque(op) && isPartOfCombination(op))
    return "combines elements in a way that is the same in any order for real "
           "numbers, but not in the ring";
  if (movesNumbers(op) || isa<scf::SCFDialect>(op->getDialect()) ||
      isa<arith::ConstantOp, arith::CmpFOp, arith::FPToSIOp, arith::FPToUIOp,
          tt::ReduceOp, tt::ReduceReturnOp, tt::ScanOp, tt::ScanReturnOp,
          tt::PrintOp>(op))
    return "";
  if (StringRef need = findNeedOfStorage(op); !need.empty())
    return need.str();
  return TypeSwitch<Operation *, std::string>(op)
      .Case<tt::ExternElementwiseOp>([](tt::ExternElementwiseOp call) {
        if (getSymbolInDouble(call).empty())
          return "calls '" + call.getSymbol().str() +
                 "', which is not known to have a form in f64";
        return std::string(isRounded(call.getType())
                               ? ""
                               : "makes integers by a function of a library");
      })
      .Case<tt::AtomicRMWOp>([](tt::AtomicRMWOp update) {
        tt::RMWOp kind = update.getAtomicRmwOp();
        return kind == tt::RMWOp::FADD || kind == tt::RMWOp::XCHG
                   ? ""
                   : "compares floats in memory";
      })
      .Case<arith::BitcastOp, tt::BitcastOp>([](Operation *) {
        return "takes bits for a float, or those of a float for something else";
      })
      .Case<tt::AtomicCASOp, tt::DescriptorReduceOp>(
          [](Operation *) { return "compares or combines floats in memory"; })
      .Default([](Operation *other) {
        return computesNumber(other) ? ""
                                     : "does something with floats that has no "
                                       "rule";
      });
}

LogicalResult triton_shared::checkHasExactForm(ModuleOp module) {
  WalkResult checked = module.walk([](Operation *op) {
    if (!hasNumbers(op, isRounded))
      return WalkResult::advance();
    std::string obstacle = findObstacle(op);
    if (obstacle.empty())
      return WalkResult::advance();
    InFlightDiagnostic error = op->emitOpError()
                               << obstacle << ", and has no exact form";
    error.attachNote() << "integers take the place of floats, and wrap around "
                          "where those are rounded";
    error.attachNote() << "compare this kernel within bounds, without --exact";
    return WalkResult::interrupt();
  });
  return failure(checked.wasInterrupted());
}
