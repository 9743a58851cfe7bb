//===- Messages.h - What running kernels have to say ------------*- C++ -*-===//
//
// What compiled code calls and who runs it must hear of: assertions, loops that
// wait, the ends of lines. The rest is in kernel/.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_RUNTIME_MESSAGES_H
#define TRITON_SHARED_RUNTIME_MESSAGES_H

#include "kernel/kernel.h"

namespace mlir::triton_shared {

/// Ends the program. `where` is `file:line`, or empty.
void failAssertion(const char *where, int64_t whereSize, const char *message,
                   int64_t messageSize, int32_t x, int32_t y, int32_t z);

/// Called in every round of a loop that waits for another program, which may
/// never come: lets other threads run, and ends the program if its launch is to
/// end.
void yield();

/// Writes the line that this thread prints.
void endLine();

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_RUNTIME_MESSAGES_H
