//===- Copies.cpp - Loads into shared memory that nobody waits for --------===//
//
// `cp.async` moves 4, 8 or 16 bytes of each thread. What bounds leave out is
// filled with zeros, by a source that is shorter than the copy. A copy that may
// not happen is assembly: NVVM's has no predicate, and a branch around each
// would part them.
//
//===----------------------------------------------------------------------===//

#include "ElementPlaces.h"
#include "SharedMemory.h"
#include "Threads.h"
#include "Topics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "triton-shared/Transforms/InlinePtx.h"

using namespace mlir;
using namespace mlir::triton_shared;
using cta::LinearLayout;

namespace {

/// What one thread copies at once.
struct CopyTarget {
  Value pointer;
  Value condition;
};

/// An address as instructions take it: a register and a number of bytes.
struct Address {
  explicit Address(Value pointer) : base(pointer) {
    auto step = pointer.getDefiningOp<LLVM::GEPOp>();
    if (!step || !step.getDynamicIndices().empty() ||
        step.getRawConstantIndices().size() != 1)
      return;
    int64_t distance = step.getRawConstantIndices().front() *
                       (step.getElemType().getIntOrFloatBitWidth() / 8);
    if (!llvm::isInt<kBits>(distance))
      return;
    base = step.getBase();
    bytes = distance;
  }

  /// `[$1 + 64]`.
  std::string print(unsigned placeholder) const {
    return "[$" + std::to_string(placeholder) +
           (bytes ? " + " + std::to_string(bytes) : "") + "]";
  }

  /// Of the number in machine code.
  static constexpr unsigned kBits = 24;
  Value base;
  int64_t bytes = 0;
};

/// One instruction. Null `inBounds` means true.
void createCopy(OpBuilder &builder, Location loc, const CopyTarget &target,
                Value source, Value inBounds, int64_t bytes) {
  // Pieces of 16 bytes need not pass the first level of the cache.
  auto cache = bytes == 16 ? NVVM::LoadCacheModifierKind::CG
                           : NVVM::LoadCacheModifierKind::CA;
  Value present;
  if (inBounds)
    present = arith::SelectOp::create(builder, loc, inBounds,
                                      createI32(builder, loc, bytes),
                                      createI32(builder, loc, 0));
  if (matchPattern(target.condition, m_One())) {
    NVVM::CpAsyncOp::create(builder, loc, target.pointer, source, bytes, cache,
                            present);
    return;
  }
  // LLVM adds numbers that it could leave to the instruction.
  Address to(target.pointer), from(source);
  std::string text = "@$0 cp.async." +
                     NVVM::stringifyLoadCacheModifierKind(cache).str() +
                     ".shared.global " + to.print(1) + ", " + from.print(2) +
                     ", " + std::to_string(bytes);
  Value address =
      LLVM::PtrToIntOp::create(builder, loc, builder.getI32Type(), to.base);
  SmallVector<Value> operands = {target.condition, address, from.base};
  std::string constraints = "b,r,l";
  if (present) {
    operands.push_back(present);
    text += ", $3";
    constraints += ",r";
  }
  createPtx(builder, loc, {}, operands, text + ";", constraints,
            PtxEffects::Memory);
}

struct ConvertCopy : OpConversionPattern<cta::CopyOp> {
  ConvertCopy(const TypeConverter &types, const AccessWidths &widths,
              MLIRContext *context)
      : OpConversionPattern(types, context), widths(widths) {}

  LogicalResult
  matchAndRewrite(cta::CopyOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto load = cast<tts::LoadOp>(op.getLoad().front().front());
    cta::BufferType type = op.getBuffer().getType();
    LinearLayout layout = cta::getLayout(load.getType());
    LinearLayout placed = type.getLayout().getLayout().place(layout);
    int64_t bytes = cta::getElementBytes(type.getElementType());
    AccessWidth width = widths.at(load);
    // What lies side by side in shared memory need not do so where it is from.
    SmallVector<cta::Piece> pieces = cta::getPieces(
        placed,
        std::min(width.uniform, layout.countNeighbours(width.order.front())));
    width.elements = width.uniform = pieces.front().size();
    if (width.elements * bytes < GpuTarget::kLeastCopyBytes)
      return rewriter.notifyMatchFailure(op, "copies too little at once");
    ElementPlaces places =
        placeStrided(rewriter, loc, remapAccess(load, rewriter), width, layout);
    if (Value mask = load.getMask())
      restrictTo(places, rewriter.getRemappedValue(mask), /*isHolder=*/nullptr,
                 rewriter, loc);
    SharedTile slot =
        createSlot(rewriter, loc, type, adaptor.getBuffer(), adaptor.getSlot());
    SharedPointers pointers = slot.createPointers(rewriter, loc, placed);
    Value condition = adaptor.getCondition();
    // What several threads hold is copied by one of them.
    if (Value isHolder = createIsFirstHolder(rewriter, loc, layout))
      condition = arith::AndIOp::create(rewriter, loc, condition, isHolder);
    for (const cta::Piece &piece : pieces)
      createCopy(rewriter, loc, {pointers.get(piece.front()), condition},
                 places.pointers[piece.front()],
                 places.getPredicate(piece.front()), piece.size() * bytes);
    rewriter.eraseOp(op);
    return success();
  }

private:
  const AccessWidths &widths;
};

struct ConvertCommit : OpConversionPattern<cta::CommitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(cta::CommitOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncCommitGroupOp>(op);
    return success();
  }
};

/// Each thread waits for its own copies, then all for each other. Products see
/// what was copied without a fence, other than what threads have stored.
struct ConvertWait : OpConversionPattern<cta::WaitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(cta::WaitOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NVVM::CpAsyncWaitGroupOp::create(rewriter, op.getLoc(),
                                     op.getPendingAttr());
    createBarrier(rewriter, op.getLoc());
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void triton_shared::populateCtaToGpuCopies(const TypeConverter &types,
                                           const AccessWidths &widths,
                                           RewritePatternSet &patterns) {
  patterns.add<ConvertCopy>(types, widths, patterns.getContext());
  patterns.add<ConvertCommit, ConvertWait>(types, patterns.getContext());
}
