//===- ProbeValues.cpp - One program writes down what it computes ---------===//
//
// A log in memory: an atomic addition finds the place of each entry, so that
// loops and branches need no numbers of their own, and entries that a host does
// not ask for are counted alone.
//
//===----------------------------------------------------------------------===//

#include "ProbePoints.h"
#include "RowMajorBlock.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_TRITONPROBEVALUES
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

/// Where in the memory, in words, something stands.
enum Word : int32_t { Count = 0, First = 1, End = 2, Program = 3, Log = 8 };

/// Before the elements of an entry: its number and its size.
static constexpr int32_t headWords = 2;

namespace {

/// Writes entries of the log at one place of a kernel after another.
class LogWriter {
public:
  LogWriter(OpBuilder &builder, Value memory)
      : builder(builder), memory(memory) {
    Location loc = memory.getLoc();
    first = load(loc, First);
    end = load(loc, End);
    for (int axis = 0; axis < 3; ++axis) {
      Value here =
          tt::GetProgramIdOp::create(builder, loc, builder.getI32Type(),
                                     static_cast<tt::ProgramIDDim>(axis));
      Value isHere =
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, here,
                                load(loc, Program + axis));
      isMine =
          isMine ? arith::AndIOp::create(builder, loc, isMine, isHere) : isHere;
    }
  }

  /// Appends the entry of `value`.
  void append(Value value, int32_t number) {
    Location loc = value.getLoc();
    SmallVector<Value> parts = makeWords(loc, value);
    int32_t words = countWords(value, parts);
    Value at = arith::SubIOp::create(builder, loc, reserve(loc, words), first);
    Value after = arith::AddIOp::create(builder, loc, at, constant(loc, words));
    Value room = arith::SubIOp::create(builder, loc, end, first);
    auto compare = [&](arith::CmpIPredicate predicate, Value a, Value b) {
      return arith::CmpIOp::create(builder, loc, predicate, a, b);
    };
    Value isKept = arith::AndIOp::create(
        builder, loc, isMine,
        arith::AndIOp::create(
            builder, loc,
            compare(arith::CmpIPredicate::sge, at, constant(loc, 0)),
            compare(arith::CmpIPredicate::sle, after, room)));

    Value entry = move(loc, move(loc, memory, constant(loc, Log)), at);
    write(loc, entry, number, words, parts, isKept);
  }

  /// Writes the entry of `value` where the one before it was.
  void replace(Value value, int32_t number) {
    Location loc = value.getLoc();
    SmallVector<Value> parts = makeWords(loc, value);
    int32_t words = countWords(value, parts);
    store(loc, memory, constant(loc, words), isMine);
    write(loc, move(loc, memory, constant(loc, Log)), number, words, parts,
          isMine);
  }

private:
  static int32_t countWords(Value value, ArrayRef<Value> parts) {
    auto block = dyn_cast<RankedTensorType>(value.getType());
    int32_t count = block ? block.getNumElements() : 1;
    return headWords + count * static_cast<int32_t>(parts.size());
  }

  void write(Location loc, Value entry, int32_t number, int32_t words,
             ArrayRef<Value> parts, Value isKept) {
    store(loc, entry, constant(loc, number), isKept);
    store(loc, move(loc, entry, constant(loc, 1)), constant(loc, words),
          isKept);
    int32_t count = (words - headWords) / static_cast<int32_t>(parts.size());
    for (auto [index, part] : llvm::enumerate(parts)) {
      int32_t offset = headWords + count * static_cast<int32_t>(index);
      store(loc, move(loc, entry, constant(loc, offset)), part, isKept);
    }
  }

  Value constant(Location loc, int32_t number) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI32IntegerAttr(number));
  }

  Value move(Location loc, Value pointer, Value offset) {
    return tt::AddPtrOp::create(builder, loc, pointer.getType(), pointer,
                                offset);
  }

  Value load(Location loc, int32_t word) {
    return tt::LoadOp::create(builder, loc,
                              move(loc, memory, constant(loc, word)));
  }

  /// Stores a scalar, or a block row by row.
  void store(Location loc, Value pointer, Value words, Value isKept) {
    Value pointers =
        makeRowMajorPointers(builder, loc, pointer, words.getType());
    Value mask = isKept;
    if (auto block = dyn_cast<RankedTensorType>(words.getType()))
      mask = tt::SplatOp::create(
          builder, loc,
          RankedTensorType::get(block.getShape(), builder.getI1Type()), isKept);
    tt::StoreOp::create(builder, loc, pointers, words, mask);
  }

  /// The place of an entry: programs that are not asked reserve nothing.
  Value reserve(Location loc, int32_t words) {
    return tt::AtomicRMWOp::create(builder, loc, builder.getI32Type(),
                                   tt::RMWOp::ADD, memory, constant(loc, words),
                                   isMine, tt::MemSemantic::RELAXED,
                                   tt::MemSyncScope::GPU);
  }

  /// The bits of each element: one word, or two of 64 bits.
  SmallVector<Value> makeWords(Location loc, Value value) {
    auto withElement = [&](Type element) -> Type {
      if (auto block = dyn_cast<RankedTensorType>(value.getType()))
        return RankedTensorType::get(block.getShape(), element);
      return element;
    };
    Type element = getElementTypeOrSelf(value.getType());
    unsigned width = element.getIntOrFloatBitWidth();
    Type i32 = withElement(builder.getI32Type());
    if (isa<FloatType>(element))
      value = tt::BitcastOp::create(
          builder, loc, withElement(builder.getIntegerType(width)), value);
    if (width == 32)
      return {value};
    if (width < 32)
      return {arith::ExtUIOp::create(builder, loc, i32, value)};
    Type i64 = value.getType();
    Attribute half = builder.getI64IntegerAttr(32);
    if (auto block = dyn_cast<RankedTensorType>(i64))
      half = DenseElementsAttr::get(block, half);
    Value shift =
        arith::ConstantOp::create(builder, loc, cast<TypedAttr>(half));
    Value upper = arith::ShRUIOp::create(builder, loc, value, shift);
    return {arith::TruncIOp::create(builder, loc, i32, value),
            arith::TruncIOp::create(builder, loc, i32, upper)};
  }

  OpBuilder &builder;
  Value memory, first, end, isMine;
};

struct TritonProbeValues
    : triton_shared::impl::TritonProbeValuesBase<TritonProbeValues> {
  using TritonProbeValuesBase::TritonProbeValuesBase;

  void runOnOperation() override {
    tt::FuncOp kernel = findTritonKernel(getOperation());
    if (!kernel)
      return signalPassFailure();
    ProbePoints points(kernel);
    OpBuilder builder(&getContext());
    getOperation()->setAttr("tt.probes",
                            builder.getStringAttr(points.describe()));

    unsigned count = kernel.getNumArguments();
    auto attributes = builder.getDictionaryAttr(
        builder.getNamedAttr("tt.divisibility", builder.getI32IntegerAttr(16)));
    if (failed(kernel.insertArgument(
            count, tt::PointerType::get(builder.getI32Type(), 1), attributes,
            kernel.getLoc())))
      return signalPassFailure();
    builder.setInsertionPointToStart(&kernel.getBody().front());
    LogWriter writer(builder, kernel.getArgument(count));
    OpBuilder::InsertPoint start = builder.saveInsertionPoint();
    for (auto [index, probed] : llvm::enumerate(points.getValues())) {
      Value value = probed;
      auto number = static_cast<int32_t>(index);
      if (only >= 0 && only != number)
        continue;
      if (value.getDefiningOp())
        builder.setInsertionPointAfterValue(value);
      else if (value.getParentRegion() == &kernel.getBody())
        builder.restoreInsertionPoint(start);
      else
        builder.setInsertionPointToStart(cast<BlockArgument>(value).getOwner());
      // One alone needs no place of its own: a store is all that is added.
      if (only >= 0)
        writer.replace(value, number);
      else
        writer.append(value, number);
    }
  }
};

} // namespace
