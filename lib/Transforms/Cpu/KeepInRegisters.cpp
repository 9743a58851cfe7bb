//===- KeepInRegisters.cpp - Small buffers as variables -------------------===//
//
// LLVM keeps variables of a function in registers if it can tell at which
// places they are accessed. It unrolls the short loops over a small buffer and
// then can, so that such a buffer costs no memory access, in particular none
// for each turn of a loop that carries it.
//
//===----------------------------------------------------------------------===//

#include "triton-shared/Analysis/BufferSizes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CPUKEEPINREGISTERS
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// What variables of one kernel may take of a thread's stack, in bytes: what
/// does not end up in registers lies there.
constexpr int64_t kMostStack = 16 * 1024;

/// True for a buffer of one number, as reductions leave it. LLVM would compute
/// it where it is needed first, beyond branches, and keep all that it has read
/// for that until then; that it is written to memory keeps it in its place.
bool isNumber(MemRefType type) { return type.getNumElements() == 1; }

struct CpuKeepInRegisters
    : triton_shared::impl::CpuKeepInRegistersBase<CpuKeepInRegisters> {
  using CpuKeepInRegistersBase::CpuKeepInRegistersBase;

  void runOnOperation() override {
    SmallVector<memref::AllocOp> small;
    int64_t stack = 0;
    getOperation().walk([&](memref::AllocOp buffer) {
      MemRefType type = buffer.getType();
      if (!type.hasStaticShape() || isNumber(type))
        return;
      int64_t size = getBufferBytes(type);
      if (size > bytes || stack + size > kMostStack)
        return;
      stack += size;
      small.push_back(buffer);
    });
    if (small.empty())
      return;
    // In the entry block: one for all iterations of the loops around them.
    OpBuilder builder = OpBuilder::atBlockBegin(&getOperation().front());
    for (memref::AllocOp buffer : small) {
      auto variable =
          memref::AllocaOp::create(builder, buffer.getLoc(), buffer.getType(),
                                   builder.getI64IntegerAttr(kCacheLine));
      buffer.replaceAllUsesWith(variable.getResult());
      buffer.erase();
    }
  }
};

} // namespace
