//===- IrCode.cpp - From the text of LLVM IR to code ----------------------===//
//
// For texts that somebody has changed, or that a tool hands on: the usual way
// has the module in memory and prints it on the way.
//
//===----------------------------------------------------------------------===//

#include "triton-shared/Target/IrCode.h"
#include "LlvmMessages.h"
#include "Machines.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::triton_shared;

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
  return target.isGpu()
             ? createGpuMachine(triple, target, error)
             : createCpuMachine(triple, /*cpu=*/"", /*features=*/"", error);
}

std::optional<llvm::SmallString<0>>
mlir::triton_shared::writeCodeOfIr(llvm::StringRef text,
                                   const CompileTarget &target, bool isReadable,
                                   std::string &error) {
  llvm::LLVMContext context;
  LlvmMessages messages(context);
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
  llvm::CodeGenFileType type = target.isGpu() || isReadable
                                   ? llvm::CodeGenFileType::AssemblyFile
                                   : llvm::CodeGenFileType::ObjectFile;
  if (!emitCode(*module, *machine, type, code)) {
    error = "no code can be made for '" + module->getTargetTriple().str() + "'";
    return std::nullopt;
  }
  if (messages.hasErrors()) {
    error = messages.describe();
    return std::nullopt;
  }
  return code;
}
