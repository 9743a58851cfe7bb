//===- Grid.h - All programs of a launch ------------------------*- C++ -*-===//

#ifndef TRITON_SHARED_RUNTIME_GRID_H
#define TRITON_SHARED_RUNTIME_GRID_H

#include "Crash.h"
#include "Guard.h"
#include "Interruption.h"
#include "Loader.h"

namespace mlir::triton_shared {

enum class GridOrder { Forward, Reverse, Random };

/// Whether programs need others to run at the same time.
enum class Residency {
  /// Nobody waits.
  Any,
  /// Some may: side by side if that is cheap, else in order.
  Preferred,
  /// The launch has asked for it.
  Required
};

struct GridLaunch {
  uint32_t x, y, z;
  /// Threads at most; 0 is one per core.
  uint32_t threads;
  GridOrder order;
  /// Seed of `GridOrder::Random`.
  uint64_t seed;
  Residency residency;
  /// For reports of crashes; null for none.
  const KernelDescription *kernel;
  /// Whether the launch is to end early, and what it is asked with.
  Interruption::Question isInterrupted;
  void *context;
};

/// Runs every program of the grid, and returns when all have ended. After the
/// first failed assertion, or when it is interrupted, no further range of
/// programs is started, and running programs end soon. A grid that requires
/// residency and is too large for it fails before it starts.
void runGrid(const LoadedObject &object, void *const *args,
             const GridLaunch &launch, LaunchFailure &failure);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_RUNTIME_GRID_H
