//===- LaunchCost.h - What one program computes and moves -------*- C++ -*-===//

#ifndef TRITON_SHARED_ANALYSIS_LAUNCHCOST_H
#define TRITON_SHARED_ANALYSIS_LAUNCHCOST_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringMap.h"

#include <optional>

namespace mlir::triton_shared {

/// Why a count depends on data that no launch knows.
struct UnknownCost {
  Operation *culprit;
  llvm::StringLiteral reason;
};

/// What one program of a launch does.
struct LaunchCost {
  /// Operations on floats: those in the bodies of linalg operations and scans,
  /// as often as these go through them, and those on numbers. Conversions,
  /// comparisons and selections are none, a multiply-add is two; so is each
  /// step of a product of matrices, also of integers.
  uint64_t operations = 0;
  /// Of elements that accesses let through, each access as often as it happens.
  /// A dimension of stride 0 counts as one element.
  uint64_t bytes = 0;
  /// Set if both counts are void.
  std::optional<UnknownCost> unknown;
  /// Set if the bytes alone are.
  std::optional<UnknownCost> unknownBytes;
};

/// Follows one program of a kernel in phase `linalg`: loops turn as often as
/// `numbers` make them, which are integers by the names of parameters, those of
/// the source and hidden ones as `program.x`. Nothing is changed.
LaunchCost countCost(FunctionOpInterface kernel,
                     const llvm::StringMap<int64_t> &numbers);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_ANALYSIS_LAUNCHCOST_H
