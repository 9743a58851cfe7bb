//===- Machines.cpp - LLVM's targets and what they emit -------------------===//

#include "Machines.h"

#include "Optimise.h"

#include "triton-shared/Target/CpuTarget.h"
#include "triton-shared/Target/KnownGpus.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

using namespace mlir::triton_shared;

/// The version of PTX that our code needs: ptxas of CUDA 12.7 and later reads
/// it.
static constexpr unsigned kPtxVersion = 86;

std::unique_ptr<llvm::TargetMachine> mlir::triton_shared::createCpuMachine(
    const llvm::Triple &triple, llvm::StringRef cpu, llvm::StringRef features,
    std::string &error) {
  initializeCpuBackEnd();
  const llvm::Target *found = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!found)
    return nullptr;
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return std::unique_ptr<llvm::TargetMachine>(found->createTargetMachine(
      triple, cpu, features, options, llvm::Reloc::PIC_, /*CM=*/std::nullopt,
      llvm::CodeGenOptLevel::Aggressive, /*JIT=*/true));
}

/// A machine that writes the version of PTX in `features`; if that is empty,
/// the least one that LLVM has for the architecture.
static std::unique_ptr<llvm::TargetMachine>
createGpuMachine(const llvm::Target &found, const llvm::Triple &triple,
                 const CompileTarget &target, llvm::StringRef features) {
  llvm::TargetOptions options;
  options.AllowFPOpFusion = target.fusesMultiplyAdd && !target.isPrecise
                                ? llvm::FPOpFusion::Fast
                                : llvm::FPOpFusion::Strict;
  return std::unique_ptr<llvm::TargetMachine>(found.createTargetMachine(
      triple, "sm_" + target.cudaArch, features, options,
      /*RM=*/std::nullopt, /*CM=*/std::nullopt,
      llvm::CodeGenOptLevel::Aggressive));
}

/// The least version of PTX that `machine` can write. LLVM has it in no table:
/// it stands in what is written.
static unsigned readLeastPtxVersion(llvm::TargetMachine &machine) {
  llvm::LLVMContext context;
  llvm::Module module("empty", context);
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  llvm::SmallString<0> text;
  emitCode(module, machine, llvm::CodeGenFileType::AssemblyFile, text);
  llvm::StringRef version = text.str().split(".version ").second;
  unsigned major = 0, minor = 0;
  version.consumeInteger(10, major);
  version.consume_front(".");
  version.consumeInteger(10, minor);
  return 10 * major + minor;
}

/// The same, read once for each architecture.
static unsigned getLeastPtxVersion(llvm::TargetMachine &machine) {
  static std::mutex mutex;
  static llvm::StringMap<unsigned> versions;
  std::lock_guard<std::mutex> lock(mutex);
  unsigned &version = versions[machine.getTargetCPU()];
  if (!version)
    version = readLeastPtxVersion(machine);
  return version;
}

/// True if LLVM can write `version` at all.
static bool isKnownPtxVersion(const llvm::TargetMachine &machine,
                              unsigned version) {
  std::string feature = "ptx" + std::to_string(version);
  return llvm::any_of(machine.getMCSubtargetInfo()->getAllProcessorFeatures(),
                      [&](const llvm::SubtargetFeatureKV &known) {
                        return feature == known.Key;
                      });
}

static std::string describePtxVersion(unsigned version) {
  return std::to_string(version / 10) + "." + std::to_string(version % 10);
}

std::unique_ptr<llvm::TargetMachine>
mlir::triton_shared::createGpuMachine(const llvm::Triple &triple,
                                      const CompileTarget &target,
                                      std::string &error) {
  initializeGpuBackEnd();
  const llvm::Target *found = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!found)
    return nullptr;
  // LLVM takes what it does not know for something else, or ends the process.
  if (!isKnownGpu(target.cudaArch)) {
    error = "there is no GPU target 'cuda:" + target.cudaArch +
            "'; there are " + listGpus();
    return nullptr;
  }
  auto least = ::createGpuMachine(*found, triple, target, /*features=*/"");
  unsigned needed = std::max(kPtxVersion, getLeastPtxVersion(*least));
  unsigned version = target.ptxVersion ? target.ptxVersion : needed;
  if (version < needed || !isKnownPtxVersion(*least, version)) {
    error = "PTX " + describePtxVersion(version) + " is " +
            (version < needed ? "too old" : "unknown") + " for sm_" +
            target.cudaArch + ", which needs PTX " + describePtxVersion(needed);
    return nullptr;
  }
  return ::createGpuMachine(*found, triple, target,
                            "+ptx" + std::to_string(version));
}

namespace {

/// The instructions of a function, and the addresses that it computes, from
/// which on passes are left out that compare each of its accesses with many
/// others: they took 33 of the 36 s for 1000 gathers, and 5.5 of the 6 s for
/// 1200 accesses of a wide tile. Kernels that people write have fewer.
constexpr unsigned kManyInstructions = 8192;
constexpr unsigned kManyAddresses = 512;

/// Leaves them out on the way to machine code, which an LLVMContext is asked
/// about.
class LongCodeGate : public llvm::OptPassGate {
public:
  bool isEnabled() const override { return true; }
  bool shouldRunPass(llvm::StringRef pass, llvm::StringRef) const override {
    return pass != "slsr" && pass != "gvn";
  }
};

} // namespace

bool mlir::triton_shared::emitCode(llvm::Module &module,
                                   llvm::TargetMachine &machine,
                                   llvm::CodeGenFileType type,
                                   llvm::SmallVectorImpl<char> &code) {
  LongCodeGate gate;
  llvm::LLVMContext &context = module.getContext();
  llvm::OptPassGate &usual = context.getOptPassGate();
  llvm::scope_exit restore([&] { context.setOptPassGate(usual); });
  if (hasMoreInstructions(module, kManyInstructions) ||
      hasManyOf(module, kManyAddresses, llvm::IsaPred<llvm::GetElementPtrInst>))
    context.setOptPassGate(gate);
  llvm::raw_svector_ostream stream(code);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, /*DwoOut=*/nullptr, type))
    return false;
  passes.run(module);
  return true;
}
