//===- PlaceBuffers.cpp - All buffers of a kernel in one area -------------===//
//
// Instead of heap blocks, buffers are parts of an area that the thread keeps
// from launch to launch. Two of them share a place if they are never in use at
// the same time.
//
//===----------------------------------------------------------------------===//

#include "triton-shared/Analysis/BufferLifetimes.h"
#include "triton-shared/Analysis/BufferSizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "triton-shared/Conversion/StructuredToMemRef.h"
#include "triton-shared/Dialect/Structured/IR/KernelSignature.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CPUPLACEBUFFERS
#include "triton-shared/Conversion/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

constexpr StringLiteral kScratchFunction = "tritonSharedScratch";

/// A buffer with its place in the area, in bytes.
struct PlacedBuffer {
  memref::AllocOp buffer;
  Lifetime life;
  int64_t size, offset = 0;
};

/// Gives each buffer the first place that is free during its life. Returns the
/// size of the area.
int64_t place(MutableArrayRef<PlacedBuffer> buffers) {
  int64_t total = 0;
  for (size_t next = 0; next < buffers.size(); ++next) {
    PlacedBuffer &current = buffers[next];
    SmallVector<const PlacedBuffer *> busy;
    for (const PlacedBuffer &other : buffers.take_front(next))
      if (other.life.overlaps(current.life))
        busy.push_back(&other);
    llvm::sort(busy, [](const PlacedBuffer *lhs, const PlacedBuffer *rhs) {
      return lhs->offset < rhs->offset;
    });
    for (const PlacedBuffer *other : busy) {
      if (current.offset + current.size <= other->offset)
        break;
      current.offset = std::max(current.offset, other->offset + other->size);
    }
    total = std::max(total, current.offset + current.size);
  }
  return total;
}

/// The part of the area at `area` that is `placed`.
Value createView(OpBuilder &builder, Value area, PlacedBuffer &placed) {
  Location loc = placed.buffer.getLoc();
  MemRefType type = placed.buffer.getType();
  // An index that stands in the operation itself has 29 bits: an area may be
  // larger.
  Value start = arith::ConstantIntOp::create(builder, loc, placed.offset, 64);
  Value pointer =
      LLVM::GEPOp::create(builder, loc, area.getType(), builder.getI8Type(),
                          area, ArrayRef<LLVM::GEPArg>{start});
  Value memory =
      memrefFromPointer(builder, loc, pointer, type.getElementType());
  SmallVector<int64_t> strides;
  int64_t offset;
  [[maybe_unused]] LogicalResult isStrided =
      type.getStridesAndOffset(strides, offset);
  return memref::ReinterpretCastOp::create(builder, loc, type, memory, offset,
                                           type.getShape(), strides);
}

/// Adds the area to the arguments of `kernel` and to the calls of it.
Value addAreaArgument(func::FuncOp kernel, int64_t size) {
  OpBuilder builder(kernel);
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Value area = kernel.front().addArgument(pointer, kernel.getLoc());
  kernel.setType(
      builder.getFunctionType(kernel.front().getArgumentTypes(), {}));
  kernel.setArgAttr(kernel.getNumArguments() - 1,
                    LLVM::LLVMDialect::getNoAliasAttrName(),
                    builder.getUnitAttr());
  tts::KernelSignature::nameLast(kernel, tts::ParameterKind::Scratch);
  kernel.setArgAttr(kernel.getNumArguments() - 1, tts::kBytes,
                    builder.getI64IntegerAttr(size));
  auto uses = SymbolTable::getSymbolUses(kernel, kernel->getParentOp());
  for (SymbolTable::SymbolUse use : *uses) {
    auto call = dyn_cast<func::CallOp>(use.getUser());
    if (!call)
      continue;
    auto entry = call->getParentOfType<func::FuncOp>();
    func::FuncOp scratch = declareRuntimeFunction(
        builder, entry, kScratchFunction, builder.getI64Type(), pointer);
    OpBuilder inEntry = OpBuilder::atBlockBegin(&entry.front());
    Value bytes =
        arith::ConstantIntOp::create(inEntry, call.getLoc(), size, 64);
    auto made = func::CallOp::create(inEntry, call.getLoc(), scratch,
                                     ValueRange{bytes});
    call->insertOperands(call->getNumOperands(), made.getResults());
  }
  return area;
}

struct CpuPlaceBuffers
    : triton_shared::impl::CpuPlaceBuffersBase<CpuPlaceBuffers> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions)
      if (!function.isDeclaration())
        placeBuffers(function);
  }

private:
  static void placeBuffers(func::FuncOp function) {
    BufferLifetimes lifetimes(function);
    SmallVector<PlacedBuffer> buffers;
    function.walk([&](memref::AllocOp op) {
      if (op.getType().hasStaticShape())
        buffers.push_back(
            {op, lifetimes.get(op), getBufferBytes(op.getType())});
    });
    if (buffers.empty())
      return;
    int64_t size = place(buffers);
    Value area = addAreaArgument(function, size);
    for (PlacedBuffer &placed : buffers) {
      OpBuilder builder(placed.buffer);
      placed.buffer.replaceAllUsesWith(createView(builder, area, placed));
      placed.buffer.erase();
    }
  }
};

} // namespace
