//===- ObjectWriter.cpp - From the LLVM dialect to an object file ---------===//
//
// The host's half of LLVM: translation, the usual optimisations, code for the
// CPU of this machine. Floating point stays as written: no fused operations
// that the module does not ask for, no flushed denormals.
//
//===----------------------------------------------------------------------===//

#include "triton-shared/Target/ObjectWriter.h"
#include "Machines.h"
#include "Optimise.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

using namespace mlir;
using namespace mlir::triton_shared;

/// The features of this CPU in the syntax of LLVM, in a fixed order.
static std::string hostFeatures() {
  llvm::StringMap<bool> known = llvm::sys::getHostCPUFeatures();
  SmallVector<StringRef> names(known.keys());
  llvm::sort(names);
  llvm::SubtargetFeatures features;
  for (StringRef name : names)
    features.AddFeature(name, known.lookup(name));
  return features.getString();
}

std::string triton_shared::describeHost() {
  return llvm::sys::getDefaultTargetTriple() + " " +
         llvm::sys::getHostCPUName().str() + " " + hostFeatures();
}

/// Functions carry the CPU, too: optimisations ask them, not the machine.
static void setHost(llvm::Module &module, const llvm::TargetMachine &machine) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    function.addFnAttr("target-features", machine.getTargetFeatureString());
  }
}

std::optional<HostObject> triton_shared::writeHostObject(ModuleOp module) {
  std::string error;
  std::unique_ptr<llvm::TargetMachine> machine =
      createCpuMachine(llvm::Triple(llvm::sys::getDefaultTargetTriple()),
                       llvm::sys::getHostCPUName(), hostFeatures(), error);
  if (!machine) {
    module.emitError("cannot make code for this machine: ") << error;
    return std::nullopt;
  }
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  module.getContext()->appendDialectRegistry(registry);
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> llvmModule =
      translateModuleToLLVMIR(module, context, "kernel");
  if (!llvmModule) {
    module.emitError("cannot be translated to LLVM IR");
    return std::nullopt;
  }
  setHost(*llvmModule, *machine);
  optimise(*llvmModule, *machine, llvm::OptimizationLevel::O2);
  HostObject result;
  llvm::raw_string_ostream text(result.llvmIr);
  llvmModule->print(text, /*AAW=*/nullptr);
  if (!emitCode(*llvmModule, *machine, llvm::CodeGenFileType::ObjectFile,
                result.object)) {
    module.emitError("this machine has no object files");
    return std::nullopt;
  }
  return result;
}
