//===- AccessWidth.cpp - How many elements one thread may move ------------===//

#include "triton-shared/Analysis/AccessWidth.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "triton-shared/Analysis/Divisibility.h"
#include "triton-shared/Analysis/PointerHints.h"
#include "triton-shared/Dialect/Structured/IR/ElementBytes.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "triton-shared/Target/GpuTarget.h"

#include <numeric>

using namespace mlir;
using namespace mlir::triton_shared;

/// How many neighbours of a gathered dimension have indices that ascend by one,
/// by a hint of the kernel.
static int64_t getIndexRun(tts::AccessOpInterface access, unsigned dim) {
  auto runs = access->getAttrOfType<DenseI64ArrayAttr>(kIndexRuns);
  return runs ? runs[dim] : 1;
}

/// Unit stride first, then the static ones by size, then gathered neighbours
/// that may lie side by side, which those a distance of the launch apart do
/// not; where nothing is known, the last dimension is the fastest, as in
/// row-major order.
static SmallVector<unsigned>
orderDimensions(tts::AccessOpInterface access,
                ArrayRef<tts::DimensionAccess> dimensions) {
  ArrayRef<int64_t> shape = access.getTileType().getShape();
  SmallVector<unsigned> order(dimensions.size());
  std::iota(order.rbegin(), order.rend(), 0);
  enum : int64_t {
    Gathered = std::numeric_limits<int64_t>::max() - 2,
    Unknown,
    Last
  };
  auto distance = [&](unsigned dim) -> int64_t {
    std::optional<int64_t> stride = getConstantIntValue(dimensions[dim].stride);
    if (shape[dim] == 1)
      return Last;
    if (dimensions[dim].isGathered() && getIndexRun(access, dim) == 1)
      return stride == 1 ? Gathered : Last;
    return stride && *stride != 0 ? std::abs(*stride) : Unknown;
  };
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return std::pair(distance(a), b) < std::pair(distance(b), a);
  });
  return order;
}

namespace {

/// What the parts of one access are multiples of, in elements.
class WidthFinder {
public:
  WidthFinder(const DataFlowSolver &solver, Value base, Type elementType)
      : solver(solver), bytes(tts::getElementBytes(elementType)),
        width(std::max<int64_t>(
            1, getKnownDivisor(solver, base, GpuTarget::kBytesPerAccess) /
                   bytes)) {}

  int64_t getWidth() const { return width; }

  void restrict(OpFoldResult elements) { width = getDivisor(elements); }
  void restrict(Value elements) { width = getDivisor(elements); }
  void restrict(int64_t size) { width = std::min(width, size); }

  /// What separates the lines of a dimension; gathered ones lie at multiples of
  /// their distance.
  void restrictLines(const tts::DimensionAccess &dimension) {
    int64_t divisor = getDivisor(dimension.stride);
    if (dimension.isGathered())
      divisor *= getDivisor(dimension.indices);
    width = std::min(width, divisor);
  }

  /// Lines of `size` elements begin at multiples of `alignment` bytes.
  void widen(int64_t alignment, int64_t size) {
    width = std::max(width, std::min(alignment / bytes, size));
  }

  /// How many neighbours a bound does not part.
  int64_t countTogether(Value bound) const {
    return getKnownDivisor(solver, bound, width);
  }

private:
  /// The largest power of two up to `width` that divides `elements`.
  int64_t getDivisor(OpFoldResult elements) const {
    if (auto value = dyn_cast<Value>(elements))
      return getKnownDivisor(solver, value, width);
    int64_t constant = *getConstantIntValue(elements);
    return constant == 0 ? width : std::min(width, constant & -constant);
  }

  const DataFlowSolver &solver;
  int64_t bytes;
  int64_t width;
};

AccessWidth describeStrided(const DataFlowSolver &solver,
                            tts::AccessOpInterface access) {
  RankedTensorType block = access.getTileType();
  SmallVector<tts::DimensionAccess> dimensions = access.getDimensions();
  AccessWidth result;
  result.order = orderDimensions(access, dimensions);
  if (dimensions.empty())
    return result;
  unsigned fastest = result.order.front();
  const tts::DimensionAccess &inner = dimensions[fastest];
  int64_t run = getIndexRun(access, fastest);
  if (getConstantIntValue(inner.stride) != 1 ||
      (inner.isGathered() && run == 1))
    return result;
  result.isContiguous = true;

  WidthFinder finder(solver, access.getBase(), block.getElementType());
  finder.restrict(access.getOffset());
  finder.restrict(block.getDimSize(fastest));
  for (auto [dim, dimension] : llvm::enumerate(dimensions))
    if (dim != fastest && block.getDimSize(dim) != 1)
      finder.restrictLines(dimension);
  if (inner.isWrapped()) {
    finder.restrict(inner.wrapStart);
    finder.restrict(inner.wrapSize);
  } else if (inner.isGathered()) {
    finder.restrict(run);
  } else if (auto hint =
                 access->getAttrOfType<DenseI64ArrayAttr>(kLineAlignment)) {
    finder.widen(hint[fastest], block.getDimSize(fastest));
  }
  result.uniform = result.elements = finder.getWidth();
  if (inner.isBounded())
    result.uniform = std::min(finder.countTogether(inner.low),
                              finder.countTogether(inner.high));
  return result;
}

} // namespace

AccessWidth triton_shared::describeAccessWidth(const DataFlowSolver &solver,
                                               tts::AccessOpInterface access) {
  if (!access.hasOffsetPerElement())
    return describeStrided(solver, access);
  // Offsets are data: nothing is known about neighbours.
  AccessWidth result;
  result.order.resize(access.getTileType().getRank());
  std::iota(result.order.rbegin(), result.order.rend(), 0);
  return result;
}
