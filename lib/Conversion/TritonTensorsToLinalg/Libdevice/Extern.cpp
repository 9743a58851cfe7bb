//===- Extern.cpp - Calls of libdevice functions --------------------------===//
//
// A call of an external function becomes what the function computes, once per
// element; where neither arith nor math can say that, a call of the C library.
//
//===----------------------------------------------------------------------===//

#include "../MapElements.h"
#include "LibraryFunctions.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "triton-shared/Conversion/TritonTensorsToLinalg.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

namespace {

/// The C library's name of `function` for operands of these types: it ends with
/// `f` for f32. Empty for other floats.
std::string nameForTypes(StringRef function, TypeRange types) {
  for (Type type : types) {
    Type element = getElementTypeOrSelf(type);
    if (element.isF32())
      return (function + "f").str();
    if (element.isF64())
      return function.str();
  }
  return "";
}

/// Makes sure that the module of `op` declares the C function `name`.
LogicalResult declareFunction(tt::ExternElementwiseOp op, StringRef name,
                              OpBuilder &builder) {
  SmallVector<Type> inputs;
  for (Type type : op->getOperandTypes())
    inputs.push_back(getElementTypeOrSelf(type));
  FunctionType type =
      builder.getFunctionType(inputs, getElementTypeOrSelf(op.getType()));

  auto module = op->getParentOfType<ModuleOp>();
  if (Operation *symbol = SymbolTable::lookupSymbolIn(module, name)) {
    auto known = dyn_cast<func::FuncOp>(symbol);
    return success(known && known.getFunctionType() == type);
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(module.getBody());
  auto function = func::FuncOp::create(builder, op.getLoc(), name, type);
  function.setPrivate();
  return success();
}

struct LowerExtern : OpConversionPattern<tt::ExternElementwiseOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::ExternElementwiseOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::optional<LibraryFunction> function =
        findLibraryFunction(op.getSymbol());
    if (!function)
      return rewriter.notifyMatchFailure(op, "unknown function");
    std::string callee = nameForTypes(function->callee, op->getOperandTypes());
    if (!function->build &&
        (callee.empty() || failed(declareFunction(op, callee, rewriter))))
      return rewriter.notifyMatchFailure(op, "the name has another type");

    Type type = getElementTypeOrSelf(op.getType());
    auto body = [&](OpBuilder &builder, Location loc, ValueRange in) {
      if (function->build)
        return SmallVector<Value>{function->build(builder, loc, in, type)};
      auto call =
          func::CallOp::create(builder, loc, callee, TypeRange(type), in);
      return SmallVector<Value>(call.getResults());
    };
    rewriter.replaceOp(op,
                       mapElements(rewriter, op.getLoc(), op->getResultTypes(),
                                   adaptor.getOperands(), body));
    return success();
  }
};

} // namespace

void triton_shared::populateTritonTensorsToLinalgExtern(
    RewritePatternSet &patterns, ConversionTarget &target) {
  patterns.add<LowerExtern>(patterns.getContext());
  target.addLegalDialect<func::FuncDialect>();
}
