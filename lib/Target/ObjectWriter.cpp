//===- ObjectWriter.cpp - From the LLVM dialect to an object file ---------===//
//
// The CPU's half of LLVM: translation, the usual optimisations, code. Floating
// point stays as written: no fused operations that the module does not ask for,
// no flushed denormals.
//
//===----------------------------------------------------------------------===//

#include "triton-shared/Target/ObjectWriter.h"
#include "LlvmMessages.h"
#include "Machines.h"
#include "Optimise.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Target/LLVMIR/LLVMTranslationInterface.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "triton-shared/Target/CpuTarget.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace mlir::triton_shared;

/// Functions carry the CPU, too: optimisations ask them, not the machine.
static void setMachine(llvm::Module &module,
                       const llvm::TargetMachine &machine) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    function.addFnAttr("target-features", machine.getTargetFeatureString());
  }
}

/// The instructions of the longest function whose loops are unrolled. A
/// function of one block of tens of thousands takes LLVM's schedulers seconds.
static constexpr uint64_t kMostUnrolled = 4000;

/// About how many instructions `instruction` becomes: LLVM counts an access by
/// lanes as one, and unrolls loops over them into long blocks.
static uint64_t countCode(const llvm::Instruction &instruction) {
  auto *access = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (!access)
    return 1;
  llvm::Type *type = nullptr;
  if (access->getIntrinsicID() == llvm::Intrinsic::masked_gather)
    type = access->getType();
  else if (access->getIntrinsicID() == llvm::Intrinsic::masked_scatter)
    type = access->getArgOperand(0)->getType();
  auto *vector = llvm::dyn_cast_or_null<llvm::FixedVectorType>(type);
  // An address and an access for each lane.
  return vector ? 2 * vector->getNumElements() : 1;
}

/// Long code is not made longer.
static llvm::PipelineTuningOptions tuneFor(const llvm::Module &module) {
  uint64_t size = 0;
  for (const llvm::Function &function : module)
    for (const llvm::Instruction &instruction : llvm::instructions(function))
      size += countCode(instruction);
  llvm::PipelineTuningOptions tuning;
  tuning.LoopUnrolling = size <= kMostUnrolled;
  return tuning;
}

std::optional<CpuObject> triton_shared::writeObject(ModuleOp module,
                                                    const CpuTarget &cpu) {
  llvm::Triple host(llvm::sys::getDefaultTargetTriple());
  if (cpu.getTriple().getArch() != host.getArch()) {
    InFlightDiagnostic error = module.emitError("no object file can be made ");
    error << "here for the CPU '" << cpu.getName() << "'";
    error.attachNote() << "this machine is of the kind " << host.getArchName()
                       << "; triton-shared-opt --to-phase=llir makes what "
                          "mlir-translate and llc take on";
    return std::nullopt;
  }
  if (!module.getOps<gpu::GPUModuleOp>().empty()) {
    emitError(module.getLoc(), "holds kernels for a GPU, of which no object "
                               "file for a CPU can be made");
    return std::nullopt;
  }
  std::string error;
  std::unique_ptr<llvm::TargetMachine> machine = createCpuMachine(
      cpu.getTriple(), cpu.getName(), cpu.getFeatures(), error);
  if (!machine) {
    module.emitError("cannot make code for this machine: ") << error;
    return std::nullopt;
  }
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  // The names of hidden parameters say nothing to LLVM: as without this, but
  // without a warning.
  registry.addExtension(+[](MLIRContext *, tts::TTSDialect *dialect) {
    dialect->addInterfaces<LLVMTranslationDialectInterface>();
  });
  module.getContext()->appendDialectRegistry(registry);
  llvm::LLVMContext context;
  LlvmMessages messages(context);
  std::unique_ptr<llvm::Module> llvmModule =
      translateModuleToLLVMIR(module, context, "kernel");
  if (!llvmModule) {
    module.emitError("cannot be translated to LLVM IR");
    return std::nullopt;
  }
  setMachine(*llvmModule, *machine);
  optimise(*llvmModule, *machine, llvm::OptimizationLevel::O2,
           tuneFor(*llvmModule));
  CpuObject result;
  result.llvmIrLines = printWithLines(*llvmModule, result.llvmIr);
  if (!emitCode(*llvmModule, *machine, llvm::CodeGenFileType::ObjectFile,
                result.object)) {
    module.emitError("this machine has no object files");
    return std::nullopt;
  }
  if (messages.hasErrors()) {
    module.emitError("LLVM makes no code of it: ") << messages.describe();
    return std::nullopt;
  }
  return result;
}
