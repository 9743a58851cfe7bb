//===- Machines.cpp - LLVM's targets and what they emit -------------------===//

#include "Machines.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

using namespace mlir::triton_shared;

/// The version of PTX we write: ptxas of CUDA 12.6 and later reads it.
static constexpr llvm::StringLiteral kPtxFeature = "+ptx86";

std::unique_ptr<llvm::TargetMachine> mlir::triton_shared::createCpuMachine(
    const llvm::Triple &triple, llvm::StringRef cpu, llvm::StringRef features,
    std::string &error) {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
  });
  const llvm::Target *found = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!found)
    return nullptr;
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return std::unique_ptr<llvm::TargetMachine>(found->createTargetMachine(
      triple, cpu, features, options, llvm::Reloc::PIC_, /*CM=*/std::nullopt,
      llvm::CodeGenOptLevel::Aggressive, /*JIT=*/true));
}

std::unique_ptr<llvm::TargetMachine>
mlir::triton_shared::createGpuMachine(const llvm::Triple &triple,
                                      const CompileTarget &target,
                                      std::string &error) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  const llvm::Target *found = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!found)
    return nullptr;
  llvm::TargetOptions options;
  options.AllowFPOpFusion =
      target.isPrecise ? llvm::FPOpFusion::Strict : llvm::FPOpFusion::Fast;
  return std::unique_ptr<llvm::TargetMachine>(found->createTargetMachine(
      triple, "sm_" + target.cudaArch, kPtxFeature, options,
      /*RM=*/std::nullopt, /*CM=*/std::nullopt,
      llvm::CodeGenOptLevel::Aggressive));
}

bool mlir::triton_shared::emitCode(llvm::Module &module,
                                   llvm::TargetMachine &machine,
                                   llvm::CodeGenFileType type,
                                   llvm::SmallVectorImpl<char> &code) {
  llvm::raw_svector_ostream stream(code);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, /*DwoOut=*/nullptr, type))
    return false;
  passes.run(module);
  return true;
}
