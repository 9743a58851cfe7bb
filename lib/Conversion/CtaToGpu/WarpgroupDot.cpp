//===- WarpgroupDot.cpp - Matrix products of four warps -------------------===//
//
// `wgmma` reads operands from shared memory by descriptors and adds to
// registers while the program goes on. What a descriptor is computed from is
// the same in all threads of a warp, and written so that ptxas can tell. Fence
// and wait take all registers in and give them out again: nothing that makes
// or uses them can come between.
//
//===----------------------------------------------------------------------===//

#include "Combine.h"
#include "SharedMemory.h"
#include "Threads.h"
#include "Topics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "triton-shared/Dialect/Cta/IR/DotLayout.h"
#include "triton-shared/Dialect/Cta/IR/MatrixDescriptor.h"
#include "triton-shared/Transforms/InlinePtx.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::triton_shared;
using cta::MatrixDescriptor;
using cta::WgmmaAttr;

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

/// `vector` in words of 32 bits.
static Value toWords(OpBuilder &builder, Location loc, Value vector) {
  auto type = cast<VectorType>(vector.getType());
  int64_t bytes = type.getNumElements() * cta::getElementBytes(type);
  auto words =
      VectorType::get({bytes / GpuTarget::kBytesPerWord}, builder.getI32Type());
  return vector::BitCastOp::create(builder, loc, words, vector);
}

/// The registers in which instructions have sums: those of f16 lie in pairs.
static SmallVector<Value> unpackSums(OpBuilder &builder, Location loc,
                                     Value vector) {
  if (getElementTypeOrSelf(vector).isF16())
    vector = toWords(builder, loc, vector);
  return unpackRegisters(builder, loc, vector);
}

/// The vector of these registers, of `type`.
static Value packSums(OpBuilder &builder, Location loc, ArrayRef<Value> sums,
                      Type type) {
  Value vector = packRegisters(builder, loc, sums);
  if (vector.getType() == type)
    return vector;
  return vector::BitCastOp::create(builder, loc, type, vector);
}

/// The register that has sums of type `sum`.
static Type getSumRegister(Type sum) {
  return sum.isF16() ? IntegerType::get(sum.getContext(), 32) : sum;
}

/// The registers in which a thread has the sums of one instruction.
static unsigned countSums(WgmmaAttr wgmma, Type sum) {
  return wgmma.getN() / (sum.isF16() ? 4 : 2);
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

/// Orders what products do with registers behind what was done before.
static constexpr StringRef kFence = "wgmma.fence.sync.aligned;";

/// How assembly takes a register.
static StringRef getConstraint(Type type) { return type.isF32() ? "f" : "r"; }

/// Constraints of assembly that gives `count` registers of `type` out; that
/// of each begins with `result`.
static std::string listResults(Type type, unsigned count, StringRef result) {
  std::string constraints;
  for (unsigned i = 0; i < count; ++i)
    constraints += ((i ? "," : "") + result + getConstraint(type)).str();
  return constraints;
}

/// The same for assembly that has taken each in the register in which it gives
/// it out.
static std::string tieRegisters(ArrayRef<Value> values,
                                StringRef result = "=") {
  std::string constraints;
  for (Value value : values)
    constraints += (result + getConstraint(value.getType()) + ",").str();
  for (unsigned i = 0; i < values.size(); ++i)
    constraints += (i ? "," : "") + std::to_string(i);
  return constraints;
}

/// An instruction that orders the use of registers by products: nothing of
/// `values` is computed after it, or used before it, but what it gives. NVVM's
/// fence and wait, without values, would leave that to ptxas.
static SmallVector<Value> createOrder(OpBuilder &builder, Location loc,
                                      ArrayRef<Value> values, StringRef text) {
  return createPtx(builder, loc, ValueRange(values).getTypes(), values, text,
                   tieRegisters(values), PtxEffects::Memory);
}

/// Waits for all products but the last `pending`. Gives `sums` when that is
/// done.
static SmallVector<Value> createWait(OpBuilder &builder, Location loc,
                                     ArrayRef<Value> sums, unsigned pending) {
  return createOrder(builder, loc, sums,
                     "wgmma.wait_group.sync.aligned " +
                         std::to_string(pending) + ";");
}

//===----------------------------------------------------------------------===//
// Operands in shared memory
//===----------------------------------------------------------------------===//

namespace {

/// How the groups of four warps share a result.
class Warpgroups {
public:
  Warpgroups(OpBuilder &builder, Location loc, const cta::WarpGrid &grid)
      : grid(grid) {
    if (grid.rowBits + grid.columnBits == 0)
      return;
    // The first lane's number is that of all, which ptxas does not see in the
    // number of a thread. It is asked once: a loop would ask in each turn.
    OpBuilder::InsertionGuard before(builder);
    Operation *kernel = builder.getInsertionBlock()->getParentOp();
    while (!isa<FunctionOpInterface>(kernel))
      kernel = kernel->getParentOp();
    builder.setInsertionPointToStart(&kernel->getRegion(0).front());
    Value warp = createShuffle(builder, loc, createWarp(builder, loc),
                               NVVM::ShflKind::idx, createI32(builder, loc, 0));
    number = arith::ShRUIOp::create(
        builder, loc, warp,
        createI32(builder, loc, llvm::Log2_32(GpuTarget::kWarpgroupWarps)));
  }

  /// Which rows (`dim` 0) or columns this group has, counted in instructions;
  /// null if all have the same.
  Value createIndex(OpBuilder &builder, Location loc, unsigned dim) const {
    unsigned bits = dim == 0 ? grid.rowBits : grid.columnBits;
    if (bits == 0)
      return nullptr;
    Value index = number;
    if (dim == 1 && grid.rowBits)
      index = arith::ShRUIOp::create(builder, loc, index,
                                     createI32(builder, loc, grid.rowBits));
    return arith::AndIOp::create(builder, loc, index,
                                 createI32(builder, loc, (1 << bits) - 1));
  }

  /// How many groups lie along `dim`.
  int64_t count(unsigned dim) const {
    return int64_t(1) << (dim == 0 ? grid.rowBits : grid.columnBits);
  }

private:
  cta::WarpGrid grid;
  Value number;
};

/// An operand in a slot of a buffer, of which descriptors are made.
class MatrixInShared {
public:
  /// `own` is the dimension of the operand that the result has, too, of which
  /// an instruction takes `size`.
  MatrixInShared(OpBuilder &builder, Location loc, OpOperand &operand,
                 Value address, Value slot, const Warpgroups &groups,
                 int64_t size)
      : type(cast<cta::BufferType>(operand.get().getType())),
        layout(type.getLayout().getLayout()),
        own(operand.getOperandNumber() == 0 ? 0 : 1),
        descriptor(*cta::describeMatrix(type, operand)),
        step(size * groups.count(own)) {
    Value begin =
        LLVM::PtrToIntOp::create(builder, loc, builder.getI32Type(), address);
    auto advance = [&](Value by, int64_t bytes) {
      Value distance = arith::MulIOp::create(builder, loc, by,
                                             createI32(builder, loc, bytes));
      begin = arith::AddIOp::create(builder, loc, begin, distance);
    };
    advance(slot, type.getSlotBytes());
    if (Value index = groups.createIndex(builder, loc, own))
      advance(index, getBytes(size, 0));
    Value units = arith::ShRUIOp::create(
        builder, loc, begin,
        createI32(builder, loc, llvm::Log2_64(MatrixDescriptor::kUnit)));
    units = arith::AndIOp::create(
        builder, loc, units,
        createI32(builder, loc, MatrixDescriptor::kAddressMask));
    base = arith::AddIOp::create(
        builder, loc,
        arith::ExtUIOp::create(builder, loc, builder.getI64Type(), units),
        createI64(builder, loc, static_cast<int64_t>(descriptor.encode())));
    // LLVM would make each descriptor of `units`, a half at a time. To add to
    // the first one is one instruction.
    base = createPtx(builder, loc, builder.getI64Type(), base, "", "=l,0",
                     PtxEffects::None)
               .front();
  }

  bool isTransposed() const { return descriptor.isTransposed; }

  /// The descriptor of the `number`th matrix of this group along rows or
  /// columns, `k` elements along K.
  Value createDescriptor(OpBuilder &builder, Location loc, int64_t number,
                         int64_t k) const {
    int64_t units = getBytes(number * step, k) / MatrixDescriptor::kUnit;
    if (units == 0)
      return base;
    return arith::AddIOp::create(builder, loc, base,
                                 createI64(builder, loc, units));
  }

private:
  int64_t getBytes(int64_t alongOwn, int64_t alongK) const {
    cta::Coordinates place(2, 0);
    place[own] = alongOwn;
    place[1 - own] = alongK;
    return layout.getOffset(place) *
           cta::getElementBytes(type.getElementType());
  }

  cta::BufferType type;
  cta::SharedLayout layout;
  unsigned own;
  MatrixDescriptor descriptor;
  /// Rows or columns from one matrix of a group to its next.
  int64_t step;
  Value base;
};

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// The name of an element type of operands in instructions.
StringRef getTypeName(Type type) {
  return TypeSwitch<Type, StringRef>(type)
      .Case<BFloat16Type>([](Type) { return "bf16"; })
      .Case<Float16Type>([](Type) { return "f16"; })
      .Case<Float8E4M3FNType>([](Type) { return "e4m3"; })
      .Case<Float8E5M2Type>([](Type) { return "e5m2"; })
      .Case<IntegerType>([](Type) { return "s8"; })
      .Default([](Type) { return "tf32"; });
}

/// The same of sums.
StringRef getSumName(Type type) {
  return type.isF32() ? "f32" : type.isF16() ? "f16" : "s32";
}

/// The operands of one instruction. Either a descriptor or registers of the
/// left one.
struct WarpgroupOperands {
  Value leftDescriptor;
  ArrayRef<Value> leftWords;
  bool isLeftTransposed;
  Value right;
  bool isRightTransposed;
  /// Of the operands, and of the sums.
  Type leftType, rightType, sumType;
};

/// What follows the type and the sums of an instruction: its operands, numbered
/// from `next` on, and how it reads them.
std::string writeOperands(const WarpgroupOperands &operands, unsigned &next) {
  std::string text;
  if (operands.leftDescriptor) {
    text += "$" + std::to_string(next++);
  } else {
    unsigned words = operands.leftWords.size();
    text += listPlaceholders(next, words);
    next += words;
  }
  text += ", $" + std::to_string(next++) + ", p";
  // Only numbers with a sign of their own can be negated, only those of 16 bits
  // read the other way.
  if (isa<FloatType>(operands.sumType))
    text += ", 1, 1";
  if (cta::getElementBytes(operands.leftType) == 2) {
    if (operands.leftDescriptor)
      text += operands.isLeftTransposed ? ", 1" : ", 0";
    text += operands.isRightTransposed ? ", 1" : ", 0";
  }
  return text + ";\n";
}

/// The name of an instruction.
std::string nameInstruction(WgmmaAttr wgmma,
                            const WarpgroupOperands &operands) {
  return ("wgmma.mma_async.sync.aligned.m" + Twine(wgmma.getM()) + "n" +
          Twine(wgmma.getN()) + "k" + Twine(wgmma.getK()) + "." +
          getSumName(operands.sumType) + "." + getTypeName(operands.leftType) +
          "." + getTypeName(operands.rightType))
      .str();
}

/// Adds the products of `steps` to `sums`, which are in flight afterwards;
/// without any, these begin at zero. `before` comes first. All in one piece of
/// assembly: LLVM would take all sums apart after each, and look at every one.
/// And assembly at all: NVVM's operation knows no left operand in registers.
SmallVector<Value> createWgmma(OpBuilder &builder, Location loc,
                               WgmmaAttr wgmma,
                               ArrayRef<WarpgroupOperands> steps,
                               ArrayRef<Value> sums, StringRef before) {
  SmallVector<Value> values(sums);
  unsigned count = countSums(wgmma, steps.front().sumType);
  Type sum = getSumRegister(steps.front().sumType);
  // Sums are written before the operands of later steps are read.
  std::string constraints =
      sums.empty() ? listResults(sum, count, "=&") : tieRegisters(sums, "=&");
  unsigned next = count + sums.size();
  std::string text =
      ("{\n.reg .pred p;\n" + before + (before.empty() ? "" : "\n")).str();
  for (auto [number, step] : llvm::enumerate(steps)) {
    if (number == 0 || (number == 1 && sums.empty()))
      text += ("setp.ne.b32 p, " +
               Twine(number == 0 && sums.empty() ? "0" : "1") + ", 0;\n")
                  .str();
    text += nameInstruction(wgmma, step) + " " + listPlaceholders(0, count) +
            ", " + writeOperands(step, next);
    if (step.leftDescriptor) {
      constraints += ",l";
      values.push_back(step.leftDescriptor);
    } else {
      constraints += repeatConstraint("r", step.leftWords.size());
      llvm::append_range(values, step.leftWords);
    }
    constraints += ",l";
    values.push_back(step.right);
  }
  return createPtx(builder, loc, SmallVector<Type>(count, sum), values,
                   text + "}", constraints, PtxEffects::Memory);
}

/// The instructions of one product.
class Multiplication {
public:
  Multiplication(OpBuilder &builder, cta::DotOp op,
                 const std::optional<MatrixInShared> &left,
                 ArrayRef<Value> words, const MatrixInShared &right)
      : builder(builder), op(op), wgmma(op.getWgmma()), left(left),
        words(words), right(right) {
    cta::WarpGrid grid = cta::readWarpGrid(cta::getLayout(op.getType()), wgmma);
    ArrayRef<int64_t> shape = cta::getTile(op.getResult()).getShape();
    depth = cta::DotOp::getOperandShape(op.getA())[1] / wgmma.getK();
    rows = (shape[0] / wgmma.getM()) >> grid.rowBits;
    columns = (shape[1] / wgmma.getN()) >> grid.columnBits;
    size = countSums(wgmma, getSumType());
  }

  /// Whether the instructions of one matrix are all there is.
  bool isOneMatrix() const { return rows * columns == 1; }

  /// Adds all matrices of the group to `sums`, in flight afterwards, after a
  /// fence if there is one matrix alone. Registers of the result are numbered
  /// by its layout: first within a matrix, then columns, then rows.
  void addTo(MutableArrayRef<Value> sums) {
    StringRef before = isOneMatrix() ? kFence : "";
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < columns; ++column) {
        MutableArrayRef<Value> part = getPart(sums, row, column);
        llvm::copy(createSteps(row, column, 0, depth, part, before),
                   part.begin());
      }
    NVVM::WgmmaGroupSyncAlignedOp::create(builder, op.getLoc());
  }

  /// The same by way of sums of `partDepth` along K, which are added when they
  /// are there. One is computed while the one before it is added.
  void addPartsTo(MutableArrayRef<Value> sums, int64_t partDepth) {
    int64_t steps = partDepth / wgmma.getK();
    SmallVector<Value> pending;
    MutableArrayRef<Value> into;
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < columns; ++column)
        for (int64_t first = 0; first < depth; first += steps) {
          SmallVector<Value> next = createSteps(
              row, column, first, std::min(first + steps, depth), {}, kFence);
          NVVM::WgmmaGroupSyncAlignedOp::create(builder, op.getLoc());
          addPending(into, pending, /*later=*/1);
          pending = next;
          into = getPart(sums, row, column);
        }
    addPending(into, pending, /*later=*/0);
  }

private:
  Type getSumType() { return getElementTypeOrSelf(op.getType()); }

  MutableArrayRef<Value> getPart(MutableArrayRef<Value> sums, int64_t row,
                                 int64_t column) const {
    return sums.slice((row * columns + column) * size, size);
  }

  /// The steps along K from `first` to `last` of one matrix, after `before`.
  SmallVector<Value> createSteps(int64_t row, int64_t column, int64_t first,
                                 int64_t last, ArrayRef<Value> sums,
                                 StringRef before) {
    SmallVector<WarpgroupOperands> steps;
    for (int64_t step = first; step < last; ++step)
      steps.push_back(getOperands(row, column, step));
    return createWgmma(builder, op.getLoc(), wgmma, steps, sums, before);
  }

  WarpgroupOperands getOperands(int64_t row, int64_t column, int64_t step) {
    constexpr unsigned kWordsOfLeft = 4;
    Location loc = op.getLoc();
    int64_t k = step * wgmma.getK();
    WarpgroupOperands operands;
    operands.leftType = cta::DotOp::getOperandElementType(op.getA());
    operands.rightType = cta::DotOp::getOperandElementType(op.getB());
    operands.sumType = getSumType();
    operands.isLeftTransposed = left && left->isTransposed();
    if (left)
      operands.leftDescriptor = left->createDescriptor(builder, loc, row, k);
    else
      operands.leftWords =
          words.slice((row * depth + step) * kWordsOfLeft, kWordsOfLeft);
    operands.right = right.createDescriptor(builder, loc, column, k);
    operands.isRightTransposed = right.isTransposed();
    return operands;
  }

  /// Adds `pending` when all products but the last `later` groups have ended.
  void addPending(MutableArrayRef<Value> into, ArrayRef<Value> pending,
                  unsigned later) {
    if (pending.empty())
      return;
    SmallVector<Value> ended = createWait(builder, op.getLoc(), pending, later);
    for (auto [sum, part] : llvm::zip_equal(into, ended))
      sum = arith::AddFOp::create(builder, op.getLoc(), sum, part);
  }

  OpBuilder &builder;
  cta::DotOp op;
  WgmmaAttr wgmma;
  const std::optional<MatrixInShared> &left;
  ArrayRef<Value> words;
  const MatrixInShared &right;
  /// How many matrices of the group there are, and steps along K.
  int64_t rows, columns, depth;
  /// Registers of one matrix.
  int64_t size;
};

struct ConvertWarpgroupDot : OpConversionPattern<cta::DotOp> {
  ConvertWarpgroupDot(const TypeConverter &types, MLIRContext *context)
      : OpConversionPattern(types, context, /*benefit=*/2) {}

  LogicalResult
  matchAndRewrite(cta::DotOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    WgmmaAttr wgmma = op.getWgmma();
    if (!wgmma)
      return rewriter.notifyMatchFailure(op, "is not for wgmma");
    Location loc = op.getLoc();
    SmallVector<Value> sums =
        unpackSums(rewriter, loc, adaptor.getAccumulator());
    Warpgroups groups(rewriter, loc,
                      cta::readWarpGrid(cta::getLayout(op.getType()), wgmma));
    MatrixInShared right(rewriter, loc, op.getBMutable(), adaptor.getB(),
                         adaptor.getBSlot(), groups, wgmma.getN());
    std::optional<MatrixInShared> left;
    SmallVector<Value> words;
    if (wgmma.getIsLeftInRegisters())
      words = unpackRegisters(rewriter, loc,
                              toWords(rewriter, loc, adaptor.getA()));
    else
      left.emplace(rewriter, loc, op.getAMutable(), adaptor.getA(),
                   adaptor.getASlot(), groups, wgmma.getM());
    Multiplication product(rewriter, op, left, words, right);
    if (op.getPartialDepth() || !product.isOneMatrix())
      fence(rewriter, loc, sums, words);
    if (std::optional<int64_t> partDepth = op.getPartialDepth()) {
      product.addPartsTo(sums, *partDepth);
    } else {
      product.addTo(sums);
      if (!op.getGoesOn())
        sums = createWait(rewriter, loc, sums, /*pending=*/0);
    }
    rewriter.replaceOp(
        op, packSums(rewriter, loc, sums, adaptor.getAccumulator().getType()));
    return success();
  }

private:
  /// Products see the registers of `sums` and `words`.
  static void fence(OpBuilder &builder, Location loc,
                    SmallVectorImpl<Value> &sums,
                    SmallVectorImpl<Value> &words) {
    SmallVector<Value> all(sums.begin(), sums.end());
    llvm::append_range(all, words);
    all = createOrder(builder, loc, all, kFence);
    llvm::copy(ArrayRef(all).take_front(sums.size()), sums.begin());
    llvm::copy(ArrayRef(all).drop_front(sums.size()), words.begin());
  }
};

struct ConvertWaitDot : OpConversionPattern<cta::WaitDotOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(cta::WaitDotOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value source = adaptor.getSource();
    SmallVector<Value> sums = unpackSums(rewriter, op.getLoc(), source);
    sums = createWait(rewriter, op.getLoc(), sums, op.getPending());
    rewriter.replaceOp(op,
                       packSums(rewriter, op.getLoc(), sums, source.getType()));
    return success();
  }
};

struct ConvertMove : OpConversionPattern<cta::MoveOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(cta::MoveOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value source = adaptor.getSource();
    SmallVector<Value> words =
        unpackRegisters(rewriter, loc, toWords(rewriter, loc, source));
    for (Value &word : words)
      word = createPtx(rewriter, loc, word.getType(), word, "mov.b32 $0, $1;",
                       "=r,r", PtxEffects::Memory)
                 .front();
    rewriter.replaceOp(op, packSums(rewriter, loc, words, source.getType()));
    return success();
  }
};

} // namespace

void triton_shared::populateCtaToGpuWarpgroupDot(const TypeConverter &types,
                                                 RewritePatternSet &patterns) {
  patterns.add<ConvertWarpgroupDot, ConvertWaitDot, ConvertMove>(
      types, patterns.getContext());
}
