//===- Integer8.cpp - Bytes as floats of 16 bits --------------------------===//
//
// A GPU converts one number at a time, and takes several cycles for each. But a
// byte below the exponent of a large power of two is a float already, that much
// too large: two of them are made by one instruction each for the bytes and for
// the difference. All of that is exact.
//
//===----------------------------------------------------------------------===//

#include "Threads.h"
#include "Topics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

constexpr int64_t kBytesOfWord = 4;

/// Makes the floats of one word at a time.
class ByteFloats {
public:
  ByteFloats(OpBuilder &builder, Location loc, FloatType type, bool isSigned)
      : builder(builder), loc(loc), type(type), isSigned(isSigned) {}

  /// The floats of `bytes` from number `first` on, which are two of a word.
  Value convert(Value word, int64_t first) {
    return type.isF16() ? toHalves(word, first) : toBFloats(word, first);
  }

  /// What all bytes of `word` have to be changed by before.
  Value prepare(Value word) {
    if (!type.isF16() || !isSigned)
      return word;
    // As numbers from 0 to 255: 128 too large.
    return fromScalar(arith::XOrIOp::create(builder, loc, toScalar(word),
                                            createI32(0x80808080)));
  }

private:
  VectorType getBytes() const {
    return VectorType::get({kBytesOfWord}, builder.getI8Type());
  }
  VectorType getPair() const { return VectorType::get({2}, type); }

  Value createI32(uint32_t bits) {
    return arith::ConstantOp::create(
        builder, loc,
        builder.getIntegerAttr(builder.getI32Type(), APInt(32, bits)));
  }
  Value toScalar(Value bytes) {
    auto one = VectorType::get({1}, builder.getI32Type());
    return vector::ExtractOp::create(
        builder, loc, vector::BitCastOp::create(builder, loc, one, bytes), 0);
  }
  Value fromScalar(Value word) {
    auto one = VectorType::get({1}, builder.getI32Type());
    return vector::BitCastOp::create(
        builder, loc, getBytes(),
        vector::FromElementsOp::create(builder, loc, one, word));
  }
  Value createPair(double value) {
    return arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(getPair(),
                               builder.getFloatAttr(type, value).getValue()));
  }

  /// Two bytes of `word` in the lower halves of 16 bits each, below `upper`.
  Value placeBelow(Value word, int64_t first, uint8_t upper) {
    Value above = arith::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(getBytes(), APInt(8, upper)));
    return vector::ShuffleOp::create(
        builder, loc, word, above,
        ArrayRef<int64_t>{first, kBytesOfWord, first + 1, kBytesOfWord});
  }

  /// From 1024 on, an f16 counts by ones.
  Value toHalves(Value word, int64_t first) {
    constexpr uint8_t kUpper = 0x64;
    Value pair = vector::BitCastOp::create(builder, loc, getPair(),
                                           placeBelow(word, first, kUpper));
    return arith::SubFOp::create(builder, loc, pair,
                                 createPair(isSigned ? 1024 + 128 : 1024));
  }

  /// From 128 to 256, a bf16 counts by ones. The upper bit of a byte stands for
  /// -128, and under the same exponent it says by which power of two the other
  /// bits are too large: 128 or 256.
  Value toBFloats(Value word, int64_t first) {
    constexpr uint32_t kExponent = 0x43004300;
    Value bytes = toScalar(placeBelow(word, first, 0));
    auto pick = [&](uint32_t mask) -> Value {
      Value bits = arith::AndIOp::create(builder, loc, bytes, createI32(mask));
      bits = arith::OrIOp::create(builder, loc, bits, createI32(kExponent));
      return vector::BitCastOp::create(builder, loc, getPair(),
                                       fromScalar(bits));
    };
    // GPUs before capability 9.0 have no difference of bf16, but all have this.
    Value tooMuch = pick(0x00800080);
    Value all = pick(0x007f007f);
    return math::FmaOp::create(builder, loc, tooMuch, createPair(-1), all);
  }

  OpBuilder &builder;
  Location loc;
  FloatType type;
  bool isSigned;
};

template <typename ConvertOp>
struct WidenInteger8 : OpConversionPattern<ConvertOp> {
  WidenInteger8(const TypeConverter &types, MLIRContext *context)
      : OpConversionPattern<ConvertOp>(types, context, /*benefit=*/2) {}

  LogicalResult
  matchAndRewrite(ConvertOp op, typename ConvertOp::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    constexpr bool kIsSigned = std::is_same_v<ConvertOp, arith::SIToFPOp>;
    auto type = dyn_cast_or_null<VectorType>(
        this->getTypeConverter()->convertType(op.getType()));
    if (!type || !getElementTypeOrSelf(op.getIn()).isInteger(8) ||
        type.getNumElements() % kBytesOfWord != 0)
      return rewriter.notifyMatchFailure(op, "has no whole words of bytes");
    auto element = cast<FloatType>(type.getElementType());
    // An unsigned byte has more bits than a bf16 counts by ones.
    if (!element.isF16() && !(element.isBF16() && kIsSigned))
      return rewriter.notifyMatchFailure(op, "makes other floats");
    Location loc = op.getLoc();
    ByteFloats floats(rewriter, loc, element, kIsSigned);
    SmallVector<Value> results;
    for (int64_t i = 0; i < type.getNumElements(); i += kBytesOfWord) {
      Value word = floats.prepare(vector::ExtractStridedSliceOp::create(
          rewriter, loc, adaptor.getIn(), ArrayRef<int64_t>{i},
          ArrayRef<int64_t>{kBytesOfWord}, ArrayRef<int64_t>{1}));
      for (int64_t first : {0, 2})
        llvm::append_range(
            results,
            unpackRegisters(rewriter, loc, floats.convert(word, first)));
    }
    rewriter.replaceOp(op, packRegisters(rewriter, loc, results));
    return success();
  }
};

} // namespace

void triton_shared::populateCtaToGpuInteger8(const TypeConverter &types,
                                             RewritePatternSet &patterns) {
  patterns.add<WidenInteger8<arith::SIToFPOp>, WidenInteger8<arith::UIToFPOp>>(
      types, patterns.getContext());
}
