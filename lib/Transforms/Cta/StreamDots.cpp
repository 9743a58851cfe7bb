//===- StreamDots.cpp - Operands of products, read step by step -----------===//
//
// All of an operand at once takes more registers than there are, and tensor
// cores would wait for all of it. Step by step along K, the operands of the
// next step are read while this one is multiplied.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Pass/Pass.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"
#include "triton-shared/Layout/SharedAccess.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CTASTREAMDOTS
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;
using cta::LinearLayout;

/// The most bytes of a thread's registers that an operand from outside of a
/// loop keeps all the time.
static constexpr int64_t kKeptBytes = 128;

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// True if `convert` moves data between threads.
static bool isExchange(cta::ConvertLayoutOp convert) {
  return !cta::getLayout(convert.getSource().getType())
              .findRegisters(cta::getLayout(convert.getType()));
}

/// The conversion that makes an operand, if it is one that a buffer can do.
static cta::ConvertLayoutOp findExchange(OpOperand &operand) {
  auto convert = operand.get().getDefiningOp<cta::ConvertLayoutOp>();
  return convert && convert->hasOneUse() && isExchange(convert) ? convert
                                                                : nullptr;
}

/// Reads `operand` of a product from a buffer that is written where its
/// conversion stood.
static void readFromBuffer(OpOperand &operand, cta::ConvertLayoutOp convert) {
  Operation *dot = operand.getOwner();
  RankedTensorType from = cta::getTile(convert.getSource());
  RankedTensorType to = cta::getTile(convert.getResult());
  cta::SharedLayout layout =
      cta::chooseSharedLayout(from.getShape(), cta::getElementBytes(from),
                              cta::getLayout(from), cta::getLayout(to));
  OpBuilder builder(convert);
  Location loc = convert.getLoc();
  auto type = cta::BufferType::get(
      builder.getContext(), /*slots=*/1, from.getShape(), from.getElementType(),
      cta::SharedLayoutAttr::get(builder.getContext(), layout));
  Value buffer = cta::AllocOp::create(builder, loc, type);
  Value slot = arith::ConstantIntOp::create(builder, loc, 0, 32);
  cta::WriteOp::create(builder, loc, convert.getSource(), buffer, slot,
                       /*fenced=*/false);
  builder.setInsertionPoint(dot);
  SmallVector<int64_t> origin(from.getRank(), 0);
  operand.set(cta::ReadOp::create(builder, loc, to, buffer, slot, origin));
  convert.erase();
}

/// True if it is worse to keep `value` in registers than to read it again.
static bool isTooLargeToKeep(Operation *user, Value value) {
  auto loop = user->getParentOfType<LoopLikeOpInterface>();
  if (!loop || !loop.isDefinedOutsideOfLoop(value))
    return false;
  return cta::getThreadBytes(cta::getTile(value)) > kKeptBytes;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

namespace {

/// One operand of a product, of which parts along `dim` are taken.
class Operand {
public:
  Operand(Value value, unsigned dim)
      : value(value), dim(dim), read(value.getDefiningOp<cta::ReadOp>()) {
    if (read &&
        (!read->hasOneUse() || !llvm::all_of(read.getOffsets(), isZero)))
      read = nullptr;
  }

  bool isRead() const { return read != nullptr; }

  /// Makes the part that begins at `from`, `size` elements along K, in the
  /// layout that the instruction takes.
  Value createPart(OpBuilder &builder, Location loc, int64_t from,
                   int64_t size) {
    RankedTensorType tile = cta::getTile(value);
    SmallVector<int64_t> shape(tile.getShape()), offsets(tile.getRank(), 0);
    shape[dim] = size;
    offsets[dim] = from;
    auto type = RankedTensorType::get(
        shape, tile.getElementType(),
        cta::LayoutAttr::get(builder.getContext(),
                             cut(cta::getLayout(tile), size)));
    if (read)
      return cta::ReadOp::create(builder, loc, type, read.getBuffer(),
                                 read.getSlot(), offsets);
    return cta::SliceOp::create(builder, loc, type, value, offsets);
  }

  void eraseRead() {
    if (read)
      read.erase();
  }

private:
  static bool isZero(int64_t offset) { return offset == 0; }

  /// Without the registers that go `size` or further along K.
  LinearLayout cut(const LinearLayout &layout, int64_t size) const {
    LinearLayout::Bases registers = layout.getRegisters();
    llvm::erase_if(registers, [&](const cta::Coordinates &basis) {
      return basis[dim] >= size;
    });
    return LinearLayout(layout.getRank(), registers, layout.getLanes(),
                        layout.getWarps());
  }

  Value value;
  unsigned dim;
  cta::ReadOp read;
};

struct CtaStreamDots : triton_shared::impl::CtaStreamDotsBase<CtaStreamDots> {
  void runOnOperation() override {
    SmallVector<cta::DotOp> dots;
    getOperation().walk([&](cta::DotOp dot) {
      if (dot.getMma())
        dots.push_back(dot);
    });
    for (cta::DotOp dot : dots)
      for (OpOperand *operand : {&dot.getAMutable(), &dot.getBMutable()})
        if (cta::ConvertLayoutOp convert = findExchange(*operand))
          if (convert->getBlock() == dot->getBlock() ||
              isTooLargeToKeep(dot, convert.getResult()))
            readFromBuffer(*operand, convert);
    for (cta::DotOp dot : dots)
      split(dot);
  }

private:
  static void split(cta::DotOp dot) {
    int64_t size = dot.getMma().getK();
    int64_t depth = cta::getTile(dot.getA()).getDimSize(1);
    Operand a(dot.getA(), 1), b(dot.getB(), 0);
    if (depth == size || !(a.isRead() || b.isRead()))
      return;
    OpBuilder builder(dot);
    Location loc = dot.getLoc();
    auto createParts = [&](int64_t k) {
      Value left = a.createPart(builder, loc, k, size);
      return std::pair(left, b.createPart(builder, loc, k, size));
    };
    Value sum = dot.getAccumulator();
    std::pair<Value, Value> parts = createParts(0);
    for (int64_t k = 0; k < depth; k += size) {
      auto [left, right] = parts;
      if (k + size < depth)
        parts = createParts(k + size);
      sum =
          cta::DotOp::create(builder, loc, left, right, sum,
                             dot.getPrecisionAttr(), dot.getInstructionAttr());
    }
    dot.getResult().replaceAllUsesWith(sum);
    dot.erase();
    a.eraseRead();
    b.eraseRead();
  }
};

} // namespace
