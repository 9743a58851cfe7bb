//===- PtxWriter.cpp - From the LLVM dialect to PTX -----------------------===//
//
// The GPU's half of LLVM: translation, NVIDIA's library of functions, the usual
// optimisations, PTX.
//
//===----------------------------------------------------------------------===//

#include "triton-shared/Target/PtxWriter.h"
#include "ConditionBits.h"
#include "ConditionFloats.h"
#include "FreshAccumulators.h"
#include "LateAddresses.h"
#include "LlvmMessages.h"
#include "Machines.h"
#include "NarrowPairs.h"
#include "Optimise.h"
#include "SharedDivisors.h"
#include "ShortFactors.h"
#include "ShortIntegers.h"
#include "ShortLives.h"
#include "WholeProducts.h"
#include "WidenSelects.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "triton-shared/Target/DeviceLibrary.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace mlir;
using namespace mlir::triton_shared;

static constexpr StringLiteral kTriple = "nvptx64-nvidia-cuda";

/// A function of the library that the kernels call and nobody defines yet; null
/// if there is none.
static const llvm::Function *findMissing(const llvm::Module &module) {
  for (const llvm::Function &function : module)
    if (function.isDeclaration() &&
        function.getName().starts_with(kDeviceFunctionPrefix))
      return &function;
  return nullptr;
}

/// Takes what is called from NVIDIA's library. Gives what is wrong, or nothing.
static std::string linkLibrary(llvm::Module &module, const CudaTools &tools) {
  if (!findMissing(module))
    return "";
  if (tools.libdevice.empty())
    return "calls functions of libdevice, which was not found";
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> library =
      llvm::getLazyIRFileModule(tools.libdevice, problem, module.getContext());
  if (!library)
    return "cannot read '" + tools.libdevice +
           "': " + problem.getMessage().str();
  library->setTargetTriple(module.getTargetTriple());
  library->setDataLayout(module.getDataLayout());
  if (llvm::Linker::linkModules(module, std::move(library),
                                llvm::Linker::Flags::LinkOnlyNeeded))
    return "does not fit together with '" + tools.libdevice + "'";
  if (const llvm::Function *missing = findMissing(module))
    return "calls '" + missing->getName().str() +
           "', which is no function of '" + tools.libdevice + "'";
  llvm::internalizeModule(module, [](const llvm::GlobalValue &value) {
    auto *function = dyn_cast<llvm::Function>(&value);
    return !function ||
           function->getCallingConv() == llvm::CallingConv::PTX_Kernel;
  });
  return "";
}

/// True for what all lanes of a warp do together.
static bool isWarpWide(const llvm::CallBase &call) {
  const llvm::Function *callee = call.getCalledFunction();
  return callee && (callee->getName().starts_with("llvm.nvvm.ldmatrix.sync.") ||
                    callee->getName().starts_with("llvm.nvvm.stmatrix.sync.") ||
                    callee->getName().starts_with("llvm.nvvm.mma."));
}

/// Keeps it out of branches that only some lanes take: LLVM does not know of
/// matrix accesses and products that they must not move there.
static void markWarpWide(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : block)
        if (auto *call = dyn_cast<llvm::CallBase>(&instruction))
          if (isWarpWide(*call))
            call->setConvergent();
}

static void limitRegisters(llvm::Module &module, unsigned limit) {
  for (llvm::Function &function : module)
    if (function.getCallingConv() == llvm::CallingConv::PTX_Kernel)
      function.addFnAttr("nvvm.maxnreg", llvm::utostr(limit));
}

static gpu::GPUModuleOp findKernels(ModuleOp module) {
  auto kernels = module.getOps<gpu::GPUModuleOp>();
  return kernels.empty() ? nullptr : *kernels.begin();
}

/// The kernels as LLVM IR for `machine`, with the library's functions that they
/// call; null after an error.
static std::unique_ptr<llvm::Module>
translate(gpu::GPUModuleOp kernels, llvm::LLVMContext &context,
          const llvm::TargetMachine &machine, const CudaTools &tools) {
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
  kernels.getContext()->appendDialectRegistry(registry);
  auto module = kernels->getParentOfType<ModuleOp>();
  std::unique_ptr<llvm::Module> llvmModule =
      translateModuleToLLVMIR(kernels, context, "kernel");
  if (!llvmModule) {
    module.emitError("cannot be translated to LLVM IR");
    return nullptr;
  }
  llvmModule->setTargetTriple(machine.getTargetTriple());
  llvmModule->setDataLayout(machine.createDataLayout());
  std::string problem = linkLibrary(*llvmModule, tools);
  if (problem.empty())
    return llvmModule;
  module.emitError() << problem;
  return nullptr;
}

std::optional<PtxCode> triton_shared::writePtx(ModuleOp module,
                                               const CompileTarget &target,
                                               const CudaTools &tools) {
  std::string error;
  std::unique_ptr<llvm::TargetMachine> machine =
      createGpuMachine(llvm::Triple(kTriple), target, error);
  gpu::GPUModuleOp kernels = findKernels(module);
  if (!machine || !kernels) {
    emitError(module.getLoc(), "cannot make PTX: ")
        << (machine ? "it holds no kernels for a GPU" : error);
    return std::nullopt;
  }
  llvm::LLVMContext context;
  LlvmMessages messages(context);
  std::unique_ptr<llvm::Module> llvmModule =
      translate(kernels, context, *machine, tools);
  if (!llvmModule)
    return std::nullopt;
  markWarpWide(*llvmModule);
  // What NVVM's library asks for.
  llvmModule->addModuleFlag(llvm::Module::Override, "nvvm-reflect-ftz",
                            uint32_t(target.flushesDenormals));
  if (target.maxRegisters)
    limitRegisters(*llvmModule, target.maxRegisters);
  // What can be computed as vectors comes as vectors.
  llvm::PipelineTuningOptions tuning;
  tuning.SLPVectorization = false;
  optimise(*llvmModule, *machine, llvm::OptimizationLevel::O3, tuning);
  llvmModule = shortenLives(std::move(llvmModule), *machine);
  delayAddresses(*llvmModule);
  compareAsConditions(*llvmModule);
  chooseConditionFloats(*llvmModule);
  multiplyOnce(*llvmModule);
  multiplyShort(*llvmModule);
  divideOnce(*llvmModule);
  widenSelects(*llvmModule);
  refreshAccumulators(*llvmModule);

  PtxCode code;
  code.llvmIrLines = printWithLines(*llvmModule, code.llvmIr);
  SmallString<0> ptx;
  if (!emitCode(*llvmModule, *machine, llvm::CodeGenFileType::AssemblyFile,
                ptx)) {
    module.emitError("cannot make PTX: this LLVM writes none");
    return std::nullopt;
  }
  if (messages.hasErrors()) {
    module.emitError("cannot make PTX: ") << messages.describe();
    return std::nullopt;
  }
  code.ptx = ptx.str().str();
  separateNarrowPairs(code.ptx);
  rewriteShortIntegers(code.ptx);
  return code;
}
