//===- MarkGpuProducts.cpp - Which instructions a GPU would have ----------===//
//
// Only the way to a GPU itself knows what computes a product there. A copy of
// the module goes that way until instructions are chosen, and the products of
// this one are told what has become of theirs.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"
#include "mlir/Pass/PassManager.h"
#include "triton-shared/Conversion/GpuProduct.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "triton-shared/Pipelines/LinalgToGpu.h"
#include "triton-shared/Target/TensorCores.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_LINALGMARKGPUPRODUCTS
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

/// True for a product of floats: those of integers are exact in any order.
static bool isFloatProduct(linalg::LinalgOp op) {
  return isa<linalg::MatmulOp, linalg::BatchMatmulOp>(op) &&
         isa<FloatType>(getElementTypeOrSelf(op.getDpsInits().front()));
}

/// What an instruction reads `operand` of `dot` as.
static std::string nameOperand(cta::DotOp dot, Value operand) {
  StringRef name = nameFormat(getElementTypeOrSelf(operand));
  if (name != "f32" || !dot.getInstruction())
    return name.str();
  // `mma.sync` gets rounded operands, `wgmma` reads them from memory.
  return dot.getMma() ? "tf32-nearest" : "tf32-cut";
}

/// The word of TensorCores.def for operands of `dot`.
static StringRef nameInTable(StringRef format) {
  return format.starts_with("tf32")             ? "tf32"
         : format == "e4m3" || format == "e5m2" ? "f8"
                                                : format;
}

/// What becomes of `op` on `gpu`, which is `dot` there; nothing if it is not
/// known.
static std::optional<GpuProduct> describe(linalg::LinalgOp op, cta::DotOp dot,
                                          const GpuTarget &gpu) {
  GpuProduct product;
  product.left = nameOperand(dot, dot.getA());
  product.right = nameOperand(dot, dot.getB());
  // Few rows are computed transposed (`cta-swap-operands`).
  auto type = cast<ShapedType>(op->getResult(0).getType());
  if (cta::getTile(dot.getResult()).getShape() != type.getShape())
    std::swap(product.left, product.right);
  product.sum = nameFormat(getElementTypeOrSelf(dot.getType())).str();
  // The tensor cores of f64 do one product after the other, too.
  if (!dot.getInstruction() || product.sum == "f64")
    return product;
  product.instruction = dot.getWgmma() ? "wgmma" : "mma";
  const TensorCore *core = findTensorCore(
      gpu, product.instruction, nameInTable(product.left), product.sum);
  if (!core)
    return std::nullopt;
  product.block = core->block;
  product.fraction = core->fraction;
  product.result = core->result;
  product.part = dot.getPartialDepth().value_or(0);
  return product;
}

namespace {

struct LinalgMarkGpuProducts
    : triton_shared::impl::LinalgMarkGpuProductsBase<LinalgMarkGpuProducts> {
  using LinalgMarkGpuProductsBase::LinalgMarkGpuProductsBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    OpPassManager way(ModuleOp::getOperationName());
    buildInstructions(way, CompileTarget());
    way.getDependentDialects(registry);
  }

  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> products;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (isFloatProduct(op))
        products.push_back(op);
    });
    if (products.empty())
      return;
    Builder builder(&getContext());
    for (auto [number, op] : llvm::enumerate(products))
      op->setAttr(tts::kProductNumber, builder.getI64IntegerAttr(number));
    if (failed(followCopy(products)))
      signalPassFailure();
    for (linalg::LinalgOp op : products)
      op->removeAttr(tts::kProductNumber);
  }

private:
  /// Sends a copy of the module on its way, and marks `products`.
  LogicalResult followCopy(ArrayRef<linalg::LinalgOp> products) {
    auto module = cast<ModuleOp>(getOperation());
    CompileTarget target;
    target.cudaArch = gpu;
    target.numWarps = numWarps;
    OpPassManager way(ModuleOp::getOperationName());
    buildInstructions(way, target);
    ModuleOp copy = module.clone();
    module.push_back(copy);
    LogicalResult result = runPipeline(way, copy);
    if (succeeded(result))
      result = mark(products, copy, target.getGpu());
    copy.erase();
    return result;
  }

  LogicalResult mark(ArrayRef<linalg::LinalgOp> products, ModuleOp copy,
                     const GpuTarget &target) {
    SmallVector<cta::DotOp> found(products.size());
    copy.walk([&](cta::DotOp dot) {
      if (auto number = dot->getAttrOfType<IntegerAttr>(tts::kProductNumber))
        found[number.getInt()] = dot;
    });
    for (auto [op, dot] : llvm::zip_equal(products, found)) {
      if (!dot)
        return op->emitError("a matrix product has no counterpart on the GPU "
                             "whose products are to be repeated");
      for (Value operand : op->getOperands())
        if (nameFormat(getElementTypeOrSelf(operand)).empty())
          return op->emitError("a matrix product of ")
                 << getElementTypeOrSelf(operand)
                 << " cannot be repeated bit by bit";
      std::optional<GpuProduct> product = describe(op, dot, target);
      if (!product)
        return op->emitError("it is not known how tensor cores of 'sm_")
               << gpu << "' add up " << getElementTypeOrSelf(dot.getA())
               << " by '" << dot.getInstructionAttr()
               << "'; with dot=plain a CPU adds up in its own order";
      op->setAttr(tts::kGpuProduct, product->encode(&getContext()));
    }
    return success();
  }
};

} // namespace
