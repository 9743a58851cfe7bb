//===- Addresses.cpp - Integer addresses of bases -------------------------===//
//
// An integer address becomes an LLVM pointer and that the memref a base is. No
// upstream operation makes a memref from a pointer, so its descriptor is put
// together by hand.
//
//===----------------------------------------------------------------------===//

#include "Elements.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"
#include "triton-shared/Conversion/StructuredToMemRef.h"

using namespace mlir;
using namespace mlir::triton_shared;

Value triton_shared::memrefFromPointer(OpBuilder &builder, Location loc,
                                       Value pointer, Type elementType) {
  unsigned space =
      cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace();
  Attribute memory = space ? builder.getI64IntegerAttr(space) : Attribute();
  auto type = MemRefType::get({1}, elementType, AffineMap(), memory);
  LLVMTypeConverter converter(builder.getContext());
  Value descriptor =
      MemRefDescriptor::fromStaticShape(builder, loc, converter, type, pointer);
  return UnrealizedConversionCastOp::create(builder, loc, type, descriptor)
      .getResult(0);
}

namespace {

struct LowerFromAddress : OpRewritePattern<tts::FromAddressOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tts::FromAddressOp op,
                                PatternRewriter &rewriter) const override {
    auto base = cast<UnrankedMemRefType>(op.getBase().getType());
    auto pointerType = LLVM::LLVMPointerType::get(rewriter.getContext(),
                                                  base.getMemorySpaceAsInt());
    Value pointer = LLVM::IntToPtrOp::create(rewriter, op.getLoc(), pointerType,
                                             op.getAddress());
    Value memref = memrefFromPointer(rewriter, op.getLoc(), pointer,
                                     base.getElementType());
    rewriter.replaceOpWithNewOp<memref::CastOp>(op, base, memref);
    return success();
  }
};

struct LowerToAddress : OpRewritePattern<tts::ToAddressOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tts::ToAddressOp op,
                                PatternRewriter &rewriter) const override {
    Value address = memref::ExtractAlignedPointerAsIndexOp::create(
        rewriter, op.getLoc(), op.getBase());
    rewriter.replaceOpWithNewOp<arith::IndexCastOp>(op, rewriter.getI64Type(),
                                                    address);
    return success();
  }
};

} // namespace

void triton_shared::populateAddresses(RewritePatternSet &patterns) {
  patterns.add<LowerFromAddress, LowerToAddress>(patterns.getContext());
}
