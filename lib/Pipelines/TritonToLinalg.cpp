//===- TritonToLinalg.cpp - The flags that people know by name ------------===//
//
// triton-to-linalg, and what other triton-shareds call the steps on that way.
// docs/migrating.md says flag by flag what they mean here.
//
//===----------------------------------------------------------------------===//

#include "ReachPhase.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "triton-shared/Conversion/Passes.h"
#include "triton-shared/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

using Switch = mlir::detail::PassOptions::Option<bool>;

/// How accesses are looked at.
template <typename Options>
struct AccessOptions : public PassPipelineOptions<Options> {
  Switch gathersDimensions{
      *this, "enable-make-gather-scatter",
      llvm::cl::desc(
          "an access may be a list of indices in one dimension and strided in the "
          "others; else it is a gather of single elements"),
      llvm::cl::init(true)};
  Switch findsWraps{
      *this, "enable-modulo-support",
      llvm::cl::desc("an index that wraps around may be strided; else it is a "
                     "list of indices"),
      llvm::cl::init(true)};

  HandOver getHandOver() const {
    HandOver handOver;
    handOver.gathersDimensions = gathersDimensions;
    handOver.findsWraps = findsWraps;
    return handOver;
  }
};

//===----------------------------------------------------------------------===//
// All the way
//===----------------------------------------------------------------------===//

enum class Accesses { MemRef, Structured };

struct TritonToLinalgOptions : AccessOptions<TritonToLinalgOptions> {
  Option<Accesses> accesses{
      *this, "accesses",
      llvm::cl::desc("What becomes of memory accesses: memref (buffers and "
                     "copies) or structured (kept as 'tts' operations)"),
      llvm::cl::init(Accesses::MemRef),
      llvm::cl::values(
          clEnumValN(Accesses::MemRef, "memref", "upstream dialects only"),
          clEnumValN(Accesses::Structured, "structured",
                     "stop at phase 'linalg'"))};
  Switch collapsesShapes{*this, "enable-collapse-shape",
                         llvm::cl::desc("run collapse-shape at the end"),
                         llvm::cl::init(false)};
};

void buildTritonToLinalg(OpPassManager &manager, HandOver handOver,
                         const TritonToLinalgOptions &options) {
  for (Phase phase : {Phase::Ttir, Phase::Structured, Phase::Linalg})
    buildPhase(manager, phase, {}, handOver);
  if (options.accesses == Accesses::MemRef)
    buildPhase(manager, Phase::MemRef);
  if (options.collapsesShapes)
    manager.addPass(createCollapseShape());
}

void registerWholeWay() {
  PassPipelineRegistration<TritonToLinalgOptions>(
      "triton-to-linalg",
      "Lower TTIR to linalg on tensors and memrefs (phases ttir to memref)",
      [](OpPassManager &manager, const TritonToLinalgOptions &options) {
        buildTritonToLinalg(manager, options.getHandOver(), options);
      });
  PassPipelineRegistration<TritonToLinalgOptions>(
      "triton-to-linalg-experimental",
      "The same, as other triton-shareds have it: tt.assert becomes cf.assert",
      [](OpPassManager &manager, const TritonToLinalgOptions &options) {
        HandOver handOver = options.getHandOver();
        handOver.assertsToCf = true;
        buildTritonToLinalg(manager, handOver, options);
      });
}

//===----------------------------------------------------------------------===//
// Step by step
//===----------------------------------------------------------------------===//

struct TritonToStructuredOptions : AccessOptions<TritonToStructuredOptions> {
  Switch runsPrepassOnly{
      *this, "run-prepass-only",
      llvm::cl::desc("take pointers apart, but look for no strides"),
      llvm::cl::init(false)};
  Switch skipsPrepass{
      *this, "skip-prepass",
      llvm::cl::desc("nothing: the analysis follows loops by itself"),
      llvm::cl::init(false)};
  Switch usesUnsafeMask{
      *this, "use-unsafe-mask",
      llvm::cl::desc("nothing: bounds are right for empty masks, too"),
      llvm::cl::init(false)};
};

struct TritonToUnstructuredOptions
    : PassPipelineOptions<TritonToUnstructuredOptions> {
  Option<unsigned> offsetBits{
      *this, "offset-bit-width",
      llvm::cl::desc("nothing: offsets have 64 bits, so none wraps around"),
      llvm::cl::init(32)};
};

struct TritonArithToLinalgOptions
    : PassPipelineOptions<TritonArithToLinalgOptions> {
  Switch hasProgramIds{
      *this, "pids-to-func-args",
      llvm::cl::desc("program ids and grid sizes become arguments"),
      llvm::cl::init(true)};
  Switch makesFuncFunc{*this, "tt-to-func-func",
                       llvm::cl::desc("tt.func becomes func.func"),
                       llvm::cl::init(true)};
  Switch convertsAddPtr{
      *this, "addptr-to-linalg",
      llvm::cl::desc("nothing: there is no tt.addptr after the accesses "
                     "are converted, which this does first if need be"),
      llvm::cl::init(true)};
  Switch assertsToCf{
      *this, "assert-to-cf",
      llvm::cl::desc("tt.assert becomes cf.assert, else tts.assert"),
      llvm::cl::init(true)};
  Switch convertsPointers{
      *this, "tensor-ptr-to-linalg",
      llvm::cl::desc("nothing: no block of pointers is left"),
      llvm::cl::init(false)};
  Switch transposesReductions{
      *this, "transpose-reduce-to-rank0",
      llvm::cl::desc("nothing: reductions need no transposition"),
      llvm::cl::init(true)};
  Switch allocatesTensors{
      *this, "use-alloc-tensor",
      llvm::cl::desc("nothing: accumulators are tensor.empty"),
      llvm::cl::init(true)};
};

void buildTritonArithToLinalg(OpPassManager &manager,
                              const TritonArithToLinalgOptions &options) {
  HandOver handOver;
  handOver.keepsProgramIds = !options.hasProgramIds;
  handOver.keepsFunctions = !options.makesFuncFunc;
  handOver.assertsToCf = options.assertsToCf;
  manager.addPass(createReachPhase(Phase::Linalg, handOver));
}

void registerStepsToLinalg() {
  PassPipelineRegistration<TritonToStructuredOptions>(
      "triton-to-structured",
      "Make 'tts' operations with strides and bounds of all accesses",
      [](OpPassManager &manager, const TritonToStructuredOptions &options) {
        HandOver handOver = options.getHandOver();
        handOver.recoversAccesses = !options.runsPrepassOnly;
        manager.addPass(createReachPhase(Phase::Structured, handOver));
      });
  PassPipelineRegistration<TritonToUnstructuredOptions>(
      "triton-to-unstructured",
      "Make gathers and scatters by offsets of the accesses that are left",
      [](OpPassManager &manager, const TritonToUnstructuredOptions &) {
        HandOver handOver;
        handOver.recoversAccesses = false;
        manager.addPass(createReachPhase(Phase::Structured, handOver));
      });
  PassPipelineRegistration<TritonArithToLinalgOptions>(
      "triton-arith-to-linalg",
      "Convert what is computed, functions and program ids; accesses stay "
      "'tts' operations",
      buildTritonArithToLinalg);
}

/// Flags whose work is done when phase `linalg` is.
void registerStepsAfterLinalg() {
  auto reachLinalg = [](OpPassManager &manager) {
    HandOver handOver;
    handOver.assertsToCf = true;
    manager.addPass(createReachPhase(Phase::Linalg, handOver));
  };
  PassPipelineRegistration<>("triton-ptr-to-memref",
                             "Have no pointer of Triton in a signature: they "
                             "are unranked memrefs",
                             reachLinalg);
  PassPipelineRegistration<>("triton-to-ptr",
                             "Have no operation on pointers: they are offsets "
                             "from a memref",
                             reachLinalg);
  PassPipelineRegistration<>("reconcile-ptr-casts",
                             "Have no cast between pointers and memrefs: none "
                             "is made",
                             reachLinalg);
  PassPipelineRegistration<>(
      "unstructured-to-memref",
      "Lower gathers and scatters to memory, and what else accesses it",
      [=](OpPassManager &manager) {
        reachLinalg(manager);
        manager.addPass(createStructuredToMemRef());
      });
}

} // namespace

void triton_shared::registerTritonToLinalgPipelines() {
  registerReachPhase();
  registerWholeWay();
  registerStepsToLinalg();
  registerStepsAfterLinalg();
}
