//===- IrLines.h - LLVM IR as text, and where it comes from -----*- C++ -*-===//

#ifndef TRITON_SHARED_TARGET_IRLINES_H
#define TRITON_SHARED_TARGET_IRLINES_H

#include "llvm/ADT/SmallVector.h"

#include <string>
#include <vector>

namespace llvm {
class Module;
} // namespace llvm

namespace mlir::triton_shared {

/// A place in a source; lines and columns count from 1.
struct IrPlace {
  std::string file;
  unsigned line, column;
};

/// A line of the text with an instruction of which debug information knows the
/// source: its own place, then those of the calls that lead there.
struct IrLine {
  unsigned line; ///< From 1.
  std::string opcode;
  llvm::SmallVector<IrPlace, 1> places;
};

/// Prints `module` as LLVM does. Gives nothing for a module without debug
/// information.
std::vector<IrLine> printWithLines(const llvm::Module &module,
                                   std::string &text);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_TARGET_IRLINES_H
