//===- Scratch.h - Where programs keep their buffers ------------*- C++ -*-===//

#ifndef TRITON_SHARED_RUNTIME_SCRATCH_H
#define TRITON_SHARED_RUNTIME_SCRATCH_H

#include <cstddef>
#include <cstdint>

namespace mlir::triton_shared {

/// An area of memory that grows.
class ScratchArea {
public:
  ScratchArea() = default;
  ~ScratchArea();
  ScratchArea(const ScratchArea &) = delete;
  ScratchArea &operator=(const ScratchArea &) = delete;

  void *get(size_t bytes);
  void swap(ScratchArea &other);

private:
  void *memory = nullptr;
  size_t size = 0;
};

/// While it lives, the calling thread has another area: programs that have been
/// interrupted keep theirs.
class SeparateScratch {
public:
  SeparateScratch();
  ~SeparateScratch();
  SeparateScratch(const SeparateScratch &) = delete;
  SeparateScratch &operator=(const SeparateScratch &) = delete;

private:
  ScratchArea other;
};

} // namespace mlir::triton_shared

extern "C" {

/// An area of at least `bytes` bytes, from a cache line on, that belongs to the
/// calling thread. It is the same area at every call, with unknown contents.
void *tritonSharedScratch(int64_t bytes);
}

#endif // TRITON_SHARED_RUNTIME_SCRATCH_H
