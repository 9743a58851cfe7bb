//===- Divisions.cpp - Divisions of 64-bit integers -----------------------===//
//
// A GPU has no division of 64 bits: a subroutine of more than a hundred
// instructions is called for each. Indices that a kernel divides are mostly
// small, which only its launch knows: where all numbers of a thread fit into 32
// bits, it divides those. LLVM knows how to do that for one number at a time,
// and for none in a vector.
//
//===----------------------------------------------------------------------===//

#include "Topics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::triton_shared;

/// True if no element of `lhs` or `rhs` is negative or needs more than 32 bits,
/// and none of `rhs` is zero: what is divided by that has 64 bits, all set.
static Value createIsNarrow(OpBuilder &builder, Location loc, Value lhs,
                            Value rhs) {
  Value one = arith::ConstantOp::create(builder, loc,
                                        builder.getOneAttr(rhs.getType()));
  Value below = arith::SubIOp::create(builder, loc, rhs, one);
  Value all = arith::OrIOp::create(
      builder, loc, lhs, arith::OrIOp::create(builder, loc, rhs, below));
  Value bits =
      vector::ReductionOp::create(builder, loc, vector::CombiningKind::OR, all);
  Value most = arith::ConstantIntOp::create(
      builder, loc, std::numeric_limits<uint32_t>::max(), 64);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule, bits,
                               most);
}

namespace {

/// Both ways, of which each thread takes one. `Unsigned` divides what is not
/// negative.
template <typename Division, typename Unsigned>
struct ConvertWideDivision : OpConversionPattern<Division> {
  ConvertWideDivision(const TypeConverter &types, MLIRContext *context)
      : OpConversionPattern<Division>(types, context, /*benefit=*/2) {}

  LogicalResult
  matchAndRewrite(Division op, typename Division::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(adaptor.getLhs().getType());
    if (!type || !type.getElementType().isInteger(64))
      return rewriter.notifyMatchFailure(op, "does not divide 64-bit tiles");
    if (matchPattern(op.getRhs(), m_Constant()))
      return rewriter.notifyMatchFailure(op, "becomes a product");
    Location loc = op.getLoc();
    Value lhs = adaptor.getLhs(), rhs = adaptor.getRhs();
    auto narrow = [&](OpBuilder &inside, Value value) -> Value {
      return arith::TruncIOp::create(inside, loc,
                                     type.clone(inside.getI32Type()), value);
    };
    rewriter.replaceOpWithNewOp<scf::IfOp>(
        op, createIsNarrow(rewriter, loc, lhs, rhs),
        [&](OpBuilder &inside, Location) {
          Value result = Unsigned::create(inside, loc, narrow(inside, lhs),
                                          narrow(inside, rhs));
          Value wide = arith::ExtUIOp::create(inside, loc, type, result);
          scf::YieldOp::create(inside, loc, wide);
        },
        [&](OpBuilder &inside, Location) {
          Value result = Division::create(inside, loc, lhs, rhs);
          scf::YieldOp::create(inside, loc, result);
        });
    return success();
  }
};

} // namespace

void triton_shared::populateCtaToGpuDivisions(const TypeConverter &types,
                                              RewritePatternSet &patterns) {
  patterns.add<ConvertWideDivision<arith::DivSIOp, arith::DivUIOp>,
               ConvertWideDivision<arith::DivUIOp, arith::DivUIOp>,
               ConvertWideDivision<arith::RemSIOp, arith::RemUIOp>,
               ConvertWideDivision<arith::RemUIOp, arith::RemUIOp>>(
      types, patterns.getContext());
}
