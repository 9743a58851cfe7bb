//===- Exchange.cpp - Elements that other threads hold --------------------===//
//
// What a thread needs and does not hold comes from other lanes of its warp by
// shuffles or, where that is cheaper or they do not have it, through shared
// memory: everyone writes, waits, and reads.
//
//===----------------------------------------------------------------------===//

#include "Combine.h"
#include "SharedMemory.h"
#include "Threads.h"
#include "Topics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "triton-shared/Dialect/Cta/IR/Exchange.h"

using namespace mlir;
using namespace mlir::triton_shared;
using cta::LinearLayout;

static Value shuffleLanes(OpBuilder &builder, Location loc, Value vector,
                          const cta::WarpShuffle &shuffle) {
  SmallVector<Value> held = unpackRegisters(builder, loc, vector);
  ElementCoordinates lanes(builder, loc, shuffle.lanes);
  SmallVector<Value> elements;
  for (auto [reg, source] : llvm::enumerate(shuffle.registers))
    elements.push_back(createShuffle(builder, loc, held[source],
                                     NVVM::ShflKind::idx, lanes.get(reg, 0)));
  return packRegisters(builder, loc, elements);
}

namespace {

/// What a swap makes of the registers of a thread.
class LaneSwap {
public:
  LaneSwap(OpBuilder &builder, Location loc, const cta::WarpSwap &swap,
           Value vector)
      : builder(builder), loc(loc), swap(swap),
        held(unpackRegisters(builder, loc, vector)),
        lanes(builder, loc, swap.lanes), results(swap.registers.size()) {
    isOdd = createHasOdd(swap.oddLanes);
    isGiver = createHasOdd(swap.givers);
  }

  Value create() {
    unsigned inWord = 0;
    for (unsigned bit : swap.wordBits)
      inWord |= bit;
    for (unsigned first = 0; first < swap.registers.size(); ++first)
      if (!(first & (swap.pairBit | inWord)))
        placePair(first, exchange(first, 0), exchange(first, 1));
    return packRegisters(builder, loc, results);
  }

private:
  /// True in lanes whose number has an odd number of the bits of `mask`.
  Value createHasOdd(unsigned mask) {
    cta::LinearLayout::Bases bases, noWarps(swap.lanes.getWarps().size(), {0});
    for (unsigned bit = 0; bit < cta::kLaneBits; ++bit)
      bases.push_back({static_cast<int32_t>(mask >> bit & 1)});
    Value parity = createThreadCoordinate(
        builder, loc, cta::LinearLayout(1, {}, bases, noWarps), 0);
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, parity,
                                 createI32(builder, loc, 0));
  }

  /// Register `k` of a word that begins with register `first`.
  unsigned getInWord(unsigned first, unsigned k) const {
    for (auto [index, bit] : llvm::enumerate(swap.wordBits))
      if (k >> index & 1)
        first |= bit;
    return first;
  }
  unsigned countInWord() const { return 1u << swap.wordBits.size(); }

  /// What a lane gives in a round: i32.
  Value createGiven(unsigned first, unsigned round, bool givesSecond) {
    SmallVector<Value> elements;
    for (unsigned k = 0; k < countInWord(); ++k)
      elements.push_back(
          held[swap.getGiven(getInWord(first, k), round, givesSecond)]);
    Value word = vector::BitCastOp::create(
        builder, loc, VectorType::get({1}, builder.getI32Type()),
        packRegisters(builder, loc, elements));
    return vector::ExtractOp::create(builder, loc, word, 0);
  }

  /// What a lane gets in a round: i32.
  Value exchange(unsigned first, unsigned round) {
    bool isTurned = swap.isTurned(first);
    Value given = arith::SelectOp::create(builder, loc, isGiver,
                                          createGiven(first, round, !isTurned),
                                          createGiven(first, round, isTurned));
    Value lane = lanes.get(first, 0);
    if (round == 1)
      lane = arith::XOrIOp::create(builder, loc, lane,
                                   createI32(builder, loc, swap.secondLane));
    return createShuffle(builder, loc, given, NVVM::ShflKind::idx, lane);
  }

  /// Words of the first registers and of the second ones of pairs, of what came
  /// in both rounds: the other way round for an odd lane. Of words of several
  /// elements, halves of both make a new one.
  void placePair(unsigned first, Value early, Value late) {
    unsigned count = countInWord(), second = first | swap.pairBit;
    if (count == 1) {
      place(arith::SelectOp::create(builder, loc, isOdd, late, early), {first});
      place(arith::SelectOp::create(builder, loc, isOdd, early, late),
            {second});
      return;
    }
    // Which bytes of both, in even lanes and in odd ones.
    constexpr std::pair<unsigned, unsigned> kHalves[] = {{0x5410, 0x1054},
                                                         {0x7632, 0x3276}};
    for (auto [half, bytes] : llvm::enumerate(kHalves)) {
      SmallVector<unsigned> registers;
      for (unsigned reg : {first, second})
        for (unsigned k = half * count / 2; k < (half + 1) * count / 2; ++k)
          registers.push_back(getInWord(reg, k));
      Value chosen = arith::SelectOp::create(
          builder, loc, isOdd, createI32(builder, loc, bytes.second),
          createI32(builder, loc, bytes.first));
      place(NVVM::PermuteOp::create(builder, loc, builder.getI32Type(), early,
                                    late, chosen, NVVM::PermuteMode::DEFAULT),
            registers);
    }
  }

  /// Takes the elements of `word` for these registers of the result.
  void place(Value word, ArrayRef<unsigned> registers) {
    auto type = VectorType::get({static_cast<int64_t>(registers.size())},
                                held.front().getType());
    Value elements = vector::BitCastOp::create(
        builder, loc, type, packRegisters(builder, loc, word));
    for (auto [k, element] :
         llvm::enumerate(unpackRegisters(builder, loc, elements)))
      results[registers[k]] = element;
  }

  OpBuilder &builder;
  Location loc;
  const cta::WarpSwap &swap;
  SmallVector<Value> held;
  ElementCoordinates lanes;
  Value isOdd, isGiver;
  SmallVector<Value> results;
};

struct ConvertConvertLayout : OpConversionPattern<cta::ConvertLayoutOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(cta::ConvertLayoutOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op.getType());
    LinearLayout from = cta::getLayout(op.getSource().getType());
    LinearLayout to = cta::getLayout(type);
    if (std::optional<SmallVector<unsigned>> sources = from.findRegisters(to)) {
      rewriter.replaceOp(
          op, shuffleRegisters(rewriter, loc, adaptor.getSource(), *sources));
      return success();
    }
    if (std::optional<cta::WarpShuffle> shuffle = cta::findShuffle(op)) {
      rewriter.replaceOp(
          op, shuffleLanes(rewriter, loc, adaptor.getSource(), *shuffle));
      return success();
    }
    if (std::optional<cta::WarpSwap> swap = cta::findSwap(op)) {
      LaneSwap swapped(rewriter, loc, *swap, adaptor.getSource());
      rewriter.replaceOp(op, swapped.create());
      return success();
    }
    rewriter.replaceOp(op, exchange(op, adaptor.getSource(), rewriter));
    return success();
  }

private:
  /// Everyone writes, waits, and reads, in as many rounds as there is no room
  /// for fewer.
  static Value exchange(cta::ConvertLayoutOp op, Value source,
                        OpBuilder &builder) {
    Location loc = op.getLoc();
    cta::ExchangeRounds rounds = cta::getRounds(op);
    SharedTile shared(op, cast<RankedTensorType>(op.getType()),
                      cta::getExchangeLayout(op, rounds));
    SmallVector<Value> elements(rounds.to.getNumRegisters() * rounds.count());
    for (unsigned round = 0; round < rounds.count(); ++round) {
      if (round > 0)
        createBarrier(builder, loc);
      Value given =
          shuffleRegisters(builder, loc, source, rounds.getGiven(round));
      shared.store(builder, loc, given, rounds.from);
      createBarrier(builder, loc);
      Value taken = shared.load(builder, loc, rounds.to);
      if (rounds.count() == 1)
        return taken;
      for (auto [reg, element] : llvm::zip_equal(
               rounds.getTaken(round), unpackRegisters(builder, loc, taken)))
        elements[reg] = element;
    }
    return packRegisters(builder, loc, elements);
  }
};

/// The row-major index of an element: i32. Each coordinate is cut to its size,
/// so that no index leaves the tile.
Value createFlatIndex(OpBuilder &builder, Location loc, ValueRange coordinates,
                      ArrayRef<int64_t> shape) {
  Value index = createI32(builder, loc, 0);
  for (auto [coordinate, size] : llvm::zip_equal(coordinates, shape)) {
    Value narrow = coordinate;
    Type type = narrow.getType();
    if (type.isIndex())
      narrow = arith::IndexCastOp::create(builder, loc, builder.getI32Type(),
                                          narrow);
    else if (type.getIntOrFloatBitWidth() > 32)
      narrow =
          arith::TruncIOp::create(builder, loc, builder.getI32Type(), narrow);
    else if (type.getIntOrFloatBitWidth() < 32)
      narrow =
          arith::ExtUIOp::create(builder, loc, builder.getI32Type(), narrow);
    narrow = arith::AndIOp::create(builder, loc, narrow,
                                   createI32(builder, loc, size - 1));
    index = arith::MulIOp::create(builder, loc, index,
                                  createI32(builder, loc, size));
    index = arith::AddIOp::create(builder, loc, index, narrow);
  }
  return index;
}

struct ConvertLookup : OpConversionPattern<cta::LookupOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(cta::LookupOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType source = cta::getTile(op.getSource());
    SharedTile shared(op, source);
    shared.store(rewriter, loc, adaptor.getSource(), cta::getLayout(source));
    createBarrier(rewriter, loc);
    SmallVector<SmallVector<Value>> indices =
        llvm::map_to_vector(adaptor.getIndices(), [&](Value vector) {
          return unpackRegisters(rewriter, loc, vector);
        });
    SmallVector<Value> elements;
    unsigned count = cta::getLayout(op.getType()).getNumRegisters();
    for (unsigned reg = 0; reg < count; ++reg) {
      SmallVector<Value> coordinates = llvm::map_to_vector(
          indices, [&](const SmallVector<Value> &dim) { return dim[reg]; });
      elements.push_back(shared.loadElement(
          rewriter, loc,
          createFlatIndex(rewriter, loc, coordinates, source.getShape())));
    }
    rewriter.replaceOp(op, packRegisters(rewriter, loc, elements));
    return success();
  }
};

struct ConvertExtract : OpConversionPattern<cta::ExtractOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(cta::ExtractOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType source = cta::getTile(op.getSource());
    // Everyone holds the only element.
    if (source.getNumElements() == 1) {
      rewriter.replaceOpWithNewOp<vector::ExtractOp>(op, adaptor.getSource(),
                                                     0);
      return success();
    }
    SharedTile shared(op, source);
    shared.store(rewriter, loc, adaptor.getSource(), cta::getLayout(source));
    createBarrier(rewriter, loc);
    rewriter.replaceOp(
        op,
        shared.loadElement(rewriter, loc,
                           createFlatIndex(rewriter, loc, adaptor.getIndices(),
                                           source.getShape())));
    return success();
  }
};

} // namespace

void triton_shared::populateCtaToGpuExchange(const TypeConverter &types,
                                             RewritePatternSet &patterns) {
  patterns.add<ConvertConvertLayout, ConvertLookup, ConvertExtract>(
      types, patterns.getContext());
}
