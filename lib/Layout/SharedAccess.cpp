//===- SharedAccess.cpp - How a warp reads and writes a tile --------------===//

#include "triton-shared/Layout/SharedAccess.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <array>
#include <numeric>

using namespace mlir::cta;
using llvm::ArrayRef;
using llvm::SmallVector;
using mlir::triton_shared::GpuTarget;

static constexpr unsigned kBanks = 32;
static constexpr unsigned kBytesPerBank = 4;
static constexpr unsigned kMaxMatrices = 4;

/// The sum of the bits of `index`, spread to the places `bits`.
static unsigned spread(unsigned index, ArrayRef<unsigned> bits) {
  unsigned spread = 0;
  for (auto [k, bit] : llvm::enumerate(bits))
    spread |= (index >> k & 1) << bit;
  return spread;
}

/// The bits of the register index but for `taken`.
static SmallVector<unsigned> getOtherBits(const LinearLayout &placed,
                                          ArrayRef<unsigned> taken) {
  SmallVector<unsigned> others;
  for (unsigned bit = 0; bit < placed.getRegisters().size(); ++bit)
    if (!llvm::is_contained(taken, bit))
      others.push_back(bit);
  return others;
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

/// True if every basis but those of the registers `inner` and the lanes
/// `innerLanes` is a multiple of `size`.
static bool isAligned(const LinearLayout &placed, int32_t size,
                      ArrayRef<unsigned> inner,
                      ArrayRef<unsigned> innerLanes = {}) {
  auto holds = [&](const LinearLayout::Bases &bases,
                   ArrayRef<unsigned> excluded) {
    for (auto [bit, basis] : llvm::enumerate(bases))
      if (!llvm::is_contained(excluded, bit) && basis[0] % size != 0)
        return false;
    return true;
  };
  return holds(placed.getRegisters(), inner) &&
         holds(placed.getLanes(), innerLanes) && holds(placed.getWarps(), {});
}

/// The bit of the register index that stands for `offset`.
static std::optional<unsigned> findBit(const LinearLayout &placed,
                                       int32_t offset) {
  for (auto [bit, basis] : llvm::enumerate(placed.getRegisters()))
    if (basis[0] == offset)
      return bit;
  return std::nullopt;
}

SmallVector<Piece> mlir::cta::getPieces(const LinearLayout &placed,
                                        unsigned maxElements) {
  SmallVector<unsigned> inner;
  for (int32_t size = 1; size * 2 <= static_cast<int32_t>(maxElements);
       size *= 2) {
    std::optional<unsigned> bit = findBit(placed, size);
    if (!bit)
      break;
    inner.push_back(*bit);
    if (!isAligned(placed, size * 2, inner)) {
      inner.pop_back();
      break;
    }
  }
  SmallVector<unsigned> others = getOtherBits(placed, inner);
  SmallVector<Piece> pieces;
  for (unsigned i = 0; i < 1u << others.size(); ++i) {
    Piece piece;
    for (unsigned e = 0; e < 1u << inner.size(); ++e)
      piece.push_back(spread(i, others) | spread(e, inner));
    pieces.push_back(piece);
  }
  return pieces;
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

namespace {

/// The lanes and registers that one row of a matrix lies in, by their bits.
struct MatrixShape {
  /// Registers within one word, from the first bit on.
  SmallVector<unsigned> word;
  /// What stands for the row within a matrix, the lowest bit first.
  SmallVector<int32_t> rows;
};

} // namespace

/// A row is a word of each of four lanes; lanes in groups of four hold the
/// rows.
static std::optional<MatrixShape> findRows(const LinearLayout &placed,
                                           unsigned elementBytes) {
  int32_t perWord = kBytesPerBank / elementBytes;
  const LinearLayout::Bases &lanes = placed.getLanes();
  MatrixShape shape;
  for (int32_t size = 1; size < perWord; size *= 2) {
    std::optional<unsigned> bit = findBit(placed, size);
    if (!bit)
      return std::nullopt;
    shape.word.push_back(*bit);
  }
  if (lanes[0][0] != perWord || lanes[1][0] != 2 * perWord ||
      !isAligned(placed, 4 * perWord, shape.word, {0, 1}))
    return std::nullopt;
  shape.rows = {lanes[2][0], lanes[3][0], lanes[4][0]};
  return shape;
}

/// The other way round: each lane gets two elements of a column.
static std::optional<MatrixShape> findColumns(const LinearLayout &placed,
                                              unsigned elementBytes) {
  const LinearLayout::Bases &lanes = placed.getLanes();
  if (elementBytes != 2 || placed.getRegisters().empty() || lanes[2][0] != 1 ||
      lanes[3][0] != 2 || lanes[4][0] != 4 ||
      !isAligned(placed, 8, {}, {2, 3, 4}))
    return std::nullopt;
  MatrixShape shape;
  shape.word = {0};
  shape.rows = {placed.getRegisters()[0][0], lanes[0][0], lanes[1][0]};
  return shape;
}

std::optional<MatrixAccess>
mlir::cta::findMatrixAccess(const LinearLayout &placed, unsigned elementBytes) {
  if (elementBytes > kBytesPerBank)
    return std::nullopt;
  std::optional<MatrixShape> shape = findRows(placed, elementBytes);
  MatrixAccess access;
  access.isTransposed = !shape;
  if (!shape)
    shape = findColumns(placed, elementBytes);
  if (!shape)
    return std::nullopt;
  SmallVector<unsigned> others = getOtherBits(placed, shape->word);
  unsigned matrixBits =
      std::min<unsigned>(llvm::Log2_32(kMaxMatrices), others.size());
  access.numMatrices = 1u << matrixBits;
  // Where lanes move wide pieces anyway, these are as good.
  if ((1u << (others.size() - matrixBits)) >=
      getPieces(placed, GpuTarget::kBytesPerAccess / elementBytes).size())
    return std::nullopt;
  for (unsigned i = 0; i < 1u << others.size(); ++i) {
    Piece word;
    for (unsigned e = 0; e < 1u << shape->word.size(); ++e)
      word.push_back(spread(i, others) | spread(e, shape->word));
    access.registers.push_back(word);
  }
  // Lanes 0 to 7 name the rows of the first matrix, the next ones those of the
  // second, and so on; lanes beyond the last matrix name none.
  LinearLayout::Bases lanes, registers;
  for (int32_t row : shape->rows)
    lanes.push_back({row});
  for (auto [k, bit] : llvm::enumerate(others))
    (k < matrixBits ? lanes : registers).push_back(placed.getRegisters()[bit]);
  lanes.resize(kLaneBits, Coordinates{0});
  access.rows = LinearLayout(1, registers, lanes, placed.getWarps());
  return access;
}

//===----------------------------------------------------------------------===//
// Wavefronts
//===----------------------------------------------------------------------===//

unsigned mlir::cta::countWavefronts(const LinearLayout &placed, unsigned width,
                                    unsigned elementBytes) {
  unsigned bytes = width * elementBytes;
  // Wide accesses go by halves and quarters of a warp, or two of them together
  // where each lane and one of its neighbours access the same.
  unsigned lanesAtOnce = std::min(GpuTarget::kWarpSize,
                                  kBanks * kBytesPerBank / std::max(1u, bytes));
  bool isShared =
      llvm::any_of(ArrayRef(placed.getLanes()).take_front(2),
                   [](const Coordinates &basis) { return basis[0] == 0; });
  if (isShared)
    lanesAtOnce = std::min(GpuTarget::kWarpSize, 2 * lanesAtOnce);
  unsigned wavefronts = 0;
  for (unsigned first = 0; first < GpuTarget::kWarpSize; first += lanesAtOnce) {
    SmallVector<unsigned, 2 * kBanks> words;
    for (unsigned lane = first; lane < first + lanesAtOnce; ++lane) {
      unsigned begin = placed.apply(0, lane, 0)[0] * elementBytes;
      for (unsigned word = begin / kBytesPerBank;
           word <= (begin + bytes - 1) / kBytesPerBank; ++word)
        words.push_back(word);
    }
    llvm::sort(words);
    words.erase(llvm::unique(words), words.end());
    std::array<unsigned, kBanks> counts = {};
    unsigned most = 0;
    for (unsigned word : words)
      most = std::max(most, ++counts[word % kBanks]);
    wavefronts += most;
  }
  return wavefronts;
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

MoveCost mlir::cta::getPiecesCost(const LinearLayout &placed,
                                  unsigned elementBytes, unsigned maxElements) {
  SmallVector<Piece> pieces = getPieces(placed, maxElements);
  MoveCost cost;
  cost.instructions = pieces.size();
  cost.wavefronts =
      pieces.size() *
      countWavefronts(placed, pieces.front().size(), elementBytes);
  return cost;
}

MoveCost mlir::cta::getStoreCost(const LinearLayout &placed,
                                 unsigned elementBytes, bool byMatrices) {
  std::optional<MatrixAccess> access;
  if (byMatrices)
    access = findMatrixAccess(placed, elementBytes);
  if (!access)
    return getPiecesCost(
        placed, elementBytes,
        std::max(1u, GpuTarget::kBytesPerAccess / elementBytes));
  unsigned ofAllLanes = countWavefronts(
      access->rows, GpuTarget::kBytesPerAccess / elementBytes, elementBytes);
  MoveCost cost;
  cost.instructions = access->registers.size() / access->numMatrices;
  cost.wavefronts =
      cost.instructions * ofAllLanes * access->numMatrices / kMaxMatrices;
  return cost;
}

MoveCost mlir::cta::getLoadCost(const LinearLayout &placed,
                                unsigned elementBytes) {
  // Every GPU has `ldmatrix`, and reads as it writes.
  return getStoreCost(placed, elementBytes, /*byMatrices=*/true);
}

//===----------------------------------------------------------------------===//
// Choosing
//===----------------------------------------------------------------------===//

/// The swizzles worth trying for rows of `size` elements.
static SmallVector<Swizzle> getSwizzles(int64_t size, unsigned elementBytes) {
  SmallVector<Swizzle> swizzles = {Swizzle()};
  int64_t rowBytes = size * elementBytes;
  int64_t lineBytes = kBanks * kBytesPerBank;
  for (unsigned pieceBytes = 2 * GpuTarget::kBytesPerAccess;
       pieceBytes >= std::max(elementBytes, kBytesPerBank); pieceBytes /= 2) {
    unsigned piece = pieceBytes / elementBytes;
    unsigned inRow = rowBytes / pieceBytes;
    if (inRow < 2)
      continue;
    // Several short rows fill all banks before one has to move.
    unsigned together = std::max<int64_t>(1, lineBytes / rowBytes);
    for (unsigned rowsPerStep : {together, 2 * together, 4 * together})
      for (unsigned steps = 2; steps <= std::min(inRow, kBanks); steps *= 2)
        swizzles.push_back({piece, rowsPerStep, steps});
  }
  return swizzles;
}

SharedLayout mlir::cta::chooseSharedLayout(ArrayRef<int64_t> shape,
                                           unsigned elementBytes,
                                           const LinearLayout &from,
                                           const LinearLayout &to,
                                           unsigned minWidth, bool byMatrices) {
  SmallVector<unsigned> order(shape.size());
  std::iota(order.rbegin(), order.rend(), 0);
  SharedLayout best = SharedLayout::get(shape, order);
  std::optional<std::pair<bool, unsigned>> least;
  for (size_t minor = 0; minor < shape.size(); ++minor) {
    // The chosen dimension first, the others as in row-major order.
    SmallVector<unsigned> candidate = order;
    std::rotate(candidate.begin(), candidate.begin() + minor,
                candidate.begin() + minor + 1);
    for (const Swizzle &swizzle :
         getSwizzles(shape[candidate[0]], elementBytes)) {
      SharedLayout shared = SharedLayout::get(shape, candidate, swizzle);
      LinearLayout written = shared.place(from);
      size_t width = getPieces(written, minWidth).front().size();
      std::pair<bool, unsigned> cost = {
          width < minWidth,
          getStoreCost(written, elementBytes, byMatrices).getWeight() +
              getLoadCost(shared.place(to), elementBytes).getWeight()};
      if (least && *least <= cost)
        continue;
      least = cost;
      best = shared;
    }
  }
  return best;
}
