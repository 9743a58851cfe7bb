//===- Interpreter.cpp - Runs small functions on integers -----------------===//

#include "Interpreter.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

void triton_shared::loadDialects(MLIRContext &context) {
  context
      .loadDialect<arith::ArithDialect, scf::SCFDialect, tensor::TensorDialect,
                   tt::TritonDialect, tts::TTSDialect>();
}

OwningOpRef<ModuleOp> triton_shared::parseKernel(MLIRContext &context,
                                                 const std::string &body) {
  loadDialects(context);
  return parseSourceString<ModuleOp>(
      "tt.func public @f(%p: !tt.ptr<i32>, %a: i32, %b: i32, %n: i32) {\n" +
          body + "\n  tt.return\n}",
      &context);
}

static ArrayRef<int64_t> getShape(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.getShape();
  return {};
}

static int64_t countElements(Type type) {
  return ShapedType::getNumElements(getShape(type));
}

SmallVector<int64_t> triton_shared::getPlace(int64_t position,
                                             ArrayRef<int64_t> shape) {
  SmallVector<int64_t> place(shape.size());
  for (size_t d = shape.size(); d-- > 0; position /= shape[d])
    place[d] = position % shape[d];
  return place;
}

static int64_t getPosition(ArrayRef<int64_t> place, ArrayRef<int64_t> shape) {
  int64_t position = 0;
  for (auto [index, size] : llvm::zip_equal(place, shape))
    position = position * size + index;
  return position;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

Interpreter::Interpreter(Operation *function, ArrayRef<int64_t> arguments,
                         int64_t programId)
    : programId(programId) {
  Block &body = function->getRegion(0).front();
  for (auto [argument, value] : llvm::zip_equal(body.getArguments(), arguments))
    values[argument] = {value};
  run(body);
}

const Elements &Interpreter::get(Value value) const {
  auto it = values.find(value);
  if (it == values.end())
    llvm::report_fatal_error("a value is used that was not computed");
  return it->second;
}

void Interpreter::run(Block &block) {
  for (Operation &op : block)
    run(&op);
}

void Interpreter::pass(ValueRange from, ValueRange to) {
  std::vector<Elements> copies;
  for (Value value : from)
    copies.push_back(get(value));
  for (auto [value, copy] : llvm::zip_equal(to, copies))
    values[value] = copy;
}

bool Interpreter::runLoop(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    pass(loop.getInitArgs(), loop.getRegionIterArgs());
    for (int64_t i = getScalar(loop.getLowerBound());
         i < getScalar(loop.getUpperBound()); i += getScalar(loop.getStep())) {
      values[loop.getInductionVar()] = {i};
      run(*loop.getBody());
      pass(loop.getYieldedValues(), loop.getRegionIterArgs());
    }
    pass(loop.getRegionIterArgs(), loop.getResults());
    return true;
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    pass(loop.getInits(), loop.getBeforeArguments());
    while (true) {
      run(*loop.getBeforeBody());
      scf::ConditionOp condition = loop.getConditionOp();
      if (!getScalar(condition.getCondition())) {
        pass(condition.getArgs(), loop.getResults());
        return true;
      }
      pass(condition.getArgs(), loop.getAfterArguments());
      run(*loop.getAfterBody());
      pass(loop.getYieldedValues(), loop.getBeforeArguments());
    }
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    Region &taken = getScalar(branch.getCondition()) ? branch.getThenRegion()
                                                     : branch.getElseRegion();
    if (taken.empty())
      return true;
    run(taken.front());
    pass(taken.front().getTerminator()->getOperands(), branch.getResults());
    return true;
  }
  return false;
}

void Interpreter::run(Operation *op) {
  if (op->hasTrait<OpTrait::IsTerminator>() || runLoop(op))
    return;
  auto access = dyn_cast<tts::AccessOpInterface>(op);
  if (access && !access.isAtomic())
    return runAccess(access);
  if (isa<tt::TritonDialect, tensor::TensorDialect>(op->getDialect()))
    return runStructured(op);
  DenseElementsAttr dense;
  Elements result;
  int64_t size = countElements(op->getResult(0).getType());
  IntegerAttr number;
  if (matchPattern(op, m_Constant(&dense))) {
    bool isBool = dense.getElementType().isInteger(1);
    for (const APInt &element : dense.getValues<APInt>())
      result.push_back(isBool ? element.getZExtValue()
                              : element.getSExtValue());
  } else if (matchPattern(op, m_Constant(&number))) {
    result = {number.getType().isInteger(1) ? number.getValue().getBoolValue()
                                            : number.getValue().getSExtValue()};
  } else {
    for (int64_t i = 0; i < size; ++i) {
      SmallVector<int64_t> operands;
      for (Value operand : op->getOperands()) {
        const Elements &elements = get(operand);
        operands.push_back(elements.size() == 1 ? elements[0] : elements[i]);
      }
      result.push_back(compute(op, operands));
    }
  }
  values[op->getResult(0)] = std::move(result);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

static APInt toBits(int64_t value, Type type) {
  Type element = getElementTypeOrSelf(type);
  unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  return APInt(64, value).trunc(width);
}

static bool compare(arith::CmpIPredicate predicate, const APInt &lhs,
                    const APInt &rhs) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return lhs == rhs;
  case arith::CmpIPredicate::ne:
    return lhs != rhs;
  case arith::CmpIPredicate::slt:
    return lhs.slt(rhs);
  case arith::CmpIPredicate::sle:
    return lhs.sle(rhs);
  case arith::CmpIPredicate::sgt:
    return lhs.sgt(rhs);
  case arith::CmpIPredicate::sge:
    return lhs.sge(rhs);
  case arith::CmpIPredicate::ult:
    return lhs.ult(rhs);
  case arith::CmpIPredicate::ule:
    return lhs.ule(rhs);
  case arith::CmpIPredicate::ugt:
    return lhs.ugt(rhs);
  case arith::CmpIPredicate::uge:
    return lhs.uge(rhs);
  }
  llvm_unreachable("covered switch");
}

int64_t Interpreter::compute(Operation *op, ArrayRef<int64_t> operands) {
  Type type = op->getResult(0).getType();
  if (auto cmp = dyn_cast<arith::CmpIOp>(op)) {
    Type operandType = cmp.getLhs().getType();
    return compare(cmp.getPredicate(), toBits(operands[0], operandType),
                   toBits(operands[1], operandType));
  }
  if (isa<arith::SelectOp>(op))
    return operands[0] ? operands[1] : operands[2];
  APInt lhs = toBits(operands[0], op->getOperand(0).getType());
  APInt rhs = operands.size() > 1
                  ? toBits(operands[1], op->getOperand(1).getType())
                  : lhs;
  unsigned width = toBits(0, type).getBitWidth();
  APInt result =
      TypeSwitch<Operation *, APInt>(op)
          .Case<arith::AddIOp>([&](auto) { return lhs + rhs; })
          .Case<arith::SubIOp>([&](auto) { return lhs - rhs; })
          .Case<arith::MulIOp>([&](auto) { return lhs * rhs; })
          .Case<arith::DivSIOp>([&](auto) { return lhs.sdiv(rhs); })
          .Case<arith::RemSIOp>([&](auto) { return lhs.srem(rhs); })
          .Case<arith::DivUIOp>([&](auto) { return lhs.udiv(rhs); })
          .Case<arith::RemUIOp>([&](auto) { return lhs.urem(rhs); })
          .Case<arith::AndIOp>([&](auto) { return lhs & rhs; })
          .Case<arith::OrIOp>([&](auto) { return lhs | rhs; })
          .Case<arith::XOrIOp>([&](auto) { return lhs ^ rhs; })
          .Case<arith::ShLIOp>([&](auto) { return lhs.shl(rhs); })
          .Case<arith::ShRSIOp>([&](auto) { return lhs.ashr(rhs); })
          .Case<arith::ShRUIOp>([&](auto) { return lhs.lshr(rhs); })
          .Case<arith::MinSIOp>([&](auto) { return lhs.slt(rhs) ? lhs : rhs; })
          .Case<arith::MaxSIOp>([&](auto) { return lhs.sgt(rhs) ? lhs : rhs; })
          .Case<arith::ExtSIOp, arith::IndexCastOp>(
              [&](auto) { return lhs.sextOrTrunc(width); })
          .Case<arith::ExtUIOp>([&](auto) { return lhs.zext(width); })
          .Case<arith::TruncIOp>([&](auto) { return lhs.trunc(width); })
          .Default([](Operation *op) -> APInt {
            llvm::errs() << *op << "\n";
            llvm::report_fatal_error("the interpreter lacks this operation");
          });
  return width == 1 ? result.getZExtValue() : result.getSExtValue();
}

//===----------------------------------------------------------------------===//
// Operations on shapes
//===----------------------------------------------------------------------===//

void Interpreter::runStructured(Operation *op) {
  Value output = op->getResult(0);
  ArrayRef<int64_t> shape = getShape(output.getType());
  Elements result;
  if (isa<tt::GetProgramIdOp>(op)) {
    values[output] = {programId};
    return;
  }
  if (auto range = dyn_cast<tt::MakeRangeOp>(op)) {
    for (int64_t i = range.getStart(); i < range.getEnd(); ++i)
      result.push_back(i);
    values[output] = result;
    return;
  }
  Value input = op->getOperand(0);
  Elements source = get(input);
  ArrayRef<int64_t> sourceShape = getShape(input.getType());
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    SmallVector<int64_t> place;
    for (Value index : extract.getIndices())
      place.push_back(getScalar(index));
    values[output] = {source[getPosition(place, sourceShape)]};
    return;
  }
  for (int64_t i = 0; i < countElements(output.getType()); ++i) {
    SmallVector<int64_t> place = getPlace(i, shape);
    if (isa<tt::JoinOp>(op)) {
      result.push_back(get(op->getOperand(place.back()))[i / 2]);
      continue;
    }
    int64_t position = 0;
    if (isa<tt::ReshapeOp, tt::ExpandDimsOp>(op)) {
      position = i;
    } else if (isa<tt::BroadcastOp>(op)) {
      for (auto [index, size] : llvm::zip_equal(place, sourceShape))
        index = size == 1 ? 0 : index;
      position = getPosition(place, sourceShape);
    } else if (auto transpose = dyn_cast<tt::TransOp>(op)) {
      SmallVector<int64_t> sourcePlace(place.size());
      for (auto [d, from] : llvm::enumerate(transpose.getOrder()))
        sourcePlace[from] = place[d];
      position = getPosition(sourcePlace, sourceShape);
    } else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
      // The slices of the compiler are rows: one size is not 1.
      SmallVector<int64_t> sourcePlace(slice.getStaticOffsets());
      for (auto [d, size] : llvm::enumerate(slice.getStaticSizes()))
        sourcePlace[d] += size == 1 ? 0 : place.back();
      position = getPosition(sourcePlace, sourceShape);
    }
    result.push_back(source[position]);
  }
  values[output] = std::move(result);
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// What memory holds: anything that depends on the address.
static int64_t read(int64_t address) { return (address * 7 + 3) % 13; }

void Interpreter::finishAccess(tts::AccessOpInterface op, TracedAccess access) {
  Value mask = op.getMask(), other = op.getOther();
  OpOperand *stored = op.getStored();
  Elements loaded;
  for (auto [i, address] : llvm::enumerate(access.addresses)) {
    if (mask && !get(mask)[i])
      address = std::nullopt;
    if (address)
      loaded.push_back(read(*address));
    else
      loaded.push_back(other ? get(other)[get(other).size() == 1 ? 0 : i] : 0);
    if (stored)
      access.stored.push_back(address ? get(stored->get())[i] : 0);
  }
  if (!stored)
    values[op->getResult(0)] = loaded;
  trace.push_back(std::move(access));
}

void Interpreter::runAccess(tts::AccessOpInterface op) {
  TracedAccess access;
  int64_t base = getScalar(op.getBase());
  if (op.hasOffsetPerElement()) {
    for (int64_t offset : get(op.getOffset()))
      access.addresses.push_back(base + offset);
    return finishAccess(op, access);
  }
  SmallVector<tts::DimensionAccess> dimensions = op.getDimensions();
  Type type = op.getTile().getType();
  for (int64_t i = 0; i < countElements(type); ++i) {
    int64_t address = base + getScalar(op.getOffset());
    bool takesPart = true;
    for (auto [index, dimension] :
         llvm::zip_equal(getPlace(i, getShape(type)), dimensions)) {
      int64_t term = index;
      if (dimension.isWrapped())
        term = (getScalar(dimension.wrapStart) + index) %
               getScalar(dimension.wrapSize);
      if (dimension.isGathered())
        term = get(dimension.indices)[index];
      if (dimension.isBounded())
        takesPart &= getScalar(dimension.low) <= index &&
                     index < getScalar(dimension.high);
      auto stride = dyn_cast<Value>(dimension.stride);
      address += term * (stride ? getScalar(stride)
                                : *getConstantIntValue(dimension.stride));
    }
    access.addresses.push_back(takesPart ? std::optional(address)
                                         : std::nullopt);
  }
  finishAccess(op, access);
}
