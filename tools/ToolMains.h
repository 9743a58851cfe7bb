//===- ToolMains.h - The tools as functions ---------------------*- C++ -*-===//
//
// A tool is a function of this header and a main that calls it. In a wheel, the
// one library with LLVM inside has them all, and scripts call them.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_TOOLS_TOOLMAINS_H
#define TRITON_SHARED_TOOLS_TOOLMAINS_H

#include "triton-shared/CAPI/TritonShared.h"

extern "C" {
/// Each gets the words of a command line, and gives the exit code.
TRITON_SHARED_EXPORT int tritonSharedOptMain(int argc, char **argv);
TRITON_SHARED_EXPORT int tritonSharedReduceMain(int argc, char **argv);
TRITON_SHARED_EXPORT int tritonSharedLspMain(int argc, char **argv);
}

#endif // TRITON_SHARED_TOOLS_TOOLMAINS_H
