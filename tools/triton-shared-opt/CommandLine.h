//===- CommandLine.h - Words that LLVM would misread ------------*- C++ -*-===//

#ifndef TRITON_SHARED_TOOLS_COMMANDLINE_H
#define TRITON_SHARED_TOOLS_COMMANDLINE_H

#include "mlir/Support/LLVM.h"

namespace mlir::triton_shared {

/// Looks at the command line before it is parsed. Says what is wrong with
/// plugins that do not load, and what stands here for a pass of
/// microsoft/triton-shared that is not here; fails then.
LogicalResult checkCommandLine(ArrayRef<const char *> words);

/// The command line with the defaults of this tool where they are not those of
/// mlir-opt: no dump of the operation behind each diagnostic.
SmallVector<char *> withOwnDefaults(ArrayRef<char *> words);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_TOOLS_COMMANDLINE_H
