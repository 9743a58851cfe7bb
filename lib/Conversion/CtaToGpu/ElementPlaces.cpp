//===- ElementPlaces.cpp - Where the elements of a thread lie -------------===//

#include "ElementPlaces.h"

#include "Threads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
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

static Value advancePointer(OpBuilder &builder, Location loc, Value base,
                            LLVM::GEPArg by, Type elementType) {
  return LLVM::GEPOp::create(builder, loc, base.getType(),
                             getRegisterType(elementType), base,
                             ArrayRef<LLVM::GEPArg>{by});
}

Value triton_shared::createElementPointer(OpBuilder &builder, Location loc,
                                          Value base, Value offset,
                                          Type elementType) {
  return advancePointer(builder, loc, base, offset, elementType);
}

namespace {

/// The bits of a register's number from which on bounds are made narrow: that
/// takes about as much as two comparisons save.
constexpr unsigned kNarrowFromBits = 2;
/// The same from which on a thread has more masks than registers for them: 7.
constexpr unsigned kMasksFromBits = 3;

/// Computes the places of a strided access.
class StridedPlaces {
public:
  /// Along dimension `d`, `stepOfGroups[d]` neighbours are compared as one.
  StridedPlaces(OpBuilder &builder, Location loc, const LinearLayout &layout,
                const StridedAccess &access, ArrayRef<int32_t> stepOfGroups)
      : builder(builder), loc(loc), layout(layout), access(access),
        dimensions(access.dimensions), coordinates(builder, loc, layout),
        terms(dimensions.size()), predicates(dimensions.size()),
        stepOfGroups(stepOfGroups), narrowBounds(dimensions.size()),
        rests(dimensions.size()), wrappedStarts(dimensions.size()) {}

  /// The address of the element. What the thread decides is summed once,
  /// registers add to it; what is constant of that comes last, so that it ends
  /// up in the instruction.
  Value createPointer(unsigned reg) {
    Value offset = createOffset(reg);
    int64_t constant = getConstant(reg);
    if (!llvm::isInt<LLVM::kGEPConstantBitWidth>(constant)) {
      offset = add(offset, createI64(builder, loc, constant));
      constant = 0;
    }
    Value pointer = createElementPointer(builder, loc, access.base, offset,
                                         access.elementType);
    return constant ? advancePointer(builder, loc, pointer,
                                     static_cast<int32_t>(constant),
                                     access.elementType)
                    : pointer;
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

  /// The distance from the base but for what is constant, in elements: i64.
  Value createOffset(unsigned reg) {
    if (!ofThread)
      ofThread =
          sumSimple([&](unsigned dim) { return coordinates.get(0, dim); });
    Value sum = layout.hasDisjointRegisters()
                    ? addScaled(ofThread, layout.applyRegister(reg))
                    : sumSimple([&](unsigned dim) {
                        return coordinates.get(reg, dim);
                      });
    for (unsigned dim = 0; dim < dimensions.size(); ++dim)
      if (!isSimple(dim))
        sum = add(sum, getTerm(reg, dim));
    return sum;
  }

  template <typename GetCoordinate>
  Value sumSimple(GetCoordinate getCoordinate) {
    Value sum = access.offset;
    for (unsigned dim = 0; dim < dimensions.size(); ++dim)
      if (isSimple(dim))
        sum = add(sum, scale(widen(getCoordinate(dim)), dim));
    return sum;
  }

  /// What the register adds along dimensions of strides that are not constant.
  Value addScaled(Value sum, const cta::Coordinates &ofRegister) {
    for (unsigned dim = 0; dim < dimensions.size(); ++dim)
      if (isSimple(dim) && ofRegister[dim] &&
          !getConstantIntValue(dimensions[dim].stride))
        sum = add(sum, scale(createI64(builder, loc, ofRegister[dim]), dim));
    return sum;
  }

  /// What it adds along the others.
  int64_t getConstant(unsigned reg) const {
    if (!layout.hasDisjointRegisters())
      return 0;
    cta::Coordinates ofRegister = layout.applyRegister(reg);
    int64_t constant = 0;
    for (unsigned dim = 0; dim < dimensions.size(); ++dim)
      if (std::optional<int64_t> stride =
              getConstantIntValue(dimensions[dim].stride);
          stride && isSimple(dim))
        constant += *stride * ofRegister[dim];
    return constant;
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
      index =
          wrap(add(getWrapStart(dim), widen(coordinates.get(reg, dim))), dim);
    }
    return term = scale(index, dim);
  }

  /// Where a thread has several indices, the start is wrapped once: LLVM sees
  /// that what is added to less than a size of 32 bits has 32 bits itself.
  Value getWrapStart(unsigned dim) {
    if (countSteps(dim) == 0)
      return dimensions[dim].wrapStart;
    Value &start = wrappedStarts[dim];
    if (!start)
      start = wrap(dimensions[dim].wrapStart, dim);
    return start;
  }

  Value wrap(Value index, unsigned dim) {
    auto rest =
        arith::RemUIOp::create(builder, loc, index, dimensions[dim].wrapSize);
    rest->setDiscardableAttr(tts::kSizeAsDivisor, builder.getUnitAttr());
    return rest;
  }

  Value getPredicate(unsigned reg, unsigned dim) {
    const tts::DimensionAccess &dimension = dimensions[dim];
    Value &predicate = predicates[dim][layout.applyRegister(reg)[dim]];
    if (predicate)
      return predicate;
    int32_t ofRegister = layout.applyRegister(reg)[dim];
    if (comparesRest(dim))
      return predicate = compareRest(ofRegister, dim);
    if (comparesNarrow(dim))
      return predicate = compareNarrow(ofRegister, dim);
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

  /// True if a bound that was computed with 64 bits is compared with so many
  /// elements of a thread that it pays to make it narrow first.
  bool comparesNarrow(unsigned dim) const {
    Operation *origin = dimensions[dim].high.getDefiningOp();
    return origin && !isa<arith::ExtSIOp>(origin) &&
           canCut(dim, kNarrowFromBits);
  }

  /// True if masks of what is stored are not those of what is loaded: `ptxas`
  /// computes none again, but moves all but 7 to other registers and back, and
  /// a single warp, which waits for no other, gets its loads late by that.
  bool comparesRest(unsigned dim) const {
    return access.isWrite && layout.getWarps().empty() &&
           canCut(dim, kMasksFromBits);
  }

  /// True if a bound may be cut to the size of the tile for so many elements.
  bool canCut(unsigned dim, unsigned fromBits) const {
    const tts::DimensionAccess &dimension = dimensions[dim];
    return !matchPattern(dimension.high, m_Constant()) &&
           isConstantIntValue(dimension.low, 0) &&
           layout.hasDisjointRegisters() && countSteps(dim) >= fromBits;
  }

  /// The bits of a register's number that lead to other groups of neighbours.
  unsigned countSteps(unsigned dim) const {
    return llvm::count_if(layout.getRegisters(),
                          [&](const cta::Coordinates &basis) {
                            return basis[dim] >= stepOfGroups[dim];
                          });
  }

  /// What the register adds to the index is taken from the bound: that is the
  /// same for all threads.
  Value compareNarrow(int32_t ofRegister, unsigned dim) {
    Value rest = arith::SubIOp::create(builder, loc, getNarrowBound(dim),
                                       createI32(builder, loc, ofRegister));
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                 coordinates.get(0, dim), rest);
  }

  /// What the thread adds to the index is taken from the bound: what is left is
  /// compared with constants.
  Value compareRest(int32_t ofRegister, unsigned dim) {
    Value &rest = rests[dim];
    if (!rest)
      rest = arith::SubIOp::create(builder, loc, getNarrowBound(dim),
                                   coordinates.get(0, dim));
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt, rest,
                                 createI32(builder, loc, ofRegister));
  }

  /// The bound, cut to the size of the tile.
  Value getNarrowBound(unsigned dim) {
    Value &bound = narrowBounds[dim];
    if (bound)
      return bound;
    int64_t size = 1;
    for (const auto *bases :
         {&layout.getRegisters(), &layout.getLanes(), &layout.getWarps()})
      for (const cta::Coordinates &basis : *bases)
        size = std::max<int64_t>(size, 2 * int64_t(basis[dim]));
    Value high = dimensions[dim].high;
    // What was made wider for it is cut as it was.
    if (auto wide = high.getDefiningOp<arith::ExtSIOp>();
        wide && wide.getIn().getType().isInteger(32))
      high = wide.getIn();
    Type type = high.getType();
    auto constant = [&](int64_t value) {
      return arith::ConstantIntOp::create(builder, loc, type, value);
    };
    bound = arith::MinSIOp::create(builder, loc, high, constant(size));
    bound = arith::MaxSIOp::create(builder, loc, bound, constant(0));
    if (!type.isInteger(32))
      bound =
          arith::TruncIOp::create(builder, loc, builder.getI32Type(), bound);
    return bound;
  }

  OpBuilder &builder;
  Location loc;
  LinearLayout layout;
  const StridedAccess &access;
  ArrayRef<tts::DimensionAccess> dimensions;
  ElementCoordinates coordinates;
  SmallVector<DenseMap<int32_t, Value>> terms, predicates;
  SmallVector<int32_t> stepOfGroups;
  SmallVector<Value> narrowBounds, rests, wrappedStarts;
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
  access.isWrite = op.isWrite();
  access.base = update(op.getBase());
  access.offset = update(op.getOffset());
  access.elementType = getElementTypeOrSelf(op.getTile().getType());
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

void triton_shared::restrictTo(ElementPlaces &places, Value mask,
                               Value isHolder, OpBuilder &builder,
                               Location loc) {
  if (!mask && !isHolder)
    return;
  SmallVector<Value> bits;
  if (mask)
    bits = unpackRegisters(builder, loc, mask);
  places.predicates.resize(places.pointers.size());
  for (auto [reg, predicate] : llvm::enumerate(places.predicates)) {
    predicate = createAnd(builder, loc, predicate, isHolder);
    if (mask)
      predicate = createAnd(builder, loc, predicate, bits[reg]);
  }
}

ElementPlaces triton_shared::placeStrided(OpBuilder &builder, Location loc,
                                          const StridedAccess &access,
                                          const AccessWidth &width,
                                          const LinearLayout &layout) {
  ElementPlaces places;
  SmallVector<int32_t> stepOfGroups(access.dimensions.size(), 1);
  if (!width.order.empty() && !width.isNeverWhole) {
    unsigned fastest = width.order.front();
    places.width = std::min(width.elements, layout.countNeighbours(fastest));
    if (width.isUniform())
      stepOfGroups[fastest] = places.width;
  }
  places.isUniform = width.isUniform();
  StridedPlaces strided(builder, loc, layout, access, stepOfGroups);
  bool isBounded = llvm::any_of(access.dimensions,
                                [](const tts::DimensionAccess &dimension) {
                                  return dimension.isBounded();
                                });
  for (unsigned reg = 0; reg < layout.getNumRegisters(); ++reg) {
    bool isFirst = reg % places.width == 0;
    Value pointer;
    if (isFirst || !places.isUniform)
      pointer = strided.createPointer(reg);
    places.pointers.push_back(pointer);
    if (isBounded)
      places.predicates.push_back(strided.createPredicate(reg));
  }
  return places;
}
