//===- BoxStores.cpp - Stores that the copy engine can do -----------------===//

#include "BoxStores.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"
#include "triton-shared/Dialect/Cta/IR/MatrixDescriptor.h"
#include "triton-shared/Layout/LayoutParts.h"

using namespace mlir;
using namespace mlir::triton_shared;

Value triton_shared::findUnmoved(Value tile) {
  auto convert = tile.getDefiningOp<cta::ConvertLayoutOp>();
  return convert && convert->hasOneUse() ? convert.getSource() : tile;
}

//===----------------------------------------------------------------------===//
// Boxes beside each other
//===----------------------------------------------------------------------===//

namespace {
/// A number, and by how much another one is greater.
struct Sum {
  Value of;
  APInt by;
};
} // namespace

/// Takes constants off `number`, which has wrapped around where it was widened.
static Sum findSum(Value number) {
  if (auto wide = number.getDefiningOp<arith::ExtSIOp>())
    number = wide.getIn();
  Sum sum{number, APInt(number.getType().getIntOrFloatBitWidth(), 0)};
  while (auto add = sum.of.getDefiningOp<arith::AddIOp>()) {
    APInt constant;
    if (!matchPattern(add.getRhs(), m_ConstantInt(&constant)))
      break;
    sum = {add.getLhs(), sum.by + constant};
  }
  return sum;
}

/// True if rows that begin at `a` and `b`, of `size` elements each, have none
/// in common: in whatever way the difference has wrapped around.
static bool areBeside(OpFoldResult a, OpFoldResult b, int64_t size) {
  auto first = dyn_cast_if_present<Value>(a);
  auto second = dyn_cast_if_present<Value>(b);
  if (!first || !second)
    return false;
  Sum one = findSum(first), other = findSum(second);
  if (one.of != other.of || one.by.getBitWidth() != other.by.getBitWidth())
    return false;
  APInt difference = one.by - other.by;
  return difference.uge(size) && (-difference).uge(size);
}

/// True if the boxes of two stores to the same tensor have no element in
/// common.
static bool areBeside(const BoxStore &a, const BoxStore &b) {
  RankedTensorType tile = cta::getTile(a.getValue());
  auto isSame = [](const BoxDimension &one, const BoxDimension &other) {
    return one.ofBlock == other.ofBlock && one.size == other.size &&
           one.stride == other.stride;
  };
  if (tile.getShape() != cta::getTile(b.getValue()).getShape() ||
      !llvm::equal(a.box.dimensions, b.box.dimensions, isSame))
    return false;
  return llvm::any_of(a.box.dimensions, [&](const BoxDimension &dimension) {
    unsigned dim = dimension.ofBlock;
    return areBeside(getBoxStart(tts::StoreOp(a.store), dim),
                     getBoxStart(tts::StoreOp(b.store), dim),
                     tile.getDimSize(dim));
  });
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

static std::optional<BoxStore> findBox(tts::StoreOp store,
                                       TensorBoxAnalysis &boxes) {
  auto tile = dyn_cast<RankedTensorType>(store.getValue().getType());
  if (!tile || tile.getRank() != 2)
    return std::nullopt;
  TensorBoxAnalysis::Result result = boxes.analyze(store);
  auto *box = std::get_if<TensorBox>(&result);
  if (!box || !cta::findLinesLayout(tile, box->dimensions.back().ofBlock))
    return std::nullopt;
  return BoxStore{store, *box};
}

/// True if nothing else accesses what `found` writes, as far as can be seen:
/// arguments are apart from each other.
static bool isApart(const BoxStore &found, ArrayRef<BoxStore> all,
                    func::FuncOp function) {
  WalkResult result = function.walk([&](tts::AccessOpInterface op) {
    bool isApart = op == found.store ||
                   (op.getBase() != tts::StoreOp(found.store).getBase() &&
                    isa<BlockArgument>(op.getBase()));
    if (!isApart) {
      const BoxStore *other = llvm::find_if(
          all, [&](const BoxStore &store) { return store.store == op; });
      isApart = other != all.end() && areBeside(found, *other);
    }
    return isApart ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

SmallVector<BoxStore> triton_shared::findBoxStores(func::FuncOp function,
                                                   TensorBoxAnalysis &boxes) {
  SmallVector<BoxStore> found;
  function.walk([&](tts::StoreOp store) {
    if (std::optional<BoxStore> box = findBox(store, boxes))
      found.push_back(*box);
  });
  // All stores to a tensor are done by the copy engine, or none.
  SmallVector<BoxStore> apart;
  llvm::copy_if(found, std::back_inserter(apart), [&](const BoxStore &one) {
    return llvm::all_of(found, [&](const BoxStore &other) {
      return other.box.base != one.box.base || isApart(other, found, function);
    });
  });
  return apart;
}

std::optional<SmallVector<int64_t>>
triton_shared::findStageParts(const BoxStore &found) {
  RankedTensorType tile = cta::getTile(findUnmoved(found.getValue()));
  SmallVector<int64_t> part(tile.getShape());
  int64_t &along = part[found.getAlong()];
  along = std::min(along, cta::kLineBytes / cta::getElementBytes(tile));
  if (!cta::arePartsInRegisters(cta::getLayout(tile), part))
    return std::nullopt;
  return part;
}

bool triton_shared::canShareStage(const BoxStore &a, const BoxStore &b) {
  auto getElement = [](const BoxStore &found) {
    return cta::getTile(found.getValue()).getElementType();
  };
  return tts::StoreOp(a.store)->getBlock() ==
             tts::StoreOp(b.store)->getBlock() &&
         a.getAlong() == b.getAlong() && getElement(a) == getElement(b) &&
         findStageParts(a) == findStageParts(b);
}
