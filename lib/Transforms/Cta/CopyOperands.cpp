//===- CopyOperands.cpp - Operands that are copied once -------------------===//
//
// What a product takes through a whole loop, as a block of queries, is loaded
// before it. Where that is a box of a tensor, the copy engine brings it to the
// buffer that products read: no thread has a part of it, nor looks where the
// tensor ends. Copies that are asked for before the first of them is needed
// arrive at one barrier.
//
//===----------------------------------------------------------------------===//

#include "OperandTiles.h"
#include "Rings.h"
#include "TensorMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/Pass.h"
#include "triton-shared/Analysis/Divisibility.h"
#include "triton-shared/Dialect/Cta/IR/MatrixDescriptor.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CTACOPYOPERANDS
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// A load that becomes a copy.
struct OperandCopy {
  AheadLoad load;
  /// The operands of products that it is.
  SmallVector<OpOperand *> uses;
  /// What stands in the block of the load and is, or has in it, the first of
  /// them.
  Operation *first;
};

/// All uses of `tile`, as it is or transposed, if products read all of them
/// from shared memory; else none.
SmallVector<OpOperand *> findProductUses(Value tile) {
  SmallVector<OpOperand *> uses;
  SmallVector<Value> waiting = {tile};
  while (!waiting.empty()) {
    for (OpOperand &use : waiting.pop_back_val().getUses()) {
      Operation *user = use.getOwner();
      if (isa<cta::TransposeOp>(user) && use.get() == tile) {
        waiting.push_back(user->getResult(0));
        continue;
      }
      auto dot = dyn_cast<cta::DotOp>(user);
      if (!dot || !dot.getWgmma() || !dot.isReadFromShared(use))
        return {};
      uses.push_back(&use);
    }
  }
  return uses;
}

/// Whether a turn of the loop around takes what it has loaded, once. The wait
/// for that is the same for threads, and they need no barrier.
bool isTakenInItsLoop(tts::LoadOp load, ArrayRef<OpOperand *> uses) {
  auto loop = load->getParentOfType<scf::ForOp>();
  return loop && llvm::any_of(uses, [&](OpOperand *use) {
           return use->getOwner()->getParentOfType<scf::ForOp>() == loop;
         });
}

/// The products that a copy of `load` would be for; none if it is not for them
/// alone.
SmallVector<OpOperand *> findUses(tts::LoadOp load) {
  if (!isa<RankedTensorType>(load.getType()))
    return {};
  SmallVector<OpOperand *> uses = findProductUses(load.getResult());
  return isTakenInItsLoop(load, uses) ? SmallVector<OpOperand *>() : uses;
}

/// Plans the copies of one function.
class OperandCopies {
public:
  OperandCopies(func::FuncOp function, const DataFlowSolver &solver)
      : function(function), boxes(function, solver) {}

  /// `uses` of `load` are not none.
  std::optional<OperandCopy> plan(tts::LoadOp load,
                                  ArrayRef<OpOperand *> uses) {
    if (mayWrite(function.getBody(), load.getBase()))
      return std::nullopt;
    TensorBoxAnalysis::Result result = boxes.analyze(load);
    auto *box = std::get_if<TensorBox>(&result);
    if (!box || !box->isKnownAtLaunch())
      return std::nullopt;
    OperandCopy copy = {{load, {}, /*isMatrix=*/true, *box},
                        llvm::to_vector(uses),
                        findFirst(load, uses)};
    return findLayout(copy) ? std::optional(copy) : std::nullopt;
  }

private:
  /// A layout that the copy engine can write and all products can read.
  static bool findLayout(OperandCopy &copy) {
    unsigned innermost = copy.load.box->dimensions.back().ofBlock;
    for (OpOperand *use : copy.uses) {
      if (getOperandTile(use->get()).transpose)
        continue;
      std::optional<cta::SharedLayout> layout =
          cta::findMatrixLayout(*use, innermost);
      if (!layout)
        continue;
      copy.load.layout = *layout;
      cta::BufferType type = getRingType(copy.load, /*slots=*/1);
      return llvm::all_of(copy.uses, [&](OpOperand *other) {
        return canReadOperand(*other, type);
      });
    }
    return false;
  }

  static Operation *findFirst(tts::LoadOp load, ArrayRef<OpOperand *> uses) {
    Operation *first = nullptr;
    for (OpOperand *use : uses) {
      Operation *around =
          load->getBlock()->findAncestorOpInBlock(*use->getOwner());
      if (!first || around->isBeforeInBlock(first))
        first = around;
    }
    return first;
  }

  func::FuncOp function;
  TensorBoxAnalysis boxes;
};

/// Makes copies of one block, which arrive together.
class Arrival {
public:
  explicit Arrival(const OperandCopy &copy)
      : copies({copy}), first(copy.first) {}

  /// Takes one more if it is asked for before the others are needed.
  bool join(const OperandCopy &next) {
    if (next.load.load->getBlock() != getBlock() ||
        !next.load.load->isBeforeInBlock(first))
      return false;
    if (next.first->isBeforeInBlock(first))
      first = next.first;
    copies.push_back(next);
    return true;
  }

  void run() {
    OpBuilder builder(copies.front().load.load);
    Location loc = first->getLoc();
    zero = arith::ConstantIntOp::create(builder, loc, 0, 32);
    mbarriers = cta::MbarriersOp::create(
        builder, loc, cta::MbarriersType::get(builder.getContext(), 1),
        copies.size());
    builder.setInsertionPoint(first);
    cta::WaitMbarrierOp::create(builder, loc, mbarriers, zero, zero);
    builder.setInsertionPoint(getBlock()->getTerminator());
    cta::InvalidateOp::create(builder, loc, mbarriers);
    for (const OperandCopy &copy : copies)
      replace(copy);
  }

private:
  Block *getBlock() const { return copies.front().load.load->getBlock(); }

  void replace(const OperandCopy &copy) {
    auto load = cast<tts::LoadOp>(copy.load.load);
    Location loc = load.getLoc();
    OpBuilder builder(load);
    cta::AllocOp buffer = createRing(builder, loc, copy.load, /*slots=*/1);
    TensorMap map = addTensorMap(*copy.load.box, buffer);
    SmallVector<Value> start =
        createBoxStart(builder, loc, load, *copy.load.box, IRMapping());
    Value always = arith::ConstantIntOp::create(builder, loc, 1, 1);
    cta::CopyBoxOp::create(builder, loc, map.address, start, map.dims,
                           map.piece, buffer, zero, mbarriers, always);
    for (OpOperand *use : copy.uses)
      readBefore(*use, copy.load, buffer, zero);
    load.erase();
  }

  std::vector<OperandCopy> copies;
  /// The first that needs one of them.
  Operation *first;
  cta::MbarriersOp mbarriers;
  Value zero;
};

struct CtaCopyOperands
    : triton_shared::impl::CtaCopyOperandsBase<CtaCopyOperands> {
  void runOnOperation() override {
    // For most kernels there are none, and nobody asks what is known of values.
    using Found = std::pair<tts::LoadOp, SmallVector<OpOperand *>>;
    SmallVector<Found, 0> found;
    getOperation().walk([&](tts::LoadOp load) {
      SmallVector<OpOperand *> uses = findUses(load);
      if (!uses.empty())
        found.emplace_back(load, uses);
    });
    if (found.empty())
      return;
    DataFlowSolver solver;
    if (failed(runDivisibilityAnalysis(solver, getOperation())))
      return signalPassFailure();
    // What is known about values holds before the first load changes.
    std::vector<Arrival> arrivals;
    DenseMap<Operation *, std::unique_ptr<OperandCopies>> copiesOf;
    for (auto &[load, uses] : found) {
      auto function = load->getParentOfType<func::FuncOp>();
      std::unique_ptr<OperandCopies> &copies = copiesOf[function];
      if (!copies)
        copies = std::make_unique<OperandCopies>(function, solver);
      std::optional<OperandCopy> copy = copies->plan(load, uses);
      if (copy && (arrivals.empty() || !arrivals.back().join(*copy)))
        arrivals.emplace_back(*copy);
    }
    for (Arrival &arrival : arrivals)
      arrival.run();
  }
};

} // namespace
