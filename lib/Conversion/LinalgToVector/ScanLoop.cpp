//===- ScanLoop.cpp - Loops over slices that are scans --------------------===//

#include "ScanLoop.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// A read or a write of one place along the last dimension of a tensor.
struct Slice {
  Value tensor;
  OpFoldResult place;
};

/// The place of a slice that is whole in all dimensions but the last.
std::optional<Slice> findSlice(Value tensor, ArrayRef<OpFoldResult> offsets,
                               ArrayRef<OpFoldResult> sizes,
                               ArrayRef<OpFoldResult> strides,
                               RankedTensorType part) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (part.getRank() != type.getRank() || part.getRank() == 0)
    return std::nullopt;
  int64_t last = type.getRank() - 1;
  for (int64_t dim = 0; dim < last; ++dim)
    if (!isConstantIntValue(offsets[dim], 0) ||
        !isConstantIntValue(sizes[dim], type.getDimSize(dim)) ||
        !isConstantIntValue(strides[dim], 1))
      return std::nullopt;
  if (!isConstantIntValue(sizes[last], 1) ||
      !isConstantIntValue(strides[last], 1))
    return std::nullopt;
  return Slice{tensor, offsets[last]};
}

/// What `value`, an element or a slice, is read from.
std::optional<Slice> findRead(Value value) {
  if (auto extract = value.getDefiningOp<tensor::ExtractOp>()) {
    if (extract.getIndices().size() != 1)
      return std::nullopt;
    return Slice{extract.getTensor(),
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
    return Slice{insert.getDest(),
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

} // namespace

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

std::optional<ScanLoop> ScanLoop::match(scf::ForOp loop) {
  ScanLoop scan(loop);
  if (!scan.matchBounds() || !scan.matchOperands() || !scan.matchBody())
    return std::nullopt;
  return scan;
}

bool ScanLoop::matchBounds() const {
  return isConstantIntValue(loop.getLowerBound(), 1) &&
         isConstantIntValue(loop.getStep(), 1) &&
         getConstantIntValue(loop.getUpperBound());
}

int64_t ScanLoop::getSize() const {
  return *getConstantIntValue(loop.getUpperBound());
}

/// True if `place` is where the loop begins.
bool ScanLoop::isStart(OpFoldResult place) const {
  return isConstantIntValue(place, reverse ? getSize() - 1 : 0);
}

/// True if `place` is where an iteration is, in the direction of the scan.
bool ScanLoop::isCurrent(OpFoldResult place) const {
  auto value = dyn_cast<Value>(place);
  if (!value || !reverse)
    return value == loop.getInductionVar();
  auto difference = value.getDefiningOp<arith::SubIOp>();
  return difference && difference.getRhs() == loop.getInductionVar() &&
         isConstantIntValue(difference.getLhs(), getSize() - 1);
}

/// The loop over the elements of slices that combines them; null where slices
/// are elements.
linalg::GenericOp ScanLoop::getGeneric() const {
  for (auto generic : loop.getBody()->getOps<linalg::GenericOp>())
    return generic;
  return nullptr;
}

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
    if (operands.empty())
      reverse = dyn_cast<Value>(write->place) != loop.getInductionVar();
    if (!isCurrent(write->place) || !isStart(start->place) ||
        !isStart(source->place))
      return false;
    operands.push_back({source->tensor, *running, result});
  }
  // Nobody takes the last slices, and nothing else is carried. Of one tensor
  // that is scanned twice, nobody could tell for which operand it is read.
  SmallPtrSet<Value, 4> sources;
  for (const Operand &operand : operands)
    if (!sources.insert(operand.source).second)
      return false;
  return !operands.empty() && operands.size() * 2 == loop.getNumResults() &&
         llvm::all_of(operands, [&](const Operand &operand) {
           auto type = cast<RankedTensorType>(operand.source.getType());
           return loop.getResult(operand.running).use_empty() &&
                  type.getShape().back() == getSize();
         });
}

/// The variable that is yielded as what `written` is.
std::optional<unsigned> ScanLoop::findRunning(Value written) const {
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

std::optional<unsigned> ScanLoop::findRunningArgument(Value value) const {
  for (auto [index, operand] : llvm::enumerate(operands))
    if (value == loop.getRegionIterArg(operand.running))
      return index;
  return std::nullopt;
}

std::optional<unsigned> ScanLoop::findNext(Value value) const {
  std::optional<Slice> read = findRead(value);
  if (!read || !isCurrent(read->place))
    return std::nullopt;
  for (auto [index, operand] : llvm::enumerate(operands))
    if (operand.source == read->tensor)
      return index;
  return std::nullopt;
}

/// The body has nothing but the slices, how they are combined and what that
/// takes from outside.
bool ScanLoop::matchBody() const {
  linalg::GenericOp generic = getGeneric();
  auto type = cast<RankedTensorType>(operands.front().source.getType());
  bool areElements = type.getRank() == 1 && !generic;
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
    } else if (!isa<tensor::EmptyOp>(op) && &op != generic.getOperation()) {
      // Where slices are tensors, elements are combined by the generic alone.
      bool isPlace = op.getNumResults() == 1 &&
                     isCurrent(getAsOpFoldResult(op.getResult(0)));
      bool takesPlace =
          llvm::is_contained(op.getOperands(), Value(loop.getInductionVar()));
      if (!isPlace && (!areElements || takesPlace || !isMemoryEffectFree(&op)))
        return false;
    }
  }
  if (!generic)
    return true;
  auto isCombined = [&](const Operand &operand) {
    return loop.getYieldedValues()[operand.running].getDefiningOp() == generic;
  };
  if (!llvm::all_of(operands, isCombined))
    return false;
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

//===----------------------------------------------------------------------===//
// What it is made of
//===----------------------------------------------------------------------===//

SmallVector<Value> ScanLoop::getSources() const {
  return llvm::map_to_vector(
      operands, [](const Operand &operand) { return operand.source; });
}

SmallVector<Value> ScanLoop::getResults() const {
  return llvm::map_to_vector(operands, [&](const Operand &operand) -> Value {
    return loop.getResult(operand.result);
  });
}

/// Notes that `element` is one of `slice`, if that is a running or next slice.
void ScanLoop::addElement(ScanBody &body, Value element, Value slice) const {
  if (std::optional<unsigned> running = findRunningArgument(slice))
    body.running.push_back({element, *running});
  else if (std::optional<unsigned> next = findNext(slice))
    body.next.push_back({element, *next});
}

ScanBody ScanLoop::getBody() const {
  ScanBody body;
  if (linalg::GenericOp generic = getGeneric()) {
    Block &block = generic.getRegion().front();
    for (OpOperand &operand : generic->getOpOperands())
      addElement(body, block.getArgument(operand.getOperandNumber()),
                 operand.get());
    for (Operation &op : block.without_terminator())
      body.operations.push_back(&op);
    for (const Operand &operand : operands) {
      auto result = cast<OpResult>(loop.getYieldedValues()[operand.running]);
      body.results.push_back(
          block.getTerminator()->getOperand(result.getResultNumber()));
    }
    return body;
  }
  for (const Operand &operand : operands) {
    Value running = loop.getRegionIterArg(operand.running);
    addElement(body, running, running);
    body.results.push_back(loop.getYieldedValues()[operand.running]);
  }
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (isa<tensor::ExtractOp, tensor::ExtractSliceOp>(op))
      addElement(body, op.getResult(0), op.getResult(0));
    else if (!isa<tensor::InsertOp, tensor::InsertSliceOp, tensor::EmptyOp>(
                 op) &&
             !isCurrent(getAsOpFoldResult(op.getResult(0))))
      body.operations.push_back(&op);
  }
  return body;
}
