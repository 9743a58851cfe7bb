//===- MatrixDot.cpp - Matrix products on tensor cores --------------------===//
//
// Operands lie in the registers that `mma.sync` takes them from: layouts have
// seen to that.
//
//===----------------------------------------------------------------------===//

#include "Threads.h"
#include "Topics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"
#include "triton-shared/Transforms/InlinePtx.h"

using namespace mlir;
using namespace mlir::triton_shared;
using cta::MmaAttr;

namespace {

/// The registers of an operand as the instruction takes them: f64, pairs of
/// f16, or 32-bit words.
SmallVector<Value> toRegisters(OpBuilder &builder, Location loc, Value vector,
                               MmaAttr mma) {
  auto type = cast<VectorType>(vector.getType());
  if (mma.getOperandType().isF64())
    return unpackRegisters(builder, loc, vector);
  SmallVector<Value> values;
  if (mma.getOperandType().isTF32()) {
    for (Value value : unpackRegisters(builder, loc, vector))
      values.push_back(NVVM::ConvertFloatToTF32Op::create(
          builder, loc, builder.getI32Type(), value, NVVM::FPRoundingMode::RNA,
          NVVM::SaturationMode::NONE,
          /*relu=*/false));
    return values;
  }
  auto words = VectorType::get({type.getNumElements() / mma.getPerRegister()},
                               builder.getI32Type());
  values = unpackRegisters(
      builder, loc, vector::BitCastOp::create(builder, loc, words, vector));
  if (mma.getOperandType().isF16()) {
    auto pair = VectorType::get({2}, builder.getF16Type());
    for (Value &value : values)
      value = LLVM::BitcastOp::create(builder, loc, pair, value);
  }
  return values;
}

/// What the instruction is told of its operands where their types do not say.
std::optional<std::array<NVVM::MMATypes, 2>> getOperandTypes(MmaAttr mma) {
  Type type = mma.getOperandType();
  if (type.isBF16())
    return {{NVVM::MMATypes::bf16, NVVM::MMATypes::bf16}};
  if (type.isTF32())
    return {{NVVM::MMATypes::tf32, NVVM::MMATypes::tf32}};
  if (type.isInteger(8))
    return {{NVVM::MMATypes::s8, NVVM::MMATypes::s8}};
  return std::nullopt;
}

/// One instruction for f64 of 16 rows, which NVVM's operation does not know.
Value createLargeF64Mma(OpBuilder &builder, Location loc, MmaAttr mma,
                        Type result, ArrayRef<Value> a, ArrayRef<Value> b,
                        ArrayRef<Value> sums) {
  std::string name =
      "llvm.nvvm.mma.m16n8k" + std::to_string(mma.getK()) + ".row.col.f64";
  SmallVector<Value> operands(a);
  llvm::append_range(operands, b);
  llvm::append_range(operands, sums);
  return LLVM::CallIntrinsicOp::create(builder, loc, result,
                                       builder.getStringAttr(name), operands)
      .getResults();
}

/// One instruction: the new accumulators.
SmallVector<Value> createMma(OpBuilder &builder, Location loc, MmaAttr mma,
                             ArrayRef<Value> a, ArrayRef<Value> b,
                             ArrayRef<Value> sums) {
  SmallVector<Type> types(sums.size(), sums.front().getType());
  Type packed = packResultTypes(builder.getContext(), types);
  if (mma.isLargeF64())
    return unpackResults(
        builder, loc, createLargeF64Mma(builder, loc, mma, packed, a, b, sums),
        sums.size());
  std::optional<NVVM::MMAIntOverflow> overflow;
  if (types.front().isInteger())
    overflow = NVVM::MMAIntOverflow::wrapped;
  Value result = NVVM::MmaOp::create(
      builder, loc, packed, a, b, sums, {mma.getM(), mma.getN(), mma.getK()},
      /*b1Op=*/std::nullopt, overflow, getOperandTypes(mma),
      {{NVVM::MMALayout::row, NVVM::MMALayout::col}});
  return unpackResults(builder, loc, result, sums.size());
}

struct ConvertMatrixDot : OpConversionPattern<cta::DotOp> {
  ConvertMatrixDot(const TypeConverter &types, MLIRContext *context)
      : OpConversionPattern(types, context, /*benefit=*/2) {}

  LogicalResult
  matchAndRewrite(cta::DotOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    MmaAttr mma = op.getMma();
    if (!mma)
      return rewriter.notifyMatchFailure(op, "is not for mma.sync");
    Location loc = op.getLoc();
    SmallVector<Value> a = toRegisters(rewriter, loc, adaptor.getA(), mma);
    SmallVector<Value> b = toRegisters(rewriter, loc, adaptor.getB(), mma);
    SmallVector<Value> sums =
        unpackRegisters(rewriter, loc, adaptor.getAccumulator());
    multiply(rewriter, loc, mma, op, a, b, sums);
    rewriter.replaceOp(op, packRegisters(rewriter, loc, sums));
    return success();
  }

private:
  /// All matrices of the tile. Registers of operands and result are numbered by
  /// their layouts: first within a matrix, then K (operands) or columns
  /// (result), then the rest.
  static void multiply(OpBuilder &builder, Location loc, MmaAttr mma,
                       cta::DotOp op, ArrayRef<Value> a, ArrayRef<Value> b,
                       SmallVectorImpl<Value> &sums) {
    int64_t depth = cta::getTile(op.getA()).getDimSize(1) / mma.getK();
    unsigned aSize =
        mma.getM() * mma.getK() / GpuTarget::kWarpSize / mma.getPerRegister();
    unsigned bSize =
        mma.getN() * mma.getK() / GpuTarget::kWarpSize / mma.getPerRegister();
    unsigned sumSize = mma.getM() * mma.getN() / GpuTarget::kWarpSize;
    unsigned rows = a.size() / (aSize * depth);
    unsigned columns = b.size() / (bSize * depth);
    for (unsigned k = 0; k < depth; ++k)
      for (unsigned row = 0; row < rows; ++row)
        for (unsigned i = 0; i < columns; ++i) {
          // There and back: the operand at a turn is used again.
          unsigned column = row % 2 ? columns - 1 - i : i;
          unsigned at = (row * columns + column) * sumSize;
          SmallVector<Value> next = createMma(
              builder, loc, mma, a.slice((row * depth + k) * aSize, aSize),
              b.slice((column * depth + k) * bSize, bSize),
              ArrayRef(sums).slice(at, sumSize));
          llvm::copy(next, sums.begin() + at);
        }
  }
};

} // namespace

void triton_shared::populateCtaToGpuMatrixDot(const TypeConverter &types,
                                              RewritePatternSet &patterns) {
  patterns.add<ConvertMatrixDot>(types, patterns.getContext());
}
