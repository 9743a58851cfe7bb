//===- AtomicAccesses.cpp - Atomic accesses element by element ------------===//
//
// An atomic access of a block updates one element after the other. Every update
// is ordered as acquire-release, which is at least what any program asks for,
// and is seen by the whole machine, whatever the scope.
//
//===----------------------------------------------------------------------===//

#include "Elements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "triton-shared/Conversion/NumberBits.h"
#include "triton-shared/Conversion/StructuredToMemRef.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// The kinds that `memref.atomic_rmw` knows.
std::optional<arith::AtomicRMWKind> symbolizeMemRefKind(tts::AtomicKind kind) {
  switch (kind) {
  case tts::AtomicKind::And:
    return arith::AtomicRMWKind::andi;
  case tts::AtomicKind::Or:
    return arith::AtomicRMWKind::ori;
  case tts::AtomicKind::Xor:
    return arith::AtomicRMWKind::xori;
  case tts::AtomicKind::Add:
    return arith::AtomicRMWKind::addi;
  case tts::AtomicKind::FAdd:
    return arith::AtomicRMWKind::addf;
  case tts::AtomicKind::Max:
    return arith::AtomicRMWKind::maxs;
  case tts::AtomicKind::Min:
    return arith::AtomicRMWKind::mins;
  case tts::AtomicKind::UMax:
    return arith::AtomicRMWKind::maxu;
  case tts::AtomicKind::UMin:
    return arith::AtomicRMWKind::minu;
  case tts::AtomicKind::Exchange:
    return arith::AtomicRMWKind::assign;
  case tts::AtomicKind::FMax:
    return arith::AtomicRMWKind::maxnumf;
  case tts::AtomicKind::FMin:
    return arith::AtomicRMWKind::minnumf;
  case tts::AtomicKind::Increment:
  case tts::AtomicKind::Decrement:
    return std::nullopt;
  }
  llvm_unreachable("covered switch");
}

/// Compares and swaps one element bit for bit and gives its old value.
Value swapElement(OpBuilder &builder, Location loc, Value compare, Value value,
                  Value base, OpFoldResult offset) {
  Value exchange = LLVM::AtomicCmpXchgOp::create(
      builder, loc, pointToElement(builder, loc, base, offset),
      toBits(builder, loc, compare), toBits(builder, loc, value),
      LLVM::AtomicOrdering::acq_rel, LLVM::AtomicOrdering::acquire);
  Value old = LLVM::ExtractValueOp::create(builder, loc, exchange, 0);
  return fromBits(builder, loc, old, value.getType());
}

/// Updates one element by swaps, until no other update came in between. CPUs
/// have no atomic arithmetic on bf16, and LLVM's own loop flushes denormals.
Value updateBySwaps(OpBuilder &builder, Location loc, arith::AtomicRMWKind kind,
                    Value value, Value base, OpFoldResult offset) {
  IntegerType integer = getBitsType(value.getType());
  Value pointer = pointToElement(builder, loc, base, offset);
  Value first = LLVM::LoadOp::create(
      builder, loc, integer, pointer, integer.getWidth() / 8,
      /*isVolatile=*/false, /*isNonTemporal=*/false, /*isInvariant=*/false,
      /*isInvariantGroup=*/false, LLVM::AtomicOrdering::monotonic);
  auto loop = scf::WhileOp::create(
      builder, loc, integer, first,
      [&](OpBuilder &inner, Location innerLoc, ValueRange seen) {
        Value old = fromBits(inner, innerLoc, seen[0], value.getType());
        Value result = arith::getReductionOp(kind, inner, innerLoc, old, value);
        Value exchange = LLVM::AtomicCmpXchgOp::create(
            inner, innerLoc, pointer, seen[0], toBits(inner, innerLoc, result),
            LLVM::AtomicOrdering::acq_rel, LLVM::AtomicOrdering::acquire);
        Value found =
            LLVM::ExtractValueOp::create(inner, innerLoc, exchange, 0);
        Value isOther = arith::CmpIOp::create(
            inner, innerLoc, arith::CmpIPredicate::ne, found, seen[0]);
        scf::ConditionOp::create(inner, innerLoc, isOther, found);
      },
      [](OpBuilder &inner, Location innerLoc, ValueRange found) {
        scf::YieldOp::create(inner, innerLoc, found);
      });
  return fromBits(builder, loc, loop.getResult(0), value.getType());
}

/// Updates one element and gives its old value.
Value updateElement(OpBuilder &builder, Location loc, tts::AtomicKind kind,
                    Value value, Value base, OpFoldResult offset) {
  if (std::optional<arith::AtomicRMWKind> known = symbolizeMemRefKind(kind)) {
    if (value.getType().isBF16() && *known != arith::AtomicRMWKind::assign)
      return updateBySwaps(builder, loc, *known, value, base, offset);
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    return memref::AtomicRMWOp::create(builder, loc, *known, value,
                                       viewElement(builder, loc, base, offset),
                                       zero);
  }
  LLVM::AtomicBinOp operation = kind == tts::AtomicKind::Increment
                                    ? LLVM::AtomicBinOp::uinc_wrap
                                    : LLVM::AtomicBinOp::udec_wrap;
  return LLVM::AtomicRMWOp::create(builder, loc, operation,
                                   pointToElement(builder, loc, base, offset),
                                   value, LLVM::AtomicOrdering::acq_rel);
}

using UpdateElement = function_ref<Value(OpBuilder &, Location,
                                         ValueRange indices, OpFoldResult)>;

/// Updates a scalar, behind a branch if it is masked.
Value updateScalar(OpBuilder &builder, Location loc,
                   const ElementAccess &access, Type type,
                   UpdateElement update) {
  auto run = [&](OpBuilder &inner, Location innerLoc) {
    return update(inner, innerLoc, {}, access.offsetOf(inner, innerLoc, {}));
  };
  if (!access.mask)
    return run(builder, loc);
  auto branch = scf::IfOp::create(
      builder, loc, access.mask,
      [&](OpBuilder &inner, Location innerLoc) {
        scf::YieldOp::create(inner, innerLoc, run(inner, innerLoc));
      },
      [&](OpBuilder &inner, Location innerLoc) {
        scf::YieldOp::create(inner, innerLoc, zeroOf(inner, innerLoc, type));
      });
  return branch.getResult(0);
}

/// Updates a block; collects the old values if somebody asks for them.
Value updateBlock(OpBuilder &builder, Location loc, const ElementAccess &access,
                  RankedTensorType type, bool isUsed, UpdateElement update) {
  Value buffer = isUsed ? allocateBlock(builder, loc, type) : Value();
  if (isUsed && !access.isComplete())
    fillBlock(builder, loc, buffer,
              zeroOf(builder, loc, type.getElementType()));
  forEachElement(
      builder, loc, access,
      [&](OpBuilder &inner, Location innerLoc, ValueRange indices) {
        Value old = update(inner, innerLoc, indices,
                           access.offsetOf(inner, innerLoc, indices));
        if (isUsed)
          memref::StoreOp::create(inner, innerLoc, old, buffer, indices);
      });
  return isUsed ? blockContents(builder, loc, buffer, type) : Value();
}

/// Replaces an atomic operation by updates of its elements.
void replaceByUpdates(PatternRewriter &rewriter, Operation *op,
                      const ElementAccess &access, UpdateElement update) {
  Type type = op->getResult(0).getType();
  auto tensorType = dyn_cast<RankedTensorType>(type);
  bool isUsed = !op->use_empty();
  Value old = tensorType
                  ? updateBlock(rewriter, op->getLoc(), access, tensorType,
                                isUsed, update)
                  : updateScalar(rewriter, op->getLoc(), access, type, update);
  if (isUsed)
    rewriter.replaceOp(op, old);
  else
    rewriter.eraseOp(op);
}

struct LowerAtomicRMW : OpRewritePattern<tts::AtomicRMWOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tts::AtomicRMWOp op,
                                PatternRewriter &rewriter) const override {
    replaceByUpdates(
        rewriter, op,
        accessByOffsets(rewriter, op.getBase(), op.getOffset(), op.getMask()),
        [&](OpBuilder &builder, Location loc, ValueRange indices,
            OpFoldResult offset) {
          return updateElement(builder, loc, op.getKind(),
                               elementOf(builder, loc, op.getValue(), indices),
                               op.getBase(), offset);
        });
    return success();
  }
};

struct LowerAtomicCAS : OpRewritePattern<tts::AtomicCASOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tts::AtomicCASOp op,
                                PatternRewriter &rewriter) const override {
    replaceByUpdates(
        rewriter, op,
        accessByOffsets(rewriter, op.getBase(), op.getOffset(), Value()),
        [&](OpBuilder &builder, Location loc, ValueRange indices,
            OpFoldResult offset) {
          return swapElement(builder, loc,
                             elementOf(builder, loc, op.getCompare(), indices),
                             elementOf(builder, loc, op.getValue(), indices),
                             op.getBase(), offset);
        });
    return success();
  }
};

/// `tts.atomic_poll` becomes a loop that reads until the value is there, or the
/// clock of the runtime says that it is too late.
struct LowerAtomicPoll : OpRewritePattern<tts::AtomicPollOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tts::AtomicPollOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value pointer = pointToElement(rewriter, loc, op.getBase(),
                                   asIndex(rewriter, loc, op.getOffset()));
    Value expected = toBits(rewriter, loc, op.getExpected());
    Value start = op.getTimeout() ? readClock(rewriter, op) : Value();
    auto loop =
        scf::WhileOp::create(rewriter, loc, rewriter.getI1Type(), ValueRange());
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.createBlock(&loop.getBefore());
    Value bits = LLVM::LoadOp::create(
        rewriter, loc, expected.getType(), pointer,
        expected.getType().getIntOrFloatBitWidth() / 8, /*isVolatile=*/true,
        /*isNonTemporal=*/false, /*isInvariant=*/false,
        /*isInvariantGroup=*/false, LLVM::AtomicOrdering::acquire);
    Value isThere = arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::eq, bits, expected);
    Value isOver = isThere;
    if (op.getTimeout()) {
      Value passed =
          arith::SubIOp::create(rewriter, loc, readClock(rewriter, op), start);
      Value isLate = arith::CmpIOp::create(
          rewriter, loc, arith::CmpIPredicate::uge, passed, op.getTimeout());
      isOver = arith::OrIOp::create(rewriter, loc, isThere, isLate);
    }
    Value yes = arith::ConstantIntOp::create(rewriter, loc, 1, 1);
    Value goesOn = arith::XOrIOp::create(rewriter, loc, isOver, yes);
    scf::ConditionOp::create(rewriter, loc, goesOn, isThere);
    rewriter.createBlock(&loop.getAfter(), {}, rewriter.getI1Type(), loc);
    scf::YieldOp::create(rewriter, loc);
    callRuntimeWhileWaiting(rewriter, op, loop.getAfter());
    rewriter.replaceOp(op, loop.getResults());
    return success();
  }

  /// Nanoseconds from the runtime.
  static Value readClock(PatternRewriter &rewriter, tts::AtomicPollOp op) {
    func::FuncOp clock =
        declareRuntimeFunction(rewriter, op, "tritonSharedClockNanoseconds", {},
                               rewriter.getI64Type());
    return func::CallOp::create(rewriter, op.getLoc(), clock).getResult(0);
  }
};

} // namespace

void triton_shared::populateAtomicAccesses(RewritePatternSet &patterns) {
  patterns.add<LowerAtomicRMW, LowerAtomicCAS, LowerAtomicPoll>(
      patterns.getContext());
}
