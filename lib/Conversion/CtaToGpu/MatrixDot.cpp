//===- MatrixDot.cpp - Matrix products on tensor cores --------------------===//
//
// Operands lie in the registers that `mma.sync` takes them from: layouts have
// seen to that.
//
//===----------------------------------------------------------------------===//

#include "InlinePtx.h"
#include "Parts.h"
#include "Threads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "triton-shared/Dialect/Cta/IR/DotLayout.h"

using namespace mlir;
using namespace mlir::triton_shared;
using cta::LinearLayout;
using cta::MmaInstruction;

namespace {

/// The registers of an operand as the instruction takes them: 32-bit words, or
/// f64.
SmallVector<Value> toWords(OpBuilder &builder, Location loc, Value vector,
                           const MmaInstruction &mma) {
  auto type = cast<VectorType>(vector.getType());
  if (type.getElementType().isF64())
    return unpackRegisters(builder, loc, vector);
  auto words = VectorType::get({type.getNumElements() / mma.perRegister},
                               builder.getI32Type());
  Value bits = vector::BitCastOp::create(builder, loc, words, vector);
  SmallVector<Value> values = unpackRegisters(builder, loc, bits);
  if (mma.operandType == "tf32")
    for (Value &value : values)
      value = createPtx(builder, loc, builder.getI32Type(), value,
                        "cvt.rna.tf32.f32 $0, $1;", "=r,r", PtxEffects::None)
                  .front();
  return values;
}

/// One instruction: the new accumulators.
SmallVector<Value> createMma(OpBuilder &builder, Location loc,
                             const MmaInstruction &mma, ArrayRef<Value> a,
                             ArrayRef<Value> b, ArrayRef<Value> sums) {
  Type sumType = sums.front().getType();
  StringRef sumConstraint =
      sumType.isF64() ? "d" : (sumType.isF32() ? "f" : "r");
  StringRef operandConstraint = sumType.isF64() ? "d" : "r";
  unsigned next = 0;
  std::string shape = "m" + std::to_string(mma.m) + "n" +
                      std::to_string(mma.n) + "k" + std::to_string(mma.k);
  std::string text = "mma.sync.aligned." + shape + ".row.col." +
                     mma.resultType.str() + "." + mma.operandType.str() + "." +
                     mma.operandType.str() + "." + mma.resultType.str() + " ";
  for (size_t count : {sums.size(), a.size(), b.size(), sums.size()}) {
    text += (next ? ", " : "") + listPlaceholders(next, count);
    next += count;
  }
  text += ";";
  std::string result = "=" + sumConstraint.str();
  std::string constraints = result + repeatConstraint(result, sums.size() - 1);
  constraints += repeatConstraint(operandConstraint, a.size() + b.size());
  constraints += repeatConstraint(sumConstraint, sums.size());

  SmallVector<Value> operands(a);
  llvm::append_range(operands, b);
  llvm::append_range(operands, sums);
  return createPtx(builder, loc, SmallVector<Type>(sums.size(), sumType),
                   operands, text, constraints, PtxEffects::None);
}

struct ConvertMatrixDot : OpConversionPattern<cta::DotOp> {
  ConvertMatrixDot(const TypeConverter &types, MLIRContext *context)
      : OpConversionPattern(types, context, /*benefit=*/2) {}

  LogicalResult
  matchAndRewrite(cta::DotOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::optional<MmaInstruction> mma = cta::getReadyInstruction(op);
    if (!mma)
      return rewriter.notifyMatchFailure(op, "tensor cores do not have it");
    Location loc = op.getLoc();
    SmallVector<Value> a = toWords(rewriter, loc, adaptor.getA(), *mma);
    SmallVector<Value> b = toWords(rewriter, loc, adaptor.getB(), *mma);
    SmallVector<Value> sums =
        unpackRegisters(rewriter, loc, adaptor.getAccumulator());
    multiply(rewriter, loc, *mma, op, a, b, sums);
    rewriter.replaceOp(op, packRegisters(rewriter, loc, sums));
    return success();
  }

private:
  /// All matrices of the tile. Registers of operands and result are numbered by
  /// their layouts: first within a matrix, then K (operands) or columns
  /// (result), then the rest.
  static void multiply(OpBuilder &builder, Location loc,
                       const MmaInstruction &mma, cta::DotOp op,
                       ArrayRef<Value> a, ArrayRef<Value> b,
                       SmallVectorImpl<Value> &sums) {
    int64_t depth = cta::getTile(op.getA()).getDimSize(1) / mma.k;
    unsigned aSize = mma.m * mma.k / cta::kWarpSize / mma.perRegister;
    unsigned bSize = mma.n * mma.k / cta::kWarpSize / mma.perRegister;
    unsigned sumSize = mma.m * mma.n / cta::kWarpSize;
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
