//===- KernelFacts.cpp - What a launcher must know ------------------------===//

#include "triton-shared/Driver/KernelFacts.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "triton-shared/Conversion/LinalgToCpu.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::triton_shared;

/// The word for a parameter of a kernel.
static std::string describeParameter(Type type) {
  if (isa<UnrankedMemRefType, LLVM::LLVMPointerType>(type))
    return "ptr";
  std::string word;
  llvm::raw_string_ostream(word) << type;
  return word;
}

FunctionOpInterface triton_shared::findKernel(ModuleOp module) {
  for (auto kernels : module.getOps<gpu::GPUModuleOp>())
    for (auto function : kernels.getOps<gpu::GPUFuncOp>())
      if (function.isKernel())
        return function;
  for (auto function : module.getOps<FunctionOpInterface>()) {
    bool hasEntry =
        module.lookupSymbol((function.getName() + kEntrySuffix).str());
    if (!function.isExternal() && (function.isPublic() || hasEntry) &&
        !function.getName().ends_with(kEntrySuffix) &&
        function.getNumArguments() >= tts::kProgramArguments)
      return function;
  }
  return nullptr;
}

llvm::json::Object triton_shared::describeKernel(FunctionOpInterface kernel,
                                                 const CompileTarget &target) {
  llvm::json::Array args;
  // A thread of a GPU knows its program without parameters, but for the size of
  // the grid where programs share a block.
  unsigned dropped = tts::kProgramArguments;
  if (isa<gpu::GPUFuncOp>(kernel))
    dropped = kernel->hasAttr(cta::kPrograms) ? 1 : 0;
  // Late modules of mode `fast` have scratch memory behind the program's id.
  else if (isa<BaseMemRefType, LLVM::LLVMPointerType>(
               kernel.getArgumentTypes().back()))
    ++dropped;
  for (Type type : kernel.getArgumentTypes().drop_back(dropped))
    args.push_back(describeParameter(type));
  llvm::json::Object object{{"name", kernel.getName()},
                            {"args", std::move(args)}};
  object["entry"] = target.isGpu() ? kernel.getName().str()
                                   : (kernel.getName() + kEntrySuffix).str();
  return object;
}

void triton_shared::describeBlock(FunctionOpInterface kernel,
                                  const CompileTarget &target,
                                  llvm::json::Object &facts) {
  auto shared = kernel->getAttrOfType<IntegerAttr>(cta::kShared);
  if (!shared)
    return;
  facts.insert({"shared", shared.getInt()});
  facts.insert({"shared_limit", target.getSharedBytes()});
  facts.insert({"num_warps", target.numWarps});
  facts.insert({"target", "cuda:" + target.cudaArch});
  // Threads of a program, and programs.
  facts.insert(
      {"block", llvm::json::Array{*cta::getNumWarps(kernel) * cta::kWarpSize,
                                  cta::getNumPrograms(kernel)}});
}
