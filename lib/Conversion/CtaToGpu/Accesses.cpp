//===- Accesses.cpp - tts accesses by the threads of a CTA ----------------===//
//
// Each thread computes the address of its first element once; the others lie at
// constant or scalar distances. Neighbours are moved together, up to 16 bytes
// at a time. Where bounds may cut through such a group, it is moved at once if
// all of it takes part, and element by element otherwise.
//
//===----------------------------------------------------------------------===//

#include "GlobalMemory.h"
#include "Parts.h"
#include "Threads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "triton-shared/Analysis/AccessWidth.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"

using namespace mlir;
using namespace mlir::triton_shared;
using cta::LinearLayout;

namespace {

/// The conjunction; null stands for true.
Value createAnd(OpBuilder &builder, Location loc, Value a, Value b) {
  if (!a || !b)
    return a ? a : b;
  return arith::AndIOp::create(builder, loc, a, b);
}

/// Where the elements of one thread lie, and which of them take part.
struct ElementPlaces {
  SmallVector<Value> pointers;
  /// Null for true; empty if all are.
  SmallVector<Value> predicates;
  /// So many leading registers are neighbours in memory, and so on in groups.
  unsigned width = 1;
  /// The elements of a group all take part or none does.
  bool isUniform = true;

  Value getPredicate(unsigned reg) const {
    return predicates.empty() ? nullptr : predicates[reg];
  }
};

Value createPointer(OpBuilder &builder, Location loc, Value base, Value offset,
                    Type elementType) {
  return LLVM::GEPOp::create(builder, loc, base.getType(),
                             getRegisterType(elementType), base,
                             ArrayRef<LLVM::GEPArg>{offset});
}

//===----------------------------------------------------------------------===//
// Strided accesses
//===----------------------------------------------------------------------===//

/// Computes the places of a strided access.
class StridedPlaces {
public:
  StridedPlaces(OpBuilder &builder, Location loc, const LinearLayout &layout,
                ArrayRef<tts::DimensionAccess> dimensions,
                const DenseMap<Value, Value> &indexVectors,
                ArrayRef<LinearLayout> indexLayouts)
      : builder(builder), loc(loc), layout(layout), dimensions(dimensions),
        indexLayouts(indexLayouts), coordinates(builder, loc, layout) {
    for (const tts::DimensionAccess &dimension : dimensions)
      indices.push_back(
          dimension.isGathered()
              ? unpackRegisters(builder, loc,
                                indexVectors.lookup(dimension.indices))
              : SmallVector<Value>());
    terms.resize(dimensions.size());
    predicates.resize(dimensions.size());
  }

  /// The distance from the base, in elements: i64. What the thread decides is
  /// summed once, registers add constants to it.
  Value createOffset(Value offset, unsigned reg) {
    if (!ofThread)
      ofThread = sumSimple(
          offset, [&](unsigned dim) { return coordinates.get(0, dim); });
    cta::Coordinates ofRegister = layout.applyRegister(reg);
    Value sum = layout.hasDisjointRegisters()
                    ? addConstants(ofThread, ofRegister)
                    : sumSimple(offset, [&](unsigned dim) {
                        return coordinates.get(reg, dim);
                      });
    for (unsigned dim = 0; dim < dimensions.size(); ++dim)
      if (!isSimple(dim))
        sum = add(sum, getTerm(reg, dim));
    return sum;
  }

  /// Whether the element lies within all bounds; null for true.
  Value createPredicate(unsigned reg) {
    Value all;
    for (unsigned dim = 0; dim < dimensions.size(); ++dim)
      if (dimensions[dim].isBounded())
        all = createAnd(builder, loc, all, getPredicate(reg, dim));
    return all;
  }

private:
  /// The index is the coordinate itself.
  bool isSimple(unsigned dim) const {
    return !dimensions[dim].isWrapped() && !dimensions[dim].isGathered();
  }

  Value add(Value a, Value b) {
    return arith::AddIOp::create(builder, loc, a, b);
  }
  Value widen(Value i32) {
    return arith::ExtUIOp::create(builder, loc, builder.getI64Type(), i32);
  }
  Value getStride(unsigned dim) {
    return getValueOrCreateConstant(dimensions[dim].stride);
  }
  Value getValueOrCreateConstant(OpFoldResult value) {
    if (std::optional<int64_t> constant = getConstantIntValue(value))
      return createI64(builder, loc, *constant);
    return cast<Value>(value);
  }
  Value scale(Value index, unsigned dim) {
    if (isConstantIntValue(dimensions[dim].stride, 1))
      return index;
    return arith::MulIOp::create(builder, loc, index, getStride(dim));
  }

  template <typename GetCoordinate>
  Value sumSimple(Value offset, GetCoordinate getCoordinate) {
    Value sum = offset;
    for (unsigned dim = 0; dim < dimensions.size(); ++dim)
      if (isSimple(dim))
        sum = add(sum, scale(widen(getCoordinate(dim)), dim));
    return sum;
  }

  /// Static distances last, so that they end up in the instruction.
  Value addConstants(Value sum, const cta::Coordinates &ofRegister) {
    int64_t constant = 0;
    for (unsigned dim = 0; dim < dimensions.size(); ++dim) {
      if (!isSimple(dim) || ofRegister[dim] == 0)
        continue;
      if (std::optional<int64_t> stride =
              getConstantIntValue(dimensions[dim].stride))
        constant += *stride * ofRegister[dim];
      else
        sum = add(sum, scale(createI64(builder, loc, ofRegister[dim]), dim));
    }
    return constant ? add(sum, createI64(builder, loc, constant)) : sum;
  }

  /// The contribution of a wrapped or gathered dimension.
  Value getTerm(unsigned reg, unsigned dim) {
    const tts::DimensionAccess &dimension = dimensions[dim];
    cta::Coordinates key = layout.applyRegister(reg);
    Value &term = terms[dim][key[dim]];
    if (term)
      return term;
    Value index;
    if (dimension.isGathered()) {
      std::optional<unsigned> source =
          indexLayouts[dim].findRegister({key[dim]});
      index = indices[dim][*source];
    } else {
      index = arith::RemUIOp::create(
          builder, loc,
          add(dimension.wrapStart, widen(coordinates.get(reg, dim))),
          dimension.wrapSize);
    }
    return term = scale(index, dim);
  }

  Value getPredicate(unsigned reg, unsigned dim) {
    const tts::DimensionAccess &dimension = dimensions[dim];
    Value &predicate = predicates[dim][layout.applyRegister(reg)[dim]];
    if (predicate)
      return predicate;
    Value index = widen(coordinates.get(reg, dim));
    auto compare = [&](arith::CmpIPredicate kind, Value bound) -> Value {
      return arith::CmpIOp::create(builder, loc, kind, index, bound);
    };
    predicate = compare(arith::CmpIPredicate::slt, dimension.high);
    if (!isConstantIntValue(dimension.low, 0))
      predicate = createAnd(builder, loc, predicate,
                            compare(arith::CmpIPredicate::sge, dimension.low));
    return predicate;
  }

  OpBuilder &builder;
  Location loc;
  LinearLayout layout;
  ArrayRef<tts::DimensionAccess> dimensions;
  ArrayRef<LinearLayout> indexLayouts;
  ElementCoordinates coordinates;
  SmallVector<SmallVector<Value>> indices;
  SmallVector<DenseMap<int32_t, Value>> terms, predicates;
  Value ofThread;
};

/// The dimensions with the values that stand for theirs now.
SmallVector<tts::DimensionAccess>
remap(SmallVector<tts::DimensionAccess> dimensions,
      ConversionPatternRewriter &rewriter) {
  auto update = [&](Value &value) {
    if (value)
      value = rewriter.getRemappedValue(value);
  };
  for (tts::DimensionAccess &dimension : dimensions) {
    if (auto stride = dyn_cast<Value>(dimension.stride))
      dimension.stride = rewriter.getRemappedValue(stride);
    for (Value *value : {&dimension.wrapStart, &dimension.wrapSize,
                         &dimension.low, &dimension.high})
      update(*value);
  }
  return dimensions;
}

template <typename AccessOp>
ElementPlaces placeStrided(AccessOp op, typename AccessOp::Adaptor adaptor,
                           const AccessWidth &width, const LinearLayout &layout,
                           Type elementType,
                           ConversionPatternRewriter &builder) {
  Location loc = op.getLoc();
  SmallVector<tts::DimensionAccess> dimensions =
      remap(op.getDimensions(), builder);
  DenseMap<Value, Value> indexVectors;
  SmallVector<LinearLayout> indexLayouts(dimensions.size());
  for (auto [dim, indices, vector] : llvm::zip_equal(
           op.getGatheredDims(), op.getIndices(), adaptor.getIndices())) {
    indexVectors[indices] = vector;
    indexLayouts[dim] = cta::getLayout(indices.getType());
  }
  StridedPlaces strided(builder, loc, layout, dimensions, indexVectors,
                        indexLayouts);
  ElementPlaces places;
  if (!width.order.empty())
    places.width =
        std::min(width.elements, layout.countNeighbours(width.order.front()));
  places.isUniform = width.isUniform;
  bool isBounded = !op.getBoundedDims().empty();
  for (unsigned reg = 0; reg < layout.getNumRegisters(); ++reg) {
    bool isFirst = reg % places.width == 0;
    Value offset = isFirst || !places.isUniform || op.getMask()
                       ? strided.createOffset(adaptor.getOffset(), reg)
                       : nullptr;
    places.pointers.push_back(offset ? createPointer(builder, loc,
                                                     adaptor.getBase(), offset,
                                                     elementType)
                                     : nullptr);
    if (isBounded)
      places.predicates.push_back(strided.createPredicate(reg));
  }
  return places;
}

/// Adds the mask, and that only one of the threads that hold the same acts.
void restrictTo(ElementPlaces &places, Value mask, Value isHolder,
                OpBuilder &builder, Location loc) {
  if (!mask && !isHolder)
    return;
  SmallVector<Value> bits;
  if (mask) {
    bits = unpackRegisters(builder, loc, mask);
    places.isUniform &= places.width == 1;
  }
  places.predicates.resize(places.pointers.size());
  for (auto [reg, predicate] : llvm::enumerate(places.predicates)) {
    predicate = createAnd(builder, loc, predicate, isHolder);
    if (mask)
      predicate = createAnd(builder, loc, predicate, bits[reg]);
  }
}

//===----------------------------------------------------------------------===//
// Moving
//===----------------------------------------------------------------------===//

/// Calls `move(first, count, pointer, predicate)` for each group of registers
/// and, where a group may take part in part, for each of its elements.
template <typename Move>
void moveGroups(const ElementPlaces &places, OpBuilder &builder, Location loc,
                Move move) {
  for (unsigned first = 0; first < places.pointers.size();
       first += places.width) {
    if (places.isUniform || places.width == 1) {
      move(first, places.width, places.pointers[first],
           places.getPredicate(first));
      continue;
    }
    Value all;
    for (unsigned i = 0; i < places.width; ++i)
      all = createAnd(builder, loc, all, places.getPredicate(first + i));
    move(first, places.width, places.pointers[first], all);
    if (!all)
      continue;
    Value isPart = arith::XOrIOp::create(
        builder, loc, all, arith::ConstantIntOp::create(builder, loc, 1, 1));
    for (unsigned i = 0; i < places.width; ++i)
      move(first + i, 1, places.pointers[first + i],
           createAnd(builder, loc, isPart, places.getPredicate(first + i)));
  }
}

Value sliceRegisters(OpBuilder &builder, Location loc, Value vector,
                     unsigned first, unsigned count) {
  return vector::ExtractStridedSliceOp::create(
      builder, loc, vector, ArrayRef<int64_t>{first}, ArrayRef<int64_t>{count},
      ArrayRef<int64_t>{1});
}

Value createLoads(OpBuilder &builder, Location loc, const ElementPlaces &places,
                  VectorType type, Value other, bool isVolatile) {
  Value result = other ? other
                       : arith::ConstantOp::create(builder, loc,
                                                   builder.getZeroAttr(type));
  moveGroups(
      places, builder, loc,
      [&](unsigned first, unsigned count, Value pointer, Value predicate) {
        Value before = sliceRegisters(builder, loc, result, first, count);
        Value part = createGlobalLoad(
            builder, loc, VectorType::get({count}, type.getElementType()),
            pointer, predicate, before, isVolatile);
        result = vector::InsertStridedSliceOp::create(
            builder, loc, part, result, ArrayRef<int64_t>{first},
            ArrayRef<int64_t>{1});
      });
  return result;
}

void createStores(OpBuilder &builder, Location loc, const ElementPlaces &places,
                  Value vector) {
  moveGroups(
      places, builder, loc,
      [&](unsigned first, unsigned count, Value pointer, Value predicate) {
        createGlobalStore(builder, loc,
                          sliceRegisters(builder, loc, vector, first, count),
                          pointer, predicate);
      });
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// `other`, one value or a tile, as a vector.
Value getOtherVector(OpBuilder &builder, Location loc, Value other,
                     VectorType type) {
  if (!other || other.getType() == type)
    return other;
  return vector::BroadcastOp::create(builder, loc, type, other);
}

/// A block of one element that every thread holds.
LinearLayout getScalarLayout(Operation *op) {
  auto numWarps =
      op->getParentOfType<FunctionOpInterface>()->getAttrOfType<IntegerAttr>(
          cta::kNumWarps);
  return LinearLayout::getBlocked({}, {}, 1, numWarps.getInt());
}

struct ConvertLoad : OpConversionPattern<tts::LoadOp> {
  ConvertLoad(const TypeConverter &types, const AccessWidths &widths,
              MLIRContext *context)
      : OpConversionPattern(types, context), widths(widths) {}

  LogicalResult
  matchAndRewrite(tts::LoadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    if (!isa<RankedTensorType>(op.getType())) {
      rewriter.replaceOp(op, loadScalar(op, adaptor, rewriter));
      return success();
    }
    LinearLayout layout = cta::getLayout(op.getType());
    auto type = cast<VectorType>(getTypeConverter()->convertType(op.getType()));
    ElementPlaces places = placeStrided(op, adaptor, widths.at(op), layout,
                                        type.getElementType(), rewriter);
    restrictTo(places, adaptor.getMask(), /*isHolder=*/nullptr, rewriter, loc);
    rewriter.replaceOp(
        op, createLoads(rewriter, loc, places, type,
                        getOtherVector(rewriter, loc, adaptor.getOther(), type),
                        op.getIsVolatile()));
    return success();
  }

private:
  static Value loadScalar(tts::LoadOp op, OpAdaptor adaptor,
                          OpBuilder &builder) {
    Location loc = op.getLoc();
    auto type = VectorType::get({1}, getRegisterType(op.getType()));
    ElementPlaces places;
    places.pointers.push_back(createPointer(builder, loc, adaptor.getBase(),
                                            adaptor.getOffset(), op.getType()));
    if (adaptor.getMask())
      places.predicates.push_back(adaptor.getMask());
    Value vector =
        createLoads(builder, loc, places, type,
                    getOtherVector(builder, loc, adaptor.getOther(), type),
                    op.getIsVolatile());
    return vector::ExtractOp::create(builder, loc, vector, 0);
  }

  const AccessWidths &widths;
};

struct ConvertStore : OpConversionPattern<tts::StoreOp> {
  ConvertStore(const TypeConverter &types, const AccessWidths &widths,
               MLIRContext *context)
      : OpConversionPattern(types, context), widths(widths) {}

  LogicalResult
  matchAndRewrite(tts::StoreOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto tile = dyn_cast<RankedTensorType>(op.getValue().getType());
    if (!tile) {
      storeScalar(op, adaptor, rewriter);
      rewriter.eraseOp(op);
      return success();
    }
    LinearLayout layout = cta::getLayout(tile);
    ElementPlaces places = placeStrided(op, adaptor, widths.at(op), layout,
                                        tile.getElementType(), rewriter);
    restrictTo(places, adaptor.getMask(),
               createIsFirstHolder(rewriter, loc, layout), rewriter, loc);
    createStores(rewriter, loc, places, adaptor.getValue());
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// One thread writes.
  static void storeScalar(tts::StoreOp op, OpAdaptor adaptor,
                          OpBuilder &builder) {
    Location loc = op.getLoc();
    ElementPlaces places;
    places.pointers.push_back(createPointer(builder, loc, adaptor.getBase(),
                                            adaptor.getOffset(),
                                            op.getValue().getType()));
    places.predicates.push_back(createAnd(
        builder, loc, createIsFirstHolder(builder, loc, getScalarLayout(op)),
        adaptor.getMask()));
    createStores(builder, loc, places,
                 createVectorSplat(builder, loc, adaptor.getValue(), 1));
  }

  const AccessWidths &widths;
};

/// The places of an access by a tile of offsets.
ElementPlaces placeOffsets(OpBuilder &builder, Location loc, Value base,
                           Value offsets, Type elementType) {
  ElementPlaces places;
  for (Value offset : unpackRegisters(builder, loc, offsets))
    places.pointers.push_back(
        createPointer(builder, loc, base, offset, elementType));
  return places;
}

struct ConvertGather : OpConversionPattern<tts::GatherOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tts::GatherOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<VectorType>(getTypeConverter()->convertType(op.getType()));
    ElementPlaces places =
        placeOffsets(rewriter, loc, adaptor.getBase(), adaptor.getOffsets(),
                     type.getElementType());
    restrictTo(places, adaptor.getMask(), /*isHolder=*/nullptr, rewriter, loc);
    rewriter.replaceOp(
        op, createLoads(rewriter, loc, places, type,
                        getOtherVector(rewriter, loc, adaptor.getOther(), type),
                        op.getIsVolatile()));
    return success();
  }
};

struct ConvertScatter : OpConversionPattern<tts::ScatterOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tts::ScatterOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto tile = cast<RankedTensorType>(op.getValue().getType());
    ElementPlaces places =
        placeOffsets(rewriter, loc, adaptor.getBase(), adaptor.getOffsets(),
                     tile.getElementType());
    restrictTo(places, adaptor.getMask(),
               createIsFirstHolder(rewriter, loc, cta::getLayout(tile)),
               rewriter, loc);
    createStores(rewriter, loc, places, adaptor.getValue());
    rewriter.eraseOp(op);
    return success();
  }
};

struct ConvertFromAddress : OpConversionPattern<tts::FromAddressOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tts::FromAddressOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::IntToPtrOp>(
        op, getTypeConverter()->convertType(op.getType()),
        adaptor.getAddress());
    return success();
  }
};

struct ConvertToAddress : OpConversionPattern<tts::ToAddressOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tts::ToAddressOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::PtrToIntOp>(op, op.getType(),
                                                  adaptor.getBase());
    return success();
  }
};

} // namespace

void triton_shared::populateCtaToGpuAccesses(const TypeConverter &types,
                                             const AccessWidths &widths,
                                             RewritePatternSet &patterns) {
  patterns.add<ConvertLoad, ConvertStore>(types, widths, patterns.getContext());
  patterns
      .add<ConvertGather, ConvertScatter, ConvertFromAddress, ConvertToAddress>(
          types, patterns.getContext());
}
