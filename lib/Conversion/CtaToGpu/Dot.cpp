//===- Dot.cpp - Matrix products without tensor cores ---------------------===//
//
// Both operands lie in shared memory, or go there; each thread then walks along
// K and adds the outer product of its rows and columns. Right for every type
// and shape.
//
// It reads for several steps at once: neighbours of a row by one instruction,
// where a step alone reads an element of each row, and shared memory takes
// longer than the sums do. For the same reason, rows lie there in an order that
// neither who writes nor who reads them meets in one bank.
//
//===----------------------------------------------------------------------===//

#include "SharedMemory.h"
#include "Threads.h"
#include "Topics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "triton-shared/Dialect/Cta/IR/DotLayout.h"
#include "triton-shared/Dialect/Cta/IR/Exchange.h"
#include "triton-shared/Layout/SharedAccess.h"

using namespace mlir;
using namespace mlir::triton_shared;
using cta::LinearLayout;

namespace {

/// The most steps along K for which a thread reads at once, and the most bytes
/// of a row that one instruction reads.
constexpr int64_t kMostSteps = 4, kMostBytes = 16;
/// If the sums of a thread take no more than that, it reads for several steps.
/// With more, there is no room for what is read at once.
constexpr int64_t kMostSumBytes = 512;
/// How often it may read in one turn.
constexpr int64_t kMostReads = 8;
/// How many products it may compute in one turn, while it reads for the next
/// ones: all that a loop has should stay in the cache of instructions, but with
/// fewer than the least a turn is mostly waiting.
constexpr int64_t kMostProducts = 1024, kLeastProducts = 512;

/// The steps along K that are read for at once: a power of two that divides
/// their number.
int64_t countSteps(cta::DotOp op) {
  RankedTensorType sums = cta::getTile(op.getResult());
  int64_t sumBytes = cta::getLayout(sums).getNumRegisters() *
                     cta::getElementBytes(sums.getElementType());
  if (sumBytes > kMostSumBytes)
    return 1;
  Type element = cta::DotOp::getOperandElementType(op.getA());
  return std::min({cta::DotOp::getOperandShape(op.getA()).back(), kMostSteps,
                   kMostBytes / cta::getElementBytes(element)});
}

/// How often that happens in one turn; the loop around has so many products.
int64_t countReads(cta::DotOp op, int64_t steps, int64_t productsOfLoop) {
  int64_t reads = cta::DotOp::getOperandShape(op.getA()).back() / steps;
  int64_t sums = cta::getLayout(op.getType()).getNumRegisters();
  int64_t most = std::max(kLeastProducts, kMostProducts / productsOfLoop);
  int64_t room = most / (steps * sums);
  return std::min({reads, kMostReads, std::max(room, int64_t(1))});
}

Value extendTo(OpBuilder &builder, Location loc, Type type, Value value) {
  if (value.getType() == type)
    return value;
  if (isa<FloatType>(type))
    return arith::ExtFOp::create(builder, loc, type, value);
  return arith::ExtSIOp::create(builder, loc, type, value);
}

Value multiplyAdd(OpBuilder &builder, Location loc, Value a, Value b,
                  Value sum) {
  if (isa<FloatType>(sum.getType()))
    return math::FmaOp::create(builder, loc, a, b, sum);
  Value product = arith::MulIOp::create(builder, loc, a, b);
  return arith::AddIOp::create(builder, loc, sum, product);
}

/// One operand in shared memory. Of its rows, or columns, each thread reads
/// those of its sums.
class SharedOperand {
public:
  /// A turn reads `reads` times for `steps` along K.
  SharedOperand(cta::DotOp op, OpOperand &operand, int64_t steps, int64_t reads)
      : shape(cta::DotOp::getOperandShape(operand.get())),
        alongK(cta::DotOp::getCommonDim(operand)), steps(steps), reads(reads),
        held(cta::getFactorLayout(op, operand, steps)),
        layout(chooseLayout(op, operand)) {}

  /// Reads the slot (i32) of a buffer.
  void setSlot(OpBuilder &builder, Location loc, cta::BufferType type,
               Value buffer, Value slot) {
    tile = createSlot(builder, loc, type, buffer, slot);
  }

  /// Writes what each thread holds in `vector` to the part of `op`, `skipBytes`
  /// behind its beginning.
  void store(OpBuilder &builder, Location loc, cta::DotOp op,
             RankedTensorType type, Value vector, int64_t skipBytes) {
    tile.emplace(op, type, layout, skipBytes);
    tile->store(builder, loc, vector, cta::getLayout(type));
  }

  /// What a thread reads the time `read` of a turn (i32), as numbers of
  /// `sumType`.
  SmallVector<Value> load(OpBuilder &builder, Location loc, Value turn,
                          int64_t read, Type sumType) const {
    LinearLayout::Bases ofTurns;
    int32_t bits = 0;
    for (int64_t k = steps * reads; k < shape[alongK]; k *= 2) {
      ofTurns.push_back({layout.getOffset(getFirst(k))});
      bits |= ofTurns.back().front();
    }
    Value start = createCombination(builder, loc, turn, ofTurns, 0);
    Value vector =
        tile->loadFrom(builder, loc, held, getFirst(read * steps), start, bits);
    SmallVector<Value> elements = unpackRegisters(builder, loc, vector);
    for (Value &element : elements)
      element = extendTo(builder, loc, sumType, element);
    return elements;
  }

  /// Which of these a sum at `place` of the result takes in a step.
  unsigned find(cta::Coordinates place, int64_t step) const {
    place[alongK] = step;
    return *held.findRegister(place);
  }

private:
  /// That of its buffer, or what is written and read in the least time.
  static cta::SharedLayout chooseLayout(cta::DotOp op, OpOperand &operand) {
    Type type = operand.get().getType();
    if (auto buffer = dyn_cast<cta::BufferType>(type))
      return buffer.getLayout().getLayout();
    return cta::chooseFactorLayout(op, operand);
  }

  /// The first element of step `k`.
  cta::Coordinates getFirst(int64_t k) const {
    return cta::getStep(shape.size(), alongK, k);
  }

  ArrayRef<int64_t> shape;
  unsigned alongK;
  int64_t steps, reads;
  LinearLayout held;
  cta::SharedLayout layout;
  std::optional<SharedTile> tile;
};

/// Adds the products of one turn after the other.
class OuterProducts {
public:
  OuterProducts(cta::DotOp op, int64_t productsOfLoop)
      : op(op), layout(cta::getLayout(op.getType())),
        size(cta::DotOp::getOperandShape(op.getA()).back()),
        steps(countSteps(op)), reads(countReads(op, steps, productsOfLoop)),
        a(op, op.getAMutable(), steps, reads),
        b(op, op.getBMutable(), steps, reads) {}

  /// Operands that lie in no buffer are written to the part of the product, and
  /// threads wait for each other.
  void share(OpBuilder &builder, Location loc, cta::DotOpAdaptor adaptor) {
    int64_t skipBytes = 0;
    auto shareOne = [&](SharedOperand &operand, Type type, Value value,
                        Value slot) {
      if (auto buffer = dyn_cast<cta::BufferType>(type))
        return operand.setSlot(builder, loc, buffer, value, slot);
      auto tile = cast<RankedTensorType>(type);
      operand.store(builder, loc, op, tile, value, skipBytes);
      skipBytes += cta::getSharedBytes(tile);
    };
    shareOne(a, op.getA().getType(), adaptor.getA(), adaptor.getASlot());
    shareOne(b, op.getB().getType(), adaptor.getB(), adaptor.getBSlot());
    if (skipBytes)
      createBarrier(builder, loc);
  }

  int64_t countTurns() const { return size / (steps * reads); }

  /// `sums` and the products of a turn (i32).
  Value add(OpBuilder &builder, Location loc, Value turn, Value sums) const {
    Type sumType = getElementTypeOrSelf(sums.getType());
    SmallVector<Value> elements = unpackRegisters(builder, loc, sums);
    for (int64_t read = 0; read < reads; ++read) {
      SmallVector<Value> left = a.load(builder, loc, turn, read, sumType),
                         right = b.load(builder, loc, turn, read, sumType);
      for (int64_t step = 0; step < steps; ++step)
        for (auto [reg, sum] : llvm::enumerate(elements)) {
          cta::Coordinates place = layout.applyRegister(reg);
          sum = multiplyAdd(builder, loc, left[a.find(place, step)],
                            right[b.find(place, step)], sum);
        }
    }
    return packRegisters(builder, loc, elements);
  }

private:
  cta::DotOp op;
  LinearLayout layout;
  int64_t size, steps, reads;
  SharedOperand a, b;
};

struct ConvertDot : OpConversionPattern<cta::DotOp> {
  ConvertDot(const TypeConverter &types, MLIRContext *context,
             const ThreadProducts &products)
      : OpConversionPattern(types, context), productsOf(products) {}

  LogicalResult
  matchAndRewrite(cta::DotOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    OuterProducts products(op, productsOf.lookup(op));
    products.share(rewriter, loc, adaptor);
    auto loop = scf::ForOp::create(
        rewriter, loc, createI32(rewriter, loc, 0),
        createI32(rewriter, loc, products.countTurns()),
        createI32(rewriter, loc, 1), adaptor.getAccumulator(),
        [&](OpBuilder &builder, Location loc, Value turn, ValueRange sums) {
          scf::YieldOp::create(builder, loc,
                               products.add(builder, loc, turn, sums.front()));
        });
    rewriter.replaceOp(op, loop.getResults());
    return success();
  }

  const ThreadProducts &productsOf;
};

} // namespace

ThreadProducts triton_shared::countThreadProducts(Operation *root) {
  DenseMap<Operation *, SmallVector<cta::DotOp>> dotsOf;
  root->walk([&](cta::DotOp dot) {
    if (!dot.getInstruction())
      dotsOf[dot->getParentOfType<LoopLikeOpInterface>()].push_back(dot);
  });
  ThreadProducts products;
  for (auto &[loop, dots] : dotsOf)
    for (cta::DotOp dot : dots)
      products[dot] = dots.size();
  return products;
}

void triton_shared::populateCtaToGpuDot(const TypeConverter &types,
                                        const ThreadProducts &products,
                                        RewritePatternSet &patterns) {
  patterns.add<ConvertDot>(types, patterns.getContext(), products);
}
