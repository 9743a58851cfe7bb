//===- TensorBox.cpp - Accesses that are a box of a tensor ----------------===//

#include "triton-shared/Analysis/TensorBox.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "triton-shared/Analysis/Divisibility.h"
#include "triton-shared/Dialect/Structured/IR/ElementBytes.h"

using namespace mlir;
using namespace mlir::triton_shared;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

OpFoldResult triton_shared::getBoxStart(tts::AccessOpInterface access,
                                        unsigned ofBlock) {
  // The bound was computed as 0 - start.
  Value low = access.getDimensions()[ofBlock].low;
  if (!low)
    return {};
  APInt constant;
  if (matchPattern(low, m_ConstantInt(&constant)))
    return IntegerAttr::get(low.getType(), -constant);
  auto difference = low.getDefiningOp<arith::SubIOp>();
  if (difference && matchPattern(difference.getLhs(), m_Zero()))
    return difference.getRhs();
  return {};
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

bool TensorBox::isKnownAtLaunch() const {
  auto isKnown = [](const BoxNumber &number) {
    return std::holds_alternative<tts::LaunchNumber>(number);
  };
  return parameter &&
         llvm::all_of(dimensions, [&](const BoxDimension &dimension) {
           return isKnown(dimension.size) && isKnown(dimension.stride);
         });
}

/// The end of the tensor, at `high` from where the box begins.
std::optional<BoxNumber>
TensorBoxAnalysis::findSize(tts::DimensionAccess dimension,
                            OpFoldResult start) {
  AffineExpr end = add(numbers.getForm(dimension.high), numbers.getForm(start));
  if (std::optional<tts::LaunchNumber> known = numbers.find(end))
    return *known;
  // The bound was computed as size - start.
  auto difference = dimension.high.getDefiningOp<arith::SubIOp>();
  if (difference && OpFoldResult(difference.getRhs()) == start)
    return difference.getLhs();
  if (!end || !isa<AffineSymbolExpr>(end))
    return std::nullopt;
  const IndexSymbol &symbol = numbers.getForms().getSymbol(end);
  bool isScalar = symbol.kind == IndexSymbol::Kind::Scalar &&
                  (symbol.value.getType().isInteger(32) ||
                   symbol.value.getType().isInteger(64));
  return isScalar ? std::optional<BoxNumber>(symbol.value) : std::nullopt;
}

std::variant<BoxDimension, Unstructured>
TensorBoxAnalysis::describe(unsigned dim, tts::AccessOpInterface access) {
  auto fail = [&](StringRef reason) {
    return Unstructured{access.getTile(),
                        ("has a dimension that " + reason).str()};
  };
  tts::DimensionAccess dimension = access.getDimensions()[dim];
  if (dimension.isWrapped() || dimension.isGathered())
    return fail("is no line");
  if (!dimension.isBounded())
    return fail("has no bounds");
  bool mayCompute = access->hasAttr(tts::kThroughDescriptor);
  BoxDimension described{dim, {}, {}};
  if (std::optional<tts::LaunchNumber> known =
          numbers.find(numbers.getForm(dimension.stride)))
    described.stride = *known;
  else if (mayCompute)
    described.stride = cast<Value>(dimension.stride);
  else
    return fail("has a stride that is computed in the kernel");
  OpFoldResult start = getBoxStart(access, dim);
  if (!start)
    return fail("does not end where its tensor begins");
  std::optional<BoxNumber> size = findSize(dimension, start);
  if (!size || (std::holds_alternative<Value>(*size) && !mayCompute))
    return fail("does not end where its tensor ends");
  described.size = *size;
  return described;
}

bool triton_shared::isZeroOutside(Value other) {
  return !other || matchPattern(other, m_AnyZeroFloat()) ||
         matchPattern(other, m_Zero());
}

/// What is read outside is zero, or as a parameter says.
std::optional<Unstructured>
TensorBoxAnalysis::checkOther(Value other, TensorBox &box) const {
  if (isZeroOutside(other))
    return std::nullopt;
  if (matchPattern(other, m_NaNFloat())) {
    box.isNanOutside = tts::LaunchNumber::constant(1);
    return std::nullopt;
  }
  if (auto choice = other.getDefiningOp<arith::SelectOp>()) {
    std::optional<unsigned> isNan =
        numbers.findParameter(choice.getCondition());
    if (isNan && matchPattern(choice.getTrueValue(), m_NaNFloat()) &&
        isZeroOutside(choice.getFalseValue())) {
      box.isNanOutside = tts::LaunchNumber::argument(*isNan);
      return std::nullopt;
    }
  }
  return Unstructured{other, "is read outside, and is neither zero nor NaN"};
}

std::optional<Unstructured>
triton_shared::checkStartAlignment(tts::AccessOpInterface access,
                                   int64_t startDivisor) {
  int64_t bytes = tts::getElementBytes(access.getTileType());
  if (startDivisor * bytes % kBoxAlignment == 0)
    return std::nullopt;
  return Unstructured{access.getTile(),
                      "does not begin at a multiple of 16 bytes of a row, as "
                      "far as is known"};
}

/// Why addresses of a box may be no multiples of `kBoxAlignment`, if they may:
/// dimension `innermost` of the block is that of neighbours and begins at a
/// multiple of `startDivisor` elements. `solver` has run
/// `DivisibilityAnalysis`.
static std::optional<Unstructured>
checkBoxAlignment(const DataFlowSolver &solver, tts::AccessOpInterface access,
                  unsigned innermost, int64_t startDivisor) {
  int64_t bytes = tts::getElementBytes(access.getTileType());
  if (getKnownDivisor(solver, access.getBase(), kBoxAlignment) < kBoxAlignment)
    return Unstructured{access.getBase(),
                        "is not known to be a multiple of 16 bytes"};
  if (std::optional<Unstructured> why =
          checkStartAlignment(access, startDivisor))
    return why;
  for (auto [i, dimension] : llvm::enumerate(access.getDimensions())) {
    std::optional<int64_t> constant = getConstantIntValue(dimension.stride);
    if (i == innermost || (constant && *constant * bytes % kBoxAlignment == 0))
      continue;
    Value stride = dyn_cast<Value>(dimension.stride);
    if (!stride ||
        getKnownDivisor(solver, stride, kBoxAlignment) * bytes < kBoxAlignment)
      return Unstructured{stride ? stride : access.getTile(),
                          "has a stride that is not known to be a multiple of "
                          "16 bytes"};
  }
  return std::nullopt;
}

/// What `number` is known to be a multiple of.
static int64_t getDivisor(const DataFlowSolver &solver, OpFoldResult number) {
  if (auto value = dyn_cast<Value>(number))
    return getKnownDivisor(solver, value, kBoxAlignment);
  return *getConstantIntValue(number);
}

/// What the copy engine asks of the numbers of `box`.
std::optional<Unstructured>
TensorBoxAnalysis::checkPlace(tts::AccessOpInterface access,
                              const TensorBox &box) const {
  unsigned dense = box.dimensions.back().ofBlock;
  int64_t divisor = getDivisor(solver, getBoxStart(access, dense));
  if (access->hasAttr(tts::kMapIsChecked))
    return checkStartAlignment(access, divisor);
  if (box.isKnownAtLaunch())
    return checkBoxAlignment(solver, access, dense, divisor);
  if (box.isNanOutside.isArgument)
    return Unstructured{
        access.getOther(),
        "is read outside of a tensor that the kernel describes"};
  return checkStartAlignment(access, divisor);
}

TensorBoxAnalysis::Result
TensorBoxAnalysis::analyze(tts::AccessOpInterface access) {
  Value tile = access.getTile();
  SmallVector<tts::DimensionAccess> dimensions = access.getDimensions();
  if (dimensions.empty() || dimensions.size() > kMaxRank)
    return Unstructured{tile, "is no block of one to five dimensions"};
  if (access.getMask() || access.isVolatile())
    return Unstructured{tile, "is masked element by element, or volatile"};
  TensorBox box{access.getBase(),
                numbers.findParameter(access.getBase()),
                tts::LaunchNumber::constant(0),
                {}};
  if (!box.parameter && !access->hasAttr(tts::kThroughDescriptor))
    return Unstructured{box.base, "is no argument of the kernel"};
  AffineExpr offset = getAffineConstantExpr(0, tile.getContext());
  for (auto [i, dimension] : llvm::enumerate(dimensions)) {
    auto described = describe(i, access);
    if (auto *why = std::get_if<Unstructured>(&described))
      return *why;
    box.dimensions.push_back(std::get<BoxDimension>(described));
    AffineExpr step = multiply(numbers.getForm(getBoxStart(access, i)),
                               numbers.getForm(dimension.stride));
    offset = step ? add(offset, step) : step;
    if (!offset)
      return Unstructured{tile, "has an offset of too many bits"};
  }
  // The last one with neighbours that lie side by side is the innermost.
  auto isDense = [](const BoxDimension &dimension) {
    return dimension.stride == BoxNumber(tts::LaunchNumber::constant(1));
  };
  auto innermost = llvm::find_if(llvm::reverse(box.dimensions), isDense);
  if (innermost == box.dimensions.rend())
    return Unstructured{tile, "has no dimension known to be dense"};
  std::rotate(innermost.base() - 1, innermost.base(), box.dimensions.end());
  if (numbers.getForm(access.getOffset()) != offset)
    return Unstructured{access.getOffset(), "is not where its bounds say"};
  if (std::optional<Unstructured> why = checkOther(access.getOther(), box))
    return *why;
  if (std::optional<Unstructured> why = checkPlace(access, box))
    return *why;
  return box;
}
