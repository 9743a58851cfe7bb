//===- Program.cpp - From a function to a kernel --------------------------===//

#include "Parts.h"
#include "SharedMemory.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::triton_shared;

/// The trailing arguments of a function of phase `linalg`: three sizes of the
/// grid, then three program ids.
static constexpr unsigned kProgramArguments = 6;
/// Where the array of shared memory begins: what the copy engine needs.
static constexpr unsigned kSharedAlignment = 1024;

static void createSharedArray(OpBuilder &builder, Location loc) {
  auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), 0);
  LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/false,
                         LLVM::Linkage::External, kSharedSymbol,
                         /*value=*/Attribute(), kSharedAlignment,
                         /*addrSpace=*/3);
}

/// Reads the hardware's registers in place of the trailing arguments.
static void replaceProgramArguments(gpu::GPUFuncOp kernel) {
  Block &entry = kernel.getBody().front();
  Location loc = kernel.getLoc();
  OpBuilder builder = OpBuilder::atBlockBegin(&entry);
  Type i32 = builder.getI32Type();
  Value registers[kProgramArguments] = {
      NVVM::GridDimXOp::create(builder, loc, i32),
      NVVM::GridDimYOp::create(builder, loc, i32),
      NVVM::GridDimZOp::create(builder, loc, i32),
      NVVM::BlockIdXOp::create(builder, loc, i32),
      NVVM::BlockIdYOp::create(builder, loc, i32),
      NVVM::BlockIdZOp::create(builder, loc, i32)};
  unsigned first = entry.getNumArguments() - kProgramArguments;
  for (unsigned i = 0; i < kProgramArguments; ++i)
    entry.getArgument(first + i).replaceAllUsesWith(registers[i]);
  entry.eraseArguments(first, kProgramArguments);
}

static gpu::GPUFuncOp outline(func::FuncOp function, OpBuilder &builder) {
  Location loc = function.getLoc();
  FunctionType type = function.getFunctionType();
  auto kernelType = FunctionType::get(
      function.getContext(), type.getInputs().drop_back(kProgramArguments), {});
  auto kernel =
      gpu::GPUFuncOp::create(builder, loc, function.getName(), kernelType);
  for (StringRef name : {StringRef(cta::kNumWarps), StringRef(cta::kShared)})
    kernel->setAttr(name, function->getAttr(name));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                  builder.getUnitAttr());
  int32_t threads =
      kernel->getAttrOfType<IntegerAttr>(cta::kNumWarps).getInt() *
      cta::kWarpSize;
  // Exactly so many: told only the most, ptxas saves registers where it need
  // not, and spills.
  kernel->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                  builder.getDenseI32ArrayAttr({threads, 1, 1}));
  kernel.getBody().takeBody(function.getBody());
  replaceProgramArguments(kernel);
  kernel.walk([&](func::ReturnOp op) {
    OpBuilder at(op);
    gpu::ReturnOp::create(at, op.getLoc());
    op.erase();
  });
  function.erase();
  return kernel;
}

void triton_shared::outlineKernels(ModuleOp module) {
  SmallVector<func::FuncOp> kernels;
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(cta::kNumWarps) && !function.isExternal())
      kernels.push_back(function);
  if (kernels.empty())
    return;
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto gpuModule =
      gpu::GPUModuleOp::create(builder, module.getLoc(), "kernels");
  builder.setInsertionPointToStart(gpuModule.getBody());
  createSharedArray(builder, module.getLoc());
  for (func::FuncOp kernel : kernels)
    outline(kernel, builder);
  module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                  builder.getUnitAttr());
}
