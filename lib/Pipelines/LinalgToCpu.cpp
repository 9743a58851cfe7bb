//===- LinalgToCpu.cpp - From phase memref to the LLVM dialect ------------===//
//
// Two ways that share their ends. In reference mode every operation becomes a
// loop nest in program order, every function a call of the C library, every
// buffer a heap block that is freed in the program that made it: results do not
// depend on the CPU. In fast mode operations become loops over vectors, and
// those that have no such form the loops of reference mode.
//
//===----------------------------------------------------------------------===//

#include "triton-shared/Pipelines/LinalgToCpu.h"

#include "CleanUp.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "triton-shared/Conversion/LinalgToCpu.h"
#include "triton-shared/Conversion/Passes.h"
#include "triton-shared/Target/CpuTarget.h"
#include "triton-shared/Target/TargetFlags.h"
#include "triton-shared/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::triton_shared;

//===----------------------------------------------------------------------===//
// Steps of both modes
//===----------------------------------------------------------------------===//

/// What is computed, as few operations on tensors as computes nothing twice.
static void buildTensors(OpPassManager &manager) {
  manager.addPass(createCpuRoundDotOperands());
  manager.addNestedPass<func::FuncOp>(createCpuStartSums());
  manager.addPass(createCpuGeneralizeProducts());
  manager.addPass(createCpuFuseElementwise());
  manager.addPass(createCpuCollapseLoops());
}

/// Tensors become buffers.
static void buildBuffers(OpPassManager &manager) {
  manager.addNestedPass<func::FuncOp>(createCpuBoundAliases());
  bufferization::OneShotBufferizePassOptions options;
  options.allowReturnAllocsFromLoops = true;
  manager.addPass(bufferization::createOneShotBufferizePass(options));
  addStructuredCleanUp(manager);
}

static void buildLoops(OpPassManager &manager) {
  manager.addPass(createCpuCallTensorCores());
  manager.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  manager.addPass(createCpuCopiesToLoops());
  manager.addPass(createLowerAffinePass());
  addStructuredCleanUp(manager);
}

/// Floats that the CPU does not compute with become f32.
static void buildFloats(OpPassManager &manager) {
  arith::ArithEmulateUnsupportedFloatsOptions floats;
  floats.sourceTypeStrs = {"f16",    "bf16",       "f8E4M3",    "f8E4M3FN",
                           "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ"};
  floats.targetTypeStr = "f32";
  manager.addPass(arith::createArithEmulateUnsupportedFloats(floats));
  manager.addPass(math::createMathExtendToSupportedTypes());
}

//===----------------------------------------------------------------------===//
// Reference mode
//===----------------------------------------------------------------------===//

/// What is long: functions of fewer operations on blocks, or of fewer buffers,
/// stay as bufferization leaves them.
static constexpr unsigned kLong = 100;

/// Each buffer is freed where its last owner ends, in long code where its last
/// use is. These are the passes of `buildBufferDeallocationPipeline`, but for
/// reallocations, which nothing makes.
static void buildDeallocation(OpPassManager &manager) {
  manager.addPass(bufferization::createOwnershipBasedBufferDeallocationPass());
  manager.addPass(createCanonicalizerPass());
  manager.addNestedPass<func::FuncOp>(createCpuSplitDeallocations({kLong}));
  manager.addPass(bufferization::createBufferDeallocationSimplificationPass());
  manager.addPass(bufferization::createLowerDeallocationsPass());
  addStructuredCleanUp(manager);
  manager.addPass(createConvertBufferizationToMemRefPass());
  manager.addNestedPass<func::FuncOp>(createCpuFreeEarly({kLong}));
}

/// Scalars: what LLVM and the CPU would not do right by themselves.
static void buildScalars(OpPassManager &manager) {
  buildFloats(manager);
  manager.addPass(createCpuOrderZeros());
  manager.addPass(arith::createArithExpandOpsPass());
  manager.addPass(createGuardIntegers());
  manager.addPass(createExpandSmallFloats());
  manager.addPass(createConvertMathToFuncs());
  manager.addPass(createCpuLowerMath());
}

static void buildReference(OpPassManager &manager) {
  buildTensors(manager);
  manager.addPass(createCpuOrderLoops());
  addStructuredCleanUp(manager);
  manager.addNestedPass<func::FuncOp>(createCpuSeparateResults({kLong}));
  buildBuffers(manager);
  buildDeallocation(manager);
  buildLoops(manager);
  buildScalars(manager);
  manager.addPass(createCpuWrapProgramLoop());
}

//===----------------------------------------------------------------------===//
// Fast mode
//===----------------------------------------------------------------------===//

/// Blocks stay where they are, in memory and in loops.
static void buildPlaces(OpPassManager &manager) {
  OpPassManager &functions = manager.nest<func::FuncOp>();
  functions.addPass(createCpuWriteInPlace());
  functions.addPass(createCpuCarryInPlace());
  functions.addPass(createCpuWidenBooleans());
  addStructuredCleanUp(manager);
}

/// Bodies are rewritten while they are scalar; then loops go from vector to
/// vector.
static void buildVectors(OpPassManager &manager, const CpuTarget &cpu) {
  manager.addPass(
      createCpuTileDots({cpu.getVectorBytes(), cpu.getVectorRegisters(),
                         cpu.hasFma(), cpu.hasBf16Pairs(), cpu.hasInt16Pairs(),
                         cpu.hasBf16Tiles(), cpu.hasInt8Tiles()}));
  buildFloats(manager);
  manager.addPass(createExpandSmallFloats());
  // Without that operation, the C library is faster than polynomials.
  if (cpu.hasFma())
    manager.addPass(createCpuExpandMath({cpu.hasScale()}));
  manager.addNestedPass<func::FuncOp>(createLinalgToVector(
      {cpu.getVectorBytes(), cpu.getStreamBytes(), cpu.hasFma()}));
  manager.addNestedPass<func::FuncOp>(createCpuSplitMaskedLoops());
}

/// Small buffers become variables, the others parts of one area.
static void buildStorage(OpPassManager &manager, const CpuTarget &cpu) {
  // The other half of the registers is for what is computed.
  int64_t bytes = cpu.getVectorBytes() * cpu.getVectorRegisters() / 2;
  manager.addNestedPass<func::FuncOp>(createCpuKeepInRegisters({bytes}));
  manager.addPass(createCpuPlaceBuffers());
}

/// As in reference mode, on scalars and vectors.
static void buildArithmetic(OpPassManager &manager) {
  manager.addPass(createCpuOrderZeros());
  manager.addPass(arith::createArithExpandOpsPass());
  manager.addPass(createGuardIntegers());
  manager.addPass(createConvertMathToFuncs());
  manager.addPass(createCpuLowerMath());
}

static void buildFast(OpPassManager &manager, const CpuTarget &cpu) {
  buildTensors(manager);
  // Elsewhere, multiplying takes much longer than reading the sum.
  if (cpu.hasBf16Tiles() || cpu.hasInt8Tiles())
    manager.addNestedPass<func::FuncOp>(createCpuUnrollDots());
  manager.addNestedPass<func::FuncOp>(createCpuTurnBlocks());
  addStructuredCleanUp(manager);
  manager.addNestedPass<func::FuncOp>(
      createCpuScansToVector({cpu.getVectorBytes(), cpu.hasFma()}));
  manager.addNestedPass<func::FuncOp>(createCpuReadInPlace());
  manager.addNestedPass<func::FuncOp>(createCpuSeparateResults());
  manager.addNestedPass<func::FuncOp>(createCpuChooseDestinations());
  buildBuffers(manager);
  buildPlaces(manager);
  buildVectors(manager, cpu);
  manager.addPass(createCpuCallRowUpdates());
  buildLoops(manager);
  buildArithmetic(manager);
  manager.addPass(createCpuWrapProgramLoop());
  buildStorage(manager, cpu);
}

//===----------------------------------------------------------------------===//
// Both
//===----------------------------------------------------------------------===//

void triton_shared::buildLinalgToPieces(OpPassManager &manager, CpuMode mode,
                                        const CpuTarget &cpu) {
  if (mode == CpuMode::Fast)
    buildFast(manager, cpu);
  else
    buildReference(manager);
  manager.addPass(createCpuSplitFunctions());
}

void triton_shared::buildPiecesToLlvm(OpPassManager &manager, CpuMode mode) {
  if (mode == CpuMode::Fast) {
    manager.addPass(createVectorTransfersToLoops());
    manager.addPass(createConvertVectorToLLVMPass());
  }
  manager.addPass(createSCFToControlFlowPass());
  manager.addPass(memref::createExpandStridedMetadataPass());
  manager.addPass(createLowerAffinePass());
  addCleanUp(manager);
  manager.addPass(createUpstreamToLlvm());
  manager.addPass(createReconcileUnrealizedCastsPass());
  manager.addPass(createCpuAllowWrap());
  manager.addPass(createCpuBFloatAsBits());
  addCleanUp(manager);
}

void triton_shared::buildLinalgToCpu(OpPassManager &manager, CpuMode mode,
                                     const CpuTarget &cpu) {
  buildLinalgToPieces(manager, mode, cpu);
  buildPiecesToLlvm(manager, mode);
}

//===----------------------------------------------------------------------===//
// The pipeline by name
//===----------------------------------------------------------------------===//

namespace {

struct LinalgToCpuOptions : PassPipelineOptions<LinalgToCpuOptions> {
#define GPU_OPTION(type, member, name, default, help)
#define CPU_OPTION(type, member, name, default, help)                          \
  Option<type> member{*this, name, llvm::cl::desc(help),                       \
                      llvm::cl::init(default), TargetOptionValues<type>()};
#include "triton-shared/Target/TargetOptions.def"
  Option<std::string> target{
      *this, "target", llvm::cl::init("host"),
      llvm::cl::desc("mode=fast: the CPU, `host` or LLVM's word for one of "
                     "x86-64 or AArch64, as `x86-64-v3` or `neoverse-v1`")};
  Option<std::string> features{
      *this, "features",
      llvm::cl::desc("mode=fast: what that CPU has besides, or lacks, as "
                     "`+avx512bf16,-fma`")};
};

} // namespace

void triton_shared::registerLinalgToCpuPipelines() {
  registerPassPipeline(
      "linalg-to-cpu",
      "Lower phase 'memref' to the LLVM dialect for a CPU (phase llir)",
      [](OpPassManager &manager, StringRef text,
         function_ref<LogicalResult(const Twine &)> reportError) {
        LinalgToCpuOptions options;
        if (failed(options.parseFromString(text)))
          return failure();
        std::string problem;
        std::optional<CpuTarget> cpu =
            CpuTarget::get(options.target, options.features, &problem);
        if (!cpu)
          return reportError(problem);
        buildLinalgToCpu(manager, options.cpuMode, *cpu);
        return success();
      },
      [](function_ref<void(const detail::PassOptions &)> show) {
        show(LinalgToCpuOptions());
      });
}
