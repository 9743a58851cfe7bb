//===- AccessReport.h - How a kernel accesses memory, for people -*- C++
//-*-===//
//
// One report per access: its kind, its dimensions in the names of the kernel
// and, where there is no structure, which value is to blame.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_ANALYSIS_ACCESSREPORT_H
#define TRITON_SHARED_ANALYSIS_ACCESSREPORT_H

#include "triton-shared/Analysis/AffineForm.h"

#include <vector>

namespace mlir::triton_shared {

/// How a block lies in memory, in one word; what costs more comes later.
enum class AccessKind {
  Scalar,
  Strided,
  Transposed,
  Broadcast,
  Wrapped,
  PartlyGathered,
  Gathered,
  Atomic, ///< Element by element, because each is an update of its own.
};
constexpr size_t kNumAccessKinds = 8;

StringRef stringify(AccessKind kind);

/// One dimension in words. "?" stands for what has no name.
struct DimensionReport {
  int64_t size;
  std::string stride;
  std::string wrap; ///< What it wraps at; empty if it does not.
  bool isGathered;
  std::string low, high; ///< Bounds; empty if it has none.
};

/// What reports call the induction variable of a loop: in the IR its name is
/// lost, in the source it stands where the loop does.
struct LoopReport {
  std::string variable;
  Operation *op;
};

struct AccessReport {
  Operation *op;
  StringRef noun; ///< "load", "store" or "atomic".
  AccessKind kind;
  /// Of the block that has the dimensions; of the tensor in the kernel, if it
  /// is gathered.
  SmallVector<int64_t> shape;
  bool isReshaped = false; ///< `shape` is not that of the tensor.
  SmallVector<DimensionReport> dimensions;
  /// Where the block begins, in elements from its base; empty if that has no
  /// name.
  std::string offset;
  /// Of what is gathered, in full or in part.
  std::optional<Unstructured> why;
  /// What of the mask stays a tensor.
  SmallVector<Unstructured> masks;
  /// The loops around the access, from the innermost on.
  SmallVector<LoopReport> loops;
};

/// The accesses of a function in phase `structured`, in their order.
std::vector<AccessReport> reportAccesses(Operation *function);

/// "strided load; stride n, from 0 to m - 64 * pid; stride 1".
std::string describe(const AccessReport &report);

/// What a kernel author can write instead of what is to blame.
StringRef getWayOut(const Unstructured &why);

/// How reports are printed.
enum class AccessFormat {
  Remarks, ///< As diagnostics, at the lines of the kernel.
  Counts,  ///< One line per kernel: how many accesses of each kind.
  Json,    ///< One object per access, then one with the counts of the kernel.
};

/// Prints all functions of `module` as counts or JSON, one line each.
void printAccesses(Operation *module, AccessFormat format, raw_ostream &stream);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_ANALYSIS_ACCESSREPORT_H
