//===- TensorMaps.cpp - Boxes of tensors as parameters of a kernel --------===//

#include "TensorMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "triton-shared/Dialect/Cta/IR/MatrixDescriptor.h"
#include "triton-shared/Dialect/Structured/IR/KernelSignature.h"

using namespace mlir;
using namespace mlir::triton_shared;

/// The most elements that one copy takes along one dimension.
static constexpr int64_t kMaxPiece = 256;

TensorMap triton_shared::addTensorMap(const TensorBox &box,
                                      cta::AllocOp buffer) {
  cta::BufferType type = buffer.getBuffer().getType();
  std::optional<cta::LinesOfBoxes> lines = cta::describeLines(type);
  assert(lines && "the copy engine writes lines");
  int64_t line = lines->bytes / cta::getElementBytes(type.getElementType());
  TensorMap map;
  SmallVector<tts::LaunchNumber> sizes, strides;
  for (const BoxDimension &dimension : box.dimensions) {
    int64_t size = type.getShape()[dimension.ofBlock];
    bool isAlongLines = dimension.ofBlock == lines->along;
    map.dims.push_back(dimension.ofBlock);
    map.piece.push_back(isAlongLines ? line : std::min(size, kMaxPiece));
    sizes.push_back(dimension.size);
    strides.push_back(dimension.stride);
  }
  auto recipe = tts::TensorMapAttr::get(
      buffer.getContext(), type.getElementType(), box.base, sizes, strides,
      map.piece, lines->bytes, box.isNanOutside);
  map.parameter = tts::KernelSignature::getOrAppend(
      buffer->getParentOfType<func::FuncOp>(), recipe);
  return map;
}

/// A coordinate of a box as an i32; one beyond every tensor stays beyond.
static Value createCoordinate(OpBuilder &builder, Location loc,
                              OpFoldResult start, const IRMapping &mapping) {
  constexpr int64_t kLeast = std::numeric_limits<int32_t>::min();
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  if (std::optional<int64_t> constant = getConstantIntValue(start))
    return arith::ConstantIntOp::create(
        builder, loc, std::clamp(*constant, kLeast, kMost), 32);
  auto value = cast<Value>(start);
  if (auto extension = value.getDefiningOp<arith::ExtSIOp>())
    if (extension.getIn().getType().isInteger(32))
      return mapping.lookupOrDefault(extension.getIn());
  Value wide = mapping.lookupOrDefault(value);
  auto clamp = [&](int64_t limit) {
    return arith::ConstantIntOp::create(builder, loc, limit, 64);
  };
  wide = arith::MaxSIOp::create(builder, loc, wide, clamp(kLeast));
  wide = arith::MinSIOp::create(builder, loc, wide, clamp(kMost));
  return arith::TruncIOp::create(builder, loc, builder.getI32Type(), wide);
}

SmallVector<Value> triton_shared::createBoxStart(OpBuilder &builder,
                                                 Location loc,
                                                 tts::AccessOpInterface access,
                                                 const TensorBox &box,
                                                 const IRMapping &mapping) {
  return llvm::map_to_vector(
      box.dimensions, [&](const BoxDimension &dimension) {
        return createCoordinate(
            builder, loc, getBoxStart(access, dimension.ofBlock), mapping);
      });
}
