//===- DotScaled.cpp - tt.dot_scaled to linalg ----------------------------===//
//
// Each operand is unpacked and scaled to a block of f32, element by element;
// the rest is a product like any other.
//
//===----------------------------------------------------------------------===//

#include "MapElements.h"
#include "Microscaling.h"
#include "Product.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/DialectConversion.h"
#include "triton-shared/Conversion/TritonTensorsToLinalg.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

//===----------------------------------------------------------------------===//
// Unpacking
//===----------------------------------------------------------------------===//

namespace {

/// One operand, as the user gave it.
struct ScaledOperand {
  Value elements;
  Value scale; // Null for a scale of 1.
  tt::ScaleDotElemType format;
  int64_t summedDim, otherDim;
  /// The dimension along which two elements share a byte, if any.
  std::optional<int64_t> packedDim;
};

/// The loops over the unpacked operand. A dimension of it is up to three loops,
/// like the digits of a number: which scale, which byte, and which element of
/// the byte. So every index is one loop and nothing is divided:
///
///   e2m1, 32 elements per scale:  bytes [m, g, b]  (m, g, b, h) -> (m, g, b)
///                                 scales [m, g]    (m, g, b, h) -> (m, g)
///                                 result [m, g, b, h]
///
/// Scales are decoded before: each once, not for each of its elements.
class UnpackingLoops {
public:
  explicit UnpackingLoops(const ScaledOperand &operand);

  /// The operand as a block of f32 without packs and scales.
  Value unpack(OpBuilder &builder, Location loc) const;

private:
  using BodyOfLoops =
      llvm::function_ref<void(OpBuilder &, Location, ValueRange)>;
  /// The loops that make up each dimension of a tensor.
  using LoopsOfDims = SmallVector<ReassociationIndices>;

  int64_t addLoop(int64_t size) {
    sizes.push_back(size);
    return sizes.size() - 1;
  }
  Value expand(OpBuilder &builder, Location loc, Value tensor,
               const LoopsOfDims &loops) const;
  AffineMap getMap(Builder &builder, const LoopsOfDims &loops) const;
  linalg::GenericOp createLoops(OpBuilder &builder, Location loc,
                                ValueRange inputs, SmallVector<AffineMap> maps,
                                BodyOfLoops body) const;
  Value unpackPairs(OpBuilder &builder, Location loc) const;
  Value decode(OpBuilder &builder, Location loc, ValueRange args) const;
  Value decodeScales(OpBuilder &builder, Location loc) const;

  const ScaledOperand &operand;
  SmallVector<int64_t> sizes;
  LoopsOfDims bytes, scales, elements;
  int64_t packLoop = 0;
};

} // namespace

UnpackingLoops::UnpackingLoops(const ScaledOperand &operand)
    : operand(operand) {
  auto type = cast<RankedTensorType>(operand.elements.getType());
  int64_t groupLoop = 0;
  for (auto [dim, size] : llvm::enumerate(type.getShape())) {
    ReassociationIndices loops;
    int64_t groups = 1;
    if (operand.scale && int64_t(dim) == operand.summedDim) {
      groups =
          cast<RankedTensorType>(operand.scale.getType()).getShape().back();
      loops.push_back(groupLoop = addLoop(groups));
    }
    loops.push_back(addLoop(size / groups));
    bytes.push_back(loops);
    if (int64_t(dim) == operand.packedDim)
      loops.push_back(packLoop = addLoop(2));
    elements.push_back(loops);
  }
  // Scales lie summed dimension last, for the right operand too.
  scales.assign(elements.begin(), elements.end() - 2);
  scales.push_back(elements[operand.otherDim]);
  scales.push_back({groupLoop});
}

Value UnpackingLoops::unpack(OpBuilder &builder, Location loc) const {
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  if (operand.packedDim) {
    inputs.push_back(unpackPairs(builder, loc));
    maps.push_back(getMap(builder, elements));
  } else {
    inputs.push_back(expand(builder, loc, operand.elements, bytes));
    maps.push_back(getMap(builder, bytes));
  }
  if (operand.scale) {
    inputs.push_back(expand(builder, loc, decodeScales(builder, loc), scales));
    maps.push_back(getMap(builder, scales));
  }
  Value result = inputs.front();
  if (operand.scale || !operand.packedDim)
    result =
        createLoops(builder, loc, inputs, maps,
                    [&](OpBuilder &b, Location loc, ValueRange args) {
                      linalg::YieldOp::create(b, loc, decode(b, loc, args));
                    })
            .getResult(0);
  if (elements.size() == sizes.size())
    return result;
  return tensor::CollapseShapeOp::create(builder, loc, result, elements);
}

/// A block of f32 by all loops, of `inputs` that are read by `maps`.
linalg::GenericOp UnpackingLoops::createLoops(OpBuilder &builder, Location loc,
                                              ValueRange inputs,
                                              SmallVector<AffineMap> maps,
                                              BodyOfLoops body) const {
  maps.push_back(getMap(builder, elements));
  auto type = RankedTensorType::get(sizes, builder.getF32Type());
  SmallVector<utils::IteratorType> loops(sizes.size(),
                                         utils::IteratorType::parallel);
  return linalg::GenericOp::create(builder, loc, TypeRange{type}, inputs,
                                   createEmptyTensor(builder, loc, type), maps,
                                   loops, body);
}

/// The floats of all bytes. GPUs have a way of their own to make them.
Value UnpackingLoops::unpackPairs(OpBuilder &builder, Location loc) const {
  linalg::GenericOp unpacked = createLoops(
      builder, loc, expand(builder, loc, operand.elements, bytes),
      {getMap(builder, bytes)},
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Value element = unpackElement(
            b, loc, args[0], linalg::IndexOp::create(b, loc, packLoop));
        linalg::YieldOp::create(b, loc,
                                decodeElement(b, loc, element, operand.format));
      });
  unpacked->setAttr(tts::kUnpacksE2M1, builder.getI64IntegerAttr(packLoop));
  return unpacked.getResult(0);
}

/// `tensor` with one dimension per loop.
Value UnpackingLoops::expand(OpBuilder &builder, Location loc, Value tensor,
                             const LoopsOfDims &loops) const {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape;
  LoopsOfDims groups;
  for (const ReassociationIndices &loopsOfDim : loops) {
    groups.emplace_back();
    for (int64_t loop : loopsOfDim) {
      groups.back().push_back(shape.size());
      shape.push_back(sizes[loop]);
    }
  }
  if (groups.size() == shape.size())
    return tensor;
  return tensor::ExpandShapeOp::create(builder, loc, type.clone(shape), tensor,
                                       groups);
}

AffineMap UnpackingLoops::getMap(Builder &builder,
                                 const LoopsOfDims &loops) const {
  SmallVector<AffineExpr> places;
  for (const ReassociationIndices &loopsOfDim : loops)
    for (int64_t loop : loopsOfDim)
      places.push_back(builder.getAffineDimExpr(loop));
  return AffineMap::get(sizes.size(), 0, places, builder.getContext());
}

/// The scales as a block of f32.
Value UnpackingLoops::decodeScales(OpBuilder &builder, Location loc) const {
  auto type = cast<RankedTensorType>(operand.scale.getType());
  AffineMap same = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  RankedTensorType decoded = type.clone(builder.getF32Type());
  return linalg::GenericOp::create(
             builder, loc, TypeRange{decoded}, operand.scale,
             createEmptyTensor(builder, loc, decoded), ArrayRef{same, same},
             loops,
             [](OpBuilder &b, Location loc, ValueRange args) {
               linalg::YieldOp::create(b, loc, decodeScale(b, loc, args[0]));
             })
      .getResult(0);
}

/// Arguments are an element and, if there is one, its decoded scale.
Value UnpackingLoops::decode(OpBuilder &builder, Location loc,
                             ValueRange args) const {
  Value value = operand.packedDim
                    ? args[0]
                    : decodeElement(builder, loc, args[0], operand.format);
  if (!operand.scale)
    return value;
  return arith::MulFOp::create(builder, loc, value, args[1]);
}

//===----------------------------------------------------------------------===//
// The pattern
//===----------------------------------------------------------------------===//

namespace {

/// `tt.dot_scaled` becomes one `linalg.generic` per operand and a product in
/// f32, in which every element times its scale is exact unless it leaves the
/// range of f32. Which narrower format holds the operands as well is noted at
/// the product, for tensor cores. An operand of floats without a scale goes to
/// the product as it is. `fastMath` is dropped: it allows to ignore NaN, which
/// need not be used.
struct LowerDotScaled : OpConversionPattern<tt::DotScaledOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::DotScaledOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    int64_t rank = op.getType().getRank();
    ScaledOperand a{adaptor.getA(),        adaptor.getAScale(),
                    op.getAElemType(),     /*summedDim=*/rank - 1,
                    /*otherDim=*/rank - 2, std::nullopt};
    ScaledOperand b{adaptor.getB(),        adaptor.getBScale(),
                    op.getBElemType(),     /*summedDim=*/rank - 2,
                    /*otherDim=*/rank - 1, std::nullopt};
    if (a.format == tt::ScaleDotElemType::E2M1)
      a.packedDim = op.getLhsKPack() ? a.summedDim : a.otherDim;
    if (b.format == tt::ScaleDotElemType::E2M1)
      b.packedDim = op.getRhsKPack() ? b.summedDim : b.otherDim;

    Location loc = op.getLoc();
    NamedAttribute narrow = rewriter.getNamedAttr(
        tts::kExactIn, rewriter.getStringAttr(isExactInBFloat(a.format) &&
                                                      isExactInBFloat(b.format)
                                                  ? "bf16"
                                                  : "tf32"));
    rewriter.replaceOp(
        op, createProduct(rewriter, loc, toFloats(rewriter, loc, a),
                          toFloats(rewriter, loc, b), adaptor.getC(), narrow));
    return success();
  }

private:
  /// A scale changes the exponent only, and bf16 has those of f32.
  static bool isExactInBFloat(tt::ScaleDotElemType format) {
    return format != tt::ScaleDotElemType::FP16;
  }

  static Value toFloats(OpBuilder &builder, Location loc,
                        const ScaledOperand &operand) {
    bool isPlain = isa<FloatType>(getElementTypeOrSelf(operand.elements));
    if (isPlain && !operand.scale)
      return operand.elements;
    return UnpackingLoops(operand).unpack(builder, loc);
  }
};

} // namespace

void triton_shared::populateTritonTensorsToLinalgDotScaled(
    RewritePatternSet &patterns, ConversionTarget &target) {
  patterns.add<LowerDotScaled>(patterns.getContext());
  target.addLegalDialect<linalg::LinalgDialect, tensor::TensorDialect>();
}
