//===- MatrixDescriptor.h - Operands that wgmma reads itself ----*- C++ -*-===//
//
// Tensor cores of Hopper read their operands from shared memory, if they lie
// there in one of few ways. A tile is cut into boxes as wide as a line of 32,
// 64 or 128 bytes; in groups of eight lines, pieces of 16 bytes change places.
// A descriptor of 64 bits says where a matrix begins and how the boxes follow.
// Source: PTX ISA, "Asynchronous warpgroup level matrix instructions", shared
// memory matrix layout.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_DIALECT_CTA_IR_MATRIXDESCRIPTOR_H
#define TRITON_SHARED_DIALECT_CTA_IR_MATRIXDESCRIPTOR_H

#include "triton-shared/Dialect/Cta/IR/Cta.h"

namespace mlir::cta {

/// What a descriptor says besides the address.
struct MatrixDescriptor {
  /// Bytes of a line: 32, 64 or 128.
  int64_t lineBytes;
  /// Lines run along the rows or columns of the result and not along K.
  bool isTransposed;
  /// From one box to the next along the lines' direction.
  int64_t boxBytes;

  /// The descriptor of a matrix at address 0. Addresses are added in units of
  /// `kUnit` bytes.
  uint64_t encode() const;

  static constexpr int64_t kUnit = 16;
  /// The bits of an address that a descriptor has, in units.
  static constexpr int64_t kAddressMask = (1 << 14) - 1;
};

/// The longest lines that swizzles know.
inline constexpr int64_t kLineBytes = 128;

/// Where a buffer begins that descriptors point to: what the longest group of
/// lines takes.
inline constexpr int64_t kMatrixAlignment = 1024;

/// The layout in which `operand` of a product by `wgmma` can lie, with
/// neighbours along dimension `contiguous`; nothing if the instruction cannot
/// read it so.
std::optional<SharedLayout> findMatrixLayout(OpOperand &operand,
                                             unsigned contiguous);

/// Lines of `bytes` along dimension `along`.
struct LinesOfBoxes {
  unsigned along;
  int64_t bytes;
};

/// The lines of a buffer of two dimensions that lies in boxes, as the copy
/// engine fills them; nothing if it lies in another way.
std::optional<LinesOfBoxes> describeLines(BufferType buffer);

/// The layout in boxes of lines along dimension `along` of a tile of two
/// dimensions, as long as they can be; nothing if its rows are too short.
std::optional<SharedLayout> findLinesLayout(RankedTensorType tile,
                                            unsigned along);

/// How the instruction reads `operand` of a product from `buffer`; nothing if
/// it cannot.
std::optional<MatrixDescriptor> describeMatrix(BufferType buffer,
                                               OpOperand &operand);

} // namespace mlir::cta

#endif // TRITON_SHARED_DIALECT_CTA_IR_MATRIXDESCRIPTOR_H
