//===- TensorView.cpp - Which memory a tensor has -------------------------===//

#include "TensorView.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir::triton_shared;

TensorView::TensorView(int64_t elementBytes, std::vector<int64_t> shape,
                       std::vector<int64_t> strides)
    : elementBytes(elementBytes) {
  if (llvm::is_contained(shape, 0)) {
    dense = true;
    return;
  }
  int64_t lowest = 0, reach = 0;
  for (auto [size, stride] : llvm::zip_equal(shape, strides)) {
    if (size == 1 || stride == 0)
      continue;
    if (stride < 0)
      lowest += (size - 1) * stride;
    dimensions.push_back({size, std::abs(stride), 0});
  }
  llvm::sort(dimensions, [](const Dimension &lhs, const Dimension &rhs) {
    return lhs.stride < rhs.stride;
  });
  dense = true;
  for (Dimension &dimension : dimensions) {
    // Neighbours must touch: the smaller dimensions fill what lies between.
    dense &= dimension.stride <= reach + 1;
    reach += (dimension.size - 1) * dimension.stride;
    dimension.reach = reach;
  }
  std::reverse(dimensions.begin(), dimensions.end());
  first = lowest * elementBytes;
  end = (lowest + reach + 1) * elementBytes;
}

bool TensorView::containsElement(size_t dimension, int64_t rest) const {
  if (dimension == dimensions.size())
    return rest == 0;
  const Dimension &outer = dimensions[dimension];
  if (rest > outer.reach)
    return false;
  int64_t inner =
      dimension + 1 < dimensions.size() ? dimensions[dimension + 1].reach : 0;
  // Several indices come into question only if elements overlap.
  for (int64_t index = std::min(rest / outer.stride, outer.size - 1);
       index >= 0 && rest - index * outer.stride <= inner; --index)
    if (containsElement(dimension + 1, rest - index * outer.stride))
      return true;
  return false;
}

bool TensorView::contains(int64_t distance, int64_t bytes) const {
  if (!isKnown())
    return true;
  if (distance < first || distance > end - bytes)
    return false;
  if (dense)
    return true;
  int64_t last = (distance - first + bytes - 1) / elementBytes;
  for (int64_t i = (distance - first) / elementBytes; i <= last; ++i)
    if (!containsElement(0, i))
      return false;
  return true;
}
