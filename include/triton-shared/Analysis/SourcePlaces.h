//===- SourcePlaces.h - Where an operation stands in a kernel ---*- C++ -*-===//

#ifndef TRITON_SHARED_ANALYSIS_SOURCEPLACES_H
#define TRITON_SHARED_ANALYSIS_SOURCEPLACES_H

#include "mlir/IR/Location.h"
#include "llvm/Support/JSON.h"

namespace mlir::triton_shared {

/// Adds to `object` what a report says about a location: {"name": the variable,
/// or empty, "places": [{"file", "line", "column"}, …]}. The first place is
/// that of the operation, the others those of the calls that lead there; places
/// in Triton's own library are left out unless there are no others.
void describeSource(Location location, llvm::json::Object &object);

/// The location of a load whose integers form addresses: what becomes of the
/// load keeps its location.
Location markIndex(Location location);
bool isIndex(Location location);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_ANALYSIS_SOURCEPLACES_H
