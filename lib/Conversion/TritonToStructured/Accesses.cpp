//===- Accesses.cpp - Accesses of tt as accesses of tts -------------------===//

#include "PointerOffsets.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "triton-shared/Analysis/PointerHints.h"

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

namespace {

/// `type`, scalar or block, with another element type.
Type withElement(Type type, Type element) {
  if (auto block = dyn_cast<RankedTensorType>(type))
    return block.clone(element);
  return element;
}

/// Converts between values and what lies in memory: pointers lie there as
/// addresses, and `i1` as bytes.
class AccessLowering {
public:
  AccessLowering(OpBuilder &builder, Operation *op, PointerOffsets &offsets)
      : builder(builder), loc(op->getLoc()), offsets(offsets) {}

  SmallVector<Value> lower(tt::LoadOp op) {
    setPointer(op.getPtr());
    Type type = withElement(offset.getType(), element);
    Value other = op.getOther() ? toMemory(op.getOther()) : Value();
    StringAttr cache, evict;
    getHints(op, cache, evict);
    if (isa<RankedTensorType>(type)) {
      auto gather =
          tts::GatherOp::create(builder, loc, type, base, offset, op.getMask(),
                                other, cache, evict, op.getIsVolatile());
      if (Attribute alignment = op->getAttr(kLineAlignment))
        gather->setAttr(kLineAlignment, alignment);
      return {fromMemory(gather, op.getType())};
    }
    auto load = tts::LoadOp::create(builder, loc, type, base, offset, {},
                                    op.getMask(), other);
    load.setCacheAttr(cache);
    load.setEvictAttr(evict);
    load.setIsVolatile(op.getIsVolatile());
    return {fromMemory(load, op.getType())};
  }

  SmallVector<Value> lower(tt::StoreOp op) {
    setPointer(op.getPtr());
    Value value = toMemory(op.getValue());
    StringAttr cache, evict;
    getHints(op, cache, evict);
    if (isa<RankedTensorType>(value.getType())) {
      tts::ScatterOp::create(builder, loc, value, base, offset, op.getMask(),
                             cache, evict);
      return {};
    }
    auto store = tts::StoreOp::create(builder, loc, value, base, offset, {},
                                      op.getMask());
    store.setCacheAttr(cache);
    store.setEvictAttr(evict);
    return {};
  }

  SmallVector<Value> lower(tt::AtomicRMWOp op) {
    setPointer(op.getPtr());
    auto kind = static_cast<tts::AtomicKind>(op.getAtomicRmwOp());
    return {update(op, kind, toMemory(op.getVal()), op.getMask())};
  }

  SmallVector<Value> lower(tt::AtomicCASOp op) {
    setPointer(op.getPtr());
    Value old = tts::AtomicCASOp::create(builder, loc, orderOf(op), scopeOf(op),
                                         toMemory(op.getCmp()),
                                         toMemory(op.getVal()), base, offset);
    return {fromMemory(old, op.getType())};
  }

  /// Reading atomically is an update that changes no bit.
  SmallVector<Value> lower(tt::AtomicLoadOp op) {
    setPointer(op.getPtr());
    Type bits = builder.getIntegerType(element.getIntOrFloatBitWidth());
    if (element != bits)
      base = tts::FromAddressOp::create(
          builder, loc,
          tt::PointerType::get(
              bits, cast<tt::PointerType>(base.getType()).getAddressSpace()),
          tts::ToAddressOp::create(builder, loc, builder.getI64Type(), base));
    Value zero = arith::ConstantOp::create(
        builder, loc, builder.getZeroAttr(withElement(offset.getType(), bits)));
    Value old = update(op, tts::AtomicKind::Or, zero, op.getMask());
    if (element != bits)
      old = arith::BitcastOp::create(builder, loc, op.getType(), old);
    return {old};
  }

  SmallVector<Value> lower(tt::AtomicStoreOp op) {
    setPointer(op.getPtr());
    update(op, tts::AtomicKind::Exchange, toMemory(op.getValue()),
           op.getMask());
    return {};
  }

  SmallVector<Value> lower(tt::AtomicPollOp op) {
    setPointer(op.getPtr());
    return {tts::AtomicPollOp::create(
        builder, loc, builder.getI1Type(), orderOf(op), scopeOf(op),
        op.getExpected(), base, offset, op.getTimeout())};
  }

private:
  void setPointer(Value pointer) {
    PointerOffsets::Place place = offsets.getPlace(builder, loc, pointer);
    base = place.base;
    offset = place.offset;
    element = getMemoryElementType(offsets.getType(pointer));
  }

  template <typename Op> static tts::MemoryOrder orderOf(Op op) {
    return static_cast<tts::MemoryOrder>(op.getSem());
  }

  template <typename Op> static tts::MemoryScope scopeOf(Op op) {
    return static_cast<tts::MemoryScope>(op.getScope());
  }

  template <typename Op>
  Value update(Op op, tts::AtomicKind kind, Value value, Value mask) {
    return tts::AtomicRMWOp::create(builder, loc, value.getType(), kind,
                                    orderOf(op), scopeOf(op), value, base,
                                    offset, mask);
  }

  template <typename Op>
  void getHints(Op op, StringAttr &cache, StringAttr &evict) {
    tt::CacheModifier modifier = op.getCache();
    tt::EvictionPolicy policy = op.getEvict();
    if (modifier != tt::CacheModifier::NONE)
      cache = builder.getStringAttr(tt::stringifyCacheModifier(modifier));
    if (policy != tt::EvictionPolicy::NORMAL)
      evict = builder.getStringAttr(tt::stringifyEvictionPolicy(policy));
  }

  Value toMemory(Value value) {
    if (offsets.isPointer(value))
      return offsets.getAddress(builder, loc, value);
    if (getElementTypeOrSelf(value.getType()).isInteger(1))
      return arith::ExtUIOp::create(
          builder, loc, withElement(value.getType(), element), value);
    return value;
  }

  /// Pointers stay addresses; the caller knows what to do with them.
  Value fromMemory(Value value, Type type) {
    if (!getElementTypeOrSelf(type).isInteger(1))
      return value;
    Value zero = arith::ConstantOp::create(
        builder, loc, builder.getZeroAttr(value.getType()));
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value,
                                 zero);
  }

  OpBuilder &builder;
  Location loc;
  PointerOffsets &offsets;
  Value base, offset;
  Type element;
};

} // namespace

std::optional<SmallVector<Value>>
triton_shared::lowerAccess(OpBuilder &builder, Operation *op,
                           PointerOffsets &offsets) {
  AccessLowering lowering(builder, op, offsets);
  return llvm::TypeSwitch<Operation *, std::optional<SmallVector<Value>>>(op)
      .Case<tt::LoadOp, tt::StoreOp, tt::AtomicRMWOp, tt::AtomicCASOp,
            tt::AtomicLoadOp, tt::AtomicStoreOp>(
          [&](auto access) { return lowering.lower(access); })
      .Case([&](tt::AtomicPollOp poll) -> std::optional<SmallVector<Value>> {
        if (isa<RankedTensorType>(poll.getPtr().getType()))
          return std::nullopt;
        return lowering.lower(poll);
      })
      .Default(std::nullopt);
}
