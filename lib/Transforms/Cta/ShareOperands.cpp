//===- ShareOperands.cpp - Operands that products read themselves ---------===//
//
// A `wgmma` reads shared memory. What was copied there by a pipeline is there
// already, in a way that suits; anything else is written there first, before
// the loops that do not change it, and once for all products that take it.
// What each turn writes for a product that goes on while the next turn begins
// has two slots.
//
// A product that threads compute reads what a pipeline has copied, too, and
// what its loop does not change, where there is room. Other operands it writes
// to a place of its own while it runs.
//
//===----------------------------------------------------------------------===//

#include "OperandTiles.h"
#include "SharedUse.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Pass/Pass.h"
#include "triton-shared/Dialect/Cta/IR/Exchange.h"
#include "triton-shared/Dialect/Cta/IR/MatrixDescriptor.h"
#include "triton-shared/Layout/SharedAccess.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CTASHAREOPERANDS
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// Where a product finds an operand: in a buffer if there is a slot.
struct Place {
  Value operand;
  Value slot;
};

/// True if `op` may change what lies in `buffer`, or lets others do so.
bool writes(Operation *op, Value buffer) {
  if (isa<cta::ArriveOp>(op))
    return true;
  WalkResult result = op->walk([&](cta::CtaOpInterface tiles) {
    bool isWritten =
        llvm::any_of(tiles.getBufferUses(), [&](const cta::BufferUse &use) {
          return use.isWrite && use.buffer == buffer;
        });
    return isWritten ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// The whole tile in a buffer that `operand` is read from, as it is or
/// transposed, if the product can read it there itself.
cta::ReadOp findRead(OpOperand &operand) {
  auto read = getOperandTile(operand.get()).tile.getDefiningOp<cta::ReadOp>();
  Operation *dot = operand.getOwner();
  if (!read || read->getBlock() != dot->getBlock() ||
      read.getType().getShape() != read.getBuffer().getType().getShape() ||
      !canReadOperand(operand, read.getBuffer().getType()))
    return nullptr;
  for (Operation *op = read->getNextNode(); op != dot; op = op->getNextNode())
    if (writes(op, read.getBuffer()))
      return nullptr;
  return read;
}

/// The layout in which it costs least to write the tile, and to read it if
/// threads do.
cta::SharedLayout chooseLayout(OpOperand &operand) {
  RankedTensorType tile = cta::getTile(operand.get());
  auto dot = cast<cta::DotOp>(operand.getOwner());
  if (!dot.getInstruction())
    return cta::chooseFactorLayout(dot, operand);
  std::optional<std::pair<unsigned, cta::SharedLayout>> best;
  for (unsigned contiguous : {0, 1}) {
    std::optional<cta::SharedLayout> layout =
        cta::findMatrixLayout(operand, contiguous);
    if (!layout)
      continue;
    unsigned weight = cta::getStoreCost(layout->place(cta::getLayout(tile)),
                                        cta::getElementBytes(tile))
                          .getWeight();
    if (!best || weight < best->first)
      best = {weight, *layout};
  }
  assert(best && "neighbours along K always suit");
  return best->second;
}

/// What was written for products before: tiles, and the buffers that have them.
using WrittenTiles = DenseMap<Value, SmallVector<cta::WriteOp>>;

/// Lets one product read its operands from shared memory.
class Sharing {
public:
  Sharing(cta::DotOp dot, WrittenTiles &written) : dot(dot), written(written) {}

  void run() {
    // Before anything is looked up in the loop, which is another one then.
    if (takesTurns(dot.getAMutable()) || takesTurns(dot.getBMutable()))
      parity = createParity();
    Place a = share(dot.getAMutable()), b = share(dot.getBMutable());
    fenceOnce();
    OpBuilder builder(dot);
    Value shared = cta::DotOp::create(
        builder, dot.getLoc(), dot.getType(), a.operand, b.operand,
        dot.getAccumulator(), a.slot, b.slot, dot.getPrecisionAttr(),
        dot.getImpreciseAttr(), dot.getGoesOnAttr(), dot.getInstructionAttr());
    SmallVector<Value> before = {dot.getA(), dot.getB()};
    dot.replaceAllUsesWith(shared);
    dot.erase();
    for (Value operand : before) {
      auto [tile, transpose] = getOperandTile(operand);
      if (transpose && transpose->use_empty())
        transpose.erase();
      auto read = tile.getDefiningOp<cta::ReadOp>();
      if (read && read->use_empty())
        read.erase();
    }
  }

private:
  Place share(OpOperand &operand) {
    bool isFactor = !dot.getInstruction();
    if (!dot.isReadFromShared(operand) && !isFactor)
      return {operand.get(), nullptr};
    if (cta::ReadOp read = findRead(operand)) {
      OpBuilder builder(dot);
      return {createOperandBuffer(builder, operand.get(), read.getBuffer()),
              read.getSlot()};
    }
    if (isFactor && !lasts(operand))
      return {operand.get(), nullptr};
    if (std::optional<Place> place = findWritten(operand))
      return *place;
    if (isFactor && !hasRoom(operand))
      return {operand.get(), nullptr};
    return writeToBuffer(operand);
  }

  /// Where `operand`, or what it shows transposed, was written for a product
  /// before this one.
  std::optional<Place> findWritten(OpOperand &operand) {
    if (takesTurns(operand))
      return std::nullopt;
    for (cta::WriteOp write : written.lookup(operand.get()))
      if (!dot.getInstruction() ||
          cta::describeMatrix(write.getBuffer().getType(), operand))
        return Place{write.getBuffer(), write.getSlot()};
    auto [tile, transpose] = getOperandTile(operand.get());
    if (transpose)
      for (cta::WriteOp write : written.lookup(tile))
        if (canReadOperand(operand, write.getBuffer().getType())) {
          OpBuilder builder(dot);
          return Place{
              createOperandBuffer(builder, operand.get(), write.getBuffer()),
              write.getSlot()};
        }
    return std::nullopt;
  }

  /// True if the loop of the product does not change `operand`.
  bool lasts(OpOperand &operand) {
    scf::ForOp loop = getLoop();
    return loop &&
           loop.isDefinedOutsideOfLoop(getOperandTile(operand.get()).tile);
  }

  /// True if shared memory has room for a buffer of `operand`, beside those of
  /// the same loop and two exchanges.
  bool hasRoom(OpOperand &operand) {
    scf::ForOp loop = getLoop();
    while (auto outer = loop->getParentOfType<scf::ForOp>())
      loop = outer;
    auto function = loop->getParentOfType<func::FuncOp>();
    int64_t bytes = cta::getTileBytes(cta::getTile(operand.get())), most = 0;
    function.walk([&](Operation *op) {
      int64_t needed = getSharedBytes(op);
      if (!isa<cta::AllocOp>(op))
        most = std::max(most, needed);
      else if (llvm::any_of(op->getUsers(), [&](Operation *user) {
                 return loop->isAncestor(user);
               }))
        bytes += llvm::alignTo(needed, cta::kMatrixAlignment);
    });
    return bytes + 2 * most <= cta::getTarget(function).getSharedBytes();
  }

  /// True if the product goes on while the next turn writes `operand`.
  bool takesTurns(OpOperand &operand) {
    return dot.getGoesOn() && dot.isReadFromShared(operand) &&
           !findRead(operand) &&
           !getLoop().isDefinedOutsideOfLoop(operand.get());
  }

  /// Writes `operand` to a buffer, after which products can read it: one that
  /// is shown transposed as it is, so that others can read it either way.
  Place writeToBuffer(OpOperand &operand) {
    if (takesTurns(operand))
      return writeInTurns(operand);
    auto [tile, transpose] = getOperandTile(operand.get());
    OpBuilder builder = getBuilderOf(tile);
    Location loc = dot.getLoc();
    Value slot = arith::ConstantIntOp::create(builder, loc, 0, 32);
    cta::BufferType type = getBufferType(operand, /*slots=*/1);
    if (transpose)
      type =
          type.transpose(invertPermutationVector(transpose.getPermutation()));
    Value buffer = write(builder, tile, createBuffer(builder, type), slot);
    written[tile].push_back(writes.back());
    // Loops that a warp copies for have no barrier of their own, others may not
    // have one, and groups of warps need not wait for each other in each turn.
    if (&*builder.getInsertionPoint() != dot &&
        (!dot.getInstruction() || dot->getParentOfType<cta::SpecializeOp>()))
      gpu::BarrierOp::create(builder, loc);
    OpBuilder reader(dot);
    return {createOperandBuffer(reader, operand.get(), buffer), slot};
  }

  /// Writes what each turn makes. Its slots keep their place for the whole
  /// loop.
  Place writeInTurns(OpOperand &operand) {
    Value buffer =
        createBuffer(OpBuilder(getLoop()), getBufferType(operand, /*slots=*/2));
    OpBuilder builder = getBuilderOf(operand.get());
    return {write(builder, operand.get(), buffer, parity), parity};
  }

  /// Where `value` is written: in its block, before the product.
  OpBuilder getBuilderOf(Value value) {
    return OpBuilder(value.getParentBlock()->findAncestorOpInBlock(*dot));
  }

  Value write(OpBuilder &builder, Value value, Value buffer, Value slot) {
    writes.push_back(
        cta::WriteOp::create(builder, dot.getLoc(), value, buffer, slot,
                             /*fenced=*/dot.getWgmma() != nullptr));
    return buffer;
  }

  /// The fence of a thread is for all that it has written, so that the last one
  /// of two is enough.
  void fenceOnce() {
    if (writes.size() != 2 || writes[0]->getBlock() != writes[1]->getBlock())
      return;
    bool isInOrder = writes[0]->isBeforeInBlock(writes[1]);
    writes[isInOrder ? 0 : 1].setFenced(false);
  }

  static cta::BufferType getBufferType(OpOperand &operand, int64_t slots) {
    RankedTensorType tile = cta::getTile(operand.get());
    return cta::BufferType::get(
        tile.getContext(), slots, tile.getShape(), tile.getElementType(),
        cta::SharedLayoutAttr::get(tile.getContext(), chooseLayout(operand)));
  }

  Value createBuffer(OpBuilder builder, cta::BufferType type) {
    return cta::AllocOp::create(builder, dot.getLoc(), type,
                                cta::kMatrixAlignment);
  }

  scf::ForOp getLoop() { return dot->getParentOfType<scf::ForOp>(); }

  /// 0 in the first turn of the loop, 1 in the next, and so on.
  Value createParity() {
    scf::ForOp loop = getLoop();
    IRRewriter rewriter(dot.getContext());
    rewriter.setInsertionPoint(loop);
    Value zero = arith::ConstantIntOp::create(rewriter, loop.getLoc(), 0, 32);
    auto replaced = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
        rewriter, zero, /*replaceInitOperandUsesInLoop=*/false,
        [](OpBuilder &builder, Location loc,
           ArrayRef<BlockArgument> arguments) -> SmallVector<Value> {
          Value one = arith::ConstantIntOp::create(builder, loc, 1, 32);
          return {arith::XOrIOp::create(builder, loc, arguments.front(), one)};
        }));
    return replaced.getRegionIterArgs().back();
  }

  cta::DotOp dot;
  WrittenTiles &written;
  Value parity;
  SmallVector<cta::WriteOp> writes;
};

struct CtaShareOperands
    : triton_shared::impl::CtaShareOperandsBase<CtaShareOperands> {
  void runOnOperation() override {
    SmallVector<cta::DotOp> dots;
    getOperation().walk([&](cta::DotOp dot) {
      if (!dot.getMma())
        dots.push_back(dot);
    });
    // Each is written in the block that makes it, before its first product: the
    // others come later.
    WrittenTiles written;
    for (cta::DotOp dot : dots)
      Sharing(dot, written).run();
  }
};

} // namespace
