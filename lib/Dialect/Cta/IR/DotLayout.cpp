//===- DotLayout.cpp - Where a matrix product leaves its result -----------===//

#include "triton-shared/Dialect/Cta/IR/DotLayout.h"

using namespace mlir;
using namespace mlir::cta;

/// Neighbours of one row that each thread computes without tensor cores: one
/// vector of the right operand.
static constexpr unsigned kColumnsPerThread = 4;

LinearLayout cta::getDotLayout(DotOp dot, unsigned numWarps) {
  auto type = cast<RankedTensorType>(dot.getType());
  SmallVector<unsigned> order(type.getRank());
  std::iota(order.rbegin(), order.rend(), 0);
  return LinearLayout::getBlocked(type.getShape(), order, kColumnsPerThread,
                                  numWarps);
}
