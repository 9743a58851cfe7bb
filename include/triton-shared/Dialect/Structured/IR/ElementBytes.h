//===- ElementBytes.h - What an element takes in memory ---------*- C++ -*-===//

#ifndef TRITON_SHARED_DIALECT_STRUCTURED_IR_ELEMENTBYTES_H
#define TRITON_SHARED_DIALECT_STRUCTURED_IR_ELEMENTBYTES_H

#include "mlir/IR/TypeUtilities.h"

#include <algorithm>

namespace mlir::tts {

/// The bytes that one element of `type`, a block or a number, takes in memory:
/// one at least, and those of an address for an index.
inline int64_t getElementBytes(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (element.isIndex())
    return 8;
  return std::max<int64_t>(1, element.getIntOrFloatBitWidth() / 8);
}

} // namespace mlir::tts

#endif // TRITON_SHARED_DIALECT_STRUCTURED_IR_ELEMENTBYTES_H
