//===- Diagnostics.cpp - Diagnostics as text ------------------------------===//

#include "Diagnostics.h"

#include "mlir/IR/Location.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::triton_shared;

static StringRef describeSeverity(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return "note";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Remark:
    return "remark";
  }
  llvm_unreachable("covered switch");
}

/// What the kernel's author calls the value that `location` is of, if Triton
/// has kept it.
static StringRef getVariable(Location location) {
  auto name = location->findInstanceOf<NameLoc>();
  return name ? name.getName().getValue() : "";
}

/// Leaves out the variable if it is `known`.
static void print(Diagnostic &diagnostic, llvm::raw_ostream &stream,
                  StringRef known) {
  Location location = diagnostic.getLocation();
  if (auto place = location->findInstanceOf<FileLineColLoc>())
    stream << place.getFilename().getValue() << ":" << place.getLine() << ":"
           << place.getColumn() << ": ";
  stream << describeSeverity(diagnostic.getSeverity()) << ": "
         << diagnostic.str();
  StringRef variable = getVariable(location);
  if (!variable.empty() && variable != known)
    stream << " (variable '" << variable << "')";
  stream << "\n";
  for (Diagnostic &note : diagnostic.getNotes())
    print(note, stream, variable);
}

void triton_shared::printDiagnostic(Diagnostic &diagnostic,
                                    llvm::raw_ostream &stream) {
  print(diagnostic, stream, "");
}
