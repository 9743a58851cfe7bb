//===- CellMemory.cpp - Memory for what cells remember --------------------===//

#include "CellMemory.h"

#include "llvm/Support/ErrorHandling.h"

#include <algorithm>
#include <sys/mman.h>

using namespace mlir::triton_shared;

/// The first mapping is small, as most launches are; each one after it is twice
/// as large, up to the last.
static constexpr size_t kFirst = 1 << 18, kLargest = 1 << 26;

static constexpr size_t kLine = 64;

CellMemory::~CellMemory() {
  for (auto [start, bytes] : mappings)
    munmap(start, bytes);
}

void *CellMemory::allocateBytes(size_t bytes) {
  bytes = (bytes + kLine - 1) / kLine * kLine;
  if (bytes > left) {
    size_t wanted =
        std::min(kFirst << std::min<size_t>(mappings.size(), 8), kLargest);
    wanted = std::max(wanted, bytes);
    void *start = mmap(nullptr, wanted, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED)
      llvm::report_bad_alloc_error("no memory for the history of accesses");
    // Only makes it faster.
    (void)madvise(start, wanted, MADV_HUGEPAGE);
    mappings.emplace_back(start, wanted);
    next = static_cast<char *>(start);
    left = wanted;
  }
  left -= bytes;
  return std::exchange(next, next + bytes);
}
