//===- Dot.cpp - Matrix products, and what computes them ------------------===//

#include "triton-shared/Dialect/Cta/IR/Cta.h"
#include "triton-shared/Dialect/Cta/IR/DotLayout.h"
#include "triton-shared/Dialect/Cta/IR/Exchange.h"
#include "triton-shared/Dialect/Cta/IR/MatrixDescriptor.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace mlir::cta;

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

unsigned MmaAttr::getPerRegister() const {
  constexpr unsigned kRegisterBits = 32;
  return std::max(1u, kRegisterBits / getElementType().getIntOrFloatBitWidth());
}

Type MmaAttr::getElementType() const {
  return getOperandType().isTF32() ? Float32Type::get(getContext())
                                   : getOperandType();
}

bool MmaAttr::isLargeF64() const {
  constexpr unsigned kRows = 16;
  return getOperandType().isF64() && getM() == kRows;
}

/// Reads `m16n8k16`.
static ParseResult parseMatrixShape(AsmParser &parser, unsigned &m, unsigned &n,
                                    unsigned &k) {
  StringRef shape;
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&shape))
    return failure();
  bool isShape = shape.consume_front("m") && !shape.consumeInteger(10, m) &&
                 shape.consume_front("n") && !shape.consumeInteger(10, n) &&
                 shape.consume_front("k") && !shape.getAsInteger(10, k);
  if (!isShape)
    return parser.emitError(loc, "the sizes of an instruction are written as "
                                 "in m16n8k16");
  return success();
}

template <typename InstructionAttr>
static void printMatrixShape(AsmPrinter &printer, InstructionAttr instruction) {
  printer << "<m" << instruction.getM() << "n" << instruction.getN() << "k"
          << instruction.getK();
}

void MmaAttr::print(AsmPrinter &printer) const {
  printMatrixShape(printer, *this);
  printer << ", " << getOperandType() << ">";
}

Attribute MmaAttr::parse(AsmParser &parser, Type) {
  Type type;
  unsigned m, n, k;
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parseMatrixShape(parser, m, n, k) ||
      parser.parseComma() || parser.parseType(type) || parser.parseGreater())
    return nullptr;
  if (!type.isIntOrFloat()) {
    parser.emitError(loc, "an instruction is written as in <m16n8k16, f16>");
    return nullptr;
  }
  return get(parser.getContext(), m, n, k, type);
}

static constexpr StringRef kRegisters = "registers";

void WgmmaAttr::print(AsmPrinter &printer) const {
  printMatrixShape(printer, *this);
  if (getIsLeftInRegisters())
    printer << ", " << kRegisters;
  printer << ">";
}

Attribute WgmmaAttr::parse(AsmParser &parser, Type) {
  unsigned m, n, k;
  if (parser.parseLess() || parseMatrixShape(parser, m, n, k))
    return nullptr;
  bool isLeftInRegisters = succeeded(parser.parseOptionalComma());
  if ((isLeftInRegisters && parser.parseKeyword(kRegisters)) ||
      parser.parseGreater())
    return nullptr;
  return get(parser.getContext(), m, n, k, isLeftInRegisters);
}

//===----------------------------------------------------------------------===//
// The operation
//===----------------------------------------------------------------------===//

void DotOp::build(OpBuilder &, OperationState &state, Value a, Value b,
                  Value accumulator, StringAttr precision,
                  Attribute instruction, IntegerAttr imprecise) {
  state.addOperands({a, b, accumulator});
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.operandSegmentSizes = {1, 1, 1, 0, 0};
  properties.precision = precision;
  properties.instruction = instruction;
  properties.imprecise = imprecise;
  state.addTypes(accumulator.getType());
}

MmaAttr DotOp::getMma() {
  return dyn_cast_or_null<MmaAttr>(getInstructionAttr());
}

WgmmaAttr DotOp::getWgmma() {
  return dyn_cast_or_null<WgmmaAttr>(getInstructionAttr());
}

ArrayRef<int64_t> DotOp::getOperandShape(Value operand) {
  if (auto buffer = dyn_cast<BufferType>(operand.getType()))
    return buffer.getShape();
  return getTile(operand).getShape();
}

Type DotOp::getOperandElementType(Value operand) {
  if (auto buffer = dyn_cast<BufferType>(operand.getType()))
    return buffer.getElementType();
  return getTile(operand).getElementType();
}

unsigned DotOp::getCommonDim(OpOperand &operand) {
  auto dot = cast<DotOp>(operand.getOwner());
  unsigned rank = getTile(dot.getResult()).getRank();
  return &operand == &dot.getAMutable() ? rank - 1 : rank - 2;
}

bool DotOp::isReadFromShared(OpOperand &operand) {
  WgmmaAttr wgmma = getWgmma();
  return wgmma &&
         (&operand == &getBMutable() ||
          (&operand == &getAMutable() && !wgmma.getIsLeftInRegisters()));
}

std::optional<int64_t> DotOp::getPartialDepth() {
  WgmmaAttr wgmma = getWgmma();
  auto operand = dyn_cast<FloatType>(getOperandElementType(getA()));
  if (!wgmma || !operand || operand.getWidth() != 8 ||
      !getElementTypeOrSelf(getType()).isF32())
    return std::nullopt;
  int64_t depth = getOperandShape(getA())[1], step = wgmma.getK();
  int64_t most = getImprecise().value_or(0);
  if (most > depth)
    return std::nullopt;
  return std::max(step, most / step * step);
}

StringRef DotOp::getNoun() { return "this product of matrices"; }

int64_t DotOp::getSharedBytes() {
  if (getInstruction())
    return 0;
  SmallVector<RankedTensorType> tiles;
  for (Value operand : {getA(), getB()})
    if (auto tile = dyn_cast<RankedTensorType>(operand.getType()))
      tiles.push_back(tile);
  return cta::getSharedBytes(tiles);
}

SmallVector<BufferUse> DotOp::getBufferUses() {
  SmallVector<BufferUse> uses;
  for (Value operand : {getA(), getB()})
    if (isa<BufferType>(operand.getType()))
      uses.push_back({getWholeBuffer(operand), /*isWrite=*/false, getGoesOn()});
  return uses;
}

void DotOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (const BufferUse &use : getBufferUses()) {
    (void)use;
    effects.emplace_back(MemoryEffects::Read::get());
  }
  // What it leaves going is waited for in an order.
  if (getGoesOn())
    effects.emplace_back(MemoryEffects::Write::get());
}

Speculation::Speculatability DotOp::getSpeculatability() {
  return getBufferUses().empty() ? Speculation::Speculatable
                                 : Speculation::NotSpeculatable;
}

//===----------------------------------------------------------------------===//
// Its layouts
//===----------------------------------------------------------------------===//

SmallVector<LayoutRelation> DotOp::getLayoutRelations(Value value) {
  SmallVector<LayoutRelation> relations;
  if (value == getAccumulator() || value == getResult())
    relateEqual(relations, {getAccumulator(), getResult()}, value);
  return relations;
}

/// Tensor cores take operands from particular registers.
std::optional<LinearLayout> DotOp::getNeededLayout(OpOperand &operand) {
  if (&operand == &getAccumulatorMutable())
    return getLayout(getType());
  if (!getInstruction() || isReadFromShared(operand))
    return std::nullopt;
  return &operand == &getAMutable() ? getLeftOperandLayout(*this)
                                    : getRightOperandLayout(*this);
}

//===----------------------------------------------------------------------===//
// Its verifier
//===----------------------------------------------------------------------===//

/// That the tiles suit the instruction and, if they have layouts, lie where it
/// takes them.
LogicalResult DotOp::verifyMma() {
  MmaAttr mma = getMma();
  if (!getBufferUses().empty())
    return emitOpError("by ") << mma << " takes its operands from registers";
  RankedTensorType a = getTile(getA()), c = getTile(getResult());
  bool suits = c.getRank() == 2 && a.getElementType() == mma.getElementType() &&
               getTile(getB()).getElementType() == mma.getElementType() &&
               c.getDimSize(0) >= mma.getM() && c.getDimSize(1) >= mma.getN() &&
               a.getDimSize(1) >= mma.getK();
  if (!suits)
    return emitOpError("is no product that ") << mma << " computes";
  if (!getLayoutAttr(c))
    return success();
  LinearLayout result = getLayout(c);
  bool lies =
      result == getResultLayout(c.getShape(), mma, readWarpGrid(result, mma)) &&
      getLayout(a) == getLeftOperandLayout(*this) &&
      getLayout(getB().getType()) == getRightOperandLayout(*this);
  if (!lies)
    return emitOpError("has tiles that do not lie where ")
           << mma << " takes them";
  return success();
}

/// The same for operands in shared memory. A tile is still to be put there.
LogicalResult DotOp::verifyWgmma() {
  WgmmaAttr wgmma = getWgmma();
  RankedTensorType c = getTile(getResult());
  bool suits = c.getRank() == 2 && c.getDimSize(0) >= wgmma.getM() &&
               c.getDimSize(1) >= wgmma.getN() &&
               getOperandShape(getA())[1] >= wgmma.getK();
  if (!suits)
    return emitOpError("is no product that ") << wgmma << " computes";
  if (!getLayoutAttr(c))
    return success();
  LinearLayout result = getLayout(c);
  bool lies = result ==
              getResultLayout(c.getShape(), wgmma, readWarpGrid(result, wgmma));
  for (OpOperand *operand : {&getAMutable(), &getBMutable()})
    if (auto buffer = dyn_cast<BufferType>(operand->get().getType()))
      lies &= isReadFromShared(*operand) && describeMatrix(buffer, *operand);
    else if (!isReadFromShared(*operand))
      lies &=
          getLayout(operand->get().getType()) == getLeftOperandLayout(*this);
  if (!lies)
    return emitOpError("has operands that do not lie where ")
           << wgmma << " takes them";
  return success();
}

/// A slot says which tile of a buffer is meant.
static bool hasSlotIfBuffer(Value operand, Value slot) {
  return isa<BufferType>(operand.getType()) == (slot != nullptr);
}

LogicalResult DotOp::verify() {
  ArrayRef<int64_t> a = getOperandShape(getA());
  ArrayRef<int64_t> b = getOperandShape(getB());
  ArrayRef<int64_t> c = getTile(getResult()).getShape();
  size_t rank = c.size();
  bool fits = (rank == 2 || rank == 3) && a.size() == rank &&
              b.size() == rank && a[rank - 2] == c[rank - 2] &&
              b[rank - 1] == c[rank - 1] && a[rank - 1] == b[rank - 2] &&
              (rank == 2 || (a[0] == c[0] && b[0] == c[0]));
  if (!fits)
    return emitOpError("multiplies ")
           << getA().getType() << " by " << getB().getType() << " into "
           << getType();
  if (!hasSlotIfBuffer(getA(), getASlot()) ||
      !hasSlotIfBuffer(getB(), getBSlot()))
    return emitOpError("takes a slot of each buffer, and of nothing else");
  if (getGoesOn() && !getWgmma())
    return emitOpError("goes on only by #cta.wgmma");
  if (getGoesOn() && getPartialDepth())
    return emitOpError("has partial sums to add, and cannot go on");
  if (getMma())
    return verifyMma();
  if (getWgmma())
    return verifyWgmma();
  return success();
}
