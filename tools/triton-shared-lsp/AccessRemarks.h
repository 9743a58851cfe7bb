//===- AccessRemarks.h - What an editor shows of a text ---------*- C++ -*-===//
//
// How the accesses of a TTIR text are made, at their places in that text, and
// the text of a later phase.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_TOOLS_TRITON_SHARED_LSP_ACCESSREMARKS_H
#define TRITON_SHARED_TOOLS_TRITON_SHARED_LSP_ACCESSREMARKS_H

#include "mlir/Support/LLVM.h"

#include <string>
#include <vector>

namespace mlir::triton_shared {

/// A place in a text; lines and columns count from 0, as editors have them.
struct TextPlace {
  unsigned line;
  unsigned column;
};

struct AccessRemark {
  TextPlace place;
  std::string message; ///< "gathered load".
  /// The value to blame, and the way out; of what is strided, nothing.
  std::vector<std::pair<TextPlace, std::string>> notes;
};

/// The accesses of all kernels of `text`, which must be valid; empty if it
/// holds no TTIR.
std::vector<AccessRemark> remarkAccesses(StringRef text);

/// What `text` is in a later phase. Gives false, with what is wrong in
/// `result`, if it does not come so far. `words` are options as in
/// "target=cuda:90".
bool runToPhase(StringRef text, StringRef phase, StringRef words,
                std::string &result);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_TOOLS_TRITON_SHARED_LSP_ACCESSREMARKS_H
