//===- IrCode.cpp - From the text of LLVM IR to code ----------------------===//
//
// For texts that somebody has changed, or that a tool hands on: the usual way
// has the module in memory and prints it on the way.
//
//===----------------------------------------------------------------------===//

#include "triton-shared/Target/IrCode.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>

using namespace mlir::triton_shared;

static void initializeTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
}

/// The machine of a module's triple. Functions for a CPU carry its name and its
/// features; those for a GPU do not.
static std::unique_ptr<llvm::TargetMachine>
createMachine(const llvm::Module &module, const CompileTarget &target,
              std::string &error) {
  const llvm::Triple &triple = module.getTargetTriple();
  if (triple.isNVPTX() != target.isGpu()) {
    error = "the LLVM IR is for '" + triple.str() + "', the target is " +
            (target.isGpu() ? "a GPU" : "the CPU");
    return nullptr;
  }
  const llvm::Target *found = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!found)
    return nullptr;
  llvm::TargetOptions options;
  bool contracts = target.isGpu() && !target.isPrecise;
  options.AllowFPOpFusion =
      contracts ? llvm::FPOpFusion::Fast : llvm::FPOpFusion::Strict;
  std::string cpu = target.isGpu() ? "sm_" + target.cudaArch : "";
  std::optional<llvm::Reloc::Model> relocation;
  if (!target.isGpu())
    relocation = llvm::Reloc::PIC_;
  return std::unique_ptr<llvm::TargetMachine>(found->createTargetMachine(
      triple, cpu, target.isGpu() ? "+ptx86" : "", options, relocation,
      /*CM=*/std::nullopt, llvm::CodeGenOptLevel::Aggressive,
      /*JIT=*/!target.isGpu()));
}

std::optional<llvm::SmallString<0>> mlir::triton_shared::writeCodeOfIr(
    llvm::StringRef text, const CompileTarget &target, std::string &error) {
  initializeTargets();
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> module =
      llvm::parseAssemblyString(text, problem, context);
  llvm::raw_string_ostream report(error);
  if (!module) {
    problem.print("llir", report, /*ShowColors=*/false);
    return std::nullopt;
  }
  if (llvm::verifyModule(*module, &report))
    return std::nullopt;
  std::unique_ptr<llvm::TargetMachine> machine =
      createMachine(*module, target, error);
  if (!machine)
    return std::nullopt;
  llvm::SmallString<0> code;
  llvm::raw_svector_ostream stream(code);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, /*DwoOut=*/nullptr,
                                   target.isGpu()
                                       ? llvm::CodeGenFileType::AssemblyFile
                                       : llvm::CodeGenFileType::ObjectFile)) {
    error = "no code can be made for '" + module->getTargetTriple().str() + "'";
    return std::nullopt;
  }
  passes.run(*module);
  return code;
}
