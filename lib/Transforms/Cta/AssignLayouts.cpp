//===- AssignLayouts.cpp - Which thread holds which elements --------------===//
//
// Layouts start at anchors (matrix products, accesses) and spread to their
// neighbours until everything has one. Then operands that came out different
// from what their operation needs are converted or made again.
//
//===----------------------------------------------------------------------===//

#include "DotWarps.h"
#include "LayoutRules.h"
#include "MakeAgain.h"
#include "PartsInRegisters.h"
#include "TurnedLayout.h"
#include "WarpRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "triton-shared/Analysis/AccessWidth.h"
#include "triton-shared/Analysis/Divisibility.h"
#include "triton-shared/Dialect/Cta/IR/MatrixDescriptor.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "triton-shared/Layout/LayoutParts.h"
#include "triton-shared/Transforms/Passes.h"
#include "triton-shared/Transforms/TileNeighbours.h"

#include <deque>
#include <map>

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CTAASSIGNLAYOUTS
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;
using cta::LinearLayout;

namespace {

/// The fewest bytes of one row that a warp should touch at once: a sector of
/// the cache.
constexpr int64_t kSectorBytes = 32;

/// The layouts of one function, while they spread.
class LayoutSpread {
public:
  LayoutSpread(const DataFlowSolver &solver, unsigned numWarps,
               const GpuTarget &target)
      : solver(solver), numWarps(numWarps),
        sharedBytes(target.getSharedBytes()) {}

  void assignAnchors(func::FuncOp function);
  void assignRest(func::FuncOp function);
  /// Gives large blocks that are stored the layout that their store is fast in.
  void convertStores(func::FuncOp function) const;
  /// Gives what is loaded and a product cannot read as it lies in memory the
  /// layout in which threads turn it.
  void turnOperands(func::FuncOp function) const;

  LinearLayout lookup(Value value) const { return layouts.lookup(value); }

private:
  /// Gives `value` its layout unless it has one, and its neighbours what
  /// follows.
  void assign(Value value, const LinearLayout &layout);

  /// Gives `value`, if it is a tile that no anchor reaches, a layout that any
  /// tile of its shape can have.
  void assignDefault(Value value);

  void learnWidths(ArrayRef<tts::AccessOpInterface> accesses);
  /// Learns which of `accesses` store whole accesses.
  void learnStores(ArrayRef<tts::AccessOpInterface> accesses);
  /// Learns how many neighbours blocks are best moved with of which some
  /// accesses are aligned and others are not.
  void learnUnaligned(ArrayRef<tts::AccessOpInterface> accesses);
  /// A block's shape and the order of its dimensions in memory.
  using BlockKind = std::pair<SmallVector<int64_t>, SmallVector<unsigned>>;
  BlockKind getKind(tts::AccessOpInterface access) const;
  void limitNeighbours(const BlockKind &kind, unsigned most);
  /// How many neighbours a thread should have for `access`.
  unsigned countNeighbours(tts::AccessOpInterface access) const;
  LinearLayout getPreferred(tts::AccessOpInterface access) const;
  /// True if threads may exchange a block to write it faster: one element of
  /// each is written faster than exchanged, and all must have room.
  bool paysToExchange(tts::AccessOpInterface access) const;
  /// True if what `op` makes may have `layout`, which spread from elsewhere.
  bool accepts(Operation *op, const LinearLayout &layout) const;
  /// True if an access would be about as fast under `layout` as it can be.
  bool isGoodFor(tts::AccessOpInterface access,
                 const LinearLayout &layout) const;

  const DataFlowSolver &solver;
  unsigned numWarps;
  /// That a program can have.
  int64_t sharedBytes;
  DenseMap<Value, LinearLayout> layouts;
  /// Of every access to a block.
  DenseMap<Operation *, AccessWidth> widths;
  /// The most neighbours that a thread should have of a block.
  std::map<BlockKind, unsigned> mostNeighbours;
  /// Along which dimension blocks of a shape are scanned.
  DenseMap<ArrayRef<int64_t>, unsigned> scannedDims;
  /// Where tensor cores leave the results of products.
  DenseMap<Operation *, LinearLayout> dotResults;
};

/// The layout nearest to `layout` that what `op` makes can have.
LinearLayout getPossible(Operation *op, const LinearLayout &layout) {
  auto tiles = dyn_cast_if_present<cta::CtaOpInterface>(op);
  return tiles ? tiles.getPossibleLayout(layout) : layout;
}

/// The tile whose layout decides that of what `op` makes, if one does.
std::optional<cta::LayoutRelation> getOrigin(Operation *op) {
  auto tiles = dyn_cast<cta::CtaOpInterface>(op);
  return tiles ? tiles.getLayoutOrigin() : std::nullopt;
}

} // namespace

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

void LayoutSpread::learnWidths(ArrayRef<tts::AccessOpInterface> accesses) {
  for (tts::AccessOpInterface access : accesses) {
    AccessWidth width = describeWidth(solver, access);
    // Any layout may load an element for several others.
    widths[access] =
        width.isOnePlace ? describeAccessWidth(solver, access) : width;
  }
}

/// With so many rows to a thread, warps take rows of their own.
static constexpr unsigned kManyRows = 32;

/// A thread that holds more neighbours than it stores at once writes parts of
/// sectors, one behind the other: of elements that are stored wider than they
/// are loaded, it has no more than one store takes.
void LayoutSpread::learnStores(ArrayRef<tts::AccessOpInterface> accesses) {
  for (tts::AccessOpInterface access : accesses) {
    unsigned elements = widths.at(access).elements;
    if (!access.getStored() || access.isAtomic() ||
        elements * cta::getElementBytes(access.getTileType()) !=
            GpuTarget::kBytesPerAccess)
      continue;
    limitNeighbours(getKind(access), elements);
  }
}

void LayoutSpread::limitNeighbours(const BlockKind &kind, unsigned most) {
  unsigned &known = mostNeighbours.try_emplace(kind, most).first->second;
  known = std::min(known, most);
}

/// What an access costs for each element, in lines of 128 bytes that a warp
/// asks for, where threads have so many neighbours: those that it cannot move
/// at once are the same lines, asked for again.
static double countLines(tts::AccessOpInterface access, unsigned elements,
                         unsigned neighbours) {
  constexpr double kLineBytes = 128;
  double lines = GpuTarget::kWarpSize * neighbours *
                 cta::getElementBytes(access.getTileType()) / kLineBytes;
  double cost = std::max(1.0, lines) / std::min(elements, neighbours);
  // Parts of a line go to memory one by one.
  constexpr double kPerStoredLine = 2;
  if (access.getStored())
    cost += kPerStoredLine * lines / std::min(elements, neighbours);
  // Turns of loops are taken for many.
  constexpr double kTurns = 16;
  for (Operation *op = access; (op = op->getParentOp());)
    if (isa<LoopLikeOpInterface>(op))
      cost *= kTurns;
  return cost;
}

void LayoutSpread::learnUnaligned(ArrayRef<tts::AccessOpInterface> accesses) {
  std::map<BlockKind, SmallVector<tts::AccessOpInterface>> kinds;
  for (tts::AccessOpInterface access : accesses)
    if (widths.at(access).isContiguous && !access.isAtomic() &&
        !access.hasOffsetPerElement())
      kinds[getKind(access)].push_back(access);
  for (const auto &entry : kinds) {
    llvm::SmallSetVector<unsigned, 4> choices;
    bool isUnaligned = false;
    for (tts::AccessOpInterface access : entry.second) {
      unsigned elements = widths.at(access).elements;
      choices.insert(elements);
      isUnaligned |= elements * cta::getElementBytes(access.getTileType()) <
                     GpuTarget::kBytesPerAccess;
    }
    if (!isUnaligned || choices.size() < 2)
      continue;
    auto cost = [&](unsigned neighbours) {
      double lines = 0;
      for (tts::AccessOpInterface access : entry.second)
        lines += countLines(access, widths.at(access).elements, neighbours);
      return std::pair(lines, -static_cast<int64_t>(neighbours));
    };
    limitNeighbours(entry.first,
                    *llvm::min_element(choices, [&](unsigned a, unsigned b) {
                      return cost(a) < cost(b);
                    }));
  }
}

LayoutSpread::BlockKind
LayoutSpread::getKind(tts::AccessOpInterface access) const {
  return {llvm::to_vector(access.getTileType().getShape()),
          widths.at(access).order};
}

unsigned LayoutSpread::countNeighbours(tts::AccessOpInterface access) const {
  unsigned elements = widths.at(access).elements;
  auto most = mostNeighbours.find(getKind(access));
  return most == mostNeighbours.end() ? elements
                                      : std::min(elements, most->second);
}

LinearLayout LayoutSpread::getPreferred(tts::AccessOpInterface access) const {
  ArrayRef<unsigned> order = widths.at(access).order;
  unsigned neighbours = countNeighbours(access);
  bool isOfProducts = isAmongProducts(access);
  // An operand of a product goes to shared memory by whole words, however it
  // is loaded.
  unsigned ofWord =
      GpuTarget::kBytesPerWord / cta::getElementBytes(access.getTileType());
  bool isNarrow =
      isOfProducts && neighbours < ofWord && widths.at(access).isContiguous;
  if (isNarrow)
    neighbours = ofWord;
  LinearLayout layout = LinearLayout::getBlocked(
      access.getTileType().getShape(), order, neighbours, numWarps);
  auto scanned = scannedDims.find(access.getTileType().getShape());
  bool isScanned = scanned != scannedDims.end();
  bool isOfScannedRows = isScanned && scanned->second == order.front();
  if (layout.getRank() > 1 && (isNarrow || !isOfProducts))
    layout = giveRowsToWarps(layout, order.front(),
                             isNarrow || isOfScannedRows ? 2 : kManyRows);
  return isScanned ? giveScansToWarps(layout, scanned->second) : layout;
}

bool LayoutSpread::paysToExchange(tts::AccessOpInterface access) const {
  RankedTensorType type = access.getTileType();
  int64_t threads = int64_t(numWarps) * GpuTarget::kWarpSize;
  int64_t bytes = type.getNumElements() * cta::getElementBytes(type);
  return type.getNumElements() > threads && bytes <= sharedBytes;
}

bool LayoutSpread::isGoodFor(tts::AccessOpInterface access,
                             const LinearLayout &layout) const {
  RankedTensorType type = access.getTileType();
  const AccessWidth &width = widths.at(access);
  if (type.getRank() == 0 || !width.isContiguous || isSmallLoad(access))
    return true;
  unsigned fastest = width.order.front();
  int64_t bytes = cta::getElementBytes(type);
  if (access.isAtomic())
    return !paysToExchange(access) || isAmongProducts(access) ||
           layout.countNeighbours(fastest) >=
               getPreferred(access).countNeighbours(fastest);
  // A little narrower is fine, if whole sectors are used.
  return layout.countWarpNeighbours(fastest) * bytes >=
             std::min(kSectorBytes, type.getDimSize(fastest) * bytes) &&
         layout.countNeighbours(fastest) * 2 >=
             getPreferred(access).countNeighbours(fastest);
}

//===----------------------------------------------------------------------===//
// Spreading
//===----------------------------------------------------------------------===//

bool LayoutSpread::accepts(Operation *op, const LinearLayout &layout) const {
  if (auto access = dyn_cast<tts::AccessOpInterface>(op))
    return isGoodFor(access, layout);
  if (getPossible(op, layout) != layout)
    return false;
  if (std::optional<cta::LayoutRelation> origin = getOrigin(op)) {
    auto known = layouts.find(origin->related);
    return known != layouts.end() && layout == origin->follow(known->second);
  }
  // Tensor cores leave their result where they do.
  auto left = dotResults.find(op);
  return left == dotResults.end() || layout == left->second;
}

void LayoutSpread::assign(Value value, const LinearLayout &layout) {
  std::deque<std::pair<Value, LinearLayout>> waiting = {{value, layout}};
  while (!waiting.empty()) {
    Value next = waiting.front().first;
    LinearLayout wanted = waiting.front().second;
    waiting.pop_front();
    Operation *definition = next.getDefiningOp();
    bool isAsked = next != value || (definition && getOrigin(definition)) ||
                   getPossible(definition, wanted) != wanted;
    if (layouts.contains(next) ||
        (isAsked && definition && !accepts(definition, wanted)))
      continue;
    layouts[next] = wanted;
    // What costs nothing is made again for each user: they need not agree.
    bool isMadeAgain = next != value && isMadeOfIndices(next);
    for (Value other : getOtherNames(next))
      waiting.push_front({other, wanted});
    auto follow = [&](Operation *op) {
      // Offsets and masks go with an update that will have another layout.
      if (auto access = dyn_cast<tts::AccessOpInterface>(op);
          access && access.isAtomic() && access.getTileType() &&
          !isGoodFor(access, wanted))
        return;
      for (const cta::LayoutRelation &relation : getLayoutRelations(op, next))
        if (!layouts.contains(relation.related))
          waiting.push_back({relation.related, relation.follow(wanted)});
    };
    if (definition)
      follow(definition);
    else
      follow(cast<BlockArgument>(next).getOwner()->getParentOp());
    if (!isMadeAgain)
      llvm::for_each(next.getUsers(), follow);
  }
}

void LayoutSpread::assignAnchors(func::FuncOp function) {
  SmallVector<tts::AccessOpInterface> accesses;
  function.walk([&](tts::AccessOpInterface access) {
    if (access.getTileType())
      accesses.push_back(access);
  });
  SmallVector<cta::DotOp> dots;
  function.walk([&](cta::DotOp dot) {
    dots.push_back(dot);
    if (dot.getInstruction())
      dotResults[dot] = chooseDotLayout(dot, numWarps);
  });
  learnWidths(accesses);
  function.walk([&](cta::ScanOp scan) {
    ArrayRef<int64_t> shape =
        cta::getTile(scan.getSources().front()).getShape();
    scannedDims.try_emplace(shape, scan.getAxis());
  });
  // What a product leaves is exchanged for its store anyway.
  if (dots.empty()) {
    learnStores(accesses);
    learnUnaligned(accesses);
  }
  for (cta::DotOp dot : dots)
    assign(dot.getResult(), chooseDotLayout(dot, numWarps));

  // Large ones first, of those the widest, and loads before stores.
  auto rank = [&](tts::AccessOpInterface access) {
    return std::tuple(-access.getTileType().getNumElements(),
                      -static_cast<int64_t>(widths.at(access).elements),
                      access.getStored() != nullptr);
  };
  SmallVector<std::pair<decltype(rank({})), size_t>> ranked;
  for (auto [index, access] : llvm::enumerate(accesses))
    ranked.push_back({rank(access), index});
  llvm::sort(ranked);
  bool hasParts =
      function.walk([](cta::SliceOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  for (auto &[unused, index] : ranked) {
    tts::AccessOpInterface access = accesses[index];
    LinearLayout layout = getPreferred(access);
    if (hasParts)
      layout = keepPartsInRegisters(
          access.getTile(), layout,
          [&](const LinearLayout &other) { return isGoodFor(access, other); });
    assign(access.getTile(), layout);
  }
}

void LayoutSpread::assignDefault(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || layouts.contains(value))
    return;
  Operation *definition = value.getDefiningOp();
  if (std::optional<cta::LayoutRelation> origin =
          definition ? getOrigin(definition) : std::nullopt) {
    assignDefault(origin->related);
    // What is made again for each user does not spread to it.
    return assign(value, origin->follow(lookup(origin->related)));
  }
  SmallVector<unsigned> order(type.getRank());
  std::iota(order.rbegin(), order.rend(), 0);
  assign(value, getPossible(definition, LinearLayout::getBlocked(
                                            type.getShape(), order,
                                            /*perThread=*/1, numWarps)));
}

/// Tiles that no anchor reaches: index arithmetic and the like.
void LayoutSpread::assignRest(func::FuncOp function) {
  // From the users up: a tile takes the layout of what is made of it.
  SmallVector<Value> values;
  function.walk([&](Operation *op) {
    llvm::append_range(values, op->getResults());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::append_range(values, block.getArguments());
  });
  for (Value value : llvm::reverse(values))
    assignDefault(value);
}

//===----------------------------------------------------------------------===//
// Applying
//===----------------------------------------------------------------------===//

static void setLayout(Value value, const LinearLayout &layout) {
  value.setType(cta::withLayout(value.getType(), layout));
  if (auto constant = value.getDefiningOp<arith::ConstantOp>())
    constant.setValueAttr(cast<TypedAttr>(
        retype(constant.getValue(), cast<ShapedType>(value.getType()))));
}

static void setAllLayouts(func::FuncOp function, const LayoutSpread &spread) {
  auto set = [&](Value value) {
    if (isa<RankedTensorType>(value.getType()))
      setLayout(value, spread.lookup(value));
  };
  function.walk([&](Operation *op) {
    llvm::for_each(op->getResults(), set);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), set);
  });
}

/// Gives each operation its operands in the layouts that it needs.
static void convertOperands(func::FuncOp function) {
  SmallVector<Operation *> operations;
  function.walk([&](Operation *op) { operations.push_back(op); });
  OpBuilder builder(function.getContext());
  for (Operation *op : operations)
    for (OpOperand &operand : op->getOpOperands()) {
      std::optional<LinearLayout> needed = getNeededLayout(operand);
      if (needed && *needed != cta::getLayout(operand.get().getType()))
        operand.set(getWithLayout(builder, operand.get(), *needed));
    }
}

void LayoutSpread::convertStores(func::FuncOp function) const {
  OpBuilder builder(function.getContext());
  function.walk([&](tts::AccessOpInterface access) {
    OpOperand *stored = access.getStored();
    RankedTensorType type = access.getTileType();
    if (!stored || !type)
      return;
    LinearLayout layout = cta::getLayout(type);
    if (!paysToExchange(access) || isGoodFor(access, layout))
      return;
    // Another order of registers may do.
    LinearLayout ordered =
        cta::putNeighboursFirst(layout, widths.at(access).order.front());
    stored->set(getWithLayout(
        builder, stored->get(),
        isGoodFor(access, ordered) ? ordered : getPreferred(access)));
  });
}

void LayoutSpread::turnOperands(func::FuncOp function) const {
  OpBuilder builder(function.getContext());
  function.walk([&](cta::DotOp dot) {
    for (OpOperand *operand : {&dot.getAMutable(), &dot.getBMutable()}) {
      auto load = operand->get().getDefiningOp<tts::LoadOp>();
      if (!load || !dot.isReadFromShared(*operand) ||
          cta::findMatrixLayout(
              *operand, describeAccessWidth(solver, load).order.front()))
        continue;
      if (std::optional<LinearLayout> layout =
              chooseTurnedLayout(*operand, numWarps))
        operand->set(getWithLayout(builder, load.getResult(), *layout));
    }
  });
}

namespace {

struct CtaAssignLayouts
    : triton_shared::impl::CtaAssignLayoutsBase<CtaAssignLayouts> {
  void runOnOperation() override {
    DataFlowSolver solver;
    if (failed(runDivisibilityAnalysis(solver, getOperation())))
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      std::optional<int64_t> numWarps = cta::getNumWarps(function);
      if (!numWarps)
        continue;
      LayoutSpread spread(solver, *numWarps, cta::getTarget(function));
      spread.assignAnchors(function);
      spread.assignRest(function);
      setAllLayouts(function, spread);
      spread.convertStores(function);
      spread.turnOperands(function);
      convertOperands(function);
    }
  }
};

} // namespace
