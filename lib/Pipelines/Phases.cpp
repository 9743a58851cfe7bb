//===- Phases.cpp - From one phase to the next ----------------------------===//

#include "triton-shared/Pipelines/Phases.h"

#include "CleanUp.h"
#include "LongModules.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "triton-shared/Conversion/Passes.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"
#include "triton-shared/Pipelines/LinalgToCpu.h"
#include "triton-shared/Pipelines/LinalgToGpu.h"
#include "triton-shared/Target/CpuTarget.h"
#include "triton-shared/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::triton_shared;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// In the order of the phases.
static constexpr StringLiteral kNames[] = {
    "source", "ttir", "structured", "linalg", "memref", "cta",
    "gpu",    "llir", "obj",        "ptx",    "cubin"};

StringRef triton_shared::stringifyPhase(Phase phase) {
  return kNames[static_cast<size_t>(phase)];
}

std::optional<Phase> triton_shared::symbolizePhase(StringRef name) {
  ArrayRef<StringLiteral> names(kNames);
  const auto *found = llvm::find(names.drop_front(), name);
  return found == names.end()
             ? std::nullopt
             : std::optional(static_cast<Phase>(found - names.begin()));
}

bool triton_shared::isCode(Phase phase) { return phase > Phase::Llir; }

std::string triton_shared::listPhases() {
  return llvm::join(ArrayRef(kNames).drop_front(), ", ");
}

SmallVector<StringRef> triton_shared::getWay(const CompileTarget &target) {
  SmallVector<StringRef> names;
  std::optional<Phase> phase = Phase::Source;
  while ((phase = getNextPhase(*phase, target)))
    names.push_back(stringifyPhase(*phase));
  return names;
}

std::string triton_shared::listWay(const CompileTarget &target) {
  return llvm::join(getWay(target), ", ");
}

std::optional<Phase> triton_shared::getNextPhase(Phase phase,
                                                 const CompileTarget &target) {
  switch (phase) {
  case Phase::Source:
    return Phase::Ttir;
  case Phase::Ttir:
    return Phase::Structured;
  case Phase::Structured:
    return Phase::Linalg;
  case Phase::Linalg:
    return target.isGpu() ? Phase::Cta : Phase::MemRef;
  case Phase::Cta:
    return target.isGpu() ? std::optional(Phase::Gpu) : std::nullopt;
  case Phase::MemRef:
    return target.isGpu() ? std::nullopt : std::optional(Phase::Llir);
  case Phase::Gpu:
    return target.isGpu() ? std::optional(Phase::Llir) : std::nullopt;
  case Phase::Llir:
    return target.isGpu() ? Phase::Ptx : Phase::Object;
  case Phase::Ptx:
    return Phase::Cubin;
  case Phase::Object:
  case Phase::Cubin:
    return std::nullopt;
  }
  llvm_unreachable("covered switch");
}

bool triton_shared::isReachable(Phase from, Phase to,
                                const CompileTarget &target) {
  std::optional<Phase> phase = from;
  while (phase && *phase != to)
    phase = getNextPhase(*phase, target);
  return phase.has_value();
}

std::string triton_shared::describeMissingWay(Phase from, Phase to,
                                              const CompileTarget &target) {
  return ("is in phase '" + stringifyPhase(from) +
          "', which does not lead to '" + stringifyPhase(to) +
          "'; the way to " + (target.isGpu() ? "a GPU" : "the CPU") + " is " +
          listWay(target))
      .str();
}

Phase triton_shared::detectPhase(ModuleOp module) {
  bool hasTriton = false, hasTritonMemory = false, hasStructured = false;
  bool hasLlvmFunction = false, isStructuredFunction = true;
  bool hasTile = false, hasGpuFunction = false;
  module.walk([&](Operation *op) {
    hasLlvmFunction |= isa<LLVM::LLVMFuncOp>(op);
    hasGpuFunction |= isa<gpu::GPUFuncOp>(op);
    hasTile |= op->hasAttr(cta::kNumWarps) && isa<func::FuncOp>(op);
    if (isa_and_nonnull<tts::TTSDialect>(op->getDialect()))
      hasStructured = true;
    if (!isa_and_nonnull<triton::TritonDialect>(op->getDialect()))
      return;
    hasTriton = true;
    hasTritonMemory |=
        isa<triton::LoadOp, triton::StoreOp, triton::AddPtrOp, triton::CallOp>(
            op);
    if (auto function = dyn_cast<triton::FuncOp>(op))
      isStructuredFunction &= function.getBody().hasOneBlock();
  });
  if (hasTriton)
    return hasStructured && !hasTritonMemory && isStructuredFunction
               ? Phase::Structured
               : Phase::Source;
  if (hasTile)
    return Phase::Cta;
  if (hasGpuFunction)
    return Phase::Gpu;
  if (hasStructured)
    return Phase::Linalg;
  return hasLlvmFunction ? Phase::Llir : Phase::MemRef;
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

static void buildTtir(OpPassManager &manager, const CompileTarget &target) {
  manager.addPass(createTritonStructureControlFlow());
  manager.addPass(createTritonInlineCalls());
  // Hints stand on operations that are folded later.
  if (target.checksAccesses && target.checksValues && !target.isGpu())
    manager.addPass(createTritonCheckValues());
  addCleanUp(manager);
  manager.addPass(createTritonCombine());
  addCleanUp(manager);
  manager.addPass(createLoopInvariantCodeMotionPass());
}

static void buildStructured(OpPassManager &manager, const HandOver &handOver) {
  manager.addPass(createTritonDescriptorsToStructured());
  manager.addPass(createTritonPointersToStructured());
  addCleanUp(manager);
  if (!handOver.recoversAccesses)
    return;
  manager.addPass(createStructuredRecoverAccesses(
      {handOver.findsWraps, handOver.gathersDimensions}));
  addCleanUp(manager);
  // Strides and bounds of loop accesses have become scalar arithmetic.
  manager.addPass(createLoopInvariantCodeMotionPass());
}

static void buildLinalg(OpPassManager &manager, const CompileTarget &target,
                        const HandOver &handOver) {
  bool checks = target.checksAccesses && !target.isGpu();
  manager.addPass(createTritonTensorsToLinalg(
      {/*keepsBarriers=*/checks, handOver.keepsProgramIds,
       handOver.keepsFunctions, handOver.assertsToCf,
       /*keepsAssembly=*/target.isGpu()}));
  addCleanUp(manager);
  if (!target.isGpu() && !target.getDotGpu().empty())
    manager.addPass(createLinalgMarkGpuProducts(
        {target.getDotGpu().str(), target.numWarps}));
  if (!checks)
    return;
  manager.addPass(createStructuredCheckAccesses());
  addCleanUp(manager);
}

static void buildMemRef(OpPassManager &manager) {
  manager.addPass(createStructuredToMemRef());
  addCleanUp(manager);
}

static void addContract(OpPassManager &manager, Phase phase) {
  manager.addPass(createVerifyPhase({stringifyPhase(phase).str()}));
}

void triton_shared::buildPhase(OpPassManager &manager, Phase phase,
                               const CompileTarget &target,
                               const HandOver &handOver) {
  switch (phase) {
  case Phase::Source:
    return;
  case Phase::Ttir:
    buildTtir(manager, target);
    break;
  case Phase::Structured:
    buildStructured(manager, handOver);
    break;
  case Phase::Linalg:
    buildLinalg(manager, target, handOver);
    if (!handOver.keepsContracts())
      return;
    break;
  case Phase::MemRef:
    buildMemRef(manager);
    break;
  case Phase::Cta:
    buildLinalgToCta(manager, target);
    break;
  case Phase::Gpu:
    buildCtaToGpu(manager, target.isPrecise);
    break;
  case Phase::Llir:
    if (target.isGpu())
      buildGpuToLlvm(manager);
    else
      buildLinalgToCpu(manager, target.cpuMode, target.getCpu());
    break;
  case Phase::Object:
  case Phase::Ptx:
  case Phase::Cubin:
    llvm_unreachable("no passes lead to code");
  }
  addContract(manager, phase);
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

LogicalResult
triton_shared::followPhases(ModuleOp module, Phase last,
                            const CompileTarget &target,
                            function_ref<LogicalResult(Phase)> step) {
  assert(!isCode(last) && "passes do not lead to code");
  Phase current = detectPhase(module);
  if (!isReachable(current, last, target))
    return emitError(module.getLoc(),
                     module.getBody()->empty()
                         ? "holds no kernel: nothing stands in it"
                         : describeMissingWay(current, last, target));
  while (current != last) {
    current = *getNextPhase(current, target);
    if (failed(step(current)))
      return failure();
  }
  return success();
}

static unsigned countPhases(Phase from, Phase to, const CompileTarget &target) {
  unsigned count = 0;
  for (; from != to; from = *getNextPhase(from, target))
    ++count;
  return count;
}

LogicalResult
triton_shared::runToPhase(ModuleOp module, Phase last,
                          const CompileTarget &target, PhaseCallback reached,
                          function_ref<LogicalResult(PassManager &)> configure,
                          bool keepsWhole) {
  auto setUp = [&](PassManager &manager) {
    // Verifying is a walk over operations that do not fit into caches if the
    // kernel is long. After each pass it took a third of the time; once will
    // do.
    manager.enableVerifier(false);
    return configure ? configure(manager) : success();
  };
  auto step = [&](Phase phase) -> LogicalResult {
    PassManager manager(module.getContext());
    // The pieces of a long kernel do not know each other.
    PassManager ofPieces(module.getContext());
    bool hasPieces = phase == Phase::Llir && !target.isGpu() && !keepsWhole &&
                     isLong(module);
    if (failed(setUp(manager)) || (hasPieces && failed(setUp(ofPieces))))
      return failure();
    if (hasPieces) {
      buildLinalgToPieces(manager, target.cpuMode, target.getCpu());
      buildPiecesToLlvm(ofPieces, target.cpuMode);
      addContract(ofPieces, phase);
    } else {
      buildPhase(manager, phase, target);
    }
    auto lower = [&](ModuleOp part) { return ofPieces.run(part); };
    if (failed(manager.run(module)) ||
        (hasPieces && failed(runInParts(module, lower))) ||
        failed(verify(module)))
      return failure();
    return reached ? reached(phase, module) : success();
  };
  return followPhases(module, last, target, [&](Phase phase) {
    return runInOrder(module, countPhases(phase, last, target),
                      [&] { return step(phase); });
  });
}

LogicalResult triton_shared::dumpPhase(StringRef folder, Phase phase,
                                       ModuleOp module) {
  SmallString<128> path(folder);
  llvm::sys::path::append(path, llvm::formatv("{0:d2}.{1}.mlir",
                                              static_cast<int>(phase),
                                              stringifyPhase(phase))
                                    .str());
  std::error_code error = llvm::sys::fs::create_directories(folder);
  if (!error) {
    llvm::raw_fd_ostream stream(path, error);
    if (!error)
      module.print(stream, OpPrintingFlags().enableDebugInfo());
  }
  if (error)
    return module.emitError("cannot write '")
           << path << "': " << error.message();
  return success();
}
