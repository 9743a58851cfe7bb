//===- CheckedAccess.h - One access, as the runtime is told it --*- C++ -*-===//

#ifndef TRITON_SHARED_RUNTIME_CHECK_CHECKEDACCESS_H
#define TRITON_SHARED_RUNTIME_CHECK_CHECKEDACCESS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <array>
#include <cstdint>
#include <vector>

namespace mlir::triton_shared {

/// One element of an access.
struct CheckedElement {
  /// From the base, in elements of the access. In a note about values: the
  /// value.
  int64_t offset;
  /// Which one of the block, row-major.
  int64_t number;
};

/// Elements that follow each other in the block and lie at equal distances.
struct CheckedRow {
  int64_t offset, number, count, stride;

  CheckedElement operator[](int64_t index) const {
    return {offset + index * stride, number + index};
  }
  CheckedElement last() const { return (*this)[count - 1]; }
};

/// One access in the kernel.
struct CheckedSite {
  /// JSON, see AccessSite.h; a constant of the kernel.
  llvm::StringRef text;
  /// Of the kernel; -1 for none.
  int64_t argument;
};

/// One access of one program.
struct CheckedAccess {
  CheckedSite site;
  /// AccessFlags.
  int64_t flags;
  int64_t elementBytes;
  /// Where the argument lies, and where offsets count from: not there if
  /// elements lie between two of the tensor.
  char *tensor, *base;
  /// x, y, z.
  std::array<int32_t, 3> program;
  std::vector<CheckedRow> rows;

  char *addressOf(int64_t offset) const { return base + offset * elementBytes; }
  uintptr_t numberedAddressOf(int64_t offset) const {
    return reinterpret_cast<uintptr_t>(addressOf(offset));
  }
  int64_t offsetOf(uintptr_t address) const {
    return static_cast<int64_t>(address - reinterpret_cast<uintptr_t>(base)) /
           elementBytes;
  }

  /// Adds an element, to the row before if it goes on there.
  void add(CheckedElement element) {
    if (!rows.empty()) {
      CheckedRow &row = rows.back();
      if (row.stride == 1 && row.offset + row.count == element.offset &&
          row.number + row.count == element.number) {
        ++row.count;
        return;
      }
    }
    rows.push_back({element.offset, element.number, 1, 1});
  }

  void forEach(llvm::function_ref<void(const CheckedElement &)> visit) const {
    for (const CheckedRow &row : rows)
      for (int64_t i = 0; i < row.count; ++i)
        visit(row[i]);
  }

  int64_t count() const {
    int64_t elements = 0;
    for (const CheckedRow &row : rows)
      elements += row.count;
    return elements;
  }
};

/// The other access of a conflict.
struct OtherSide {
  CheckedSite site;
  std::array<int32_t, 3> program;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_RUNTIME_CHECK_CHECKEDACCESS_H
