//===- MatrixDescriptor.cpp - Operands that wgmma reads itself ------------===//

#include "triton-shared/Dialect/Cta/IR/MatrixDescriptor.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::cta;

/// The lines that swizzles know, the longest first.
static constexpr int64_t kLines[] = {kLineBytes, 64, 32};
/// Pieces that change places.
static constexpr int64_t kPieceBytes = 16;
/// Bytes of shared memory after which banks repeat: the lines of one step.
static constexpr int64_t kStepBytes = 128;
/// Lines after which a swizzle repeats.
static constexpr int64_t kLinesOfGroup = 8;

//===----------------------------------------------------------------------===//
// The descriptor
//===----------------------------------------------------------------------===//

uint64_t MatrixDescriptor::encode() const {
  constexpr unsigned kLeadingShift = 16, kStrideShift = 32, kSwizzleShift = 62;
  // Along K one instruction stays within a line, and ignores the distance.
  uint64_t leading = isTransposed ? boxBytes / kUnit : 1;
  uint64_t stride = kLinesOfGroup * lineBytes / kUnit;
  uint64_t swizzle = lineBytes == 128 ? 1 : lineBytes == 64 ? 2 : 3;
  return leading << kLeadingShift | stride << kStrideShift |
         swizzle << kSwizzleShift;
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

/// Lines of `lineBytes` along dimension `contiguous`.
static SharedLayout getBoxes(ArrayRef<int64_t> shape, int64_t elementBytes,
                             unsigned contiguous, int64_t lineBytes) {
  unsigned other = 1 - contiguous;
  int64_t line = lineBytes / elementBytes;
  int64_t linesOfStep = kStepBytes / lineBytes;
  int64_t steps = lineBytes / kPieceBytes;
  SharedLayout::Bases bases;
  auto add = [&](unsigned dim, int64_t from, int64_t to) {
    for (int64_t step = from; step < to; step *= 2) {
      Coordinates basis(2, 0);
      basis[dim] = step;
      int64_t moved = step / linesOfStep;
      if (dim == other && moved < steps)
        basis[contiguous] = moved * (kPieceBytes / elementBytes);
      bases.push_back(basis);
    }
  };
  add(contiguous, 1, line);
  add(other, 1, shape[other]);
  add(contiguous, line, shape[contiguous]);
  return SharedLayout(2, bases);
}

/// What one instruction takes of the rows or columns of an operand.
static int64_t getOwnSize(OpOperand &operand) {
  auto dot = cast<DotOp>(operand.getOwner());
  return &operand == &dot.getAMutable() ? dot.getWgmma().getM()
                                        : dot.getWgmma().getN();
}

std::optional<SharedLayout> cta::findMatrixLayout(OpOperand &operand,
                                                  unsigned contiguous) {
  ArrayRef<int64_t> shape = DotOp::getOperandShape(operand.get());
  int64_t bytes = getElementBytes(DotOp::getOperandElementType(operand.get()));
  bool isAlongK = contiguous == DotOp::getCommonDim(operand);
  // Only elements of 16 bits are transposed on the way.
  if (!isAlongK && bytes != 2)
    return std::nullopt;
  int64_t line = (isAlongK ? shape[contiguous] : getOwnSize(operand)) * bytes;
  if (line < kLines[2])
    return std::nullopt;
  return getBoxes(shape, bytes, contiguous, std::min(kLines[0], line));
}

std::optional<SharedLayout> cta::findLinesLayout(RankedTensorType tile,
                                                 unsigned along) {
  int64_t bytes = getElementBytes(tile);
  int64_t line = std::min(kLines[0], tile.getDimSize(along) * bytes);
  if (line < kLines[2])
    return std::nullopt;
  return getBoxes(tile.getShape(), bytes, along, line);
}

std::optional<LinesOfBoxes> cta::describeLines(BufferType buffer) {
  ArrayRef<int64_t> shape = buffer.getShape();
  if (shape.size() != 2)
    return std::nullopt;
  int64_t bytes = getElementBytes(buffer.getElementType());
  SharedLayout layout = buffer.getLayout().getLayout();
  for (unsigned along : {1, 0})
    for (int64_t lineBytes : kLines)
      if (lineBytes <= shape[along] * bytes &&
          layout == getBoxes(shape, bytes, along, lineBytes))
        return LinesOfBoxes{along, lineBytes};
  return std::nullopt;
}

std::optional<MatrixDescriptor> cta::describeMatrix(BufferType buffer,
                                                    OpOperand &operand) {
  std::optional<LinesOfBoxes> lines = describeLines(buffer);
  if (!lines)
    return std::nullopt;
  int64_t bytes = getElementBytes(buffer.getElementType());
  bool isTransposed = lines->along != DotOp::getCommonDim(operand);
  // Only elements of 16 bits are transposed on the way, and an instruction
  // takes whole boxes, of whole groups of lines.
  if (isTransposed &&
      (bytes != 2 || getOwnSize(operand) * bytes < lines->bytes))
    return std::nullopt;
  return MatrixDescriptor{lines->bytes, isTransposed,
                          buffer.getShape()[1 - lines->along] * lines->bytes};
}
