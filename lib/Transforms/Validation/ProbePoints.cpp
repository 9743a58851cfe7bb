//===- ProbePoints.cpp - The values of a kernel, by number ----------------===//

#include "ProbePoints.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

/// Whether a value is a number, or a block of numbers, of up to 64 bits.
static bool isNumeric(Type type) {
  Type element = getElementTypeOrSelf(type);
  return isa<IntegerType, FloatType>(element) &&
         element.getIntOrFloatBitWidth() <= 64;
}

ProbePoints::ProbePoints(triton::FuncOp kernel) : kernel(kernel) {
  for (BlockArgument argument : kernel.getBody().getArguments())
    add(argument);
  for (Block &block : kernel.getBody())
    collect(block);
}

void ProbePoints::add(Value value) {
  if (!isNumeric(value.getType()))
    return;
  numbers[value] = values.size();
  values.push_back(value);
}

void ProbePoints::collect(Block &block) {
  for (Operation &op : block) {
    // Regions of all others run for each element.
    if (isa_and_present<scf::SCFDialect>(op.getDialect()))
      for (Region &region : op.getRegions())
        for (Block &inner : region) {
          llvm::for_each(inner.getArguments(),
                         [&](BlockArgument argument) { add(argument); });
          collect(inner);
        }
    if (!op.hasTrait<OpTrait::ConstantLike>())
      llvm::for_each(op.getResults(), [&](OpResult result) { add(result); });
  }
}

int64_t ProbePoints::getNumber(Value value) const {
  auto found = numbers.find(value);
  return found == numbers.end() ? -1 : found->second;
}

/// What the regions of `op` hand on as its result of that number.
static SmallVector<Value> findYielded(Operation *op, unsigned number) {
  SmallVector<Value> found;
  for (Region &region : op->getRegions())
    if (!region.empty())
      found.push_back(region.front().getTerminator()->getOperand(number));
  return found;
}

/// What may become `result`, which a branch or a loop hands on.
static SmallVector<Value> findHandedOn(OpResult result) {
  Operation *op = result.getOwner();
  unsigned number = result.getResultNumber();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return {loop.getInitArgs()[number], loop.getYieldedValues()[number]};
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return {loop.getConditionOp().getArgs()[number]};
  return findYielded(op, number);
}

/// The same for a variable of a loop; none for one that counts.
static SmallVector<Value> findHandedOn(BlockArgument argument) {
  Operation *op = argument.getOwner()->getParentOp();
  unsigned number = argument.getArgNumber();
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    unsigned counters = loop.getNumInductionVars();
    if (number < counters)
      return {};
    return {loop.getInitArgs()[number - counters],
            loop.getYieldedValues()[number - counters]};
  }
  auto loop = dyn_cast<scf::WhileOp>(op);
  if (!loop)
    return {};
  if (argument.getOwner() == loop.getAfterBody())
    return {loop.getConditionOp().getArgs()[number]};
  return {loop.getInits()[number], loop.getYieldOp().getOperand(number)};
}

/// What a value is made of; for one that a branch or a loop hands on, what it
/// may be.
static SmallVector<Value> findSources(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return findHandedOn(argument);
  Operation *owner = value.getDefiningOp();
  if (isa<RegionBranchOpInterface>(owner))
    return findHandedOn(cast<OpResult>(value));
  return SmallVector<Value>(owner->getOperands());
}

void ProbePoints::findBehind(Value value, DenseSet<Value> &seen,
                             SmallVectorImpl<int64_t> &found) const {
  if (!seen.insert(value).second)
    return;
  if (int64_t number = getNumber(value); number >= 0) {
    found.push_back(number);
    return;
  }
  for (Value source : findSources(value))
    findBehind(source, seen, found);
}

void ProbePoints::listNumbers(ValueRange operands,
                              llvm::json::OStream &json) const {
  json.attributeArray("operands", [&] {
    for (Value operand : operands)
      json.value(getNumber(operand));
  });
  DenseSet<Value> seen;
  SmallVector<int64_t> behind;
  for (Value operand : operands)
    if (getNumber(operand) < 0)
      findBehind(operand, seen, behind);
  json.attributeArray("behind", [&] {
    for (int64_t number : behind)
      json.value(number);
  });
}

/// The places of a location: of inlined code, first what was called.
static void collectPlaces(Location location,
                          SmallVectorImpl<FileLineColLoc> &places) {
  if (auto place = dyn_cast<FileLineColLoc>(location)) {
    places.push_back(place);
  } else if (auto name = dyn_cast<NameLoc>(location)) {
    collectPlaces(name.getChildLoc(), places);
  } else if (auto call = dyn_cast<CallSiteLoc>(location)) {
    collectPlaces(call.getCallee(), places);
    collectPlaces(call.getCaller(), places);
  } else if (auto fused = dyn_cast<FusedLoc>(location)) {
    for (Location part : fused.getLocations())
      collectPlaces(part, places);
  }
}

/// Where the user wrote it, who has not written the language's own library.
static FileLineColLoc findPlace(Location location) {
  SmallVector<FileLineColLoc> places;
  collectPlaces(location, places);
  for (FileLineColLoc place : places)
    if (!place.getFilename().getValue().contains("triton/language/"))
      return place;
  return places.empty() ? FileLineColLoc() : places.front();
}

static void describePlace(Location location, llvm::json::OStream &json) {
  if (FileLineColLoc place = findPlace(location)) {
    json.attribute("file", place.getFilename().getValue());
    json.attribute("line", place.getLine());
    json.attribute("column", place.getColumn());
  }
  if (auto name = location->findInstanceOf<NameLoc>())
    json.attribute("variable", name.getName().getValue());
}

/// The parameter that a pointer begins at; -1 if there is not one alone.
static int64_t findParameter(Value pointer, tt::FuncOp kernel) {
  while (Operation *op = pointer.getDefiningOp()) {
    if (op->getNumOperands() == 0 || isa<RegionBranchOpInterface>(op))
      return -1;
    pointer = op->getOperand(0);
  }
  auto argument = cast<BlockArgument>(pointer);
  if (argument.getOwner() == &kernel.getBody().front())
    return argument.getArgNumber();
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop || argument.getArgNumber() < loop.getNumInductionVars())
    return -1;
  return findParameter(loop.getTiedLoopInit(argument)->get(), kernel);
}

/// Where the innermost loop round an operation stands.
static void describeLoop(Operation *op, llvm::json::OStream &json) {
  auto loop = op->getParentOfType<LoopLikeOpInterface>();
  if (!loop)
    return;
  json.attributeObject("loop", [&] { describePlace(loop.getLoc(), json); });
}

void ProbePoints::describe(Value value, llvm::json::OStream &json) const {
  Operation *owner = value.getDefiningOp();
  Operation *op = owner ? owner : value.getParentBlock()->getParentOp();
  auto result = dyn_cast<OpResult>(value);
  json.object([&] {
    json.attribute("op", op->getName().getStringRef());
    json.attribute("carried", !owner || isa<RegionBranchOpInterface>(owner));
    json.attribute("result", result ? result.getResultNumber() : 0);
    json.attribute("type", llvm::formatv("{0}", value.getType()).str());
    describePlace(value.getLoc(), json);
    if (owner && hasEffect<MemoryEffects::Read>(owner)) {
      json.attribute("parameter", findParameter(owner->getOperand(0), kernel));
      describeLoop(owner, json);
    }
    listNumbers(findSources(value), json);
  });
}

void ProbePoints::describe(Operation *store, llvm::json::OStream &json) const {
  json.object([&] {
    json.attribute("op", store->getName().getStringRef());
    json.attribute("parameter", findParameter(store->getOperand(0), kernel));
    describePlace(store->getLoc(), json);
    listNumbers(store->getOperands(), json);
  });
}

std::string ProbePoints::describe() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream);
  json.object([&] {
    json.attributeArray("values", [&] {
      for (Value value : values)
        describe(value, json);
    });
    json.attributeArray("stores", [&] {
      kernel->walk([&](Operation *op) {
        if (op->getNumOperands() && op->getNumRegions() == 0 &&
            hasEffect<MemoryEffects::Write>(op))
          describe(op, json);
      });
    });
  });
  return text;
}

triton::FuncOp triton_shared::findTritonKernel(ModuleOp module) {
  for (auto function : module.getOps<triton::FuncOp>())
    if (function.isPublic() && !function.isExternal())
      return function;
  InFlightDiagnostic error =
      module.emitError("there is no kernel in this module");
  error.attachNote() << "a kernel is a public 'tt.func' with a body";
  error.attachNote() << "give the module that Triton's front end has made";
  return nullptr;
}
