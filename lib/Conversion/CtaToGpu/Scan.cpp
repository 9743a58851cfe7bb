//===- Scan.cpp - Running combinations along an axis ----------------------===//
//
// Bit by bit of the axis' coordinate, the lowest first: when the bits below are
// done, elements hold what their block of neighbours makes up to them, so the
// later of two blocks only takes the last element of the earlier one. That
// element is one of another lane. Blocks that bits of registers tell apart are
// the thread's own, and joined one after the other. From the lowest bit of the
// warp index on, the totals of blocks go through shared memory, and every
// thread combines those before its own blocks one by one.
// Elements always meet in order, so the region need not be commutative.
//
//===----------------------------------------------------------------------===//

#include "Combine.h"
#include "SharedMemory.h"
#include "Threads.h"
#include "Topics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "triton-shared/Dialect/Cta/IR/Exchange.h"

using namespace mlir;
using namespace mlir::triton_shared;
using cta::LinearLayout;

/// The bits of the hardware index that lie along the axis, below `end`.
static unsigned getAxisBits(const LinearLayout::Bases &bases, unsigned axis,
                            int32_t end) {
  unsigned mask = 0;
  for (auto [bit, basis] : llvm::enumerate(bases))
    if (basis[axis] && basis[axis] < end)
      mask |= 1u << bit;
  return mask;
}

/// The hardware bit that stands for `step` along the axis.
static std::optional<unsigned> findBit(const LinearLayout::Bases &bases,
                                       unsigned axis, int32_t step) {
  for (auto [bit, basis] : llvm::enumerate(bases))
    if (basis[axis] == step)
      return bit;
  return std::nullopt;
}

namespace {

class Scan {
public:
  Scan(cta::ScanOp op, OpBuilder &builder)
      : op(op), builder(builder), loc(op.getLoc()), axis(op.getAxis()),
        isReverse(op.getReverse()),
        layout(cta::getLayout(op.getSources().front().getType())) {}

  SmallVector<Value> run(ValueRange vectors) {
    for (Value vector : vectors)
      values.push_back(unpackRegisters(builder, loc, vector));
    int32_t warpBlock = cta::getWarpBlock(op);
    for (int32_t step = 1; step < warpBlock;) {
      SmallVector<unsigned> bits = findRegisterBits(step, warpBlock);
      if (!bits.empty())
        joinRegisters(bits, step);
      else if (std::optional<unsigned> bit =
                   findBit(layout.getLanes(), axis, step))
        joinLanes(*bit, step);
      step <<= std::max<size_t>(bits.size(), 1);
    }
    if (warpBlock < cta::getAxisSize(op))
      joinWarps(warpBlock);
    return llvm::map_to_vector(values, [&](SmallVector<Value> &elements) {
      return packRegisters(builder, loc, elements);
    });
  }

private:
  /// The elements of one register, one per operand.
  using Element = SmallVector<Value>;

  Element at(unsigned reg) const {
    return llvm::map_to_vector(values, [&](const SmallVector<Value> &operand) {
      return operand[reg];
    });
  }
  void set(unsigned reg, ValueRange element) {
    for (auto [operand, value] : llvm::zip_equal(values, element))
      operand[reg] = value;
  }
  unsigned getNumRegisters() const { return values.front().size(); }

  /// The register of the last element, in the order of the scan, of the block
  /// of `size` that `reg` belongs to.
  unsigned getLastRegister(unsigned reg, int32_t size) const {
    unsigned bits = getAxisBits(layout.getRegisters(), axis, size);
    return isReverse ? reg & ~bits : reg | bits;
  }

  /// `reg` of the lane that holds the last element of the block of `size`
  /// below or above this lane's, whose bits `cleared` and `set` differ.
  Element fetch(unsigned reg, int32_t size, unsigned cleared, unsigned set) {
    unsigned bits = getAxisBits(layout.getLanes(), axis, size);
    (isReverse ? cleared : set) |= bits;
    if (!(cleared | set))
      return at(reg);
    Value lane = createLane(builder, loc);
    if (set)
      lane = arith::OrIOp::create(builder, loc, lane,
                                  createI32(builder, loc, set));
    if (cleared)
      lane = arith::AndIOp::create(
          builder, loc, lane,
          createI32(builder, loc, (GpuTarget::kWarpSize - 1) & ~cleared));
    return llvm::map_to_vector(at(reg), [&](Value value) {
      return createShuffle(builder, loc, value, NVVM::ShflKind::idx, lane);
    });
  }

  Element combine(ValueRange before, ValueRange own) {
    return createCombined(builder, op.getCombine(), before, own);
  }

  Element select(Value condition, ValueRange yes, ValueRange no) {
    Element chosen;
    for (auto [a, b] : llvm::zip_equal(yes, no))
      chosen.push_back(arith::SelectOp::create(builder, loc, condition, a, b));
    return chosen;
  }

  /// The bits of registers that stand for `step` along the axis, for twice as
  /// much and so on, as far as these are registers' and below `end`.
  SmallVector<unsigned> findRegisterBits(int32_t step, int32_t end) const {
    SmallVector<unsigned> bits;
    for (; step < end; step *= 2) {
      std::optional<unsigned> bit = findBit(layout.getRegisters(), axis, step);
      if (!bit)
        break;
      bits.push_back(*bit);
    }
    return bits;
  }

  /// Blocks of `step` elements that differ in `bits` of the register: to each
  /// comes what all those before it make.
  void joinRegisters(ArrayRef<unsigned> bits, int32_t step) {
    // All of them before the first changes.
    DenseMap<unsigned, Element> totals;
    for (unsigned reg = 0; reg < getNumRegisters(); ++reg) {
      unsigned last = getLastRegister(reg, step);
      if (step > 1 && !totals.contains(last))
        totals[last] = fetch(last, step, /*cleared=*/0, /*set=*/0);
    }
    // By the last register of a block.
    DenseMap<unsigned, Element> before;
    unsigned everyBit = getBlockBits(bits, isReverse ? 0 : ~0u);
    for (unsigned number = 1; number < 1u << bits.size(); ++number)
      for (unsigned reg = 0; reg < getNumRegisters(); ++reg) {
        if ((reg & everyBit) != getBlockBits(bits, number))
          continue;
        unsigned last = getLastRegister(reg, step);
        unsigned previous = (last & ~everyBit) | getBlockBits(bits, number - 1);
        if (!before.contains(last)) {
          if (step == 1)
            before[last] = at(previous);
          else if (number == 1)
            before[last] = totals[previous];
          else
            before[last] = combine(before[previous], totals[previous]);
        }
        set(reg, combine(before[last], at(reg)));
      }
  }

  /// What `bits` of the registers are in block `number`, in the scan's order.
  unsigned getBlockBits(ArrayRef<unsigned> bits, unsigned number) const {
    unsigned mask = 0;
    for (auto [position, bit] : llvm::enumerate(bits))
      mask |= ((number >> position & 1) ^ unsigned(isReverse)) << bit;
    return mask;
  }

  /// Blocks of `step` elements that differ in a bit of the lane.
  void joinLanes(unsigned bit, int32_t step) {
    Value own = arith::AndIOp::create(builder, loc, createLane(builder, loc),
                                      createI32(builder, loc, 1 << bit));
    Value isLater = arith::CmpIOp::create(builder, loc,
                                          isReverse ? arith::CmpIPredicate::eq
                                                    : arith::CmpIPredicate::ne,
                                          own, createI32(builder, loc, 0));
    // All of them before the first changes.
    DenseMap<unsigned, Element> fetched;
    for (unsigned reg = 0; reg < getNumRegisters(); ++reg) {
      unsigned source = getLastRegister(reg, step);
      if (!fetched.contains(source))
        fetched[source] = fetch(source, step, isReverse ? 0 : 1u << bit,
                                isReverse ? 1u << bit : 0);
    }
    for (unsigned reg = 0; reg < getNumRegisters(); ++reg) {
      Element joined = combine(fetched[getLastRegister(reg, step)], at(reg));
      set(reg, select(isLater, joined, at(reg)));
    }
  }

  /// `bases` with blocks of `size` elements along the axis as one.
  LinearLayout::Bases ofBlocks(LinearLayout::Bases bases, int32_t size) const {
    for (cta::Coordinates &basis : bases)
      basis[axis] /= size;
    return bases;
  }
  LinearLayout::Bases acrossAxis(LinearLayout::Bases bases) const {
    for (cta::Coordinates &basis : bases)
      basis[axis] = 0;
    return bases;
  }

  /// Blocks of `size` elements, each within a warp: everyone writes the totals
  /// of its own, waits, and reads those of all blocks.
  void joinWarps(int32_t size) {
    // Registers of one block hold the same total.
    unsigned inBlock = getAxisBits(layout.getRegisters(), axis, size);
    SmallVector<unsigned> kept;
    Registers totals(values.size());
    for (unsigned reg = 0; reg < getNumRegisters(); ++reg) {
      if (reg & inBlock)
        continue;
      kept.push_back(reg);
      Element total = fetch(getLastRegister(reg, size), size, 0, 0);
      for (auto [operand, value] : llvm::zip_equal(totals, total))
        operand.push_back(value);
    }
    LinearLayout::Bases registers;
    for (auto [bit, basis] : llvm::enumerate(layout.getRegisters()))
      if (!(inBlock >> bit & 1))
        registers.push_back(basis);
    LinearLayout held(layout.getRank(), ofBlocks(registers, size),
                      ofBlocks(layout.getLanes(), size),
                      ofBlocks(layout.getWarps(), size));
    Registers all = exchange(totals, held, registers);

    int64_t blocks = cta::getAxisSize(op) / size;
    ElementCoordinates places(builder, loc, held);
    DenseMap<unsigned, SmallVector<Element>> before;
    for (unsigned index = 0; index < kept.size(); ++index) {
      // The others of the same row have the same totals.
      unsigned row = getRow(registers, index);
      if (!before.contains(row))
        before[row] = createTotalsBefore(all, row * blocks, blocks);
      join(kept[index], inBlock, places.get(index, axis),
           getPossibleBlocks(held, index, axis), before[row]);
    }
  }

  /// Of register `index` of `registers`, the number that its bits across the
  /// axis make.
  unsigned getRow(const LinearLayout::Bases &registers, unsigned index) const {
    unsigned row = 0, position = 0;
    for (auto [bit, basis] : llvm::enumerate(registers))
      if (!basis[axis])
        row |= (index >> bit & 1) << position++;
    return row;
  }

  /// The totals of all blocks, those of one row side by side.
  Registers exchange(const Registers &totals, const LinearLayout &held,
                     const LinearLayout::Bases &registers) {
    SmallVector<RankedTensorType> types = cta::getTotalTypes(op);
    LinearLayout::Bases every;
    for (int64_t step = 1; step < types.front().getDimSize(axis); step *= 2)
      every.push_back(cta::getStep(layout.getRank(), axis, step));
    for (const cta::Coordinates &basis : registers)
      if (!basis[axis])
        every.push_back(basis);
    LinearLayout gathered(layout.getRank(), every,
                          acrossAxis(layout.getLanes()),
                          acrossAxis(layout.getWarps()));
    return exchangeTiles(builder, op, types, totals, held, gathered);
  }

  /// For each block, what all blocks before it make; nothing for the first.
  SmallVector<Element> createTotalsBefore(const Registers &all, unsigned first,
                                          unsigned blocks) {
    SmallVector<Element> before(blocks);
    Element running;
    for (unsigned i = 0; i < blocks; ++i) {
      unsigned block = isReverse ? blocks - 1 - i : i;
      before[block] = running;
      if (i + 1 == blocks)
        break;
      Element total = llvm::map_to_vector(
          all, [&](const SmallVector<Value> &operand) -> Value {
            return operand[first + block];
          });
      running = i == 0 ? total : combine(running, total);
    }
    return before;
  }

  /// The blocks that register `index` belongs to in some thread.
  static SmallVector<unsigned>
  getPossibleBlocks(const LinearLayout &held, unsigned index, unsigned axis) {
    unsigned ofThread = 0;
    for (const LinearLayout::Bases &bases : {held.getLanes(), held.getWarps()})
      for (const cta::Coordinates &basis : bases)
        ofThread |= basis[axis];
    SmallVector<unsigned> blocks;
    unsigned fixed = held.applyRegister(index)[axis];
    // All parts of the mask, the empty one last.
    for (unsigned part = ofThread;; part = (part - 1) & ofThread) {
      blocks.push_back(fixed | part);
      if (part == 0)
        return blocks;
    }
  }

  /// Puts what is before its block in front of `reg` and its neighbours there:
  /// block `place`, one of `possible`.
  void join(unsigned reg, unsigned inBlock, Value place,
            ArrayRef<unsigned> possible, ArrayRef<Element> before) {
    auto isAt = [&](unsigned block) -> Value {
      return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                   place, createI32(builder, loc, block));
    };
    Element prefix;
    Value isFirst;
    for (unsigned block : possible) {
      if (before[block].empty())
        isFirst = isAt(block);
      else
        prefix = prefix.empty() ? before[block]
                                : select(isAt(block), before[block], prefix);
    }
    if (prefix.empty())
      return;
    for (unsigned other = 0; other < getNumRegisters(); ++other) {
      if ((other & ~inBlock) != reg)
        continue;
      Element joined = combine(prefix, at(other));
      set(other, isFirst ? select(isFirst, at(other), joined) : joined);
    }
  }

  cta::ScanOp op;
  OpBuilder &builder;
  Location loc;
  unsigned axis;
  bool isReverse;
  LinearLayout layout;
  Registers values;
};

struct ConvertScan : OpConversionPattern<cta::ScanOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(cta::ScanOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, Scan(op, rewriter).run(adaptor.getSources()));
    return success();
  }
};

} // namespace

void triton_shared::populateCtaToGpuScan(const TypeConverter &types,
                                         RewritePatternSet &patterns) {
  patterns.add<ConvertScan>(types, patterns.getContext());
}
