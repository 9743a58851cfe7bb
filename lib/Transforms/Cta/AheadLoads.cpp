//===- AheadLoads.cpp - Which loads of a loop may run ahead ---------------===//

#include "AheadLoads.h"
#include "OperandTiles.h"
#include "TensorMaps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "triton-shared/Analysis/AccessWidth.h"
#include "triton-shared/Dialect/Cta/IR/DotLayout.h"
#include "triton-shared/Dialect/Cta/IR/MatrixDescriptor.h"
#include "triton-shared/Layout/SharedAccess.h"
#include "triton-shared/Transforms/TileNeighbours.h"

using namespace mlir;
using namespace mlir::triton_shared;
using cta::LinearLayout;

/// True if nothing but addresses of `loads` is computed from `load`, all of
/// that in `slice`.
static bool isForAddresses(Operation *load, const LoopSlice &slice,
                           ArrayRef<AheadLoad> loads) {
  llvm::SetVector<Operation *> computed;
  computed.insert(load);
  for (size_t i = 0; i < computed.size(); ++i)
    for (Operation *user : computed[i]->getUsers()) {
      if (llvm::any_of(loads, [&](const AheadLoad &ahead) {
            return ahead.load == user;
          }))
        continue;
      if (!slice.contains(user))
        return false;
      computed.insert(user);
    }
  return true;
}

SmallVector<AheadLoad> AheadLoads::find(LoopSlice &slice, bool takesSmall) {
  auto takesLoad = [&](tts::AccessOpInterface load) {
    return takesSmall && loadsIndices(load);
  };
  SmallVector<AheadLoad> found;
  if (!isInnermost(loop) || !mayReorder())
    return found;
  for (auto load : loop.getBody()->getOps<tts::LoadOp>()) {
    if (!isa<RankedTensorType>(load.getType()) || !feedsDot(load) ||
        (load.getMask() && !takesSmall) || load.getIsVolatile() ||
        isWritten(load.getBase()))
      continue;
    std::optional<AheadLoad> ahead = plan(load);
    if (!ahead && takesSmall)
      ahead = planRow(load);
    if (ahead && slice.addOperandsOf(load, takesLoad))
      found.push_back(*ahead);
  }
  SmallVector<AheadLoad> copied;
  llvm::copy_if(found, std::back_inserter(copied), [&](const AheadLoad &ahead) {
    return !slice.contains(ahead.load) ||
           !isForAddresses(ahead.load, slice, found);
  });
  return copied;
}

bool AheadLoads::loadsIndices(tts::AccessOpInterface load) {
  constexpr unsigned kMostRegisters = 4;
  Type type = load.getTile().getType();
  if (load.isVolatile() || isWritten(load.getBase()) ||
      !getElementTypeOrSelf(type).isInteger())
    return false;
  auto tile = dyn_cast<RankedTensorType>(type);
  return !tile || cta::getLayout(tile).getNumRegisters() <= kMostRegisters;
}

//===----------------------------------------------------------------------===//
// What the loop does
//===----------------------------------------------------------------------===//

bool triton_shared::isInnermost(scf::ForOp loop) {
  return !loop.getBody()
              ->walk(
                  [](LoopLikeOpInterface) { return WalkResult::interrupt(); })
              .wasInterrupted();
}

/// False if the loop does more with memory than to load and store.
bool AheadLoads::mayReorder() {
  WalkResult result = loop.getBody()->walk([](Operation *op) {
    auto access = dyn_cast<tts::AccessOpInterface>(op);
    bool isKnown = (access && !access.isAtomic()) || isMemoryEffectFree(op) ||
                   op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
    return isKnown ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

bool triton_shared::hasLoadsInLoops(Operation *root) {
  WalkResult result = root->walk([](tts::LoadOp load) {
    return load->getParentOfType<scf::ForOp>() ? WalkResult::interrupt()
                                               : WalkResult::advance();
  });
  return result.wasInterrupted();
}

bool triton_shared::mayWrite(Region &region, Value base) {
  WalkResult result = region.walk([&](tts::AccessOpInterface op) {
    Value other = op.getBase();
    bool isApart =
        !op.isWrite() || (other != base && isa<BlockArgument>(other) &&
                          isa<BlockArgument>(base));
    return isApart ? WalkResult::advance() : WalkResult::interrupt();
  });
  return result.wasInterrupted();
}

bool triton_shared::isOnItsOwn(func::FuncOp function) {
  WalkResult result = function.walk([](tts::AccessOpInterface access) {
    return access.isAtomic() ? WalkResult::interrupt() : WalkResult::advance();
  });
  return !result.wasInterrupted();
}

bool AheadLoads::isWritten(Value base) {
  return mayWrite(loop.getRegion(), base);
}

bool AheadLoads::feedsDot(tts::LoadOp load) {
  SmallVector<Value> waiting = {load.getResult()};
  llvm::SmallDenseSet<Value> seen;
  while (!waiting.empty()) {
    Value value = waiting.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    for (Operation *user : value.getUsers()) {
      if (isa<cta::DotOp>(user))
        return true;
      if (user->getBlock() == loop.getBody())
        llvm::append_range(waiting, user->getResults());
    }
  }
  return false;
}

//===----------------------------------------------------------------------===//
// How a load is copied
//===----------------------------------------------------------------------===//

std::optional<AheadLoad> AheadLoads::plan(tts::LoadOp load) {
  if (std::optional<AheadLoad> ahead = planBox(load))
    return ahead;
  if (!isZeroOutside(load.getOther()))
    return std::nullopt;
  std::optional<cta::SharedLayout> matrix = findMatrixLayout(load);
  std::optional<cta::SharedLayout> layout =
      matrix ? matrix : findReadLayout(load);
  if (!layout)
    return std::nullopt;
  return AheadLoad{load, *layout, matrix.has_value(), std::nullopt};
}

OpOperand *triton_shared::findMatrixUse(tts::LoadOp load) {
  for (OpOperand &use : load->getUses()) {
    auto dot = dyn_cast<cta::DotOp>(use.getOwner());
    if (dot && dot.isReadFromShared(use))
      return &use;
  }
  return nullptr;
}

/// The copy engine sees what kernels before have written; what this one has,
/// after a fence.
std::optional<AheadLoad> AheadLoads::planBox(tts::LoadOp load) {
  auto function = loop->getParentOfType<func::FuncOp>();
  OpOperand *use = findMatrixUse(load);
  bool isAfterWrites = mayWrite(function.getBody(), load.getBase());
  if (!use || (isAfterWrites && !isOnItsOwn(function)))
    return std::nullopt;
  TensorBoxAnalysis::Result result = boxes.analyze(load);
  auto *box = std::get_if<TensorBox>(&result);
  if (!box || !canTell(*box, function) ||
      !llvm::all_of(getComputedNumbers(*box), [&](Value value) {
        return loop.isDefinedOutsideOfLoop(value);
      }))
    return std::nullopt;
  std::optional<cta::SharedLayout> layout =
      cta::findMatrixLayout(*use, box->dimensions.back().ofBlock);
  if (!layout)
    return std::nullopt;
  return AheadLoad{load, *layout, /*isMatrix=*/true, *box, isAfterWrites};
}

//===----------------------------------------------------------------------===//
// Copies by threads
//===----------------------------------------------------------------------===//

/// How many neighbours a thread can copy at once; nothing if too few.
std::optional<unsigned> AheadLoads::countNeighbours(tts::LoadOp load) {
  AccessWidth width = describeMaskedWidth(solver, load);
  RankedTensorType tile = cta::getTile(load.getResult());
  if (!width.isContiguous)
    return std::nullopt;
  unsigned elements = std::min(
      width.uniform, cta::getLayout(tile).countNeighbours(width.order.front()));
  return elements * cta::getElementBytes(tile) >= GpuTarget::kLeastCopyBytes
             ? std::optional(elements)
             : std::nullopt;
}

/// True if `layout` lets threads copy pieces of `tile` that are large enough.
static bool hasPieces(RankedTensorType tile, const cta::SharedLayout &layout,
                      unsigned elements) {
  cta::Piece piece =
      cta::getPieces(layout.place(cta::getLayout(tile)), elements).front();
  for (auto [i, reg] : llvm::enumerate(piece))
    if (i != reg)
      return false;
  return piece.size() * cta::getElementBytes(tile) >=
         GpuTarget::kLeastCopyBytes;
}

/// A layout for the ring from which a product reads it.
std::optional<cta::SharedLayout>
AheadLoads::findMatrixLayout(tts::LoadOp load) {
  std::optional<unsigned> elements = countNeighbours(load);
  OpOperand *use = findMatrixUse(load);
  if (!elements || !use)
    return std::nullopt;
  unsigned contiguous = describeAccessWidth(solver, load).order.front();
  std::optional<cta::SharedLayout> layout =
      cta::findMatrixLayout(*use, contiguous);
  return layout && hasPieces(cta::getTile(load.getResult()), *layout, *elements)
             ? layout
             : std::nullopt;
}

/// The layout in which most of the loop wants the tile.
static LinearLayout getReadLayout(tts::LoadOp load) {
  if (OpOperand *factor = findFactor(load.getResult())) {
    LinearLayout layout =
        cta::getFactorLayout(cast<cta::DotOp>(factor->getOwner()), *factor);
    cta::TransposeOp transpose = getOperandTile(factor->get()).transpose;
    return transpose ? layout.transpose(
                           invertPermutationVector(transpose.getPermutation()))
                     : layout;
  }
  for (Operation *user : load->getUsers())
    if (auto convert = dyn_cast<cta::ConvertLayoutOp>(user))
      return cta::getLayout(convert.getType());
  return cta::getLayout(load.getType());
}

/// A layout for the ring from which threads read it.
std::optional<cta::SharedLayout> AheadLoads::findReadLayout(tts::LoadOp load) {
  std::optional<unsigned> elements = countNeighbours(load);
  if (!elements)
    return std::nullopt;
  RankedTensorType tile = cta::getTile(load.getResult());
  cta::SharedLayout layout = cta::chooseSharedLayout(
      tile.getShape(), cta::getElementBytes(tile), cta::getLayout(tile),
      getReadLayout(load), *elements);
  return hasPieces(tile, layout, *elements) ? std::optional(layout)
                                            : std::nullopt;
}

/// A row is copied by as many threads as it has pieces that one moves; those
/// that need it would each load all that they need.
std::optional<AheadLoad> AheadLoads::planRow(tts::LoadOp load) {
  RankedTensorType tile = cta::getTile(load.getResult());
  AccessWidth width = describeAccessWidth(solver, load);
  unsigned elements = width.isContiguous ? width.uniform : 1;
  bool isRow = llvm::is_contained(tile.getShape(), tile.getNumElements());
  bool hasTiles =
      llvm::any_of(load->getOperandTypes(), llvm::IsaPred<RankedTensorType>);
  if (!isRow || hasTiles || !isZeroOutside(load.getOther()) ||
      elements * cta::getElementBytes(tile) < GpuTarget::kLeastCopyBytes)
    return std::nullopt;
  LinearLayout apart =
      LinearLayout::getBlocked(tile.getShape(), width.order, elements,
                               cta::getLayout(tile).getNumWarps());
  cta::SharedLayout layout = cta::chooseSharedLayout(
      tile.getShape(), cta::getElementBytes(tile), apart, apart, elements);
  AheadLoad ahead = {load, layout, /*isMatrix=*/false, std::nullopt};
  ahead.copied = cast<RankedTensorType>(cta::withLayout(tile, apart));
  return hasPieces(ahead.copied, layout, elements) ? std::optional(ahead)
                                                   : std::nullopt;
}
