//===- Exchange.cpp - What goes from thread to thread ---------------------===//

#include "triton-shared/Dialect/Cta/IR/Exchange.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "triton-shared/Dialect/Cta/IR/Choice.h"
#include "triton-shared/Dialect/Cta/IR/DotLayout.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "triton-shared/Layout/SharedAccess.h"

using namespace mlir;
using namespace mlir::cta;

int64_t cta::getSharedBytes(RankedTensorType tile) {
  return llvm::alignTo(getTileBytes(tile),
                       triton_shared::GpuTarget::kBytesPerAccess);
}

int64_t cta::getSharedBytes(ArrayRef<RankedTensorType> tiles) {
  int64_t bytes = 0;
  for (RankedTensorType tile : tiles)
    bytes += getSharedBytes(tile);
  return bytes;
}

bool cta::hasMatrixStores(Operation *op) {
  if (!isa<FunctionOpInterface>(op))
    op = op->getParentOfType<FunctionOpInterface>();
  return op && getTarget(op).hasMatrixStores();
}

SharedLayout cta::chooseFactorLayout(DotOp dot, OpOperand &operand) {
  RankedTensorType tile = getTile(operand.get());
  return chooseSharedLayout(tile.getShape(), getElementBytes(tile),
                            getLayout(tile), getFactorLayout(dot, operand),
                            /*minWidth=*/1, hasMatrixStores(dot));
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// How many bits tell rounds apart.
static unsigned countRoundBits(ConvertLayoutOp op) {
  auto count = op->getAttrOfType<IntegerAttr>(kRounds);
  return count ? count.getInt() : 0;
}

ExchangeRounds cta::getRounds(ConvertLayoutOp op) {
  RankedTensorType tile = getTile(op.getResult());
  LinearLayout from = getLayout(op.getSource().getType()), to = getLayout(tile);
  SmallVector<RoundBit> bits;
  if (unsigned count = countRoundBits(op))
    bits = llvm::to_vector(ArrayRef(findRoundBits(from, to)).take_front(count));
  return ExchangeRounds(tile.getShape(), from, to, bits);
}

bool cta::canDoubleRounds(ConvertLayoutOp op) {
  return findRoundBits(getLayout(op.getSource().getType()),
                       getLayout(op.getType()))
             .size() > countRoundBits(op);
}

void cta::doubleRounds(ConvertLayoutOp op) {
  op->setAttr(kRounds, Builder(op).getI64IntegerAttr(countRoundBits(op) + 1));
}

SharedLayout cta::getExchangeLayout(ConvertLayoutOp op,
                                    const ExchangeRounds &rounds) {
  return chooseSharedLayout(rounds.shape, getElementBytes(op.getType()),
                            rounds.from, rounds.to, /*minWidth=*/1,
                            hasMatrixStores(op));
}

/// What a shuffle moves.
static constexpr unsigned kWordBytes = triton_shared::GpuTarget::kBytesPerWord;

/// The wavefronts that a conversion through shared memory takes.
static unsigned countSharedWavefronts(ConvertLayoutOp op) {
  int64_t bytes = getElementBytes(op.getType());
  ExchangeRounds rounds = getRounds(op);
  SharedLayout shared = getExchangeLayout(op, rounds);
  unsigned ofRound =
      getStoreCost(shared.place(rounds.from), bytes, hasMatrixStores(op))
          .wavefronts +
      getLoadCost(shared.place(rounds.to), bytes).wavefronts;
  return ofRound * rounds.count();
}

std::optional<WarpShuffle> cta::findShuffle(ConvertLayoutOp op) {
  std::optional<WarpShuffle> shuffle = findWarpShuffle(
      getLayout(op.getSource().getType()), getLayout(op.getType()));
  if (!shuffle)
    return std::nullopt;
  // 64 bits are two words.
  unsigned words =
      std::max<int64_t>(1, getElementBytes(op.getType()) / kWordBytes);
  return shuffle->registers.size() * words <= countSharedWavefronts(op)
             ? shuffle
             : std::nullopt;
}

std::optional<WarpSwap> cta::findSwap(ConvertLayoutOp op) {
  Type element = getElementTypeOrSelf(op.getType());
  unsigned bytes = getElementBytes(op.getType());
  if (element.isInteger(1) || bytes > kWordBytes)
    return std::nullopt;
  unsigned perWord = kWordBytes / bytes;
  std::optional<WarpSwap> swap = findWarpSwap(
      getLayout(op.getSource().getType()), getLayout(op.getType()), perWord);
  if (!swap)
    return std::nullopt;
  // A word is chosen before it is shuffled and put together behind that, each
  // at four times the speed of a shuffle.
  unsigned words = swap->registers.size() / perWord;
  return words + words / 2 <= countSharedWavefronts(op) ? swap : std::nullopt;
}

int64_t ConvertLayoutOp::getSharedBytes() {
  LinearLayout from = getLayout(getSource().getType());
  if (from.findRegisters(getLayout(getType())) || findShuffle(*this) ||
      findSwap(*this))
    return 0;
  return cta::getSharedBytes(getTile(getResult())) >> countRoundBits(*this);
}

//===----------------------------------------------------------------------===//
// Single elements
//===----------------------------------------------------------------------===//

int64_t LookupOp::getSharedBytes() {
  return cta::getSharedBytes(getTile(getSource()));
}

int64_t ExtractOp::getSharedBytes() {
  RankedTensorType tile = getTile(getSource());
  // Everyone holds the only element.
  return tile.getNumElements() == 1 ? 0 : cta::getSharedBytes(tile);
}

int64_t HistogramOp::getSharedBytes() {
  return cta::getSharedBytes(getTile(getResult()));
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

bool cta::isCommutative(Region &combine) {
  if (isSymmetricChoice(combine))
    return true;
  Block &body = combine.front();
  if (body.getNumArguments() != 2 ||
      !llvm::hasSingleElement(body.without_terminator()))
    return false;
  Operation &op = body.front();
  return op.hasTrait<OpTrait::IsCommutative>() || isa<arith::AddFOp>(op);
}

Operation *cta::findCombine(ReduceOp reduce) {
  Block &body = reduce.getCombine().front();
  if (reduce.getSources().size() != 1 ||
      !llvm::hasSingleElement(body.without_terminator()))
    return nullptr;
  Operation *combine = &body.front();
  bool takesBoth = combine->getNumOperands() == 2 &&
                   combine->getOperand(0) != combine->getOperand(1);
  return takesBoth ? combine : nullptr;
}

bool cta::addsUp(ReduceOp reduce) {
  return isa_and_nonnull<arith::AddFOp>(findCombine(reduce));
}

std::optional<int32_t> cta::getFirstWarpStep(const LinearLayout::Bases &warps,
                                             unsigned axis) {
  std::optional<int32_t> first;
  for (const Coordinates &basis : warps)
    if (basis[axis])
      first = std::min(first.value_or(basis[axis]), basis[axis]);
  return first;
}

ReduceExchange cta::getReduceExchange(ReduceOp op) {
  ReduceExchange exchange;
  unsigned axis = op.getAxis();
  LinearLayout layout = getLayout(op.getSources().front().getType());
  std::optional<int32_t> firstWarp = getFirstWarpStep(layout.getWarps(), axis);
  if (!firstWarp)
    return exchange;
  for (const Coordinates &basis : layout.getWarps())
    if (basis[axis])
      exchange.steps.push_back(basis[axis]);
  if (!isCommutative(op.getCombine()))
    for (const auto *bases : {&layout.getRegisters(), &layout.getLanes()})
      for (const Coordinates &basis : *bases)
        if (basis[axis] > *firstWarp)
          exchange.steps.push_back(basis[axis]);
  llvm::sort(exchange.steps);
  for (Value source : op.getSources()) {
    RankedTensorType type = getTile(source);
    SmallVector<int64_t> shape(type.getShape());
    shape[axis] = int64_t(1) << exchange.steps.size();
    exchange.tiles.push_back(
        RankedTensorType::get(shape, type.getElementType()));
  }
  return exchange;
}

int64_t ReduceOp::getSharedBytes() {
  return cta::getSharedBytes(getReduceExchange(*this).tiles);
}

bool ReduceOp::computesBeforeExchange() { return true; }

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

int64_t cta::getAxisSize(ScanOp op) {
  return getTile(op.getSources().front()).getDimSize(op.getAxis());
}

int32_t cta::getWarpBlock(ScanOp op) {
  unsigned axis = op.getAxis();
  int32_t size = getAxisSize(op);
  LinearLayout layout = getLayout(op.getSources().front().getType());
  for (const Coordinates &basis : layout.getWarps())
    if (basis[axis])
      size = std::min(size, basis[axis]);
  return size;
}

SmallVector<RankedTensorType> cta::getTotalTypes(ScanOp op) {
  SmallVector<RankedTensorType> types;
  int64_t blocks = getAxisSize(op) / getWarpBlock(op);
  if (blocks == 1)
    return types;
  for (Value source : op.getSources()) {
    RankedTensorType type = getTile(source);
    SmallVector<int64_t> shape(type.getShape());
    shape[op.getAxis()] = blocks;
    types.push_back(RankedTensorType::get(shape, type.getElementType()));
  }
  return types;
}

int64_t ScanOp::getSharedBytes() {
  return cta::getSharedBytes(getTotalTypes(*this));
}

bool ScanOp::computesBeforeExchange() { return true; }

//===----------------------------------------------------------------------===//
// Atomic accesses
//===----------------------------------------------------------------------===//

RankedTensorType cta::getAtomicBlock(Operation *atomic) {
  Type type = atomic->getResult(0).getType();
  if (auto block = dyn_cast<RankedTensorType>(type))
    return block;
  std::optional<int64_t> numWarps =
      getNumWarps(atomic->getParentOfType<FunctionOpInterface>());
  return cast<RankedTensorType>(withLayout(
      RankedTensorType::get({1}, type),
      LinearLayout::getBlocked({1}, {0}, /*perThread=*/1, *numWarps)));
}

/// True if several threads hold the same elements.
static bool isHeldSeveralTimes(const LinearLayout &layout) {
  auto isFree = [](const Coordinates &basis) {
    return llvm::all_of(basis, [](int32_t value) { return value == 0; });
  };
  return llvm::any_of(layout.getLanes(), isFree) ||
         llvm::any_of(layout.getWarps(), isFree);
}

int64_t cta::getAtomicSharedBytes(tts::AccessOpInterface atomic) {
  // Whoever waits has to hear of the end, even if not of the reason.
  if (!atomic.waits() && atomic->use_empty())
    return 0;
  RankedTensorType block = getAtomicBlock(atomic);
  return isHeldSeveralTimes(getLayout(block)) ? getSharedBytes(block) : 0;
}
