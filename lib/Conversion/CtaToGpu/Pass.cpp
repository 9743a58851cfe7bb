//===- Pass.cpp - cta-to-gpu ----------------------------------------------===//

#include "SharedMemory.h"
#include "Topics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"
#include "triton-shared/Analysis/Divisibility.h"
#include "triton-shared/Conversion/LinalgToGpu.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "triton-shared/Transforms/TileNeighbours.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CTATOGPU
#include "triton-shared/Conversion/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

static constexpr unsigned kGlobalSpace = 1;

void triton_shared::addThreadConversion(TypeConverter &types) {
  types.addConversion(getRegisterType);
  types.addConversion([](RankedTensorType type) -> Type {
    cta::LayoutAttr layout = cta::getLayoutAttr(type);
    if (!layout)
      return nullptr;
    return VectorType::get({layout.getLayout().getNumRegisters()},
                           getRegisterType(type.getElementType()));
  });
  types.addConversion([](UnrankedMemRefType type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext(), kGlobalSpace);
  });
  auto toSharedPointer = [](auto type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext(), kSharedSpace);
  };
  types.addConversion(
      [=](cta::BufferType type) -> Type { return toSharedPointer(type); });
  types.addConversion(
      [=](cta::MbarriersType type) -> Type { return toSharedPointer(type); });
}

/// What each topic turns into what threads do.
static void addTopics(const TypeConverter &types, const AccessWidths &widths,
                      const SharedComparisons &comparisons,
                      const ThreadProducts &products,
                      RewritePatternSet &patterns) {
  populateCtaToGpuElementwise(types, patterns);
  populateCtaToGpuDivisions(types, patterns);
  populateCtaToGpuFloat4(types, patterns);
  populateCtaToGpuFloat8(types, patterns);
  populateCtaToGpuInteger8(types, patterns);
  populateCtaToGpuComparisons(types, comparisons, patterns);
  populateCtaToGpuShapes(types, patterns);
  populateCtaToGpuExchange(types, patterns);
  populateCtaToGpuReduce(types, patterns);
  populateCtaToGpuScan(types, patterns);
  populateCtaToGpuHistogram(types, patterns);
  populateCtaToGpuBuffers(types, patterns);
  populateCtaToGpuCopies(types, widths, patterns);
  populateCtaToGpuBoxes(types, patterns);
  populateCtaToGpuTensorMaps(types, patterns);
  populateCtaToGpuAllTurns(types, patterns);
  populateCtaToGpuSpecialize(types, patterns);
  populateCtaToGpuDot(types, products, patterns);
  populateCtaToGpuMatrixDot(types, patterns);
  populateCtaToGpuWarpgroupDot(types, patterns);
  populateCtaToGpuAtomics(types, patterns);
  populateCtaToGpuVectorUpdates(types, widths, patterns);
  populateCtaToGpuMachineRegisters(types, patterns);
  populateCtaToGpuMessages(types, patterns);
  populateCtaToGpuAccesses(types, widths, patterns);
}

/// Others are made exact before approximations are allowed.
static void keepApproximateRoots(const TypeConverter &types,
                                 ConversionTarget &target) {
  target.addDynamicallyLegalOp<math::SqrtOp>([&](math::SqrtOp op) {
    return op->hasAttr(tts::kIsApproximate) && types.isLegal(op.getOperation());
  });
}

namespace {

struct CtaToGpu : triton_shared::impl::CtaToGpuBase<CtaToGpu> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    // The hints that widths follow from stand on the functions' arguments.
    AccessWidths widths;
    SharedComparisons comparisons;
    if (failed(analyse(widths, comparisons)))
      return signalPassFailure();
    markTraps(module);
    expandFloat8(module);
    outlineKernels(module);
    makeTensorMaps(module);
    shareUniformScalars(module);

    ThreadProducts products = countThreadProducts(module);
    TypeConverter types;
    addThreadConversion(types);
    RewritePatternSet patterns(&getContext());
    ConversionTarget target(getContext());
    addTopics(types, widths, comparisons, products, patterns);
    populateFunctionOpInterfaceTypeConversionPattern<gpu::GPUFuncOp>(patterns,
                                                                     types);
    scf::populateSCFStructuralTypeConversionsAndLegality(types, patterns,
                                                         target);
    target.addIllegalDialect<cta::CTADialect, tts::TTSDialect>();
    keepApproximateRoots(types, target);
    target.addLegalDialect<LLVM::LLVMDialect, NVVM::NVVMDialect,
                           vector::VectorDialect>();
    target.addDynamicallyLegalOp<gpu::GPUFuncOp>([&](gpu::GPUFuncOp op) {
      return types.isSignatureLegal(op.getFunctionType());
    });
    target.markUnknownOpDynamicallyLegal([&](Operation *op) {
      return types.isLegal(op) && !isBarrierOfProgram(op);
    });
    if (failed(applyPartialConversion(module, target, std::move(patterns))) ||
        reportLeftovers())
      return signalPassFailure();
    dropTargets();
  }

private:
  /// No later phase knows attributes of `cta`, but those of builtin types.
  void dropTargets() {
    getOperation().walk(
        [](gpu::GPUFuncOp kernel) { kernel->removeAttr(cta::kTarget); });
  }

  LogicalResult analyse(AccessWidths &widths, SharedComparisons &comparisons) {
    DataFlowSolver solver;
    if (failed(runDivisibilityAnalysis(solver, getOperation())))
      return failure();
    getOperation().walk([&](tts::AccessOpInterface access) {
      if (access.getTileType())
        widths[access] = describeWidth(solver, access);
    });
    getOperation().walk([&](arith::CmpIOp op) {
      if (isa<RankedTensorType>(op.getType()))
        if (std::optional<SharedComparison> found =
                findSharedComparison(solver, op))
          comparisons.insert({op, *found});
    });
    return success();
  }

  bool reportLeftovers() {
    WalkResult result = getOperation().walk([](Operation *op) {
      if (!isa_and_nonnull<cta::CTADialect, tts::TTSDialect>(op->getDialect()))
        return WalkResult::advance();
      op->emitOpError("has no form for the threads of a GPU yet").attachNote()
          << "the CPU can run this kernel: use device \"cpu\"";
      return WalkResult::interrupt();
    });
    return result.wasInterrupted();
  }
};

} // namespace
