//===- KernelSignature.cpp - Written and hidden parameters ----------------===//

#include "triton-shared/Dialect/Structured/IR/KernelSignature.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
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

void KernelSignature::removeNames(FunctionOpInterface function) {
  assert(KernelSignature(function).hidden.empty() ||
         (KernelSignature(function).getHidden() == ArrayRef(kGridAndProgram) &&
          endsAsDocumented(function) && "the order says something else"));
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    function.removeArgAttr(i, kParameter);
}

LogicalResult TTSDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                   unsigned index,
                                                   NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (attribute.getName() != kParameter || !function)
    return success();
  auto name = dyn_cast<StringAttr>(attribute.getValue());
  if (!name || !symbolizeParameterKind(name)) {
    InFlightDiagnostic error = op->emitOpError("has the argument ");
    error << index << " for a hidden parameter that nobody knows: "
          << attribute.getValue();
    error.attachNote() << "KernelSignature.h says what hidden parameters are";
    return error;
  }
  if (index + 1 < function.getNumArguments() && !getKind(function, index + 1)) {
    InFlightDiagnostic error = op->emitOpError("has the written parameter ");
    error << index + 1 << " behind the hidden parameter '" << name.getValue()
          << "'";
    error.attachNote() << "hidden parameters stand behind all others";
    return error;
  }
  return success();
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
    // What is no number is a pointer.
    unsigned bytes = type.isInteger() ? type.getIntOrFloatBitWidth() / 8 : 8;
    described.push_back({kind, bytes, /*alignment=*/bytes});
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
