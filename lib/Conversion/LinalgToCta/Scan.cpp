//===- Scan.cpp - Loops over slices that are scans ------------------------===//
//
// A scan comes as a loop along its axis that carries, for each operand, the
// running slice and the result so far:
//
//   %r:2 = scf.for %k = %c1 to %n step %c1
//       iter_args(%sum = %x[0], %out = %empty with %x[0] at 0) {
//     %next = combine(%sum, %x[%k])
//     scf.yield %next, (%out with %next at %k)
//   }
//
// Slices are elements where the axis is the only dimension. In reverse, the
// loop begins at the end, and its place is `n - 1 - k`. Other loops stay.
//
//===----------------------------------------------------------------------===//

#include "Parts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// A read or a write of one place along one axis of a tensor.
struct Slice {
  Value tensor;
  int64_t axis;
  OpFoldResult place;
};

/// The axis and place of a slice that is whole in all dimensions but one.
std::optional<Slice> findSlice(Value tensor, ArrayRef<OpFoldResult> offsets,
                               ArrayRef<OpFoldResult> sizes,
                               ArrayRef<OpFoldResult> strides,
                               RankedTensorType part) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (part.getRank() != type.getRank())
    return std::nullopt;
  std::optional<int64_t> axis;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (!isConstantIntValue(strides[dim], 1))
      return std::nullopt;
    if (isConstantIntValue(sizes[dim], type.getDimSize(dim)))
      continue;
    if (!isConstantIntValue(sizes[dim], 1) || axis)
      return std::nullopt;
    axis = dim;
  }
  if (!axis)
    return std::nullopt;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (dim != *axis && !isConstantIntValue(offsets[dim], 0))
      return std::nullopt;
  return Slice{tensor, *axis, offsets[*axis]};
}

/// What `value`, an element or a slice, is read from.
std::optional<Slice> findRead(Value value) {
  if (auto extract = value.getDefiningOp<tensor::ExtractOp>()) {
    if (extract.getIndices().size() != 1)
      return std::nullopt;
    return Slice{extract.getTensor(), 0,
                 getAsOpFoldResult(extract.getIndices().front())};
  }
  auto slice = value.getDefiningOp<tensor::ExtractSliceOp>();
  if (!slice)
    return std::nullopt;
  return findSlice(slice.getSource(), slice.getMixedOffsets(),
                   slice.getMixedSizes(), slice.getMixedStrides(),
                   slice.getType());
}

/// What `value` is with an element or a slice, `written`, put into it.
std::optional<Slice> findWrite(Value value, Value &written) {
  if (auto insert = value.getDefiningOp<tensor::InsertOp>()) {
    written = insert.getScalar();
    if (insert.getIndices().size() != 1)
      return std::nullopt;
    return Slice{insert.getDest(), 0,
                 getAsOpFoldResult(insert.getIndices().front())};
  }
  auto insert = value.getDefiningOp<tensor::InsertSliceOp>();
  if (!insert)
    return std::nullopt;
  written = insert.getSource();
  return findSlice(insert.getDest(), insert.getMixedOffsets(),
                   insert.getMixedSizes(), insert.getMixedStrides(),
                   insert.getSourceType());
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

/// One operand of the scan.
struct Operand {
  Value source;
  /// Numbers of the variables of the loop.
  unsigned running, result;
};

class ScanLoop {
public:
  explicit ScanLoop(scf::ForOp loop) : loop(loop) {}

  /// True if the loop is a scan; the rest is for those.
  bool match() { return matchBounds() && matchOperands() && matchBody(); }

  void replace();

private:
  bool matchBounds() {
    return isConstantIntValue(loop.getLowerBound(), 1) &&
           isConstantIntValue(loop.getStep(), 1) &&
           getConstantIntValue(loop.getUpperBound());
  }
  int64_t getSize() { return *getConstantIntValue(loop.getUpperBound()); }

  /// True if `place` is where the loop begins.
  bool isStart(OpFoldResult place) {
    return isConstantIntValue(place, isReverse ? getSize() - 1 : 0);
  }
  /// True if `place` is where an iteration is, in the direction of the scan.
  bool isCurrent(OpFoldResult place) {
    auto value = dyn_cast<Value>(place);
    if (!value || !isReverse)
      return value == loop.getInductionVar();
    auto difference = value.getDefiningOp<arith::SubIOp>();
    return difference && difference.getRhs() == loop.getInductionVar() &&
           isConstantIntValue(difference.getLhs(), getSize() - 1);
  }

  bool matchOperands();
  std::optional<unsigned> findRunning(Value written);
  bool matchBody();
  /// The loop over the elements of slices that combines them; null where slices
  /// are elements.
  linalg::GenericOp getGeneric() {
    for (auto generic : loop.getBody()->getOps<linalg::GenericOp>())
      return generic;
    return nullptr;
  }
  /// The operand of the scan that `value` is the next slice of.
  std::optional<unsigned> findNext(Value value);
  std::optional<unsigned> findRunningArgument(Value value);
  void fillRegion(cta::ScanOp scan);

  scf::ForOp loop;
  bool isReverse = false;
  int64_t axis = 0;
  SmallVector<Operand> operands;
};

} // namespace

/// Pairs each result with its running slice and finds what they come from.
bool ScanLoop::matchOperands() {
  for (unsigned result = 0; result < loop.getNumResults(); ++result) {
    Value argument = loop.getRegionIterArg(result);
    Value written;
    std::optional<Slice> write =
        findWrite(loop.getYieldedValues()[result], written);
    if (!write || write->tensor != argument)
      continue;
    Value first;
    std::optional<Slice> start = findWrite(loop.getInitArgs()[result], first);
    std::optional<Slice> source = first ? findRead(first) : std::nullopt;
    std::optional<unsigned> running = findRunning(written);
    if (!start || !source || !running ||
        loop.getInitArgs()[*running] != first ||
        source->tensor.getType() != argument.getType())
      return false;
    if (operands.empty()) {
      axis = write->axis;
      auto place = dyn_cast<Value>(write->place);
      isReverse = place != loop.getInductionVar();
    }
    if (!isCurrent(write->place) || !isStart(start->place) ||
        !isStart(source->place) || write->axis != axis || start->axis != axis ||
        source->axis != axis)
      return false;
    operands.push_back({source->tensor, *running, result});
  }
  // Nobody takes the last slices, and nothing else is carried.
  return !operands.empty() && operands.size() * 2 == loop.getNumResults() &&
         llvm::all_of(operands, [&](const Operand &operand) {
           auto type = cast<RankedTensorType>(operand.source.getType());
           return loop.getResult(operand.running).use_empty() &&
                  type.getDimSize(axis) == getSize();
         });
}

/// The variable that is yielded as what `written` is.
std::optional<unsigned> ScanLoop::findRunning(Value written) {
  auto generic = written.getDefiningOp<linalg::GenericOp>();
  auto isSame = [&](Value yielded) {
    if (yielded == written)
      return true;
    if (!generic || yielded.getDefiningOp() != generic)
      return false;
    Operation *yield = generic.getRegion().front().getTerminator();
    return yield->getOperand(cast<OpResult>(yielded).getResultNumber()) ==
           yield->getOperand(cast<OpResult>(written).getResultNumber());
  };
  auto isTaken = [&](unsigned variable) {
    return llvm::any_of(operands, [&](const Operand &operand) {
      return operand.running == variable;
    });
  };
  for (auto [variable, yielded] : llvm::enumerate(loop.getYieldedValues()))
    if (isSame(yielded) && !isTaken(variable))
      return variable;
  return std::nullopt;
}

std::optional<unsigned> ScanLoop::findRunningArgument(Value value) {
  for (auto [index, operand] : llvm::enumerate(operands))
    if (value == loop.getRegionIterArg(operand.running))
      return index;
  return std::nullopt;
}

std::optional<unsigned> ScanLoop::findNext(Value value) {
  std::optional<Slice> read = findRead(value);
  if (!read || read->axis != axis || !isCurrent(read->place))
    return std::nullopt;
  for (auto [index, operand] : llvm::enumerate(operands))
    if (operand.source == read->tensor)
      return index;
  return std::nullopt;
}

/// The body has nothing but the slices, how they are combined and what that
/// takes from outside.
bool ScanLoop::matchBody() {
  linalg::GenericOp generic = getGeneric();
  bool isScalar = !generic;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (isa<tensor::ExtractOp, tensor::ExtractSliceOp>(op)) {
      // Of the next slices; of the results, what is overwritten.
      std::optional<Slice> read = findRead(op.getResult(0));
      bool isOverwritten =
          read && isCurrent(read->place) &&
          llvm::any_of(operands, [&](const Operand &operand) {
            return read->tensor == loop.getRegionIterArg(operand.result);
          });
      if (!isOverwritten && !findNext(op.getResult(0)))
        return false;
    } else if (isa<tensor::InsertOp, tensor::InsertSliceOp>(op)) {
      // One for each operand.
      if (!op.getResult(0).hasOneUse() ||
          !isa<scf::YieldOp>(*op.getResult(0).user_begin()))
        return false;
    } else if (&op != generic.getOperation()) {
      bool isPlace = op.getNumResults() == 1 &&
                     isCurrent(getAsOpFoldResult(op.getResult(0)));
      if (!isPlace && (!isScalar || !isMemoryEffectFree(&op)))
        return false;
    }
  }
  if (isScalar)
    return true;
  // All of it element by element, from next and running slices.
  Block &body = generic.getRegion().front();
  for (OpOperand &operand : generic->getOpOperands()) {
    if (!generic.getMatchingIndexingMap(&operand).isIdentity())
      return false;
    if (!body.getArgument(operand.getOperandNumber()).use_empty() &&
        !findRunningArgument(operand.get()) && !findNext(operand.get()))
      return false;
  }
  return llvm::none_of(body,
                       [](Operation &op) { return isa<linalg::IndexOp>(op); });
}

/// The region of the scan: the running elements of all operands, then the next
/// ones.
void ScanLoop::fillRegion(cta::ScanOp scan) {
  Location loc = loop.getLoc();
  Block &block = scan.getCombine().emplaceBlock();
  SmallVector<Type> types =
      llvm::map_to_vector(operands, [](const Operand &operand) {
        return getElementTypeOrSelf(operand.source.getType());
      });
  SmallVector<Location> locs(types.size(), loc);
  block.addArguments(types, locs);
  block.addArguments(types, locs);
  OpBuilder builder = OpBuilder::atBlockEnd(&block);
  IRMapping mapping;
  auto map = [&](Value from, Value slice) {
    if (std::optional<unsigned> running = findRunningArgument(slice))
      mapping.map(from, block.getArgument(*running));
    else if (std::optional<unsigned> next = findNext(slice))
      mapping.map(from, block.getArgument(operands.size() + *next));
  };

  SmallVector<Value> yields;
  if (linalg::GenericOp generic = getGeneric()) {
    Block &body = generic.getRegion().front();
    for (OpOperand &operand : generic->getOpOperands())
      map(body.getArgument(operand.getOperandNumber()), operand.get());
    for (Operation &op : body.without_terminator())
      builder.clone(op, mapping);
    for (const Operand &operand : operands) {
      auto result = cast<OpResult>(loop.getYieldedValues()[operand.running]);
      yields.push_back(mapping.lookupOrDefault(
          body.getTerminator()->getOperand(result.getResultNumber())));
    }
  } else {
    for (const Operand &operand : operands)
      map(loop.getRegionIterArg(operand.running),
          loop.getRegionIterArg(operand.running));
    for (Operation &op : loop.getBody()->without_terminator()) {
      if (isa<tensor::ExtractOp>(op))
        map(op.getResult(0), op.getResult(0));
      else if (!isa<tensor::InsertOp>(op) &&
               !isCurrent(getAsOpFoldResult(op.getResult(0))))
        builder.clone(op, mapping);
    }
    for (const Operand &operand : operands)
      yields.push_back(
          mapping.lookupOrDefault(loop.getYieldedValues()[operand.running]));
  }
  cta::YieldOp::create(builder, loc, yields);
}

void ScanLoop::replace() {
  OpBuilder builder(loop);
  SmallVector<Value> sources = llvm::map_to_vector(
      operands, [](const Operand &operand) { return operand.source; });
  auto scan = cta::ScanOp::create(
      builder, loop.getLoc(), TypeRange(ValueRange(sources)), sources,
      builder.getI64IntegerAttr(axis),
      isReverse ? builder.getUnitAttr() : UnitAttr());
  fillRegion(scan);
  for (auto [operand, result] : llvm::zip_equal(operands, scan.getResults()))
    loop.getResult(operand.result).replaceAllUsesWith(result);
  loop.erase();
}

void triton_shared::convertScanLoops(Operation *op) {
  op->walk([](scf::ForOp loop) {
    ScanLoop scan(loop);
    if (scan.match())
      scan.replace();
  });
}
