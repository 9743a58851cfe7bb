//===- Program.cpp - From a function to a kernel --------------------------===//

#include "SharedMemory.h"
#include "Topics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "triton-shared/Dialect/Structured/IR/KernelSignature.h"
#include "triton-shared/Target/DeviceLibrary.h"

using namespace mlir;
using namespace mlir::triton_shared;

/// Where the array of shared memory begins: what the copy engine needs.
static constexpr unsigned kSharedAlignment = 1024;

static void createSharedArray(OpBuilder &builder, Location loc) {
  auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), 0);
  LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/false,
                         LLVM::Linkage::External, kSharedSymbol,
                         /*value=*/Attribute(), kSharedAlignment, kSharedSpace);
}

/// The id in x of the program that this thread runs: a block runs `programs`
/// consecutive ones, and the thread's y says which.
static Value createProgramX(OpBuilder &builder, Location loc,
                            int32_t programs) {
  Type i32 = builder.getI32Type();
  Value block = NVVM::BlockIdXOp::create(builder, loc, i32);
  if (programs == 1)
    return block;
  Value count = arith::ConstantIntOp::create(builder, loc, programs, 32);
  Value first = arith::MulIOp::create(builder, loc, block, count);
  return arith::AddIOp::create(builder, loc, first,
                               NVVM::ThreadIdYOp::create(builder, loc, i32));
}

/// Puts all of `entry` that follows `before` into a branch that is taken if
/// `isThere`.
static void guard(Block &entry, Operation *before, Value isThere) {
  OpBuilder builder(entry.getParentOp()->getContext());
  builder.setInsertionPointAfter(before);
  auto branch = scf::IfOp::create(builder, before->getLoc(), isThere,
                                  /*withElseRegion=*/false);
  Block *then = branch.thenBlock();
  then->getOperations().splice(then->begin(), entry.getOperations(),
                               std::next(branch->getIterator()),
                               entry.getTerminator()->getIterator());
}

/// Reads the hardware's registers in place of the hidden parameters. Where
/// programs share a block, the last block may have room for more than there
/// are: the size of the grid stays a parameter.
static void readRegisters(func::FuncOp function, int32_t programs) {
  Block &entry = function.front();
  Location loc = function.getLoc();
  OpBuilder builder = OpBuilder::atBlockBegin(&entry);
  Type i32 = builder.getI32Type();
  tts::KernelSignature signature(function);
  Value gridX = signature.find(tts::ParameterKind::GridX);
  Value programX = createProgramX(builder, loc, programs);
  if (programs == 1)
    gridX = NVVM::GridDimXOp::create(builder, loc, i32);
  Value registers[] = {gridX,
                       NVVM::GridDimYOp::create(builder, loc, i32),
                       NVVM::GridDimZOp::create(builder, loc, i32),
                       programX,
                       NVVM::BlockIdYOp::create(builder, loc, i32),
                       NVVM::BlockIdZOp::create(builder, loc, i32)};
  BitVector read(function.getNumArguments());
  for (auto [kind, value] : llvm::zip_equal(tts::kGridAndProgram, registers))
    if (Value(signature.find(kind)) != value) {
      BlockArgument argument = signature.find(kind);
      argument.replaceAllUsesWith(value);
      read.set(argument.getArgNumber());
    }
  (void)function.eraseArguments(read);
  if (programs == 1)
    return;
  Value isThere = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                        programX, gridX);
  guard(entry, isThere.getDefiningOp(), isThere);
}

/// True if tensor cores multiply matrices of f64 of 16 rows.
static bool multipliesLargeF64(func::FuncOp function) {
  return function
      .walk([](cta::DotOp dot) {
        cta::MmaAttr mma = dot.getMma();
        return mma && mma.isLargeF64() ? WalkResult::interrupt()
                                       : WalkResult::advance();
      })
      .wasInterrupted();
}

static gpu::GPUFuncOp outline(func::FuncOp function, OpBuilder &builder) {
  Location loc = function.getLoc();
  int32_t programs = cta::getNumPrograms(function);
  tts::KernelSignature::nameDocumented(function);
  readRegisters(function, programs);
  auto kernel = gpu::GPUFuncOp::create(builder, loc, function.getName(),
                                       function.getFunctionType());
  tts::KernelSignature::copyNames(function, kernel);
  for (StringRef name :
       {StringRef(cta::kTarget), StringRef(cta::kNumWarps),
        StringRef(cta::kProducerWarps), StringRef(cta::kShared),
        StringRef(cta::kPrograms), StringRef(cta::kAssumesMaps),
        StringRef(cta::kLaunchBounds)})
    if (Attribute attribute = function->getAttr(name))
      kernel->setAttr(name, attribute);
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                  builder.getUnitAttr());
  int32_t threads = cta::getNumThreads(kernel);
  // Exactly so many: told only the most, ptxas saves registers where it need
  // not, and spills.
  kernel->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                  builder.getDenseI32ArrayAttr({threads, programs, 1}));
  // Where the kernel uses few registers, ptxas must be told that one block may
  // take all to let warps hand some over (else C7508); and where f64 take two
  // each, not to spill them for the sake of more blocks.
  if (cta::getRegisterShares(kernel) || multipliesLargeF64(function))
    kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                    builder.getI32IntegerAttr(1));
  kernel.getBody().takeBody(function.getBody());
  kernel.walk([&](func::ReturnOp op) {
    OpBuilder at(op);
    gpu::ReturnOp::create(at, op.getLoc());
    op.erase();
  });
  function.erase();
  return kernel;
}

/// `name` as a function that the module of `kernel` declares.
static LLVM::LLVMFuncOp declare(gpu::GPUFuncOp kernel, StringRef name,
                                func::CallOp call) {
  auto module = kernel->getParentOfType<gpu::GPUModuleOp>();
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  auto type = LLVM::LLVMFunctionType::get(call.getResultTypes().front(),
                                          to_vector(call.getOperandTypes()));
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  return LLVM::LLVMFuncOp::create(builder, call.getLoc(), name, type);
}

/// Calls of the C library go to NVIDIA's, which has the same functions.
static void callDeviceLibrary(gpu::GPUFuncOp kernel) {
  SmallVector<func::CallOp> calls;
  kernel.walk([&](func::CallOp call) { calls.push_back(call); });
  for (func::CallOp call : calls) {
    std::string name = (kDeviceFunctionPrefix + call.getCallee()).str();
    OpBuilder builder(call);
    auto made =
        LLVM::CallOp::create(builder, call.getLoc(),
                             declare(kernel, name, call), call.getOperands());
    call->replaceAllUsesWith(made->getResults());
    call.erase();
  }
}

void triton_shared::outlineKernels(ModuleOp module) {
  SmallVector<func::FuncOp> kernels;
  for (auto function : module.getOps<func::FuncOp>())
    if (cta::getNumWarps(function))
      kernels.push_back(function);
  if (kernels.empty())
    return;
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto gpuModule =
      gpu::GPUModuleOp::create(builder, module.getLoc(), "kernels");
  builder.setInsertionPointToStart(gpuModule.getBody());
  createSharedArray(builder, module.getLoc());
  for (func::FuncOp kernel : kernels)
    callDeviceLibrary(outline(kernel, builder));
  // Nobody calls the C library any more.
  for (auto function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (function.isExternal())
      function.erase();
  module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                  builder.getUnitAttr());
}
