//===- CauseTracer.cpp - Causes follow a program --------------------------===//
//
// First it is found which values may be wrong at all: the others cost nothing.
// Then operations of causes are put behind those of the program, in its order;
// loops and branches hand on causes as they hand on values.
//
//===----------------------------------------------------------------------===//

#include "CauseTracer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "triton-shared/Analysis/SourcePlaces.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

CauseTracer::CauseTracer(tt::FuncOp kernel, StringRef kind)
    : kernel(kernel), builder(kernel.getContext()), kind(kind) {}

void CauseTracer::run() {
  number();
  if (numbers.empty())
    return;
  mark();
  visit(kernel.getBody().front());
}

SmallVector<Value> CauseTracer::getAll(ValueRange values) const {
  return llvm::map_to_vector(values, [&](Value value) { return get(value); });
}

//===----------------------------------------------------------------------===//
// What may be wrong
//===----------------------------------------------------------------------===//

/// True for the loops and branches that causes go through; the regions of all
/// other operations run for each element.
static bool isControlFlow(Operation *op) {
  return isa<scf::ForOp, scf::WhileOp, scf::IfOp>(op);
}

/// Walks over the operations of a kernel but not into combining regions.
static void walkProgram(Block &block, function_ref<void(Operation *)> visit) {
  for (Operation &op : block) {
    visit(&op);
    if (!isControlFlow(&op))
      continue;
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        walkProgram(inner, visit);
  }
}

/// Causes have numbers in the reverse order of the program.
void CauseTracer::number() {
  SmallVector<Operation *> found;
  walkProgram(kernel.getBody().front(), [&](Operation *op) {
    if (!isControlFlow(op) && isCause(op))
      found.push_back(op);
  });
  llvm::json::Array list;
  for (auto [index, op] : llvm::enumerate(llvm::reverse(found))) {
    numbers[op] = index + 1;
    list.push_back(describeOperation(op));
  }
  llvm::raw_string_ostream(causesText) << llvm::json::Value(std::move(list));
}

bool CauseTracer::markResults(Operation *op) {
  bool isWrong = numbers.contains(op) ||
                 llvm::any_of(op->getOpOperands(), [&](OpOperand &operand) {
                   return isMarked(operand.get()) && handsOn(operand);
                 });
  bool changed = false;
  for (Value result : op->getResults())
    if (isWrong && hasElements(result.getType()))
      changed |= marked.insert(result).second;
  return changed;
}

void CauseTracer::mark() {
  bool changed = true;
  auto carry = [&](ValueRange from, ValueRange to) {
    for (auto [lhs, rhs] : llvm::zip_equal(from, to))
      if (isMarked(lhs) && hasElements(rhs.getType()))
        changed |= marked.insert(rhs).second;
  };
  while (changed) {
    changed = false;
    walkProgram(kernel.getBody().front(), [&](Operation *op) {
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        carry(loop.getInitArgs(), loop.getRegionIterArgs());
        carry(loop.getYieldedValues(), loop.getRegionIterArgs());
        carry(loop.getRegionIterArgs(), loop.getResults());
      } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
        carry(loop.getInits(), loop.getBeforeArguments());
        carry(loop.getYieldOp().getOperands(), loop.getBeforeArguments());
        carry(loop.getConditionOp().getArgs(), loop.getAfterArguments());
        carry(loop.getAfterArguments(), loop.getResults());
      } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
        for (Region *region : branch.getRegions())
          if (!region->empty())
            carry(region->front().getTerminator()->getOperands(),
                  branch.getResults());
      } else {
        changed |= markResults(op);
      }
    });
  }
}

//===----------------------------------------------------------------------===//
// Beside the program
//===----------------------------------------------------------------------===//

void CauseTracer::visit(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    builder.setInsertionPoint(&op);
    report(&op);
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      visitLoop(loop);
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      visitLoop(loop);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      visitBranch(branch);
    } else if (llvm::any_of(op.getResults(),
                            [&](Value value) { return isMarked(value); })) {
      builder.setInsertionPointAfter(&op);
      for (auto [result, cause] : llvm::zip_equal(op.getResults(), trace(&op)))
        if (cause)
          causes[result] = cause;
    }
  }
}

SmallVector<unsigned> CauseTracer::listMarked(ValueRange values) const {
  SmallVector<unsigned> which;
  for (auto [index, value] : llvm::enumerate(values))
    if (isMarked(value))
      which.push_back(index);
  return which;
}

Value CauseTracer::getOrZero(Value value, Location loc) {
  Value known = get(value);
  return known ? known
               : CauseBuilder(builder, loc).constant(value.getType(), 0);
}

/// Causes of the arguments of a block, of which the first `lead` are none that
/// `which` counts, become arguments of it.
void CauseTracer::addArguments(Block *block, ArrayRef<unsigned> which,
                               unsigned lead) {
  for (unsigned index : which) {
    BlockArgument argument = block->getArgument(lead + index);
    Type type =
        CauseBuilder(builder, argument.getLoc()).typeFor(argument.getType());
    causes[argument] = block->addArgument(type, argument.getLoc());
  }
}

/// The causes of what a block hands on are handed on, too.
void CauseTracer::addOperands(Operation *terminator, ArrayRef<unsigned> which,
                              unsigned lead) {
  builder.setInsertionPoint(terminator);
  SmallVector<Value> added;
  for (unsigned index : which)
    added.push_back(
        getOrZero(terminator->getOperand(lead + index), terminator->getLoc()));
  terminator->insertOperands(terminator->getNumOperands(), added);
}

/// `made` stands for `op`, and has causes of the results `which` behind its
/// results.
void CauseTracer::replace(Operation *op, Operation *made,
                          ArrayRef<unsigned> which) {
  unsigned count = op->getNumResults();
  for (auto [index, result] : llvm::enumerate(op->getResults())) {
    if (isMarked(result))
      marked.insert(made->getResult(index));
    result.replaceAllUsesWith(made->getResult(index));
  }
  for (auto [place, index] : llvm::enumerate(which))
    causes[made->getResult(index)] = made->getResult(count + place);
  op->erase();
}

/// The types of `values`, then those of the causes of `which` of them.
static SmallVector<Type> addCauseTypes(CauseBuilder build, TypeRange types,
                                       ArrayRef<unsigned> which) {
  SmallVector<Type> all(types);
  for (unsigned index : which)
    all.push_back(build.typeFor(types[index]));
  return all;
}

void CauseTracer::visitBranch(scf::IfOp op) {
  SmallVector<unsigned> which = listMarked(op.getResults());
  for (Region *region : op.getRegions()) {
    if (region->empty())
      continue;
    visit(region->front());
    addOperands(region->front().getTerminator(), which, 0);
  }
  if (which.empty())
    return;
  builder.setInsertionPoint(op);
  OperationState state(op.getLoc(), op->getName(), op->getOperands(),
                       addCauseTypes(build(op), op->getResultTypes(), which),
                       op->getAttrs());
  state.addRegion()->takeBody(op.getThenRegion());
  state.addRegion()->takeBody(op.getElseRegion());
  replace(op, builder.create(state), which);
}

void CauseTracer::visitLoop(scf::ForOp op) {
  SmallVector<unsigned> which = listMarked(op.getRegionIterArgs());
  SmallVector<Value> operands(op->getOperands());
  for (unsigned index : which)
    operands.push_back(getOrZero(op.getInitArgs()[index], op.getLoc()));
  addArguments(op.getBody(), which, op.getNumInductionVars());
  visit(*op.getBody());
  addOperands(op.getBody()->getTerminator(), which, 0);
  if (which.empty())
    return;
  builder.setInsertionPoint(op);
  OperationState state(op.getLoc(), op->getName(), operands,
                       addCauseTypes(build(op), op->getResultTypes(), which),
                       op->getAttrs());
  state.addRegion()->takeBody(op.getRegion());
  replace(op, builder.create(state), which);
}

void CauseTracer::visitLoop(scf::WhileOp op) {
  SmallVector<unsigned> carried = listMarked(op.getBeforeArguments());
  SmallVector<unsigned> results = listMarked(op.getResults());
  SmallVector<Value> operands(op->getOperands());
  for (unsigned index : carried)
    operands.push_back(getOrZero(op.getInits()[index], op.getLoc()));
  addArguments(op.getBeforeBody(), carried, 0);
  addArguments(op.getAfterBody(), results, 0);
  visit(*op.getBeforeBody());
  visit(*op.getAfterBody());
  addOperands(op.getConditionOp(), results, 1);
  addOperands(op.getYieldOp(), carried, 0);
  if (carried.empty() && results.empty())
    return;
  builder.setInsertionPoint(op);
  OperationState state(op.getLoc(), op->getName(), operands,
                       addCauseTypes(build(op), op->getResultTypes(), results),
                       op->getAttrs());
  state.addRegion()->takeBody(op.getBefore());
  state.addRegion()->takeBody(op.getAfter());
  replace(op, builder.create(state), results);
}

SmallVector<Value> CauseTracer::traceElements(Operation *op) {
  SmallVector<Value> found;
  for (OpOperand &operand : op->getOpOperands())
    found.push_back(handsOn(operand) ? get(operand.get()) : nullptr);
  if (movesElements(op))
    return build(op).mirror(op, found);
  SmallVector<Value> results;
  for (Type type : op->getResultTypes()) {
    Value both;
    for (Value cause : found)
      if (cause && cause.getType() == build(op).typeFor(type))
        both = build(op).merge(both, cause);
    results.push_back(both);
  }
  return results;
}

//===----------------------------------------------------------------------===//
// Notes
//===----------------------------------------------------------------------===//

/// The pointer of an access; null if `op` is none.
static Value getAccessed(Operation *op) {
  bool isAccess =
      isa<tt::LoadOp, tt::StoreOp, tt::AtomicRMWOp, tt::AtomicCASOp>(op);
  return isAccess ? op->getOperand(0) : nullptr;
}

llvm::json::Object triton_shared::describeOperation(Operation *op) {
  Type type;
  if (op->getNumResults())
    type = op->getResult(0).getType();
  else if (auto store = dyn_cast<tt::StoreOp>(op))
    type = store.getValue().getType();
  llvm::json::Array shape;
  std::string element;
  if (auto block = dyn_cast_if_present<RankedTensorType>(type))
    for (int64_t size : block.getShape())
      shape.push_back(size);
  if (type)
    llvm::raw_string_ostream(element) << getElementTypeOrSelf(type);
  llvm::json::Object site{{"kind", op->getName().getStringRef()},
                          {"element", element},
                          {"shape", std::move(shape)}};
  describeSource(op->getLoc(), site);
  if (Value pointer = getAccessed(op))
    if (std::optional<unsigned> argument = findWrittenParameter(pointer))
      site["argument"] = *argument;
  return site;
}

unsigned triton_shared::getWrittenNumber(BlockArgument parameter) {
  unsigned number = parameter.getArgNumber();
  for (BlockArgument before : parameter.getOwner()->getArguments().take_front(
           parameter.getArgNumber()))
    // Behind the base sizes and strides, and two booleans.
    if (auto descriptor = dyn_cast<tt::TensorDescType>(before.getType()))
      number += 2 * descriptor.getSignlessBlockType().getRank() + 2;
  return number;
}

std::optional<unsigned> triton_shared::findWrittenParameter(Value pointer) {
  while (Operation *op = pointer.getDefiningOp()) {
    if (op->getNumOperands() == 0 || isControlFlow(op))
      return std::nullopt;
    pointer = op->getOperand(0);
  }
  auto argument = cast<BlockArgument>(pointer);
  Operation *owner = argument.getOwner()->getParentOp();
  if (isa<tt::FuncOp>(owner))
    return getWrittenNumber(argument);
  auto loop = dyn_cast<scf::ForOp>(owner);
  if (!loop || argument.getArgNumber() < loop.getNumInductionVars())
    return std::nullopt;
  return findWrittenParameter(loop.getTiedLoopInit(argument)->get());
}

void triton_shared::createNote(OpBuilder &builder, Location loc,
                               llvm::json::Object site, StringRef list,
                               Value found, Value values) {
  llvm::json::Array shape;
  if (auto block = dyn_cast<RankedTensorType>(found.getType()))
    for (int64_t size : block.getShape())
      shape.push_back(size);
  site["shape"] = std::move(shape);
  if (values)
    site["shows"] = isa<FloatType>(getElementTypeOrSelf(values.getType()))
                        ? "floats"
                        : "integers";
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(site));
  text.pop_back();
  text += (",\"causes\":" + list + "}").str();
  tts::NoteOp::create(builder, loc, text, found, values);
}

void CauseTracer::note(Operation *at, Value found, Value mask, Value values) {
  if (!found)
    return;
  CauseBuilder causes(builder, at->getLoc());
  if (mask)
    found = causes.select(causes.repeat(mask, found.getType()), found, nullptr);
  llvm::json::Object site = describeOperation(at);
  site["class"] = kind;
  // The runtime then shows where the access went.
  Value pointer = getAccessed(at);
  if (pointer && get(pointer) && findWrittenParameter(pointer)) {
    site["forms_address"] = true;
    site["shows"] = "integers";
  }
  createNote(builder, at->getLoc(), std::move(site), causesText, found, values);
}

void CauseTracer::noteStored(tt::StoreOp store, Value found) {
  // The runtime learns the addresses from the access itself.
  if (!found || !findWrittenParameter(store.getPtr()))
    return;
  CauseBuilder causes(builder, store.getLoc());
  if (Value mask = store.getMask())
    found = causes.select(causes.repeat(mask, found.getType()), found, nullptr);
  llvm::json::Object site = describeOperation(store);
  site["class"] = "stored";
  site["forms_address"] = true;
  createNote(builder, store.getLoc(), std::move(site), causesText, found,
             nullptr);
}
