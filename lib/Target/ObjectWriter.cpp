//===- ObjectWriter.cpp - From the LLVM dialect to an object file ---------===//
//
// The host's half of LLVM: translation, the usual optimisations, code for the
// CPU of this machine. Floating point stays as written: no fused operations
// that the module does not ask for, no flushed denormals.
//
//===----------------------------------------------------------------------===//

#include "triton-shared/Target/ObjectWriter.h"
#include "Optimise.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include "llvm/TargetParser/Triple.h"

#include <mutex>

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

static std::unique_ptr<llvm::TargetMachine>
createHostMachine(std::string &error) {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
  });
  llvm::Triple triple(llvm::sys::getDefaultTargetTriple());
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, llvm::sys::getHostCPUName(), hostFeatures(), options,
      llvm::Reloc::PIC_, /*CM=*/std::nullopt, llvm::CodeGenOptLevel::Aggressive,
      /*JIT=*/true));
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

static bool emitObject(llvm::Module &module, llvm::TargetMachine &machine,
                       SmallVectorImpl<char> &object) {
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, /*DwoOut=*/nullptr,
                                  llvm::CodeGenFileType::ObjectFile))
    return false;
  passes.run(module);
  return true;
}

std::optional<HostObject> triton_shared::writeHostObject(ModuleOp module) {
  std::string error;
  std::unique_ptr<llvm::TargetMachine> machine = createHostMachine(error);
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
  if (!emitObject(*llvmModule, *machine, result.object)) {
    module.emitError("this machine has no object files");
    return std::nullopt;
  }
  return result;
}
