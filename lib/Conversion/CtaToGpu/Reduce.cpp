//===- Reduce.cpp - Combining elements across registers, lanes and warps --===//
//
// Each bit of the axis' coordinate belongs to the register, the lane or the
// warp index. A register bit is combined within the thread, a lane bit by a
// shuffle, and all warp bits at once through shared memory. Bits go in
// ascending order, so that neighbours meet first and elements keep their order;
// where the order does not matter, registers go first and save shuffles.
//
// Lanes that combine many elements share them out: of a pair of lanes, one goes
// on with the first half of the registers and the other one with the second.
// Each bit then costs half as many shuffles as the one before, and as many
// bring the results back to all lanes, if all want them.
//
//===----------------------------------------------------------------------===//

#include "Combine.h"
#include "RegisterPlaces.h"
#include "SharedMemory.h"
#include "Threads.h"
#include "Topics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "triton-shared/Dialect/Cta/IR/ElementwiseBody.h"
#include "triton-shared/Dialect/Cta/IR/Exchange.h"

using namespace mlir;
using namespace mlir::triton_shared;
using cta::LinearLayout;

namespace {

/// The bits of a warp's number along the axis from which on lanes read what
/// warps have written.
constexpr size_t kLanesFromBits = 3;

/// The bits of a register's number that tell sums of products apart that are
/// added up at a time, so that none waits for the addition before.
constexpr unsigned kBitsOfSums = 2;

/// From so many elements on, and along so many bits of the lane's number, lanes
/// share out what all of them want back. With fewer, one more step takes longer
/// than some more shuffles.
constexpr unsigned kSharedRegisterBits = 2;
constexpr unsigned kSharedLaneBits = 3;

/// True if `combine` compares floats: of a NaN, it may take the side on which
/// it is, and lanes that hold one element have to agree on it.
static bool comparesFloats(Region &combine) {
  return !combine.front().getOps<arith::CmpFOp>().empty();
}

/// Reduces one operation, bit by bit. The layout of what is left is kept beside
/// the values.
class Reduction {
public:
  Reduction(cta::ReduceOp op, OpBuilder &builder)
      : op(op), builder(builder), loc(op.getLoc()), axis(op.getAxis()),
        isOrdered(!cta::isCommutative(op.getCombine())),
        hasSides(isOrdered || comparesFloats(op.getCombine())) {}

  SmallVector<Value> run(ValueRange vectors) {
    LinearLayout layout = cta::getLayout(op.getSources().front().getType());
    registerBases = layout.getRegisters();
    laneBases = layout.getLanes();
    warpBases = layout.getWarps();
    for (Value vector : vectors)
      values.push_back(unpackRegisters(builder, loc, vector));

    isOrdered ? reduceInOrder() : reduceInAnyOrder();
    return llvm::map_to_vector(values, [&](SmallVector<Value> &elements) {
      return packRegisters(builder, loc, elements);
    });
  }

private:
  /// Registers first, so that there is less to shuffle.
  void reduceInAnyOrder() {
    if (isSumOfProducts())
      addProducts();
    RegisterPlaces places(op, builder, values);
    while (std::optional<unsigned> bit = findLowest(registerBases)) {
      reduceRegister(*bit, &places);
      places.joinPairs(1u << *bit);
    }
    places.restore(builder, values);
    reduceLanes();
    reduceAllWarps();
    if (!op.getSpread())
      while (!sharing.empty())
        bringBack(sharing.pop_back_val());
  }

  void reduceLanes() {
    SmallVector<unsigned> bits;
    for (auto [bit, basis] : llvm::enumerate(laneBases))
      if (basis[axis])
        bits.push_back(bit);
    bool areMany = bits.size() >= kSharedLaneBits &&
                   registerBases.size() >= kSharedRegisterBits;
    if (op.getSpread())
      firstShared = countStaying();
    for (unsigned bit : bits) {
      if ((areMany || op.getSpread()) && registerBases.size() > firstShared)
        shareOut(bit);
      else
        reduceLane(bit);
    }
  }

  /// The first bits of the register's number that are those of the result, too.
  unsigned countStaying() {
    LinearLayout result = cta::getLayout(op.getResult(0).getType());
    LinearLayout all =
        cta::getLayout(op.getSources().front().getType()).dropDimension(axis);
    unsigned count = 0;
    while (count < result.getRegisters().size() &&
           result.getRegisters()[count] == all.getRegisters()[count])
      ++count;
    return count;
  }

  void reduceAllWarps() {
    if (!cta::getFirstWarpStep(warpBases, axis))
      return;
    if (std::optional<SmallVector<unsigned>> lanes = findLanesForWarps()) {
      reduceWarpsByLanes(*lanes);
      return;
    }
    reduceWarps();
    while (std::optional<unsigned> bit = findLowest(registerBases))
      reduceRegister(*bit);
  }

  bool isSumOfProducts() {
    Value source = op.getSources().front();
    return cta::addsUp(op) && source.hasOneUse() &&
           source.getDefiningOp<arith::MulFOp>();
  }

  /// Adds most registers to a few sums one after the other: a product and its
  /// addition are one instruction then. In pairs, every second product is
  /// computed by itself.
  void addProducts() {
    SmallVector<unsigned> bits;
    for (auto [bit, basis] : llvm::enumerate(registerBases))
      if (basis[axis])
        bits.push_back(bit);
    if (bits.size() <= kBitsOfSums)
      return;
    bits.erase(bits.begin(), bits.begin() + kBitsOfSums);
    auto spread = [&](unsigned number) {
      unsigned reg = 0;
      for (auto [k, bit] : llvm::enumerate(bits))
        reg |= (number >> k & 1) << bit;
      return reg;
    };
    unsigned count = 1u << bits.size();
    Registers next(values.size());
    for (unsigned reg = 0; reg < values.front().size(); ++reg)
      if (!(reg & spread(count - 1))) {
        SmallVector<Value> sum = at(reg);
        for (unsigned i = 1; i < count; ++i)
          sum = createCombined(builder, op.getCombine(), sum,
                               at(reg | spread(i)));
        append(next, sum);
      }
    values = std::move(next);
    for (unsigned bit : llvm::reverse(bits))
      registerBases.erase(registerBases.begin() + bit);
  }

  /// The nearest neighbours first, wherever they are.
  void reduceInOrder() {
    auto stepOf = [&](const LinearLayout::Bases &bases) {
      std::optional<unsigned> bit = findLowest(bases);
      return bit ? bases[*bit][axis] : std::numeric_limits<int32_t>::max();
    };
    while (true) {
      int32_t ofRegisters = stepOf(registerBases), ofLanes = stepOf(laneBases);
      int32_t ofWarps = stepOf(warpBases);
      int32_t lowest = std::min({ofRegisters, ofLanes, ofWarps});
      if (lowest == std::numeric_limits<int32_t>::max())
        return;
      if (lowest == ofRegisters)
        reduceRegister(*findLowest(registerBases));
      else if (lowest == ofLanes)
        reduceLane(*findLowest(laneBases));
      else
        reduceWarps();
    }
  }

  /// The bit that stands for the smallest distance along the axis.
  std::optional<unsigned> findLowest(const LinearLayout::Bases &bases) const {
    std::optional<unsigned> lowest;
    for (auto [bit, basis] : llvm::enumerate(bases))
      if (basis[axis] && (!lowest || basis[axis] < bases[*lowest][axis]))
        lowest = bit;
    return lowest;
  }

  void reduceRegister(unsigned bit, RegisterPlaces *places = nullptr) {
    unsigned step = 1u << bit;
    Registers next(values.size());
    for (unsigned reg = 0; reg < values.front().size(); ++reg)
      if (!(reg & step)) {
        IRMapping known =
            places ? places->compare(builder, reg, reg + step) : IRMapping();
        append(next, createCombined(builder, op.getCombine(), at(reg),
                                    at(reg + step), known));
      }
    values = std::move(next);
    registerBases.erase(registerBases.begin() + bit);
  }

  /// True in lanes whose number has `bit`.
  Value createHasBit(unsigned bit) {
    Value own = arith::AndIOp::create(builder, loc, createLane(builder, loc),
                                      createI32(builder, loc, 1 << bit));
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, own,
                                 createI32(builder, loc, 0));
  }

  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(builder, loc, condition, yes, no);
  }

  /// What `given` are in the lane whose number differs in `bit`.
  SmallVector<Value> shuffle(ValueRange given, unsigned bit) {
    return llvm::map_to_vector(given, [&](Value value) {
      return createShuffle(builder, loc, value, NVVM::ShflKind::bfly,
                           createI32(builder, loc, 1 << bit));
    });
  }

  /// Combines what this lane and another one have; this one is the right one of
  /// them in lanes where `isRight` is true.
  SmallVector<Value> combineLanes(SmallVector<Value> own,
                                  SmallVector<Value> other, Value isRight) {
    if (hasSides)
      for (auto [left, right] : llvm::zip_equal(own, other)) {
        Value first = select(isRight, right, left);
        right = select(isRight, left, right);
        left = first;
      }
    return createCombined(builder, op.getCombine(), own, other);
  }

  void reduceLane(unsigned bit) {
    Value isRight = hasSides ? createHasBit(bit) : Value();
    Registers next(values.size());
    for (unsigned reg = 0; reg < values.front().size(); ++reg) {
      SmallVector<Value> own = at(reg);
      append(next, combineLanes(own, shuffle(own, bit), isRight));
    }
    values = std::move(next);
    llvm::fill(laneBases[bit], 0);
  }

  /// Of each two registers that differ in the first shared bit, lanes with
  /// `bit` go on with the second one, and others with the first.
  void shareOut(unsigned bit) {
    Value isRight = createHasBit(bit);
    Registers next(values.size());
    unsigned step = 1u << firstShared;
    for (unsigned reg = 0; reg < values.front().size(); ++reg) {
      if (reg & step)
        continue;
      SmallVector<Value> own, given;
      for (auto [first, second] : llvm::zip_equal(at(reg), at(reg + step))) {
        given.push_back(select(isRight, first, second));
        own.push_back(select(isRight, second, first));
      }
      append(next, combineLanes(own, shuffle(given, bit), isRight));
    }
    values = std::move(next);
    laneBases[bit] = registerBases[firstShared];
    registerBases.erase(registerBases.begin() + firstShared);
    sharing.push_back(bit);
  }

  /// Gives both lanes of a pair what they have shared out, of all registers.
  void bringBack(unsigned bit) {
    Value isRight = createHasBit(bit);
    Registers next(values.size());
    for (unsigned reg = 0; reg < values.front().size(); ++reg) {
      SmallVector<Value> own = at(reg), first, second;
      for (auto [mine, theirs] : llvm::zip_equal(own, shuffle(own, bit))) {
        first.push_back(select(isRight, theirs, mine));
        second.push_back(select(isRight, mine, theirs));
      }
      append(next, first);
      append(next, second);
    }
    values = std::move(next);
    registerBases.insert(registerBases.begin(), laneBases[bit]);
    llvm::fill(laneBases[bit], 0);
  }

  /// As many bits of the lane's number as those of the warp's along the axis,
  /// all of which do not matter any more: lanes can read what many warps have
  /// written, one part each. A few parts are read faster by every thread.
  std::optional<SmallVector<unsigned>> findLanesForWarps() const {
    auto isAlong = [&](const cta::Coordinates &basis) { return basis[axis]; };
    auto isFree = [](const cta::Coordinates &basis) {
      return llvm::all_of(basis, [](int32_t step) { return step == 0; });
    };
    size_t count = llvm::count_if(warpBases, isAlong);
    SmallVector<unsigned> lanes;
    for (unsigned bit = 0; bit < laneBases.size() && lanes.size() < count;
         ++bit)
      if (isFree(laneBases[bit]))
        lanes.push_back(bit);
    if (count < kLanesFromBits || lanes.size() < count)
      return std::nullopt;
    return lanes;
  }

  /// Every warp writes its part; each lane reads one of them, and the rest is
  /// done within the warp.
  void reduceWarpsByLanes(ArrayRef<unsigned> lanes) {
    cta::ReduceExchange exchange = cta::getReduceExchange(op);
    LinearLayout held = getCompactLayout(exchange);
    for (auto [bit, step] : llvm::zip_equal(lanes, exchange.steps))
      laneBases[bit][axis] = step;
    for (cta::Coordinates &basis : warpBases)
      basis[axis] = 0;
    values = exchangeTiles(builder, op, exchange.tiles, values, held,
                           getCompactLayout(exchange));
    for (unsigned bit : lanes)
      reduceLane(bit);
  }

  /// Every warp writes its part; every thread reads those of all warps along
  /// the axis, into registers.
  void reduceWarps() {
    cta::ReduceExchange exchange = cta::getReduceExchange(op);
    LinearLayout held = getCompactLayout(exchange);
    moveWarpsToRegisters();
    values = exchangeTiles(builder, op, exchange.tiles, values, held,
                           getCompactLayout(exchange));
  }

  /// Now warps hold the same along the axis, and the first registers count the
  /// places along it: neighbours are read together.
  void moveWarpsToRegisters() {
    LinearLayout::Bases along, others;
    for (const cta::Coordinates &basis : registerBases)
      (basis[axis] ? along : others).push_back(basis);
    for (cta::Coordinates &basis : warpBases)
      if (basis[axis]) {
        along.push_back(cta::Coordinates(basis.size(), 0));
        std::swap(along.back()[axis], basis[axis]);
      }
    llvm::sort(along,
               [&](const auto &a, const auto &b) { return a[axis] < b[axis]; });
    llvm::append_range(along, others);
    registerBases = along;
  }

  /// Where the tiles in shared memory have what threads hold now.
  LinearLayout getCompactLayout(const cta::ReduceExchange &exchange) const {
    return LinearLayout(
        laneBases.front().size(), compact(registerBases, exchange),
        compact(laneBases, exchange), compact(warpBases, exchange));
  }

  /// `bases` with the steps along the axis numbered one after the other.
  LinearLayout::Bases compact(LinearLayout::Bases bases,
                              const cta::ReduceExchange &exchange) const {
    for (cta::Coordinates &basis : bases)
      if (basis[axis])
        basis[axis] = 1 << (llvm::find(exchange.steps, basis[axis]) -
                            exchange.steps.begin());
    return bases;
  }

  SmallVector<Value> at(unsigned reg) const {
    return llvm::map_to_vector(values, [&](const SmallVector<Value> &operand) {
      return operand[reg];
    });
  }

  static void append(Registers &registers, ValueRange elements) {
    for (auto [operand, element] : llvm::zip_equal(registers, elements))
      operand.push_back(element);
  }

  cta::ReduceOp op;
  OpBuilder &builder;
  Location loc;
  unsigned axis;
  bool isOrdered;
  /// Both lanes of a pair have to combine their elements in one order.
  bool hasSides;
  Registers values;
  LinearLayout::Bases registerBases, laneBases, warpBases;
  /// The bits of lanes that share elements out, in the order in which they do.
  SmallVector<unsigned> sharing;
  /// The first bit of the register's number that they share out.
  unsigned firstShared = 0;
};

struct ConvertReduce : OpConversionPattern<cta::ReduceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(cta::ReduceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, Reduction(op, rewriter).run(adaptor.getSources()));
    return success();
  }
};

} // namespace

void triton_shared::populateCtaToGpuReduce(const TypeConverter &types,
                                           RewritePatternSet &patterns) {
  patterns.add<ConvertReduce>(types, patterns.getContext());
}
