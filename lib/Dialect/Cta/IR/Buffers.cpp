//===- Buffers.cpp - Tiles in shared memory, as types and operations ------===//

#include "triton-shared/Dialect/Cta/IR/Cta.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "triton-shared/Layout/LayoutParts.h"

using namespace mlir;
using namespace mlir::cta;

//===----------------------------------------------------------------------===//
// The layout
//===----------------------------------------------------------------------===//

SharedLayoutAttr SharedLayoutAttr::get(MLIRContext *context,
                                       const SharedLayout &layout) {
  SmallVector<int32_t> flat;
  for (const Coordinates &basis : layout.getOffsets())
    llvm::append_range(flat, basis);
  return get(context, layout.getRank(), flat);
}

SharedLayout SharedLayoutAttr::getLayout() const {
  SharedLayout::Bases bases;
  for (ArrayRef<int32_t> rest = getOffsets(); !rest.empty();
       rest = rest.drop_front(getRank())) {
    ArrayRef<int32_t> basis = rest.take_front(getRank());
    bases.emplace_back(basis.begin(), basis.end());
  }
  return SharedLayout(getRank(), bases);
}

void SharedLayoutAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  for (size_t i = 0; i < getOffsets().size(); i += getRank()) {
    printer << (i ? ", [" : "[");
    llvm::interleaveComma(getOffsets().slice(i, getRank()), printer);
    printer << "]";
  }
  printer << "]>";
}

Attribute SharedLayoutAttr::parse(AsmParser &parser, Type) {
  SmallVector<int32_t> flat;
  unsigned rank = 0;
  llvm::SMLoc loc = parser.getCurrentLocation();
  bool isEven = true;
  auto parseBasis = [&]() -> ParseResult {
    size_t before = flat.size();
    ParseResult result =
        parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
          return parser.parseInteger(flat.emplace_back());
        });
    isEven &= rank == 0 || flat.size() - before == rank;
    rank = flat.size() - before;
    return result;
  };
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                     parseBasis) ||
      parser.parseGreater())
    return nullptr;
  if (!isEven || rank == 0) {
    parser.emitError(loc, "all bases of a layout have the same rank");
    return nullptr;
  }
  return get(parser.getContext(), rank, flat);
}

//===----------------------------------------------------------------------===//
// The type
//===----------------------------------------------------------------------===//

int64_t BufferType::getSlotBytes() const {
  return ShapedType::getNumElements(getShape()) *
         getElementBytes(getElementType());
}

BufferType BufferType::transpose(ArrayRef<int64_t> permutation) const {
  SharedLayout layout = getLayout().getLayout().transpose(permutation);
  return get(getContext(), getSlots(),
             applyPermutation(getShape(), permutation), getElementType(),
             SharedLayoutAttr::get(getContext(), layout));
}

LogicalResult
BufferType::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                   int64_t slots, ArrayRef<int64_t> shape, Type elementType,
                   SharedLayoutAttr layout) {
  if (slots < 1 || !elementType.isIntOrIndexOrFloat())
    return emitError() << "a buffer has slots of numbers";
  if (shape.size() != layout.getRank())
    return emitError() << "a layout of " << layout.getRank()
                       << " dimensions is none of " << shape.size();
  return success();
}

void BufferType::print(AsmPrinter &printer) const {
  printer << "<" << getSlots() << ", ";
  for (int64_t size : getShape())
    printer << size << "x";
  printer << getElementType() << ", ";
  printer.printAttribute(getLayout());
  printer << ">";
}

Type BufferType::parse(AsmParser &parser) {
  int64_t slots;
  SmallVector<int64_t> shape;
  Type elementType;
  SharedLayoutAttr layout;
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseInteger(slots) || parser.parseComma() ||
      parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(elementType) || parser.parseComma() ||
      parser.parseAttribute(layout) || parser.parseGreater())
    return nullptr;
  return BufferType::getChecked([&] { return parser.emitError(loc); },
                                parser.getContext(), slots, ArrayRef(shape),
                                elementType, layout);
}

//===----------------------------------------------------------------------===//
// The operations
//===----------------------------------------------------------------------===//

Value cta::getWholeBuffer(Value buffer) {
  while (auto transposed = buffer.getDefiningOp<TransposeBufferOp>())
    buffer = transposed.getSource();
  return buffer;
}

static bool holds(BufferType buffer, RankedTensorType tile) {
  return buffer.getShape() == tile.getShape() &&
         buffer.getElementType() == tile.getElementType();
}

/// `part` lies within `whole` at `offsets`.
static LogicalResult verifyPart(Operation *op, ArrayRef<int64_t> whole,
                                ArrayRef<int64_t> part,
                                ArrayRef<int64_t> offsets) {
  if (whole.size() != part.size() || whole.size() != offsets.size())
    return op->emitOpError("keeps the rank");
  for (auto [size, width, offset] : llvm::zip_equal(whole, part, offsets))
    if (offset < 0 || offset % width != 0 || offset + width > size)
      return op->emitOpError("takes ")
             << width << " elements of " << size << " from " << offset;
  return success();
}

LogicalResult SliceOp::verify() {
  RankedTensorType from = getTile(getSource());
  RankedTensorType to = getTile(getResult());
  if (from.getElementType() != to.getElementType())
    return emitOpError("keeps the elements");
  return verifyPart(*this, from.getShape(), to.getShape(), getOffsets());
}

LogicalResult InsertSliceOp::verify() {
  RankedTensorType part = getTile(getSource()), whole = getTile(getDest());
  if (part.getElementType() != whole.getElementType())
    return emitOpError("keeps the elements");
  if (failed(
          verifyPart(*this, whole.getShape(), part.getShape(), getOffsets())))
    return failure();
  LayoutAttr ofPart = getLayoutAttr(part), ofWhole = getLayoutAttr(whole);
  if (!ofPart && !ofWhole)
    return success();
  if (!ofPart || !ofWhole)
    return emitOpError("mixes tiles with and without a layout");
  if (!arePartsInRegisters(ofWhole.getLayout(), part.getShape()))
    return emitOpError("has threads that hold different elements of the parts");
  if (getPartLayout(ofWhole.getLayout(), part.getShape()) != ofPart.getLayout())
    return emitOpError("inserts a tile that other threads hold");
  return success();
}

LogicalResult WriteOp::verify() {
  if (!holds(getBuffer().getType(), getTile(getSource())))
    return emitOpError("writes ")
           << getSource().getType() << " into " << getBuffer().getType();
  return success();
}

LogicalResult ReadOp::verify() {
  RankedTensorType to = getTile(getResult());
  if (getBuffer().getType().getElementType() != to.getElementType())
    return emitOpError("keeps the elements");
  return verifyPart(*this, getBuffer().getType().getShape(), to.getShape(),
                    getOffsets());
}

void TransposeBufferOp::build(OpBuilder &, OperationState &state, Value source,
                              ArrayRef<int64_t> permutation) {
  auto type = cast<BufferType>(source.getType());
  state.addOperands(source);
  state.getOrAddProperties<Properties>().permutation =
      DenseI64ArrayAttr::get(source.getContext(), permutation);
  state.addTypes(type.transpose(permutation));
}

LogicalResult TransposeBufferOp::verify() {
  BufferType from = getSource().getType();
  bool isOrder = isPermutationVector(getPermutation()) &&
                 getPermutation().size() == from.getShape().size();
  if (!isOrder || getResult().getType() != from.transpose(getPermutation()))
    return emitOpError("has a type that its permutation does not give");
  return success();
}

LogicalResult CopyOp::verify() {
  Block &body = getLoad().front();
  auto yield = cast<YieldOp>(body.getTerminator());
  bool isLoad = body.getOperations().size() == 2 &&
                isa<tts::LoadOp>(body.front()) &&
                yield.getOperands() == body.front().getResults();
  if (!isLoad)
    return emitOpError("holds one load and yields its tile");
  auto tile = dyn_cast<RankedTensorType>(body.front().getResult(0).getType());
  if (!tile || !holds(getBuffer().getType(), tile))
    return emitOpError("loads ") << body.front().getResult(0).getType()
                                 << " into " << getBuffer().getType();
  return success();
}

//===----------------------------------------------------------------------===//
// Their use of shared memory
//===----------------------------------------------------------------------===//

int64_t AllocOp::getSharedBytes() {
  return getBuffer().getType().getSlots() *
         getBuffer().getType().getSlotBytes();
}

SmallVector<BufferUse> WriteOp::getBufferUses() {
  return {{getBuffer(), /*isWrite=*/true}};
}

SmallVector<BufferUse> ReadOp::getBufferUses() {
  return {{getWholeBuffer(getBuffer()), /*isWrite=*/false}};
}

SmallVector<BufferUse> CopyOp::getBufferUses() {
  return {{getBuffer(), /*isWrite=*/true, /*goesOn=*/true}};
}

/// The copies that a thread waits for are those of all threads.
bool WaitOp::isBarrier() { return true; }
