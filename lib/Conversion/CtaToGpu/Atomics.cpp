//===- Atomics.cpp - Atomic accesses by the threads of a CTA --------------===//
//
// Each element is updated once, by one of the threads that hold it; the others
// get its old value through shared memory. The updates themselves are relaxed:
// what orders them is a fence before and after all of them, and barriers that
// let the fence of the acting threads speak for the whole CTA. That costs one
// fence per block where ordered instructions would have one per element. The
// fence after them waits until memory has them all, so none stands at the end
// of a program.
//
//===----------------------------------------------------------------------===//

#include "Atomics.h"

#include "ElementPlaces.h"
#include "GlobalMemory.h"
#include "SharedMemory.h"
#include "Threads.h"
#include "Topics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "triton-shared/Conversion/NumberBits.h"
#include "triton-shared/Dialect/Cta/IR/Exchange.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "triton-shared/Transforms/InlinePtx.h"

using namespace mlir;
using namespace mlir::triton_shared;
using cta::LinearLayout;

namespace {

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

bool isRelease(tts::MemoryOrder order) {
  return order == tts::MemoryOrder::Release ||
         order == tts::MemoryOrder::AcquireRelease;
}

bool isAcquire(tts::MemoryOrder order) {
  return order == tts::MemoryOrder::Acquire ||
         order == tts::MemoryOrder::AcquireRelease;
}

/// LLVM's name of a scope; the whole machine has none.
StringRef getScopeName(tts::MemoryScope scope) {
  switch (scope) {
  case tts::MemoryScope::Cta:
    return "block";
  case tts::MemoryScope::Gpu:
    return "device";
  case tts::MemoryScope::Sys:
    return "";
  }
  llvm_unreachable("covered switch");
}

void createFence(OpBuilder &builder, Location loc, tts::MemoryScope scope) {
  LLVM::FenceOp::create(builder, loc, LLVM::AtomicOrdering::acq_rel,
                        getScopeName(scope));
}

/// True if the program may do something after `op` that others can see, or see
/// something of theirs.
bool isFollowed(Operation *op) {
  for (; !isa<FunctionOpInterface>(op); op = op->getParentOp()) {
    for (Operation *next = op->getNextNode(); next; next = next->getNextNode())
      if (!isMemoryEffectFree(next))
        return true;
    if (!isa<scf::IfOp, FunctionOpInterface>(op->getParentOp()))
      return true;
  }
  return false;
}

} // namespace

void triton_shared::createRelease(OpBuilder &builder, Location loc,
                                  tts::MemoryOrder order,
                                  tts::MemoryScope scope) {
  if (!isRelease(order))
    return;
  createBarrier(builder, loc);
  createFence(builder, loc, scope);
}

void triton_shared::createAcquire(OpBuilder &builder, Operation *op,
                                  tts::MemoryOrder order,
                                  tts::MemoryScope scope, bool hasBarrier) {
  if (!isAcquire(order) || !isFollowed(op))
    return;
  createFence(builder, op->getLoc(), scope);
  if (!hasBarrier)
    createBarrier(builder, op->getLoc());
}

//===----------------------------------------------------------------------===//
// One element
//===----------------------------------------------------------------------===//

namespace {

/// Where `compare` is, writes `value`; gives what was there. All are integers.
Value createSwap(OpBuilder &builder, Location loc, Value pointer, Value compare,
                 Value value, tts::MemoryScope scope) {
  Value exchange = LLVM::AtomicCmpXchgOp::create(
      builder, loc, pointer, compare, value, LLVM::AtomicOrdering::monotonic,
      LLVM::AtomicOrdering::monotonic, getScopeName(scope));
  return LLVM::ExtractValueOp::create(builder, loc, exchange, 0);
}

LLVM::AtomicBinOp symbolizeLLVMKind(tts::AtomicKind kind) {
  switch (kind) {
  case tts::AtomicKind::And:
    return LLVM::AtomicBinOp::_and;
  case tts::AtomicKind::Or:
    return LLVM::AtomicBinOp::_or;
  case tts::AtomicKind::Xor:
    return LLVM::AtomicBinOp::_xor;
  case tts::AtomicKind::Add:
    return LLVM::AtomicBinOp::add;
  case tts::AtomicKind::FAdd:
    return LLVM::AtomicBinOp::fadd;
  case tts::AtomicKind::Max:
    return LLVM::AtomicBinOp::max;
  case tts::AtomicKind::Min:
    return LLVM::AtomicBinOp::min;
  case tts::AtomicKind::UMax:
    return LLVM::AtomicBinOp::umax;
  case tts::AtomicKind::UMin:
    return LLVM::AtomicBinOp::umin;
  case tts::AtomicKind::Exchange:
    return LLVM::AtomicBinOp::xchg;
  case tts::AtomicKind::FMax:
    return LLVM::AtomicBinOp::fmax;
  case tts::AtomicKind::FMin:
    return LLVM::AtomicBinOp::fmin;
  case tts::AtomicKind::Increment:
    return LLVM::AtomicBinOp::uinc_wrap;
  case tts::AtomicKind::Decrement:
    return LLVM::AtomicBinOp::udec_wrap;
  }
  llvm_unreachable("covered switch");
}

/// The PTX instruction of an update, without `atom` and what qualifies it;
/// empty if not every GPU has it.
std::string getInstruction(tts::AtomicKind kind, Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  std::string bits = std::to_string(width);
  if (kind == tts::AtomicKind::FAdd) {
    if (type.isF16())
      return "add.noftz.f16";
    return width >= 32 ? "add.f" + bits : "";
  }
  if (width < 32)
    return "";
  switch (kind) {
  case tts::AtomicKind::And:
    return "and.b" + bits;
  case tts::AtomicKind::Or:
    return "or.b" + bits;
  case tts::AtomicKind::Xor:
    return "xor.b" + bits;
  case tts::AtomicKind::Add:
    return "add.u" + bits;
  case tts::AtomicKind::Max:
    return "max.s" + bits;
  case tts::AtomicKind::Min:
    return "min.s" + bits;
  case tts::AtomicKind::UMax:
    return "max.u" + bits;
  case tts::AtomicKind::UMin:
    return "min.u" + bits;
  case tts::AtomicKind::Exchange:
    return "exch.b" + bits;
  case tts::AtomicKind::Increment:
    return width == 32 ? "inc.u32" : "";
  case tts::AtomicKind::Decrement:
    return width == 32 ? "dec.u32" : "";
  case tts::AtomicKind::FAdd:
  case tts::AtomicKind::FMax:
  case tts::AtomicKind::FMin:
    return "";
  }
  llvm_unreachable("covered switch");
}

/// What an update by `kind` writes where `old` was.
Value createUpdated(OpBuilder &builder, Location loc, tts::AtomicKind kind,
                    Value old, Value value) {
  auto compare = [&](arith::CmpIPredicate predicate, Value a, Value b) {
    return arith::CmpIOp::create(builder, loc, predicate, a, b);
  };
  auto select = [&](Value condition, Value yes, Value no) -> Value {
    return arith::SelectOp::create(builder, loc, condition, yes, no);
  };
  switch (kind) {
  case tts::AtomicKind::And:
    return arith::AndIOp::create(builder, loc, old, value);
  case tts::AtomicKind::Or:
    return arith::OrIOp::create(builder, loc, old, value);
  case tts::AtomicKind::Xor:
    return arith::XOrIOp::create(builder, loc, old, value);
  case tts::AtomicKind::Add:
    return arith::AddIOp::create(builder, loc, old, value);
  case tts::AtomicKind::FAdd:
    return arith::AddFOp::create(builder, loc, old, value);
  case tts::AtomicKind::Max:
    return arith::MaxSIOp::create(builder, loc, old, value);
  case tts::AtomicKind::Min:
    return arith::MinSIOp::create(builder, loc, old, value);
  case tts::AtomicKind::UMax:
    return arith::MaxUIOp::create(builder, loc, old, value);
  case tts::AtomicKind::UMin:
    return arith::MinUIOp::create(builder, loc, old, value);
  case tts::AtomicKind::Exchange:
    return value;
  case tts::AtomicKind::FMax:
    return arith::MaxNumFOp::create(builder, loc, old, value);
  case tts::AtomicKind::FMin:
    return arith::MinNumFOp::create(builder, loc, old, value);
  case tts::AtomicKind::Increment: {
    Type type = old.getType();
    Value one = arith::ConstantIntOp::create(builder, loc, type, 1);
    Value zero = arith::ConstantIntOp::create(builder, loc, type, 0);
    return select(compare(arith::CmpIPredicate::uge, old, value), zero,
                  arith::AddIOp::create(builder, loc, old, one));
  }
  case tts::AtomicKind::Decrement: {
    Type type = old.getType();
    Value one = arith::ConstantIntOp::create(builder, loc, type, 1);
    Value zero = arith::ConstantIntOp::create(builder, loc, type, 0);
    Value wraps = arith::OrIOp::create(
        builder, loc, compare(arith::CmpIPredicate::eq, old, zero),
        compare(arith::CmpIPredicate::ugt, old, value));
    return select(wraps, value, arith::SubIOp::create(builder, loc, old, one));
  }
  }
  llvm_unreachable("covered switch");
}

/// Updates by swaps, until no other update came in between.
Value updateBySwaps(OpBuilder &builder, Location loc, tts::AtomicKind kind,
                    tts::MemoryScope scope, Value pointer, Value value) {
  Type type = value.getType();
  IntegerType integer = getBitsType(type);
  Value first = LLVM::LoadOp::create(
      builder, loc, integer, pointer, integer.getWidth() / 8,
      /*isVolatile=*/false,
      /*isNonTemporal=*/false, /*isInvariant=*/false,
      /*isInvariantGroup=*/false, LLVM::AtomicOrdering::monotonic,
      getScopeName(scope));
  auto loop = scf::WhileOp::create(
      builder, loc, integer, first,
      [&](OpBuilder &inner, Location innerLoc, ValueRange seen) {
        Value old = fromBits(inner, innerLoc, seen[0], type);
        Value updated = createUpdated(inner, innerLoc, kind, old, value);
        Value found = createSwap(inner, innerLoc, pointer, seen[0],
                                 toBits(inner, innerLoc, updated), scope);
        Value isOther = arith::CmpIOp::create(
            inner, innerLoc, arith::CmpIPredicate::ne, found, seen[0]);
        scf::ConditionOp::create(inner, innerLoc, isOther, found);
      },
      [](OpBuilder &inner, Location innerLoc, ValueRange found) {
        scf::YieldOp::create(inner, innerLoc, found);
      });
  return fromBits(builder, loc, loop.getResult(0), type);
}

} // namespace

StringRef triton_shared::getPtxScope(tts::MemoryScope scope) {
  switch (scope) {
  case tts::MemoryScope::Cta:
    return "cta";
  case tts::MemoryScope::Gpu:
    return "gpu";
  case tts::MemoryScope::Sys:
    return "sys";
  }
  llvm_unreachable("covered switch");
}

namespace {

/// One PTX instruction; gives the old value, or null if `isUsed` is false: then
/// the memory does it without an answer.
Value createInstruction(OpBuilder &builder, Location loc, StringRef instruction,
                        tts::MemoryScope scope, Value pointer, Value value,
                        bool isUsed) {
  Value bits = toBits(builder, loc, value);
  unsigned width = bits.getType().getIntOrFloatBitWidth();
  std::string constraint = width == 64 ? "l" : width == 32 ? "r" : "h";
  std::string qualified = ".relaxed." + getPtxScope(scope).str() + ".global." +
                          instruction.str() + " ";
  std::string text = isUsed ? "atom" + qualified + "$0, [$1], $2;"
                            : "red" + qualified + "[$0], $1;";
  std::string constraints = isUsed ? "=" + constraint + "," : "";
  constraints += "l," + constraint + ",~{memory}";
  SmallVector<Type> results(isUsed ? 1 : 0, bits.getType());
  SmallVector<Value> old = createPtx(builder, loc, results, {pointer, bits},
                                     text, constraints, PtxEffects::Memory);
  return isUsed ? fromBits(builder, loc, old.front(), value.getType())
                : Value();
}

} // namespace

/// LLVM selects neither updates of the whole machine nor those without an
/// answer, so they are written out where every GPU has an instruction.
Value triton_shared::updateElement(OpBuilder &builder, Location loc,
                                   tts::AtomicKind kind, tts::MemoryScope scope,
                                   Value pointer, Value value, bool isUsed) {
  Type type = value.getType();
  std::string instruction = getInstruction(kind, type);
  bool canBeSilent = !isUsed && kind != tts::AtomicKind::Exchange;
  if ((canBeSilent || scope == tts::MemoryScope::Sys) && !instruction.empty()) {
    Value old = createInstruction(builder, loc, instruction, scope, pointer,
                                  value, !canBeSilent);
    return old ? old
               : arith::ConstantOp::create(builder, loc,
                                           builder.getZeroAttr(type));
  }
  if (scope == tts::MemoryScope::Sys)
    return updateBySwaps(builder, loc, kind, scope, pointer, value);
  if (kind == tts::AtomicKind::Exchange)
    value = toBits(builder, loc, value);
  Value old = LLVM::AtomicRMWOp::create(
      builder, loc, symbolizeLLVMKind(kind), pointer, value,
      LLVM::AtomicOrdering::monotonic, getScopeName(scope));
  return fromBits(builder, loc, old, type);
}

//===----------------------------------------------------------------------===//
// Elements of a block
//===----------------------------------------------------------------------===//

namespace {

/// `act`, if `condition` (null for true) holds; zero of `type` otherwise.
Value createGuarded(OpBuilder &builder, Location loc, Value condition,
                    Type type,
                    llvm::function_ref<Value(OpBuilder &, Location)> act) {
  if (!condition)
    return act(builder, loc);
  auto branch = scf::IfOp::create(
      builder, loc, condition,
      [&](OpBuilder &inner, Location innerLoc) {
        scf::YieldOp::create(inner, innerLoc, act(inner, innerLoc));
      },
      [&](OpBuilder &inner, Location innerLoc) {
        Value zero =
            arith::ConstantOp::create(inner, innerLoc, inner.getZeroAttr(type));
        scf::YieldOp::create(inner, innerLoc, zero);
      });
  return branch.getResult(0);
}

/// Gives what the acting threads have in `elements`, one per register of
/// `layout`, to all threads that hold the same.
Value shareElements(OpBuilder &builder, Location loc, const SharedTile &shared,
                    const LinearLayout &layout, Value isHolder,
                    ValueRange elements) {
  Value vector = packRegisters(builder, loc, elements);
  {
    auto branch = scf::IfOp::create(builder, loc, isHolder,
                                    /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    shared.store(builder, loc, vector, layout);
  }
  createBarrier(builder, loc);
  return shared.load(builder, loc, layout);
}

/// The registers of a block, or a scalar as the only one.
SmallVector<Value> getElements(OpBuilder &builder, Location loc, Value value) {
  if (isa<VectorType>(value.getType()))
    return unpackRegisters(builder, loc, value);
  return {value};
}

/// Runs `act(pointer, register)` for each element of `op` whose mask is true,
/// in one thread, and replaces the result, of which threads hold elements as
/// `held`.
template <typename AtomicOp>
void replaceByUpdates(
    AtomicOp op, typename AtomicOp::Adaptor adaptor, Type held, Value mask,
    ConversionPatternRewriter &rewriter,
    llvm::function_ref<Value(OpBuilder &, Location, Value, unsigned)> act) {
  Location loc = op.getLoc();
  RankedTensorType type = cta::getAtomicBlock(op);
  LinearLayout layout = cta::getLayout(type);
  bool isShared = op->hasAttr(cta::kSharedOffset);
  createRelease(rewriter, loc, op.getOrder(), op.getScope());

  Value isHolder = createIsFirstHolder(rewriter, loc, layout);
  SmallVector<Value> masks, olds;
  if (mask)
    masks = getElements(rewriter, loc, mask);
  SmallVector<Value> offsets = getElements(rewriter, loc, adaptor.getOffset());
  for (unsigned reg = 0; reg < offsets.size(); ++reg) {
    Value condition = isHolder;
    if (mask)
      condition = condition ? arith::AndIOp::create(rewriter, loc, condition,
                                                    masks[reg])
                                  .getResult()
                            : masks[reg];
    olds.push_back(createGuarded(rewriter, loc, condition, held,
                                 [&](OpBuilder &inner, Location innerLoc) {
                                   Value pointer = createElementPointer(
                                       inner, innerLoc, adaptor.getBase(),
                                       offsets[reg], type.getElementType());
                                   return act(inner, innerLoc, pointer, reg);
                                 }));
  }
  createAcquire(rewriter, op, op.getOrder(), op.getScope(), isShared);
  Value result = isShared ? shareElements(rewriter, loc, SharedTile(op, type),
                                          layout, isHolder, olds)
                          : packRegisters(rewriter, loc, olds);
  if (!isa<RankedTensorType>(op.getType()))
    result = vector::ExtractOp::create(rewriter, loc, result, 0);
  rewriter.replaceOp(op, result);
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

struct ConvertAtomicRMW : OpConversionPattern<tts::AtomicRMWOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tts::AtomicRMWOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> values =
        getElements(rewriter, op.getLoc(), adaptor.getValue());
    bool isUsed = !op->use_empty();
    replaceByUpdates(
        op, adaptor, values.front().getType(), adaptor.getMask(), rewriter,
        [&](OpBuilder &builder, Location loc, Value pointer, unsigned reg) {
          return updateElement(builder, loc, op.getKind(), op.getScope(),
                               pointer, values[reg], isUsed);
        });
    return success();
  }
};

struct ConvertAtomicCAS : OpConversionPattern<tts::AtomicCASOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tts::AtomicCASOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> compares =
        getElements(rewriter, op.getLoc(), adaptor.getCompare());
    SmallVector<Value> values =
        getElements(rewriter, op.getLoc(), adaptor.getValue());
    replaceByUpdates(
        op, adaptor, values.front().getType(), /*mask=*/nullptr, rewriter,
        [&](OpBuilder &builder, Location loc, Value pointer, unsigned reg) {
          Value old = createSwap(
              builder, loc, pointer, toBits(builder, loc, compares[reg]),
              toBits(builder, loc, values[reg]), op.getScope());
          return fromBits(builder, loc, old, values[reg].getType());
        });
    return success();
  }
};

/// One thread reads again and again; the others wait for it.
struct ConvertAtomicPoll : OpConversionPattern<tts::AtomicPollOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tts::AtomicPollOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType type = cta::getAtomicBlock(op);
    LinearLayout layout = cta::getLayout(type);
    createRelease(rewriter, loc, op.getOrder(), op.getScope());
    Value isHolder = createIsFirstHolder(rewriter, loc, layout);
    Value isThere = createGuarded(rewriter, loc, isHolder, rewriter.getI1Type(),
                                  [&](OpBuilder &builder, Location innerLoc) {
                                    return wait(op, adaptor, builder, innerLoc);
                                  });
    createAcquire(rewriter, op, op.getOrder(), op.getScope(),
                  /*hasBarrier=*/true);
    Value shared = shareElements(rewriter, loc, SharedTile(op, type), layout,
                                 isHolder, isThere);
    rewriter.replaceOpWithNewOp<vector::ExtractOp>(op, shared, 0);
    return success();
  }

private:
  static Value wait(tts::AtomicPollOp op, OpAdaptor adaptor, OpBuilder &builder,
                    Location loc) {
    Value expected = toBits(builder, loc, adaptor.getExpected());
    Value pointer = createElementPointer(builder, loc, adaptor.getBase(),
                                         adaptor.getOffset(),
                                         adaptor.getExpected().getType());
    Value start = adaptor.getTimeout() ? readClock(builder, loc) : Value();
    auto loop = scf::WhileOp::create(
        builder, loc, builder.getI1Type(), ValueRange(),
        [&](OpBuilder &inner, Location innerLoc, ValueRange) {
          Value bits = LLVM::LoadOp::create(
              inner, innerLoc, expected.getType(), pointer,
              expected.getType().getIntOrFloatBitWidth() / 8,
              /*isVolatile=*/false, /*isNonTemporal=*/false,
              /*isInvariant=*/false, /*isInvariantGroup=*/false,
              LLVM::AtomicOrdering::monotonic, getScopeName(op.getScope()));
          Value isThere = arith::CmpIOp::create(
              inner, innerLoc, arith::CmpIPredicate::eq, bits, expected);
          Value isOver = isThere;
          if (start) {
            Value passed = arith::SubIOp::create(
                inner, innerLoc, readClock(inner, innerLoc), start);
            Value isLate = arith::CmpIOp::create(inner, innerLoc,
                                                 arith::CmpIPredicate::uge,
                                                 passed, adaptor.getTimeout());
            isOver = arith::OrIOp::create(inner, innerLoc, isThere, isLate);
          }
          Value goesOn = arith::XOrIOp::create(
              inner, innerLoc, isOver,
              arith::ConstantIntOp::create(inner, innerLoc, 1, 1));
          scf::ConditionOp::create(inner, innerLoc, goesOn, isThere);
        },
        [](OpBuilder &inner, Location innerLoc, ValueRange) {
          scf::YieldOp::create(inner, innerLoc);
        });
    return loop.getResult(0);
  }

  /// Nanoseconds.
  static Value readClock(OpBuilder &builder, Location loc) {
    return NVVM::GlobalTimerOp::create(builder, loc, builder.getI64Type());
  }
};

} // namespace

void triton_shared::populateCtaToGpuAtomics(const TypeConverter &types,
                                            RewritePatternSet &patterns) {
  patterns.add<ConvertAtomicRMW, ConvertAtomicCAS, ConvertAtomicPoll>(
      types, patterns.getContext());
}
