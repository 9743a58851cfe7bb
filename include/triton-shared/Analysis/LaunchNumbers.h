//===- LaunchNumbers.h - What a launch knows of a kernel's numbers -*- C++
//-*-===//
//
// A number of a kernel is known when it is launched if it is a constant or an
// argument that the kernel's author has written.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_ANALYSIS_LAUNCHNUMBERS_H
#define TRITON_SHARED_ANALYSIS_LAUNCHNUMBERS_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "triton-shared/Analysis/AffineForm.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"

namespace mlir::triton_shared {

/// The forms of the numbers of one function. Changes nothing.
class LaunchNumbers {
public:
  explicit LaunchNumbers(FunctionOpInterface function)
      : function(function), forms(function) {}

  AffineAnalysis &getForms() { return forms; }
  AffineExpr getForm(OpFoldResult number);

  /// The number that `expr` always is; nothing if no launch knows it.
  std::optional<tts::LaunchNumber> find(AffineExpr expr) const;

  /// The number of `value` among the parameters that the kernel's author wrote.
  std::optional<unsigned> findParameter(Value value) const;

private:
  FunctionOpInterface function;
  AffineAnalysis forms;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_ANALYSIS_LAUNCHNUMBERS_H
