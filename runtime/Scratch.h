//===- Scratch.h - Where programs keep their buffers ------------*- C++ -*-===//

#ifndef TRITON_SHARED_RUNTIME_SCRATCH_H
#define TRITON_SHARED_RUNTIME_SCRATCH_H

#include <cstdint>

extern "C" {

/// An area of at least `bytes` bytes, from a cache line on, that belongs to the
/// calling thread. It is the same area at every call, with unknown contents.
void *tritonSharedScratch(int64_t bytes);
}

#endif // TRITON_SHARED_RUNTIME_SCRATCH_H
