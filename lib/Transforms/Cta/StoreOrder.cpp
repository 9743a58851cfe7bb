//===- StoreOrder.cpp - What waits for stores by the copy engine ----------===//
//
// A tensor whose address is computed may be any other one, so that what the
// program reads after a store waits until that has reached the memory: as long
// as some turns of a product take. In a loop that reads by copies alone, whose
// tensors are described before it, the kernel can tell that none of them has a
// byte of the tensor that it writes. Then what comes after the loop waits.
//
//===----------------------------------------------------------------------===//

#include "StoreOrder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// The bytes from the first to the last one of a tensor.
struct Extent {
  Value begin, end;
  /// True if numbers are too large for the end to be known.
  Value isUnknown;
};

/// Makes numbers of 64 bits.
class Numbers {
public:
  Numbers(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  Value get(int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, value, 64);
  }
  Value compare(arith::CmpIPredicate predicate, Value left, Value right) {
    return arith::CmpIOp::create(builder, loc, predicate, left, right);
  }
  template <typename Op> Value apply(Value left, Value right) {
    return Op::create(builder, loc, left, right);
  }

  /// The bytes of the tensor that `map` describes.
  Extent createExtent(cta::MakeTensorMapOp map);

private:
  OpBuilder &builder;
  Location loc;
};

} // namespace

Extent Numbers::createExtent(cta::MakeTensorMapOp map) {
  // Five offsets of fewer elements than this have a sum that fits.
  constexpr int64_t kMost = int64_t(1) << 57;
  Value none = get(0), one = get(1), most = get(kMost);
  Value last = none, isUnknown;
  auto add = [&](Value offset, Value isTooMuch) {
    last = apply<arith::AddIOp>(last, offset);
    isTooMuch = apply<arith::OrIOp>(
        isTooMuch, compare(arith::CmpIPredicate::uge, offset, most));
    isUnknown =
        isUnknown ? apply<arith::OrIOp>(isUnknown, isTooMuch) : isTooMuch;
  };
  auto getSteps = [&](Value size) {
    return apply<arith::SubIOp>(apply<arith::MaxSIOp>(size, one), one);
  };
  for (auto [size, stride] : llvm::zip(map.getSizes(), map.getStrides())) {
    auto offset =
        arith::MulUIExtendedOp::create(builder, loc, getSteps(size), stride);
    add(offset.getLow(),
        compare(arith::CmpIPredicate::ne, offset.getHigh(), none));
  }
  // That of neighbours has no stride.
  Value steps = getSteps(map.getSizes().back());
  add(steps, compare(arith::CmpIPredicate::slt, steps, none));

  auto element =
      cast<UnrankedMemRefType>(map.getBase().getType()).getElementType();
  Value begin = tts::ToAddressOp::create(builder, loc, builder.getI64Type(),
                                         map.getBase());
  Value bytes = apply<arith::MulIOp>(apply<arith::AddIOp>(last, one),
                                     get(cta::getElementBytes(element)));
  return {begin, apply<arith::AddIOp>(begin, bytes), isUnknown};
}

/// The copies of `loop` that make their own maps before it; nothing if it reads
/// or writes any other memory, but by `store`.
static std::optional<SetVector<cta::MakeTensorMapOp>>
findCopiedTensors(LoopLikeOpInterface loop, cta::StoreBoxOp store) {
  SetVector<cta::MakeTensorMapOp> maps;
  WalkResult result = loop->walk([&](Operation *op) {
    if (auto copy = dyn_cast<cta::CopyBoxOp>(op)) {
      auto map = copy.getMap().getDefiningOp<cta::MakeTensorMapOp>();
      if (!map || loop->isProperAncestor(map))
        return WalkResult::interrupt();
      maps.insert(map);
      return WalkResult::advance();
    }
    bool isOther = isa<cta::CopyOp>(op) ||
                   (isa<cta::StoreBoxOp>(op) && op != store.getOperation());
    bool isKnown = isa<cta::CTADialect, scf::SCFDialect>(op->getDialect()) ||
                   isa<gpu::BarrierOp>(op) || isMemoryEffectFree(op);
    return isOther || !isKnown ? WalkResult::interrupt()
                               : WalkResult::advance();
  });
  if (result.wasInterrupted())
    return std::nullopt;
  return maps;
}

/// Whether what a turn of `loop` stores may be what later ones copy; null if
/// nobody can tell before it.
static Value createMayMeet(LoopLikeOpInterface loop, cta::StoreBoxOp store) {
  auto written = store.getMap().getDefiningOp<cta::MakeTensorMapOp>();
  if (!written || loop->isProperAncestor(written))
    return nullptr;
  std::optional<SetVector<cta::MakeTensorMapOp>> read =
      findCopiedTensors(loop, store);
  if (!read || read->empty())
    return nullptr;
  OpBuilder builder(loop);
  Numbers numbers(builder, store.getLoc());
  Extent one = numbers.createExtent(written);
  Value mayMeet = one.isUnknown;
  for (cta::MakeTensorMapOp map : *read) {
    Extent other = numbers.createExtent(map);
    Value meets = numbers.apply<arith::AndIOp>(
        numbers.compare(arith::CmpIPredicate::ult, one.begin, other.end),
        numbers.compare(arith::CmpIPredicate::ult, other.begin, one.end));
    for (Value may : {other.isUnknown, meets})
      mayMeet = numbers.apply<arith::OrIOp>(mayMeet, may);
  }
  return mayMeet;
}

static void waitForAll(OpBuilder &builder, Location loc) {
  cta::WaitStoresOp::create(builder, loc, /*pending=*/0, /*written=*/true);
}

void triton_shared::waitUntilWritten(cta::StoreBoxOp store) {
  Location loc = store.getLoc();
  OpBuilder builder(store->getContext());
  builder.setInsertionPointAfter(store);
  auto loop = store->getParentOfType<LoopLikeOpInterface>();
  Value mayMeet = loop ? createMayMeet(loop, store) : nullptr;
  if (!mayMeet) {
    waitForAll(builder, loc);
    gpu::BarrierOp::create(builder, loc);
    return;
  }
  scf::IfOp::create(builder, loc, mayMeet, [&](OpBuilder &inside, Location) {
    waitForAll(inside, loc);
    scf::YieldOp::create(inside, loc);
  });
  gpu::BarrierOp::create(builder, loc);
  OpBuilder behind(loop->getContext());
  behind.setInsertionPointAfter(loop);
  waitForAll(behind, loc);
  gpu::BarrierOp::create(behind, loc);
}
