//===- ProbePoints.cpp - The values of a kernel, by number ----------------===//

#include "ProbePoints.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::triton_shared;

/// Whether a value is a number, or a block of numbers, of up to 64 bits.
static bool isNumeric(Type type) {
  Type element = getElementTypeOrSelf(type);
  return isa<IntegerType, FloatType>(element) &&
         element.getIntOrFloatBitWidth() <= 64;
}

ProbePoints::ProbePoints(triton::FuncOp kernel) {
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

SmallVector<int64_t> ProbePoints::getSources(Value value) const {
  SmallVector<Value> sources;
  if (auto argument = dyn_cast<BlockArgument>(value))
    sources = findHandedOn(argument);
  else if (isa<RegionBranchOpInterface>(value.getDefiningOp()))
    sources = findHandedOn(cast<OpResult>(value));
  else
    sources = SmallVector<Value>(value.getDefiningOp()->getOperands());
  return llvm::map_to_vector(sources,
                             [&](Value source) { return getNumber(source); });
}

/// Where the user wrote it: of inlined code, what was called.
static FileLineColLoc findPlace(Location location) {
  return location->findInstanceOf<FileLineColLoc>();
}

std::string ProbePoints::describe() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream);
  json.array([&] {
    for (Value value : values) {
      json.object([&] {
        Operation *owner = value.getDefiningOp();
        Operation *op = owner ? owner : value.getParentBlock()->getParentOp();
        json.attribute("op", op->getName().getStringRef());
        json.attribute("carried",
                       !owner || isa<RegionBranchOpInterface>(owner));
        json.attribute("result",
                       owner ? cast<OpResult>(value).getResultNumber() : 0);
        json.attribute("type", llvm::formatv("{0}", value.getType()).str());
        if (FileLineColLoc place = findPlace(value.getLoc())) {
          json.attribute("file", place.getFilename().getValue());
          json.attribute("line", place.getLine());
          json.attribute("column", place.getColumn());
        }
        if (auto name = value.getLoc()->findInstanceOf<NameLoc>())
          json.attribute("variable", name.getName().getValue());
        json.attributeArray("operands", [&] {
          for (int64_t number : getSources(value))
            json.value(number);
        });
      });
    }
  });
  return text;
}

triton::FuncOp triton_shared::findTritonKernel(ModuleOp module) {
  for (auto function : module.getOps<triton::FuncOp>())
    if (function.isPublic() && !function.isExternal())
      return function;
  module.emitError("there is no kernel in this module");
  return nullptr;
}
