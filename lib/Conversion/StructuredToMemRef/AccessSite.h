//===- AccessSite.h - What a report says about an access --------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_CONVERSION_STRUCTUREDTOMEMREF_ACCESSSITE_H
#define TRITON_SHARED_LIB_CONVERSION_STRUCTUREDTOMEMREF_ACCESSSITE_H

#include "triton-shared/Dialect/Structured/IR/Structured.h"

#include <string>

namespace mlir::triton_shared {

/// Of one element in memory.
int64_t getElementBytes(tts::AccessOpInterface op);

/// JSON for a report: {"kind": "load", "element": "f32", "bytes": 4, "shape":
/// [32], "masked": true if some lanes may be left out, "name": the variable,
/// "places": [{"file", "line", "column"}, …]}. The first place is that of the
/// access, the others those of the calls that lead there.
std::string describeSite(tts::AccessOpInterface op);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CONVERSION_STRUCTUREDTOMEMREF_ACCESSSITE_H
