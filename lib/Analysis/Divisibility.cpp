//===- Divisibility.cpp - Powers of two that divide an integer ------------===//

#include "triton-shared/Analysis/Divisibility.h"

#include "mlir/Analysis/DataFlow/ConstantPropagationAnalysis.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::triton_shared;

Divisibility Divisibility::join(const Divisibility &a, const Divisibility &b) {
  if (!a.isKnown())
    return b;
  if (!b.isKnown())
    return a;
  return Divisibility(std::min(a.getLog2(), b.getLog2()));
}

void Divisibility::print(raw_ostream &stream) const {
  if (isKnown())
    stream << "a multiple of 2^" << getLog2();
  else
    stream << "never computed";
}

static Divisibility ofConstant(const APInt &value) {
  return Divisibility(value.isZero() ? Divisibility::kMax
                                     : value.countr_zero());
}

/// The exponent of a constant power of two.
static std::optional<unsigned> matchPowerOfTwo(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)) && constant.isPowerOf2())
    return constant.logBase2();
  return std::nullopt;
}

static Divisibility infer(Operation *op,
                          ArrayRef<const DivisibilityLattice *> operands) {
  auto log2 = [&](unsigned i) { return operands[i]->getValue().getLog2(); };
  auto shared = [&](unsigned i, unsigned j) {
    return Divisibility(std::min(log2(i), log2(j)));
  };
  APInt constant;
  if (matchPattern(op, m_ConstantInt(&constant)))
    return ofConstant(constant);
  return TypeSwitch<Operation *, Divisibility>(op)
      .Case<arith::AddIOp, arith::SubIOp, arith::MaxSIOp, arith::MinSIOp,
            arith::MaxUIOp, arith::MinUIOp, arith::OrIOp, arith::XOrIOp,
            arith::RemSIOp, arith::RemUIOp>([&](auto) { return shared(0, 1); })
      .Case<arith::SelectOp>([&](auto) { return shared(1, 2); })
      .Case<arith::AndIOp>(
          [&](auto) { return Divisibility(std::max(log2(0), log2(1))); })
      .Case<arith::MulIOp>(
          [&](auto) { return Divisibility(log2(0) + log2(1)); })
      .Case<arith::ShLIOp>([&](arith::ShLIOp shift) {
        APInt amount;
        bool isKnown = matchPattern(shift.getRhs(), m_ConstantInt(&amount));
        return Divisibility(log2(0) +
                            (isKnown ? amount.getLimitedValue(64) : 0));
      })
      .Case<arith::ShRSIOp, arith::ShRUIOp>([&](auto shift) {
        APInt amount;
        bool isKnown = matchPattern(shift.getRhs(), m_ConstantInt(&amount));
        unsigned by = isKnown ? amount.getLimitedValue(64) : 64;
        return Divisibility(log2(0) > by ? log2(0) - by : 0);
      })
      .Case<arith::DivSIOp, arith::DivUIOp>([&](auto division) {
        unsigned by = matchPowerOfTwo(division.getRhs()).value_or(64);
        return Divisibility(log2(0) > by ? log2(0) - by : 0);
      })
      .Case<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp,
            arith::IndexCastUIOp, tts::FromAddressOp, tts::ToAddressOp,
            cta::SplatOp, cta::ReshapeOp, cta::BroadcastOp,
            cta::ConvertLayoutOp>([&](auto) { return operands[0]->getValue(); })
      .Default(Divisibility(0));
}

LogicalResult DivisibilityAnalysis::visitOperation(
    Operation *op, ArrayRef<const DivisibilityLattice *> operands,
    ArrayRef<DivisibilityLattice *> results) {
  if (llvm::any_of(operands, [](const auto *operand) {
        return !operand->getValue().isKnown();
      }))
    return success();
  for (DivisibilityLattice *result : results)
    propagateIfChanged(result, result->join(infer(op, operands)));
  return success();
}

/// Kernel arguments come with hints.
void DivisibilityAnalysis::setToEntryState(DivisibilityLattice *lattice) {
  Divisibility known(0);
  auto argument = dyn_cast<BlockArgument>(lattice->getAnchor());
  auto function =
      argument
          ? dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp())
          : nullptr;
  if (function && argument.getOwner()->isEntryBlock())
    if (auto hint = function.getArgAttrOfType<IntegerAttr>(
            argument.getArgNumber(), "tt.divisibility"))
      known = ofConstant(hint.getValue());
  propagateIfChanged(lattice, lattice->join(known));
}

void DivisibilityAnalysis::visitNonControlFlowArguments(
    Operation *op, const RegionSuccessor &successor,
    ArrayRef<DivisibilityLattice *> lattices, unsigned firstIndex) {
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop)
    return SparseForwardDataFlowAnalysis::visitNonControlFlowArguments(
        op, successor, lattices, firstIndex);
  // The induction variable.
  ProgramPoint *point = getProgramPointBefore(loop.getBody());
  const auto *begin = getLatticeElementFor(point, loop.getLowerBound());
  const auto *step = getLatticeElementFor(point, loop.getStep());
  if (!begin->getValue().isKnown() || !step->getValue().isKnown())
    return;
  Divisibility known(
      std::min(begin->getValue().getLog2(), step->getValue().getLog2()));
  propagateIfChanged(lattices.front(), lattices.front()->join(known));
}

LogicalResult triton_shared::runDivisibilityAnalysis(DataFlowSolver &solver,
                                                     Operation *root) {
  solver.load<dataflow::DeadCodeAnalysis>();
  solver.load<dataflow::SparseConstantPropagation>();
  solver.load<DivisibilityAnalysis>();
  return solver.initializeAndRun(root);
}

int64_t triton_shared::getKnownDivisor(const DataFlowSolver &solver,
                                       Value value, int64_t limit) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return std::min(limit, int64_t(1) << ofConstant(constant).getLog2());
  const auto *lattice = solver.lookupState<DivisibilityLattice>(value);
  return lattice ? std::min(limit, int64_t(1) << lattice->getValue().getLog2())
                 : 1;
}
