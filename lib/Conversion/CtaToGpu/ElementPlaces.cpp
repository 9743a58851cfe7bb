//===- ElementPlaces.cpp - Where the elements of a thread lie -------------===//

#include "ElementPlaces.h"

#include "Threads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "triton-shared/Transforms/GuardIntegers.h"

using namespace mlir;
using namespace mlir::triton_shared;
using cta::LinearLayout;

Value triton_shared::createAnd(OpBuilder &builder, Location loc, Value a,
                               Value b) {
  if (!a || !b)
    return a ? a : b;
  return arith::AndIOp::create(builder, loc, a, b);
}

Value triton_shared::createElementPointer(OpBuilder &builder, Location loc,
                                          Value base, Value offset,
                                          Type elementType) {
  return LLVM::GEPOp::create(builder, loc, base.getType(),
                             getRegisterType(elementType), base,
                             ArrayRef<LLVM::GEPArg>{offset});
}

namespace {

/// Computes the places of a strided access.
class StridedPlaces {
public:
  StridedPlaces(OpBuilder &builder, Location loc, const LinearLayout &layout,
                const StridedAccess &access)
      : builder(builder), loc(loc), layout(layout), access(access),
        dimensions(access.dimensions), coordinates(builder, loc, layout),
        terms(dimensions.size()), predicates(dimensions.size()) {}

  /// The distance from the base, in elements: i64. What the thread decides is
  /// summed once, registers add constants to it.
  Value createOffset(unsigned reg) {
    if (!ofThread)
      ofThread =
          sumSimple([&](unsigned dim) { return coordinates.get(0, dim); });
    cta::Coordinates ofRegister = layout.applyRegister(reg);
    Value sum = layout.hasDisjointRegisters()
                    ? addConstants(ofThread, ofRegister)
                    : sumSimple([&](unsigned dim) {
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
  Value sumSimple(GetCoordinate getCoordinate) {
    Value sum = access.offset;
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
          access.indexLayouts[dim].findRegister({key[dim]});
      index = access.indices[dim][*source];
    } else {
      auto rest = arith::RemUIOp::create(
          builder, loc,
          add(dimension.wrapStart, widen(coordinates.get(reg, dim))),
          dimension.wrapSize);
      rest->setDiscardableAttr(tts::kSizeAsDivisor, builder.getUnitAttr());
      index = rest;
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
  const StridedAccess &access;
  ArrayRef<tts::DimensionAccess> dimensions;
  ElementCoordinates coordinates;
  SmallVector<DenseMap<int32_t, Value>> terms, predicates;
  Value ofThread;
};

} // namespace

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

StridedAccess triton_shared::remapAccess(tts::AccessOpInterface op,
                                         ConversionPatternRewriter &rewriter) {
  auto update = [&](Value value) {
    return value ? rewriter.getRemappedValue(value) : value;
  };
  StridedAccess access;
  access.base = update(op.getBase());
  access.offset = update(op.getOffset());
  access.elementType = getElementTypeOrSelf(op.getTile().getType());
  access.hasMask = op.getMask() != nullptr;
  access.dimensions = op.getDimensions();
  for (tts::DimensionAccess &dimension : access.dimensions) {
    access.indices.emplace_back();
    access.indexLayouts.emplace_back();
    if (dimension.isGathered()) {
      access.indexLayouts.back() = cta::getLayout(dimension.indices.getType());
      access.indices.back() =
          unpackRegisters(rewriter, op->getLoc(), update(dimension.indices));
    }
    if (auto stride = dyn_cast<Value>(dimension.stride))
      dimension.stride = update(stride);
    for (Value *value : {&dimension.wrapStart, &dimension.wrapSize,
                         &dimension.low, &dimension.high})
      *value = update(*value);
  }
  return access;
}

ElementPlaces triton_shared::placeStrided(OpBuilder &builder, Location loc,
                                          const StridedAccess &access,
                                          const AccessWidth &width,
                                          const LinearLayout &layout) {
  StridedPlaces strided(builder, loc, layout, access);
  ElementPlaces places;
  if (!width.order.empty())
    places.width =
        std::min(width.elements, layout.countNeighbours(width.order.front()));
  places.isUniform = width.isUniform;
  bool isBounded = llvm::any_of(access.dimensions,
                                [](const tts::DimensionAccess &dimension) {
                                  return dimension.isBounded();
                                });
  for (unsigned reg = 0; reg < layout.getNumRegisters(); ++reg) {
    bool isFirst = reg % places.width == 0;
    Value pointer;
    if (isFirst || !places.isUniform || access.hasMask)
      pointer =
          createElementPointer(builder, loc, access.base,
                               strided.createOffset(reg), access.elementType);
    places.pointers.push_back(pointer);
    if (isBounded)
      places.predicates.push_back(strided.createPredicate(reg));
  }
  return places;
}
