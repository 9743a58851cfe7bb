//===- PointerHints.cpp - What a kernel says of its pointers --------------===//

#include "triton-shared/Analysis/PointerHints.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "triton-shared/Analysis/Divisibility.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"
#include "triton-shared/Target/GpuTarget.h"

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

/// More than any access can use.
static constexpr int64_t kMost = GpuTarget::kBytesPerAccess;

/// The largest power of two that divides a number of a hint.
static int64_t getPowerOfTwo(const APInt &value) {
  int64_t number = value.getSExtValue();
  return number > 0 ? number & -number : 1;
}

static DenseIntElementsAttr getHint(tt::AddPtrOp move) {
  return move->getAttrOfType<DenseIntElementsAttr>("tt.divisibility");
}

/// The largest power of two, at most `kMost`, that divides the distance in
/// bytes by which `move` moves all pointers alike; one if it moves them apart.
static int64_t getStep(const DataFlowSolver &solver, tt::AddPtrOp move) {
  Value distance = move.getOffset();
  if (auto splat = distance.getDefiningOp<tt::SplatOp>())
    distance = splat.getSrc();
  auto pointer =
      cast<tt::PointerType>(getElementTypeOrSelf(move.getResult().getType()));
  int64_t bytes = pointer.getPointeeType().getIntOrFloatBitWidth() / 8;
  return std::min(kMost, std::max<int64_t>(1, bytes) *
                             getKnownDivisor(solver, distance, kMost));
}

namespace {

/// Pointers that have been moved on, all alike by a multiple of `step` bytes.
struct Moved {
  /// From where: not moved itself, or with a hint of its own.
  Value from;
  int64_t step = kMost;
};

} // namespace

static Moved follow(const DataFlowSolver &solver, Value pointers) {
  Moved moved = {pointers};
  while (auto move = moved.from.getDefiningOp<tt::AddPtrOp>()) {
    if (getHint(move))
      break;
    moved.step = std::min(moved.step, getStep(solver, move));
    moved.from = move.getPtr();
  }
  return moved;
}

/// What the start of a loop was moved from, if `pointers` are a variable of the
/// loop that moves on turn after turn.
static Moved followToStart(const DataFlowSolver &solver, Value pointers) {
  Moved moved = follow(solver, pointers);
  auto argument = dyn_cast<BlockArgument>(moved.from);
  auto loop = argument
                  ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                  : nullptr;
  OpOperand *init = loop ? loop.getTiedLoopInit(argument) : nullptr;
  if (!init)
    return moved;
  Moved next = follow(solver, loop.getTiedLoopYieldedValue(argument)->get());
  if (next.from != argument)
    return moved;
  Moved start = followToStart(solver, init->get());
  return {start.from, std::min({moved.step, next.step, start.step})};
}

DenseI64ArrayAttr triton_shared::findLineAlignment(const DataFlowSolver &solver,
                                                   Value pointers) {
  Moved moved = followToStart(solver, pointers);
  auto move = moved.from.getDefiningOp<tt::AddPtrOp>();
  DenseIntElementsAttr hint = move ? getHint(move) : nullptr;
  auto type = cast<RankedTensorType>(pointers.getType());
  if (!hint || hint.getNumElements() != type.getRank())
    return nullptr;
  auto alignments =
      llvm::map_to_vector(hint.getValues<APInt>(), [&](const APInt &value) {
        return std::min(moved.step, getPowerOfTwo(value));
      });
  return DenseI64ArrayAttr::get(pointers.getContext(), alignments);
}

/// What a hint of the name says of the only dimension of `numbers`.
static int64_t readHint(Operation *numbers, StringRef name) {
  auto hint = numbers->getAttrOfType<DenseIntElementsAttr>(name);
  return hint && hint.getNumElements() == 1
             ? getPowerOfTwo(*hint.getValues<APInt>().begin())
             : 1;
}

/// A false hint ends where a row does: no more is believed than that what is
/// read at once lies together, as by every compiler of Triton.
static int64_t countRun(Value indices) {
  Operation *op = indices ? indices.getDefiningOp() : nullptr;
  while (
      isa_and_present<arith::ExtSIOp, arith::ExtUIOp, arith::IndexCastOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return op ? std::min({kMost, readHint(op, "tt.contiguity"),
                        readHint(op, "tt.divisibility")})
            : 1;
}

DenseI64ArrayAttr
triton_shared::findIndexRuns(ArrayRef<tts::DimensionAccess> dimensions,
                             MLIRContext *context) {
  auto runs = llvm::map_to_vector(dimensions,
                                  [](const tts::DimensionAccess &dimension) {
                                    return countRun(dimension.indices);
                                  });
  return llvm::any_of(runs, [](int64_t run) { return run > 1; })
             ? DenseI64ArrayAttr::get(context, runs)
             : nullptr;
}
