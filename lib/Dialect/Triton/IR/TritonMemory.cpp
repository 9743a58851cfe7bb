//===- TritonMemory.cpp - Addresses, loads and stores ---------------------===//
//
// Text, effects, verifiers and folders of the accesses through pointers. Cache
// hints have two spellings: words after the operands up to Triton 3.7, one
// attribute `cachePolicy` from 3.8.
//
//===----------------------------------------------------------------------===//

#include "CacheHintsText.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
namespace tt = mlir::triton;

/// A pointer moved by nothing is itself.
OpFoldResult tt::AddPtrOp::fold(FoldAdaptor adaptor) {
  return matchPattern(adaptor.getOffset(), m_Zero()) ? getPtr()
                                                     : OpFoldResult();
}

//===----------------------------------------------------------------------===//
// Builders
//===----------------------------------------------------------------------===//

void tt::LoadOp::build(OpBuilder &builder, OperationState &state, Value ptr,
                       CacheModifier cache, EvictionPolicy evict,
                       bool isVolatile) {
  build(builder, state, ptr, /*mask=*/Value(), /*other=*/Value(), cache, evict,
        isVolatile);
}

void tt::LoadOp::build(OpBuilder &builder, OperationState &state, Value ptr,
                       Value mask, Value other, CacheModifier cache,
                       EvictionPolicy evict, bool isVolatile) {
  build(builder, state, getPointeeType(ptr.getType()), ptr, mask, other,
        /*boundaryCheck=*/ArrayRef<int32_t>(), /*padding=*/PaddingOptionAttr(),
        cache, evict, /*cachePolicy=*/CachePolicyAttr(), isVolatile);
}

void tt::StoreOp::build(OpBuilder &builder, OperationState &state, Value ptr,
                        Value value, Value mask, CacheModifier cache,
                        EvictionPolicy evict) {
  build(builder, state, ptr, value, mask,
        /*boundaryCheck=*/ArrayRef<int32_t>(), cache, evict,
        /*cachePolicy=*/CachePolicyAttr(), /*ignore_cta=*/false);
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// Parses `%ptr, %a, %b <cache hints> {..} : type` and leaves the type of the
/// pointer in `type`, the operands in `operands`.
static ParseResult
parseAccess(OpAsmParser &parser, OperationState &state,
            SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands,
            Type &type) {
  if (parser.parseOperandList(operands) || tt::parseCacheHints(parser, state) ||
      parser.parseColonType(type))
    return failure();
  return success();
}

ParseResult tt::LoadOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  Type type;
  SMLoc loc = parser.getCurrentLocation();
  if (parseAccess(parser, state, operands, type))
    return failure();
  if (operands.empty() || operands.size() > 3)
    return parser.emitError(loc) << "expected a pointer, and perhaps a mask "
                                    "and a value for where the mask is 0";

  Type types[] = {type, getMaskType(type), getPointeeType(type)};
  for (auto [operand, operandType] : llvm::zip(operands, types))
    if (parser.resolveOperand(operand, operandType, state.operands))
      return failure();
  int32_t numMasks = operands.size() > 1, numOthers = operands.size() > 2;
  state.addAttribute(
      getOperandSegmentSizeAttr(),
      parser.getBuilder().getDenseI32ArrayAttr({1, numMasks, numOthers}));
  state.addTypes(getPointeeType(type));
  return success();
}

void tt::LoadOp::print(OpAsmPrinter &printer) {
  printer << " " << getOperands();
  NamedAttrList attributes((*this)->getDiscardableAttrDictionary());
  if (!getBoundaryCheck().empty())
    attributes.append(getBoundaryCheckAttrName(), getBoundaryCheckAttr());
  if (getPaddingAttr())
    attributes.append(getPaddingAttrName(), getPaddingAttr());
  if (getIsVolatile())
    attributes.append(getIsVolatileAttrName(), getIsVolatileAttr());
  printCacheHints(printer, *this, getCacheHints(*this), std::move(attributes));
  printer << " : " << getPtr().getType();
}

ParseResult tt::StoreOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  Type type;
  SMLoc loc = parser.getCurrentLocation();
  if (parseAccess(parser, state, operands, type))
    return failure();
  if (operands.size() < 2 || operands.size() > 3)
    return parser.emitError(loc)
           << "expected a pointer, a value, and perhaps a mask";

  Type types[] = {type, getPointeeType(type), getMaskType(type)};
  for (auto [operand, operandType] : llvm::zip(operands, types))
    if (parser.resolveOperand(operand, operandType, state.operands))
      return failure();
  return success();
}

void tt::StoreOp::print(OpAsmPrinter &printer) {
  printer << " " << getOperands();
  NamedAttrList attributes((*this)->getDiscardableAttrDictionary());
  if (!getBoundaryCheck().empty())
    attributes.append(getBoundaryCheckAttrName(), getBoundaryCheckAttr());
  if (getIgnoreCta())
    attributes.append(getIgnoreCtaAttrName(), getIgnoreCtaAttr());
  printCacheHints(printer, *this, getCacheHints(*this), std::move(attributes));
  printer << " : " << getPtr().getType();
}

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

using Effects = SmallVectorImpl<MemoryEffects::EffectInstance>;

/// A volatile load is an effect of its own, so that it stays where it is.
void tt::LoadOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getPtrMutable(),
                       GlobalMemory::get());
  if (getIsVolatile())
    effects.emplace_back(MemoryEffects::Write::get(), GlobalMemory::get());
}

void tt::StoreOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), &getPtrMutable(),
                       GlobalMemory::get());
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

/// Checks the dimensions in `boundaryCheck`: each of the block's, and once.
static LogicalResult verifyBoundaryCheck(Operation *op, Type pointer,
                                         ArrayRef<int32_t> dimensions) {
  if (dimensions.empty())
    return success();
  if (!tt::isTensorPointerType(pointer))
    return op->emitOpError()
           << "has a boundary check, but " << pointer << " is no block pointer";
  int64_t rank = cast<RankedTensorType>(tt::getPointeeType(pointer)).getRank();
  SmallVector<bool> seen(rank);
  for (int32_t dimension : dimensions) {
    if (dimension < 0 || dimension >= rank)
      return op->emitOpError() << "checks dimension " << dimension
                               << " of a block with " << rank << " dimensions";
    if (std::exchange(seen[dimension], true))
      return op->emitOpError() << "checks dimension " << dimension << " twice";
  }
  return success();
}

LogicalResult tt::LoadOp::verify() {
  if (getMask() && isTensorPointerType(getPtr().getType()))
    return emitOpError("has a mask, which a load through a block pointer can "
                       "not have");
  if (getOther() && !getMask())
    return emitOpError("has a value for where the mask is 0, but no mask");
  if (getPadding() && !isTensorPointerType(getPtr().getType()))
    return emitOpError() << "has a padding, but " << getPtr().getType()
                         << " is no block pointer";
  if (failed(verifyCacheHints(*this)))
    return failure();
  return verifyBoundaryCheck(*this, getPtr().getType(), getBoundaryCheck());
}

LogicalResult tt::StoreOp::verify() {
  if (getMask() && isTensorPointerType(getPtr().getType()))
    return emitOpError("has a mask, which a store through a block pointer can "
                       "not have");
  if (failed(verifyCacheHints(*this)))
    return failure();
  return verifyBoundaryCheck(*this, getPtr().getType(), getBoundaryCheck());
}

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

LogicalResult tt::AtomicRMWOp::verify() {
  Type element = getElementTypeOrSelf(getVal().getType());
  bool isFloat = isa<FloatType>(element);
  RMWOp kind = getAtomicRmwOp();
  if (kind == RMWOp::XCHG)
    return success();
  if ((kind == RMWOp::FADD) == isFloat && !isa<PointerType>(element))
    return success();
  return emitOpError() << "can not apply '" << stringifyRMWOp(kind) << "' to "
                       << element;
}

/// A load can not publish, and a store can not observe.
static LogicalResult verifyOrder(Operation *op, tt::MemSemantic order,
                                 tt::MemSemantic wanted) {
  if (order == tt::MemSemantic::RELAXED || order == wanted)
    return success();
  return op->emitOpError() << "has the order '" << stringifyMemSemantic(order)
                           << "'; it can be 'relaxed' or '"
                           << stringifyMemSemantic(wanted) << "'";
}

LogicalResult tt::AtomicLoadOp::verify() {
  return verifyOrder(*this, getSem(), MemSemantic::ACQUIRE);
}

LogicalResult tt::AtomicStoreOp::verify() {
  return verifyOrder(*this, getSem(), MemSemantic::RELEASE);
}

LogicalResult tt::AtomicPollOp::verify() {
  if (getResult().getType() != getMaskType(getPtr().getType()))
    return emitOpError() << "has the result " << getResult().getType()
                         << ", but needs an i1 for each element of "
                         << getPtr().getType();
  return verifyOrder(*this, getSem(), MemSemantic::ACQUIRE);
}
