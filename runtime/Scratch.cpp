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

namespace {

constexpr size_t kCacheLine = 64;

class Area {
public:
  ~Area() { std::free(memory); }

  void *get(size_t bytes) {
    if (bytes > size)
      grow(bytes);
    return memory;
  }

private:
  void grow(size_t bytes) {
    std::free(memory);
    size = llvm::alignTo(bytes, kCacheLine);
    memory = std::aligned_alloc(kCacheLine, size);
    if (!memory)
      llvm::report_bad_alloc_error("no memory for the buffers of a kernel");
  }

  void *memory = nullptr;
  size_t size = 0;
};

} // namespace

void *tritonSharedScratch(int64_t bytes) {
  thread_local Area area;
  return area.get(static_cast<size_t>(bytes));
}
