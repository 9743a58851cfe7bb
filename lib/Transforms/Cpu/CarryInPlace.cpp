//===- CarryInPlace.cpp - Buffers of loops in one place -------------------===//
//
// A buffer that a loop carries gets a place of its own outside of the loop.
// What is made inside then lives no longer than one iteration.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CPUCARRYINPLACE
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

bool isBlock(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && memref.hasStaticShape();
}

/// A buffer with room for `type`, seen as `type`.
Value createPlace(OpBuilder &builder, Location loc, MemRefType type) {
  auto plain = MemRefType::get(type.getShape(), type.getElementType());
  Value place = memref::AllocOp::create(builder, loc, plain);
  if (plain == type)
    return place;
  return memref::CastOp::create(builder, loc, type, place);
}

/// True if a buffer of the type `type` may lie row by row.
bool mayBePlain(MemRefType type) {
  auto plain = MemRefType::get(type.getShape(), type.getElementType());
  return plain == type || memref::CastOp::areCastCompatible(plain, type);
}

/// Copies `sources` to `places`, all of them as they are before the first copy.
void copyAll(OpBuilder &builder, Location loc, ArrayRef<Value> sources,
             ArrayRef<Value> places) {
  SmallVector<Value> from(sources);
  for (Value &source : from) {
    if (source.getDefiningOp<memref::AllocOp>())
      continue; // None of the places.
    Value kept = createPlace(builder, loc, cast<MemRefType>(source.getType()));
    memref::CopyOp::create(builder, loc, source, kept);
    source = kept;
  }
  for (auto [source, place] : llvm::zip_equal(from, places))
    memref::CopyOp::create(builder, loc, source, place);
}

/// Gives the buffers that `loop` carries places; `args` are the block arguments
/// and `yielded` the operands of the terminator that stand for them.
void carryInPlace(LoopLikeOpInterface loop, MutableArrayRef<OpOperand> inits,
                  ValueRange args, MutableArrayRef<OpOperand> yielded) {
  OpBuilder builder(loop);
  SmallVector<Value> sources, places;
  for (auto [init, arg, next] : llvm::zip_equal(inits, args, yielded)) {
    auto type = dyn_cast<MemRefType>(init.get().getType());
    if (!type || !isBlock(type) || next.get() == arg || !mayBePlain(type))
      continue;
    Value place = createPlace(builder, loop.getLoc(), type);
    memref::CopyOp::create(builder, loop.getLoc(), init.get(), place);
    init.set(place);
    sources.push_back(next.get());
    places.push_back(place);
    next.set(place);
  }
  if (sources.empty())
    return;
  OpBuilder atEnd(yielded.front().getOwner());
  copyAll(atEnd, loop.getLoc(), sources, places);
}

struct CpuCarryInPlace
    : triton_shared::impl::CpuCarryInPlaceBase<CpuCarryInPlace> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (auto loop = dyn_cast<scf::ForOp>(op))
        carryInPlace(loop, loop.getInitArgsMutable(), loop.getRegionIterArgs(),
                     cast<scf::YieldOp>(loop.getBody()->getTerminator())
                         .getResultsMutable());
      else if (auto loop = dyn_cast<scf::WhileOp>(op))
        carryInPlace(loop, loop.getInitsMutable(), loop.getBeforeArguments(),
                     loop.getYieldOp().getResultsMutable());
    });
  }
};

} // namespace
