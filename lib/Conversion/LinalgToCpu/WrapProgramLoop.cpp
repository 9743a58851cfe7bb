//===- WrapProgramLoop.cpp - The loop over programs inside the code -------===//
//
// A task of the runtime is a range of programs. The loop over them lies in the
// compiled code, so that a task is one call.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "triton-shared/Conversion/LinalgToCpu.h"
#include "triton-shared/Conversion/StructuredToMemRef.h"
#include "triton-shared/Dialect/Structured/IR/KernelSignature.h"
#include "triton-shared/Transforms/MemorySpaces.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CPUWRAPPROGRAMLOOP
#include "triton-shared/Conversion/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

//===----------------------------------------------------------------------===//
// Memrefs of unknown rank
//===----------------------------------------------------------------------===//

/// A base is only ever reinterpreted, so its rank does not matter: one element.
Type rankBase(Type type) {
  auto unranked = dyn_cast<UnrankedMemRefType>(type);
  return unranked ? MemRefType::get({1}, unranked.getElementType()) : type;
}

/// Gives every base in `function` a rank.
void rankBases(func::FuncOp function) {
  SmallVector<memref::CastOp> casts;
  function.walk([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        argument.setType(rankBase(argument.getType()));
    for (OpResult result : op->getResults())
      result.setType(rankBase(result.getType()));
    if (auto cast = dyn_cast<memref::CastOp>(op))
      casts.push_back(cast);
  });
  for (memref::CastOp cast : casts)
    if (cast.getType() == cast.getSource().getType()) {
      cast.replaceAllUsesWith(cast.getSource());
      cast.erase();
    }
}

/// Makes the arguments that are memrefs plain pointers.
void takePointers(func::FuncOp function) {
  OpBuilder builder = OpBuilder::atBlockBegin(&function.front());
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type)
      continue;
    argument.setType(LLVM::LLVMPointerType::get(builder.getContext()));
    Value memref = memrefFromPointer(builder, argument.getLoc(), argument,
                                     type.getElementType());
    // The descriptor is made of the argument itself.
    argument.replaceUsesWithIf(memref, [&](OpOperand &use) {
      return !isa<LLVM::LLVMDialect>(use.getOwner()->getDialect());
    });
  }
  function.setType(
      builder.getFunctionType(function.front().getArgumentTypes(), {}));
}

//===----------------------------------------------------------------------===//
// The entry
//===----------------------------------------------------------------------===//

/// The value that `args[number]` points at.
Value loadArgument(OpBuilder &builder, Location loc, Value args,
                   unsigned number, Type type) {
  auto pointerType = LLVM::LLVMPointerType::get(builder.getContext());
  Value slot =
      LLVM::GEPOp::create(builder, loc, pointerType, pointerType, args,
                          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(number)});
  Value place = LLVM::LoadOp::create(builder, loc, pointerType, slot);
  if (!type.isInteger(1))
    return LLVM::LoadOp::create(builder, loc, type, place);
  Value byte = LLVM::LoadOp::create(builder, loc, builder.getI8Type(), place);
  Value zero = arith::ConstantIntOp::create(builder, loc, 0, 8);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, byte,
                               zero);
}

/// The place of program `number` of the grid, x fastest.
SmallVector<Value> programIds(OpBuilder &builder, Location loc, Value number,
                              ValueRange grid) {
  SmallVector<Value> ids;
  Value one = arith::ConstantIntOp::create(builder, loc, 1, 64);
  for (Value size : grid) {
    Value wide =
        arith::ExtUIOp::create(builder, loc, builder.getI64Type(), size);
    // An empty grid has no programs, but their places are computed.
    wide = arith::MaxUIOp::create(builder, loc, wide, one);
    Value id = arith::RemUIOp::create(builder, loc, number, wide);
    ids.push_back(
        arith::TruncIOp::create(builder, loc, builder.getI32Type(), id));
    number = arith::DivUIOp::create(builder, loc, number, wide);
  }
  return ids;
}

/// The place of the program after the one at `ids`: a division less for each
/// program, which counts where programs are small.
SmallVector<Value> nextIds(OpBuilder &builder, Location loc, ValueRange ids,
                           ValueRange grid) {
  Value zero = arith::ConstantIntOp::create(builder, loc, 0, 32);
  Value carry = arith::ConstantIntOp::create(builder, loc, 1, 32);
  SmallVector<Value> next;
  for (auto [id, size] : llvm::zip_equal(ids, grid)) {
    Value sum = arith::AddIOp::create(builder, loc, id, carry);
    Value isEnd = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        sum, size);
    next.push_back(arith::SelectOp::create(builder, loc, isEnd, zero, sum));
    carry = arith::ExtUIOp::create(builder, loc, carry.getType(), isEnd);
  }
  return next;
}

/// What follows the arguments of the kernel.
constexpr tts::ParameterKind kEntryParameters[] = {
    tts::ParameterKind::GridX,        tts::ParameterKind::GridY,
    tts::ParameterKind::GridZ,        tts::ParameterKind::FirstProgram,
    tts::ParameterKind::ProgramCount, tts::ParameterKind::RunningProgram};

void createEntry(func::FuncOp kernel) {
  OpBuilder builder(kernel);
  Location loc = kernel.getLoc();
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  auto entry = func::FuncOp::create(
      builder, loc, (kernel.getName() + kEntrySuffix).str(),
      builder.getFunctionType({pointer, i32, i32, i32, i64, i64, pointer}, {}));
  tts::KernelSignature::nameLast(entry, kEntryParameters);
  Block *body = entry.addEntryBlock();
  builder.setInsertionPointToStart(body);
  SmallVector<Value> operands;
  for (Type type : tts::KernelSignature(kernel).getWrittenTypes())
    operands.push_back(loadArgument(builder, loc, body->getArgument(0),
                                    operands.size(), type));
  ValueRange grid = body->getArguments().slice(1, 3);
  llvm::append_range(operands, grid);
  Value first = body->getArgument(4);
  Value end = arith::AddIOp::create(builder, loc, first, body->getArgument(5));
  Value running = body->getArgument(6);
  Value one = arith::ConstantIntOp::create(builder, loc, 1, 64);
  scf::ForOp::create(
      builder, loc, first, end, one, programIds(builder, loc, first, grid),
      [&](OpBuilder &inner, Location innerLoc, Value number, ValueRange ids) {
        // Volatile: it is read by who handles a signal.
        LLVM::StoreOp::create(inner, innerLoc, number, running, /*alignment=*/8,
                              /*isVolatile=*/true);
        llvm::append_range(operands, ids);
        func::CallOp::create(inner, innerLoc, kernel, operands);
        scf::YieldOp::create(inner, innerLoc,
                             nextIds(inner, innerLoc, ids, grid));
      });
  func::ReturnOp::create(builder, loc);
}

bool isParameter(Type type) {
  return isa<UnrankedMemRefType>(type) || type.isSignlessInteger() ||
         isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type);
}

LogicalResult wrapKernel(func::FuncOp function) {
  if (!tts::KernelSignature(function).hasProgram() ||
      !llvm::all_of(function.getArgumentTypes(), isParameter)) {
    function.emitOpError("is not a kernel").attachNote()
        << "a kernel takes memrefs of unknown rank and numbers, then six i32: "
        << "the grid and the place of the program in it";
    return failure();
  }
  if (failed(checkMemorySpaces(function)))
    return failure();
  rankBases(function);
  takePointers(function);
  createEntry(function);
  function.setPrivate();
  return success();
}

struct CpuWrapProgramLoop
    : triton_shared::impl::CpuWrapProgramLoopBase<CpuWrapProgramLoop> {
  void runOnOperation() override {
    auto internal =
        LLVM::LinkageAttr::get(&getContext(), LLVM::Linkage::Internal);
    SmallVector<func::FuncOp> functions;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isDeclaration())
        functions.push_back(function);
    for (func::FuncOp function : functions) {
      bool isKernel = function.isPublic();
      if (isKernel && failed(wrapKernel(function)))
        return signalPassFailure();
      // The hints of Triton on arguments have served; LLVM would warn of them.
      function.removeArgAttrsAttr();
      if (isKernel)
        tts::KernelSignature::nameLast(function, tts::kGridAndProgram);
      function->setAttr("llvm.linkage", internal);
    }
  }
};

} // namespace
