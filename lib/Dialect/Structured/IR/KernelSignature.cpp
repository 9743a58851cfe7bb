//===- KernelSignature.cpp - Written and hidden parameters ----------------===//

#include "triton-shared/Dialect/Structured/IR/KernelSignature.h"

#include "TensorMap.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::tts;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

static std::optional<ParameterKind> getKind(FunctionOpInterface function,
                                            unsigned index) {
  auto name = function.getArgAttrOfType<StringAttr>(index, kParameter);
  return name ? symbolizeParameterKind(name) : std::nullopt;
}

/// True for a function that ends as the documented output does.
static bool endsAsDocumented(FunctionOpInterface function) {
  unsigned count = std::size(kGridAndProgram);
  return isa<func::FuncOp>(function) && function.getNumArguments() >= count &&
         llvm::all_of(function.getArgumentTypes().take_back(count),
                      [](Type type) { return type.isInteger(32); });
}

KernelSignature::KernelSignature(FunctionOpInterface function)
    : function(function), numWritten(function.getNumArguments()) {
  while (numWritten > 0 && getKind(function, numWritten - 1))
    --numWritten;
  for (unsigned i = numWritten; i < function.getNumArguments(); ++i)
    hidden.push_back(*getKind(function, i));
  if (hidden.empty() && endsAsDocumented(function)) {
    llvm::append_range(hidden, kGridAndProgram);
    numWritten -= hidden.size();
  }
}

void KernelSignature::nameLast(FunctionOpInterface function,
                               ArrayRef<ParameterKind> kinds) {
  Builder builder(function.getContext());
  unsigned first = function.getNumArguments() - kinds.size();
  for (auto [i, kind] : llvm::enumerate(kinds))
    function.setArgAttr(first + i, kParameter,
                        builder.getStringAttr(stringifyParameterKind(kind)));
}

void KernelSignature::nameDocumented(FunctionOpInterface function) {
  unsigned count = function.getNumArguments();
  if (count > 0 && !getKind(function, count - 1) && endsAsDocumented(function))
    nameLast(function, kGridAndProgram);
}

void KernelSignature::copyNames(FunctionOpInterface from,
                                FunctionOpInterface to) {
  unsigned count = from.getNumArguments();
  for (unsigned i = KernelSignature(from).getNumWritten(); i < count; ++i)
    for (StringRef name : {kParameter, kBytes, kTensorMap})
      if (Attribute attribute = from.getArgAttr(i, name))
        to.setArgAttr(i, name, attribute);
}

BlockArgument KernelSignature::append(FunctionOpInterface function,
                                      ParameterKind kind, Type type) {
  nameDocumented(function);
  unsigned index = function.getNumArguments();
  (void)function.insertArgument(index, type, nullptr, function.getLoc());
  nameLast(function, kind);
  return function.getArgument(index);
}

BlockArgument KernelSignature::getOrAppend(FunctionOpInterface function,
                                           ParameterKind kind, Type type) {
  if (BlockArgument known = KernelSignature(function).find(kind))
    return known;
  return append(function, kind, type);
}

BlockArgument KernelSignature::getOrAppend(FunctionOpInterface function,
                                           TensorMapAttr map) {
  for (BlockArgument argument : function.getArguments())
    if (function.getArgAttr(argument.getArgNumber(), kTensorMap) == map)
      return argument;
  BlockArgument argument =
      append(function, ParameterKind::TensorMap,
             LLVM::LLVMPointerType::get(function.getContext()));
  function.setArgAttr(argument.getArgNumber(), kTensorMap, map);
  return argument;
}

void KernelSignature::removeNames(FunctionOpInterface function) {
  assert(KernelSignature(function).hidden.empty() ||
         (KernelSignature(function).getHidden() == ArrayRef(kGridAndProgram) &&
          endsAsDocumented(function) && "the order says something else"));
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    function.removeArgAttr(i, kParameter);
}

/// What is wrong with the name of an argument.
static LogicalResult verifyName(FunctionOpInterface function, unsigned index,
                                Attribute attribute) {
  auto name = dyn_cast<StringAttr>(attribute);
  std::optional<ParameterKind> kind =
      name ? symbolizeParameterKind(name) : std::nullopt;
  if (!kind) {
    InFlightDiagnostic error = function->emitOpError("has the argument ");
    error << index
          << " for a hidden parameter that nobody knows: " << attribute;
    error.attachNote() << "KernelSignature.h says what hidden parameters are";
    return error;
  }
  if (index + 1 < function.getNumArguments() && !getKind(function, index + 1)) {
    InFlightDiagnostic error = function->emitOpError("has the written ");
    error << "parameter " << index + 1 << " behind the hidden parameter '"
          << name.getValue() << "'";
    error.attachNote() << "hidden parameters stand behind all others";
    return error;
  }
  if (kind == ParameterKind::TensorMap &&
      !function.getArgAttrOfType<TensorMapAttr>(index, kTensorMap)) {
    InFlightDiagnostic error = function->emitOpError("has the argument ");
    error << index << " for a tensor map, but not what it is made of";
    error.attachNote() << "the attribute '" << kTensorMap << "' tells that";
    return error;
  }
  return success();
}

LogicalResult TTSDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                   unsigned index,
                                                   NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return success();
  if (attribute.getName() == kParameter)
    return verifyName(function, index, attribute.getValue());
  if (attribute.getName() != kTensorMap)
    return success();
  if (getKind(function, index) != ParameterKind::TensorMap)
    return op->emitOpError("has the argument ")
           << index << " with '" << kTensorMap
           << "' that is no hidden parameter 'tensor_map'";
  // The name asks for a recipe.
  auto map = dyn_cast<TensorMapAttr>(attribute.getValue());
  return map ? verifyTensorMap(function, index, KernelSignature(function), map)
             : success();
}

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

ArrayRef<Type> KernelSignature::getWrittenTypes() {
  return function.getArgumentTypes().take_front(numWritten);
}

SmallVector<HiddenParameter> KernelSignature::describeHidden() {
  SmallVector<HiddenParameter> described;
  for (auto [i, kind] : llvm::enumerate(hidden)) {
    Type type = function.getArgumentTypes()[numWritten + i];
    if (kind == ParameterKind::TensorMap) {
      described.push_back({kind, kTensorMapBytes, kTensorMapAlignment,
                           function.getArgAttrOfType<TensorMapAttr>(
                               numWritten + i, kTensorMap)});
      continue;
    }
    // What is no number is a pointer.
    unsigned bytes = type.isInteger() ? type.getIntOrFloatBitWidth() / 8 : 8;
    described.push_back({kind, bytes, /*alignment=*/bytes, nullptr});
  }
  return described;
}

bool KernelSignature::hasProgram() const {
  return llvm::all_of(kGridAndProgram, [&](ParameterKind kind) {
    return llvm::is_contained(hidden, kind);
  });
}

BlockArgument KernelSignature::find(ParameterKind kind) {
  const auto *found = llvm::find(hidden, kind);
  if (found == hidden.end())
    return nullptr;
  return function.getArgument(numWritten + (found - hidden.begin()));
}

std::optional<ParameterKind> KernelSignature::findKind(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  bool isHidden = argument && argument.getOwner()->isEntryBlock() &&
                  argument.getOwner()->getParentOp() == function &&
                  argument.getArgNumber() >= numWritten;
  return isHidden ? std::optional(hidden[argument.getArgNumber() - numWritten])
                  : std::nullopt;
}

SmallVector<Value> KernelSignature::findAll(ArrayRef<ParameterKind> kinds) {
  SmallVector<Value> found;
  for (ParameterKind kind : kinds) {
    BlockArgument argument = find(kind);
    if (!argument)
      return {};
    found.push_back(argument);
  }
  return found;
}
