//===- BoxStores.cpp - Stores that the copy engine can do -----------------===//

#include "BoxStores.h"
#include "AheadLoads.h"
#include "TensorMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"
#include "triton-shared/Dialect/Cta/IR/MatrixDescriptor.h"
#include "triton-shared/Layout/LayoutParts.h"
#include "llvm/ADT/MapVector.h"

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

/// True if `store` writes a tile that a box could be.
static bool isCandidate(tts::StoreOp store) {
  auto tile = dyn_cast<RankedTensorType>(store.getValue().getType());
  return tile && tile.getRank() == 2;
}

static std::optional<BoxStore> findBox(tts::StoreOp store,
                                       TensorBoxAnalysis &boxes) {
  if (!isCandidate(store))
    return std::nullopt;
  RankedTensorType tile = cta::getTile(store.getValue());
  TensorBoxAnalysis::Result result = boxes.analyze(store);
  auto *box = std::get_if<TensorBox>(&result);
  if (!box || !canTell(*box, store->getParentOfType<func::FuncOp>()) ||
      !cta::findLinesLayout(tile, box->dimensions.back().ofBlock))
    return std::nullopt;
  return BoxStore{store, *box};
}

/// More stores to one tensor are not compared with each other.
static constexpr size_t kMostStores = 64;

/// True if no two of these stores write the same element.
static bool areAllBeside(ArrayRef<BoxStore> stores) {
  if (stores.size() > kMostStores)
    return false;
  for (const BoxStore &one : stores)
    for (const BoxStore &other : stores.take_front(&one - stores.begin()))
      if (!areBeside(one, other))
        return false;
  return true;
}

/// True if stores of `function` can wait for what comes before them, and what
/// comes after for them: all in one row, and no other program is told.
static bool mayOrderStores(func::FuncOp function) {
  return !cta::getNumProducerWarps(function) && isOnItsOwn(function);
}

bool triton_shared::mayHaveBoxStores(func::FuncOp function) {
  WalkResult result = function.walk([](tts::StoreOp store) {
    return isCandidate(store) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

namespace {
/// What the copy engine reads in a function.
struct Copies {
  bool ofArguments = false, ofComputed = false;
};
} // namespace

static Copies findCopies(func::FuncOp function) {
  Copies copies;
  function.walk([&](cta::CopyBoxOp copy) {
    bool isMade = copy.getMap().getDefiningOp<cta::MakeTensorMapOp>();
    (isMade ? copies.ofComputed : copies.ofArguments) = true;
  });
  return copies;
}

SmallVector<BoxStore> triton_shared::findBoxStores(func::FuncOp function,
                                                   TensorBoxAnalysis &boxes) {
  // Arguments are apart from each other; a computed address may be anywhere.
  DenseMap<Value, size_t> accesses;
  size_t computed = 0;
  Copies copies = findCopies(function);
  llvm::MapVector<Value, SmallVector<BoxStore>> found;
  function.walk([&](tts::AccessOpInterface access) {
    Value base = access.getBase();
    ++accesses[base];
    computed += !isa<BlockArgument>(base);
    if (auto store = dyn_cast<tts::StoreOp>(*access))
      if (std::optional<BoxStore> box = findBox(store, boxes))
        found[base].push_back(*box);
  });
  // All stores to a tensor are done by the copy engine, or none.
  SmallVector<BoxStore> apart;
  for (auto &[base, stores] : found) {
    bool isArgument = isa<BlockArgument>(base);
    size_t own = isArgument ? 0 : accesses[base];
    bool isOrdered = computed != own || copies.ofComputed ||
                     (!isArgument && copies.ofArguments);
    if (stores.size() != accesses[base] || !areAllBeside(stores) ||
        (isOrdered && !mayOrderStores(function)))
      continue;
    for (BoxStore &store : stores)
      store.isOrdered = isOrdered;
    llvm::append_range(apart, stores);
  }
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
