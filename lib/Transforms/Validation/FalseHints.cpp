//===- FalseHints.cpp - What a kernel says that is not so -----------------===//
//
// A hint is believed by the compiler, and code made by a false one is wrong
// only where it matters: on another GPU, at another size. Here none is believed
// once it is noted, so that a kernel with a false one does what it says.
//
//===----------------------------------------------------------------------===//

#include "CauseTracer.h"
#include "CheckValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "triton-shared/Analysis/SourcePlaces.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

namespace {

constexpr StringLiteral kHints[] = {"tt.divisibility", "tt.contiguity",
                                    "tt.constancy"};

/// Notes the false hints of one kernel.
class HintChecker {
public:
  explicit HintChecker(tt::FuncOp kernel)
      : kernel(kernel), builder(kernel.getContext()) {}

  void run() {
    SmallVector<Operation *> hinted;
    kernel.walk([&](Operation *op) {
      if (llvm::any_of(kHints,
                       [&](StringRef name) { return op->hasAttr(name); }))
        hinted.push_back(op);
      else if (op->getName().getStringRef() == "llvm.intr.assume")
        checkAssumption(op);
    });
    for (Operation *op : hinted) {
      if (op->getNumResults() == 1)
        checkHints(op);
      llvm::for_each(kHints, [&](StringRef name) { op->removeAttr(name); });
    }
    builder.setInsertionPointToStart(&kernel.getBody().front());
    for (BlockArgument argument : kernel.getArguments())
      checkArgument(argument);
  }

private:
  /// A block of integers with what is needed to look at its neighbours.
  struct Numbers {
    Operation *op;
    Value values;
    /// By how much neighbours in memory differ.
    int64_t step;
  };

  void note(Operation *op, const Twine &hint, Value isFalse, Value values) {
    llvm::json::Object site = describeOperation(op);
    site["class"] = "false-hint";
    site["hint"] = hint.str();
    CauseBuilder causes(builder, op->getLoc());
    createNote(builder, op->getLoc(), std::move(site), "[]",
               causes.where(isFalse, 1), values);
  }

  void checkAssumption(Operation *op) {
    builder.setInsertionPoint(op);
    CauseBuilder causes(builder, op->getLoc());
    note(op, "tl.assume", causes.logicalNot(op->getOperand(0)), nullptr);
    op->erase();
  }

  void checkArgument(BlockArgument argument) {
    auto hint = kernel.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(),
                                                     "tt.divisibility");
    if (!hint || hint.getInt() <= 1)
      return;
    Location loc = argument.getLoc();
    Value number = asInteger(loc, argument);
    if (!number)
      return;
    llvm::json::Object site{
        {"kind", "argument"},
        {"class", "false-hint"},
        {"hint", llvm::formatv("a multiple of {0}", hint.getInt()).str()}};
    describeSource(loc, site);
    if (isa<tt::PointerType>(argument.getType()))
      site["argument"] = getWrittenNumber(argument);
    CauseBuilder causes(builder, loc);
    createNote(builder, loc, std::move(site), "[]",
               causes.where(isNoMultiple(loc, number, hint.getInt()), 1),
               number);
    kernel.removeArgAttr(argument.getArgNumber(), "tt.divisibility");
  }

  void checkHints(Operation *op) {
    Location loc = op->getLoc();
    builder.setInsertionPointAfter(op);
    Value values = asInteger(loc, op->getResult(0));
    if (!values)
      return;
    int64_t step = 1;
    if (auto pointer = dyn_cast<tt::PointerType>(
            getElementTypeOrSelf(op->getResult(0).getType())))
      step = std::max<int64_t>(
          1, pointer.getPointeeType().isIntOrFloat()
                 ? pointer.getPointeeType().getIntOrFloatBitWidth() / 8
                 : 8);
    Numbers numbers = {op, values, step};
    checkEach(numbers, "tt.contiguity", "tl.max_contiguous", step);
    checkEach(numbers, "tt.constancy", "tl.max_constancy", 0);
    checkMultiples(numbers);
  }

  /// What a hint says of dimension `axis`; 1 if it says nothing.
  static int64_t getHint(Operation *op, StringRef name, int64_t axis) {
    auto hint = op->getAttrOfType<DenseIntElementsAttr>(name);
    if (!hint || axis >= hint.getNumElements())
      return 1;
    return hint.getValues<APInt>()[axis].getSExtValue();
  }

  /// Neighbours in groups of as many as the hint says differ by `difference`.
  void checkEach(const Numbers &numbers, StringRef name, StringRef title,
                 int64_t difference) {
    auto type = dyn_cast<RankedTensorType>(numbers.values.getType());
    if (!type)
      return;
    Location loc = numbers.op->getLoc();
    CauseBuilder causes(builder, loc);
    for (int64_t axis = 0; axis < type.getRank(); ++axis) {
      int64_t count =
          std::min(getHint(numbers.op, name, axis), type.getDimSize(axis));
      if (count <= 1)
        continue;
      Value differs = differsFromBefore(loc, numbers.values, axis, difference);
      Value isInner = isNoMultiple(loc, placesAlong(loc, type, axis), count);
      note(numbers.op, llvm::formatv("{0}({1})", title, count).str(),
           causes.logicalAnd(differs, isInner), numbers.values);
    }
  }

  /// The first of each run of neighbours is a multiple.
  void checkMultiples(const Numbers &numbers) {
    Location loc = numbers.op->getLoc();
    CauseBuilder causes(builder, loc);
    auto type = dyn_cast<RankedTensorType>(numbers.values.getType());
    int64_t rank = type ? type.getRank() : 1;
    for (int64_t axis = 0; axis < rank; ++axis) {
      int64_t divisor = getHint(numbers.op, "tt.divisibility", axis);
      if (divisor <= 1)
        continue;
      Value isFalse = isNoMultiple(loc, numbers.values, divisor);
      if (type) {
        Value places = placesAlong(loc, type, axis);
        Value isFirst = causes.isNone(places);
        Value begins =
            causes.logicalOr(isFirst, differsFromBefore(loc, numbers.values,
                                                        axis, numbers.step));
        isFalse = causes.logicalAnd(isFalse, begins);
      }
      note(numbers.op, llvm::formatv("tl.multiple_of({0})", divisor).str(),
           isFalse, numbers.values);
    }
  }

  /// Pointers as their addresses; null for what is neither.
  Value asInteger(Location loc, Value value) {
    Type element = getElementTypeOrSelf(value.getType());
    if (isa<IntegerType>(element))
      return element.isInteger(1) ? nullptr : value;
    if (!isa<tt::PointerType>(element) || !hasElements(value.getType()))
      return nullptr;
    return tt::PtrToIntOp::create(
        builder, loc, withElement(value.getType(), builder.getI64Type()),
        value);
  }

  Value number(Location loc, Type type, int64_t value) {
    TypedAttr attribute =
        builder.getIntegerAttr(getElementTypeOrSelf(type), value);
    if (auto block = dyn_cast<RankedTensorType>(type))
      attribute = DenseElementsAttr::get(block, Attribute(attribute));
    return arith::ConstantOp::create(builder, loc, attribute);
  }

  Value isNoMultiple(Location loc, Value value, int64_t divisor) {
    Value rest = arith::RemSIOp::create(builder, loc, value,
                                        number(loc, value.getType(), divisor));
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, rest,
                                 number(loc, rest.getType(), 0));
  }

  /// The index along `axis` of each element of a block of type `type`: i32.
  Value placesAlong(Location loc, RankedTensorType type, int64_t axis) {
    auto line =
        RankedTensorType::get({type.getDimSize(axis)}, builder.getI32Type());
    Value places =
        tt::MakeRangeOp::create(builder, loc, line, 0, type.getDimSize(axis));
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (d != axis)
        places =
            tt::ExpandDimsOp::create(builder, loc, places, static_cast<int>(d));
    return tt::BroadcastOp::create(
        builder, loc, withElement(type, builder.getI32Type()), places);
  }

  /// Where an element is not the one before it along `axis` and `difference`
  /// more; false for the first.
  Value differsFromBefore(Location loc, Value values, int64_t axis,
                          int64_t difference) {
    auto type = cast<RankedTensorType>(values.getType());
    Value places = placesAlong(loc, type, axis);
    Value before = arith::SubIOp::create(builder, loc, places,
                                         number(loc, places.getType(), 1));
    before = arith::MaxSIOp::create(builder, loc, before,
                                    number(loc, places.getType(), 0));
    Value last = tt::GatherOp::create(builder, loc, type, values, before,
                                      static_cast<uint32_t>(axis));
    Value expected = arith::AddIOp::create(builder, loc, last,
                                           number(loc, type, difference));
    Value differs = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ne, values, expected);
    CauseBuilder causes(builder, loc);
    return causes.logicalAnd(differs, causes.isAny(places));
  }

  tt::FuncOp kernel;
  OpBuilder builder;
};

} // namespace

void triton_shared::noteFalseHints(tt::FuncOp kernel) {
  HintChecker(kernel).run();
}
