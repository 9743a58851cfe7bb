//===- TensorView.h - Which memory a tensor has -----------------*- C++ -*-===//

#ifndef TRITON_SHARED_RUNTIME_CHECK_TENSORVIEW_H
#define TRITON_SHARED_RUNTIME_CHECK_TENSORVIEW_H

#include <cstdint>
#include <vector>

namespace mlir::triton_shared {

/// The elements that an argument of a launch shows: a tensor may be a part of
/// an allocation, with gaps between its elements that belong to others.
/// Distances are in bytes from the address that the kernel gets.
class TensorView {
public:
  /// Memory that nothing is known of.
  TensorView() = default;
  /// Strides are in elements, and may be zero or negative.
  TensorView(int64_t elementBytes, std::vector<int64_t> shape,
             std::vector<int64_t> strides);

  int64_t getElementBytes() const { return elementBytes; }
  bool isKnown() const { return elementBytes > 0; }
  /// True if every byte from `getFirst` to before `getEnd` belongs to it.
  bool isDense() const { return dense; }
  int64_t getFirst() const { return first; }
  int64_t getEnd() const { return end; }

  /// True if all `bytes` from `distance` on belong to it.
  bool contains(int64_t distance, int64_t bytes) const;

private:
  struct Dimension {
    int64_t size, stride;
    /// The largest distance within this dimension and those of smaller strides.
    int64_t reach;
  };

  bool containsElement(size_t dimension, int64_t rest) const;

  int64_t elementBytes = 0, first = 0, end = 0;
  bool dense = false;
  /// Those with several elements at different places, the largest stride first;
  /// strides are positive, counted from the lowest element.
  std::vector<Dimension> dimensions;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_RUNTIME_CHECK_TENSORVIEW_H
