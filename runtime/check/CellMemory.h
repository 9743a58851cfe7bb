//===- CellMemory.h - Memory for what cells remember ------------*- C++ -*-===//
//
// Many arrays of zeros that live as long as the history of a launch. They come
// from few large mappings, of huge pages where the system has these: programs
// that gather touch cells anywhere, and would miss the TLB at each.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_RUNTIME_CHECK_CELLMEMORY_H
#define TRITON_SHARED_RUNTIME_CHECK_CELLMEMORY_H

#include <cstddef>
#include <utility>
#include <vector>

namespace mlir::triton_shared {

class CellMemory {
public:
  CellMemory() = default;
  ~CellMemory();
  CellMemory(const CellMemory &) = delete;

  /// Zeros, aligned to a line of the cache.
  template <typename Cell> Cell *allocate(size_t count) {
    return static_cast<Cell *>(allocateBytes(count * sizeof(Cell)));
  }

private:
  void *allocateBytes(size_t bytes);

  std::vector<std::pair<void *, size_t>> mappings;
  char *next = nullptr;
  size_t left = 0;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_RUNTIME_CHECK_CELLMEMORY_H
