//===- Scratch.cpp - Where programs keep their buffers --------------------===//
//
// One area for each thread, which grows to what the largest kernel needs and
// stays until the thread ends: a launch takes no memory from the system.
//
//===----------------------------------------------------------------------===//

#include "Scratch.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"

#include <cstdlib>
#include <utility>

using namespace mlir::triton_shared;

static constexpr size_t kCacheLine = 64;

ScratchArea::~ScratchArea() { std::free(memory); }

void *ScratchArea::get(size_t bytes) {
  if (bytes <= size)
    return memory;
  std::free(memory);
  size = llvm::alignTo(bytes, kCacheLine);
  memory = std::aligned_alloc(kCacheLine, size);
  if (!memory)
    llvm::report_bad_alloc_error("no memory for the buffers of a kernel");
  return memory;
}

void ScratchArea::swap(ScratchArea &other) {
  std::swap(memory, other.memory);
  std::swap(size, other.size);
}

static ScratchArea &areaOfThread() {
  thread_local ScratchArea area;
  return area;
}

SeparateScratch::SeparateScratch() { areaOfThread().swap(other); }

SeparateScratch::~SeparateScratch() { areaOfThread().swap(other); }

void *tritonSharedScratch(int64_t bytes) {
  return areaOfThread().get(static_cast<size_t>(bytes));
}
