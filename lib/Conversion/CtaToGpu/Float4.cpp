//===- Float4.cpp - Floats of 4 bits, two in a byte -----------------------===//
//
// The upper bytes of all magnitudes of e2m1 as a bf16 fit into two registers,
// and so do the lower ones: an instruction that picks bytes looks four of them
// up at once, with the codes as they lie in memory as its selector.
//
//===----------------------------------------------------------------------===//

#include "Threads.h"
#include "Topics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

constexpr int64_t kBytesOfWord = 4;

/// Of 0, 1/2, 1, 3/2, 2, 3, 4 and 6, from the lowest byte on.
constexpr uint32_t kUpper[] = {0x3f3f3f00, 0x40404040};
constexpr uint32_t kLower[] = {0xc0800000, 0xc0804000};
/// What a sign bit is in the upper byte.
constexpr uint32_t kSigns = 0x8000;

/// Looks up the floats of one word.
class FloatsOfWord {
public:
  FloatsOfWord(OpBuilder &builder, Location loc, Value word)
      : builder(builder), loc(loc) {
    magnitudes = arith::AndIOp::create(builder, loc, word, bits(0x77777777));
    signs =
        arith::AndIOp::create(builder, loc, shift(word, 3), bits(0x11111111));
  }

  /// The words with two bf16 each, in order.
  SmallVector<Value> decode() {
    SmallVector<Value> words;
    for (unsigned half : {0, 16}) {
      Value codes = shift(magnitudes, half);
      Value upper = pick(bits(kUpper[0]), bits(kUpper[1]), codes);
      Value lower = pick(bits(kLower[0]), bits(kLower[1]), codes);
      upper = arith::OrIOp::create(
          builder, loc, upper, pick(bits(kSigns), bits(0), shift(signs, half)));
      words.push_back(pick(lower, upper, bits(0x5140)));
      words.push_back(pick(lower, upper, bits(0x7362)));
    }
    return words;
  }

private:
  Value bits(uint32_t value) {
    return createI32(builder, loc, static_cast<int32_t>(value));
  }
  Value shift(Value word, unsigned by) {
    if (by == 0)
      return word;
    return arith::ShRUIOp::create(builder, loc, word, bits(by));
  }
  Value pick(Value first, Value second, Value selector) {
    return NVVM::PermuteOp::create(builder, loc, builder.getI32Type(), first,
                                   second, selector,
                                   NVVM::PermuteMode::DEFAULT);
  }

  OpBuilder &builder;
  Location loc;
  Value magnitudes, signs;
};

struct ConvertUnpackE2M1 : OpConversionPattern<cta::UnpackE2M1Op> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(cta::UnpackE2M1Op op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<VectorType>(getTypeConverter()->convertType(op.getType()));
    SmallVector<Value> words;
    for (Value word : getWords(rewriter, loc, adaptor.getSource()))
      llvm::append_range(words, FloatsOfWord(rewriter, loc, word).decode());
    int64_t made = words.size() * 2;
    Value result = vector::BitCastOp::create(
        rewriter, loc, VectorType::get({made}, rewriter.getBF16Type()),
        packRegisters(rewriter, loc, words));
    if (made != type.getNumElements())
      result = vector::ExtractStridedSliceOp::create(
          rewriter, loc, result, ArrayRef<int64_t>{0},
          ArrayRef<int64_t>{type.getNumElements()}, ArrayRef<int64_t>{1});
    if (result.getType() != type)
      result = arith::ExtFOp::create(rewriter, loc, type, result);
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  /// `bytes` in words; what is missing of the last one is the last byte.
  static SmallVector<Value> getWords(OpBuilder &builder, Location loc,
                                     Value bytes) {
    int64_t count = cast<VectorType>(bytes.getType()).getNumElements();
    int64_t whole = llvm::alignTo(count, kBytesOfWord);
    if (whole != count) {
      SmallVector<int64_t> order;
      for (int64_t i = 0; i < whole; ++i)
        order.push_back(std::min(i, count - 1));
      bytes = vector::ShuffleOp::create(builder, loc, bytes, bytes, order);
    }
    auto type = VectorType::get({whole / kBytesOfWord}, builder.getI32Type());
    return unpackRegisters(
        builder, loc, vector::BitCastOp::create(builder, loc, type, bytes));
  }
};

} // namespace

void triton_shared::populateCtaToGpuFloat4(const TypeConverter &types,
                                           RewritePatternSet &patterns) {
  patterns.add<ConvertUnpackE2M1>(types, patterns.getContext());
}
