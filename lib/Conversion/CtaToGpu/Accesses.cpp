//===- Accesses.cpp - tts accesses by the threads of a CTA ----------------===//
//
// Neighbours are moved together, up to 16 bytes at a time. Where bounds may cut
// through such a group, it is moved at once if all of it takes part, and
// element by element otherwise.
//
//===----------------------------------------------------------------------===//

#include "ElementPlaces.h"
#include "GlobalMemory.h"
#include "Threads.h"
#include "Topics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "triton-shared/Analysis/AccessWidth.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"

using namespace mlir;
using namespace mlir::triton_shared;
using cta::LinearLayout;

namespace {

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
  if (!other)
    other = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  SmallVector<Value> elements(type.getNumElements());
  moveGroups(
      places, builder, loc,
      [&](unsigned first, unsigned count, Value pointer, Value predicate) {
        // A whole group comes first: nothing of it is there yet.
        Value before = count == places.width
                           ? sliceRegisters(builder, loc, other, first, count)
                           : packRegisters(builder, loc, elements[first]);
        Value part = createGlobalLoad(
            builder, loc, VectorType::get({count}, type.getElementType()),
            pointer, predicate, before, isVolatile);
        llvm::copy(unpackRegisters(builder, loc, part),
                   elements.begin() + first);
      });
  return packRegisters(builder, loc, elements);
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
  std::optional<int64_t> numWarps =
      cta::getNumWarps(op->getParentOfType<FunctionOpInterface>());
  return LinearLayout::getBlocked({}, {}, 1, *numWarps);
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
    ElementPlaces places = placeStrided(
        rewriter, loc, remapAccess(op, rewriter), widths.at(op), layout);
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
    places.pointers.push_back(createElementPointer(
        builder, loc, adaptor.getBase(), adaptor.getOffset(), op.getType()));
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
    ElementPlaces places = placeStrided(
        rewriter, loc, remapAccess(op, rewriter), widths.at(op), layout);
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
    places.pointers.push_back(
        createElementPointer(builder, loc, adaptor.getBase(),
                             adaptor.getOffset(), op.getValue().getType()));
    places.predicates.push_back(createAnd(
        builder, loc, createIsFirstHolder(builder, loc, getScalarLayout(op)),
        adaptor.getMask()));
    createStores(builder, loc, places,
                 createVectorSplat(builder, loc, adaptor.getValue(), 1));
  }

  const AccessWidths &widths;
};

/// The places of an access by a tile of offsets; a group of neighbours that
/// move together has one, that of the first.
ElementPlaces placeOffsets(OpBuilder &builder, Location loc, Value base,
                           Value offsets, Type elementType,
                           const AccessWidth &width,
                           const LinearLayout &layout) {
  ElementPlaces places;
  if (!width.order.empty())
    places.width =
        std::min(width.elements, layout.countNeighbours(width.order.front()));
  places.isUniform = true;
  for (auto [reg, offset] :
       llvm::enumerate(unpackRegisters(builder, loc, offsets)))
    places.pointers.push_back(
        reg % places.width == 0
            ? createElementPointer(builder, loc, base, offset, elementType)
            : Value());
  return places;
}

/// The places of the first of each group alone.
ElementPlaces keepFirst(const ElementPlaces &places) {
  ElementPlaces firsts;
  for (unsigned reg = 0; reg < places.pointers.size(); reg += places.width) {
    firsts.pointers.push_back(places.pointers[reg]);
    if (Value predicate = places.getPredicate(reg))
      firsts.predicates.push_back(predicate);
  }
  return firsts;
}

/// Registers `numbers` of a vector.
Value pickRegisters(OpBuilder &builder, Location loc, Value vector,
                    ArrayRef<int64_t> numbers) {
  return vector::ShuffleOp::create(builder, loc, vector, vector, numbers);
}

struct ConvertGather : OpConversionPattern<tts::GatherOp> {
  ConvertGather(const TypeConverter &types, const AccessWidths &widths,
                MLIRContext *context)
      : OpConversionPattern(types, context), widths(widths) {}

  LogicalResult
  matchAndRewrite(tts::GatherOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<VectorType>(getTypeConverter()->convertType(op.getType()));
    const AccessWidth &width = widths.at(op);
    ElementPlaces places = placeOffsets(
        rewriter, loc, adaptor.getBase(), adaptor.getOffset(),
        type.getElementType(), width, cta::getLayout(op.getType()));
    restrictTo(places, adaptor.getMask(), /*isHolder=*/nullptr, rewriter, loc);
    Value other = getOtherVector(rewriter, loc, adaptor.getOther(), type);
    bool isVolatile = op.getIsVolatile();
    rewriter.replaceOp(
        op, width.isOnePlace && places.width > 1
                ? loadOnce(rewriter, loc, places, type, other)
                : createLoads(rewriter, loc, places, type, other, isVolatile));
    return success();
  }

private:
  /// Loads one element for each group.
  static Value loadOnce(OpBuilder &builder, Location loc,
                        const ElementPlaces &places, VectorType type,
                        Value other) {
    SmallVector<int64_t> firsts, groups;
    for (unsigned reg = 0; reg < type.getDimSize(0); ++reg) {
      groups.push_back(reg / places.width);
      if (reg % places.width == 0)
        firsts.push_back(reg);
    }
    auto some = VectorType::get({static_cast<int64_t>(firsts.size())},
                                type.getElementType());
    Value loaded =
        createLoads(builder, loc, keepFirst(places), some,
                    other ? pickRegisters(builder, loc, other, firsts) : other,
                    /*isVolatile=*/false);
    return pickRegisters(builder, loc, loaded, groups);
  }

  const AccessWidths &widths;
};

struct ConvertScatter : OpConversionPattern<tts::ScatterOp> {
  ConvertScatter(const TypeConverter &types, const AccessWidths &widths,
                 MLIRContext *context)
      : OpConversionPattern(types, context), widths(widths) {}

  LogicalResult
  matchAndRewrite(tts::ScatterOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType tile = cta::getTile(op.getValue());
    LinearLayout layout = cta::getLayout(tile);
    ElementPlaces places =
        placeOffsets(rewriter, loc, adaptor.getBase(), adaptor.getOffset(),
                     tile.getElementType(), widths.at(op), layout);
    restrictTo(places, adaptor.getMask(),
               createIsFirstHolder(rewriter, loc, layout), rewriter, loc);
    createStores(rewriter, loc, places, adaptor.getValue());
    rewriter.eraseOp(op);
    return success();
  }

private:
  const AccessWidths &widths;
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
  patterns.add<ConvertLoad, ConvertStore, ConvertGather, ConvertScatter>(
      types, widths, patterns.getContext());
  patterns.add<ConvertFromAddress, ConvertToAddress>(types,
                                                     patterns.getContext());
}
