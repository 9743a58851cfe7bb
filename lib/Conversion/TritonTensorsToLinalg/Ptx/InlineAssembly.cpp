//===- InlineAssembly.cpp - Inline assembly as arithmetic -----------------===//
//
// Runs the instructions of the text, one after the other, on integers that
// stand for registers. Elements of less than 32 bits share a register where
// the op packs them.
//
//===----------------------------------------------------------------------===//

#include "InlineAssembly.h"

#include "../MapElements.h"
#include "../Packs.h"
#include "Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "triton-shared/Conversion/TritonTensorsToLinalg.h"

using namespace mlir;
using namespace mlir::triton_shared;
using namespace mlir::triton_shared::assembly;
namespace tt = mlir::triton;

using Kind = Operand::Kind;

//===----------------------------------------------------------------------===//
// What has a meaning
//===----------------------------------------------------------------------===//

/// What fills `slot`: `operand` itself, or what it has in braces.
static ArrayRef<Operand> getParts(const Operand &operand, const Slot &slot) {
  return slot.parts > 1 ? ArrayRef(operand.parts) : ArrayRef(operand);
}

namespace {

/// Checks a program, instruction by instruction.
class Checker {
public:
  Checker(const Program &program, unsigned resultCount, unsigned holders)
      : program(program), isWritten(program.widths.size(), false) {
    for (unsigned i = resultCount; i < holders; ++i)
      isWritten[i] = true;
    for (const auto &read : program.reads)
      isWritten[read.first] = true;
  }

  /// The rule of `instruction`, none for a move; false if it has no meaning.
  bool check(const Instruction &instruction, std::optional<Rule> &rule) {
    current = &instruction;
    if (instruction.guard &&
        !isReadable({Kind::Register, *instruction.guard}, 1))
      return false;
    Opcode opcode(instruction.opcode);
    if (opcode.base == "mov")
      return checkMove(opcode);
    if (std::optional<NumberType> type = findAccess(opcode))
      return checkAccess(*type, opcode.base == "ld");
    for (auto find : {findIntegerRule, findFloatRule, findConversionRule,
                      findNarrowRule, findExponentRule})
      if (!rule)
        rule = find(opcode);
    if (!rule)
      return refuse("is an instruction without a portable meaning");
    return checkOperands(*rule);
  }

  bool checkResults(unsigned resultCount) {
    for (unsigned i = 0; i < resultCount; ++i)
      if (!isWritten[i]) {
        refusal = {"$" + std::to_string(i), "is a result that nothing writes"};
        return false;
      }
    return true;
  }

  Refusal refusal;

private:
  bool checkOperands(const Rule &rule) {
    ArrayRef<Operand> operands = current->operands;
    if (operands.size() != rule.operands.size() + 1)
      return refuse("has another number of operands");
    for (auto [operand, slot] :
         llvm::zip_equal(operands.drop_front(), rule.operands)) {
      if (slot.parts > 1 &&
          (operand.kind != Kind::Group || operand.parts.size() != slot.parts))
        return refuse("takes " + std::to_string(slot.parts) +
                      " numbers in braces");
      for (const Operand &part : getParts(operand, slot))
        if (!checkOperand(part, slot))
          return false;
    }
    if (rule.results.size() == 2) {
      const Operand &pair = operands.front();
      return pair.kind == Kind::Pair
                 ? canWrite(pair.parts[0], 1) && canWrite(pair.parts[1], 1)
                 : refuse("writes two predicates");
    }
    return canWrite(operands.front(), rule.results.front(), rule.mayWiden);
  }

  bool checkOperand(const Operand &operand, const Slot &slot) {
    if (operand.kind == Kind::Integer)
      return !slot.isFloat || refuse("takes a float, not an integer");
    if (operand.kind == Kind::Float)
      return slot.isFloat || refuse("takes an integer, not a float");
    return isReadable(operand, slot.width, slot.mayBeWider);
  }

  /// `mov` copies a register, or takes one apart, or puts one together.
  bool checkMove(Opcode &opcode) {
    if (opcode.types.size() != 1 || !opcode.modifiers.empty() ||
        current->operands.size() != 2)
      return refuse("is an instruction without a portable meaning");
    unsigned width = opcode.types.front().registerWidth();
    bool isFloat = opcode.types.front().kind == NumberType::Kind::Float;
    const Operand &target = current->operands[0];
    const Operand &source = current->operands[1];
    if (source.kind == Kind::Group) {
      for (const Operand &part : source.parts)
        if (!isReadable(part, width / source.parts.size()))
          return false;
    } else if (source.kind == Kind::Float ? !isFloat
                                          : source.kind != Kind::Integer &&
                                                !isReadable(source, width)) {
      return refusal.reason.empty() ? refuse("takes an integer, not a float")
                                    : false;
    }
    if (target.kind != Kind::Group)
      return canWrite(target, width);
    for (const Operand &part : target.parts)
      if (!canWrite(part, width / target.parts.size()))
        return false;
    return true;
  }

  bool checkAccess(NumberType type, bool isLoad) {
    if (current->guard)
      return refuse("accesses memory under a condition");
    if (current->operands.size() != 2)
      return refuse("has another number of operands");
    const Operand &address = current->operands[isLoad ? 1 : 0];
    const Operand &value = current->operands[isLoad ? 0 : 1];
    if (address.kind != Kind::Memory)
      return refuse("has no address");
    if (!isReadable(address.parts.front(), 64))
      return false;
    if (isLoad)
      return canWrite(value, type.width, /*mayWiden=*/true);
    return value.kind == Kind::Integer ||
           isReadable(value, type.width, /*mayBeWider=*/true);
  }

  bool isReadable(const Operand &operand, unsigned width,
                  bool mayBeWider = false) {
    if (operand.kind != Kind::Register)
      return refuse("has an operand that is not a register");
    if (!isWritten[operand.number])
      return refuse("reads a register that nothing has written");
    unsigned held = program.widths[operand.number];
    return held == width || (mayBeWider && held > width) ||
           refuse("reads a register of another width");
  }

  bool canWrite(const Operand &operand, unsigned width, bool mayWiden = false) {
    if (operand.kind == Kind::Nothing)
      return true;
    if (operand.kind != Kind::Register)
      return refuse("does not write to a register");
    unsigned held = program.widths[operand.number];
    isWritten[operand.number] = true;
    return held == width || (mayWiden && held > width) ||
           refuse("writes a register of another width");
  }

  bool refuse(const Twine &reason) {
    refusal = {current->text, reason.str()};
    return false;
  }

  const Program &program;
  SmallVector<bool> isWritten;
  const Instruction *current = nullptr;
};

} // namespace

std::variant<SmallVector<std::optional<Rule>>, Refusal>
assembly::findRules(const Program &program, unsigned resultCount,
                    unsigned holders) {
  Checker checker(program, resultCount, holders);
  SmallVector<std::optional<Rule>> rules(program.instructions.size());
  for (auto [instruction, rule] : llvm::zip_equal(program.instructions, rules))
    if (!checker.check(instruction, rule))
      return checker.refusal;
  if (!checker.checkResults(resultCount))
    return checker.refusal;
  return rules;
}

//===----------------------------------------------------------------------===//
// Elements and registers
//===----------------------------------------------------------------------===//

namespace {

/// How the elements of one operand or result lie in registers.
struct Packing {
  Packing(Type type, unsigned pack) {
    Type element = getElementTypeOrSelf(type);
    isNumber = element.isIntOrFloat();
    width = isNumber ? element.getIntOrFloatBitWidth() : 64;
    perRegister = width < 32 ? std::min(32 / width, pack) : 1;
    registers = pack / perRegister;
    isWhole = pack % perRegister == 0 && (width > 1 || pack == 1);
  }

  bool isNumber, isWhole;
  unsigned width, perRegister, registers;
};

/// All that is to know about one op.
struct Assembly {
  Program program;
  SmallVector<std::optional<Rule>> rules;
  bool accessesMemory = false;
};

} // namespace

/// Checks that `types` lie in registers of `widths`.
static std::optional<Refusal> checkRegisters(TypeRange types, unsigned pack,
                                             ArrayRef<unsigned> widths,
                                             StringRef what) {
  unsigned count = 0;
  for (Type type : types) {
    Packing packing(type, pack);
    if (!packing.isNumber)
      return Refusal{what.str(), "is an address"};
    if (!packing.isWhole)
      return Refusal{what.str(), "does not fill registers of 32 bits"};
    for (unsigned i = 0; i < packing.registers; ++i, ++count)
      if (count >= widths.size() ||
          widths[count] < packing.width * packing.perRegister)
        return Refusal{what.str(), "does not fit the constraints"};
  }
  if (count != widths.size())
    return Refusal{what.str(), "has fewer registers than the constraints"};
  return std::nullopt;
}

static std::variant<Assembly, Refusal>
readAssembly(tt::ElementwiseInlineAsmOp op) {
  unsigned pack = op.getPackedElement();
  auto shape = dyn_cast<RankedTensorType>(op->getResultTypes().front());
  if (pack != 1 && (!shape || shape.getNumElements() % pack != 0))
    return Refusal{"pack=" + std::to_string(pack),
                   "does not divide the number of elements"};
  auto constraints = parseConstraints(op.getConstraints());
  if (auto *refusal = std::get_if<Refusal>(&constraints))
    return *refusal;
  auto &[results, operands] = std::get<Constraints>(constraints);
  if (auto refusal =
          checkRegisters(op->getResultTypes(), pack, results, "a result"))
    return *refusal;
  if (auto refusal =
          checkRegisters(op->getOperandTypes(), pack, operands, "an operand"))
    return *refusal;

  SmallVector<unsigned> holders(results);
  holders.append(operands);
  auto program = parse(op.getAsmString(), holders);
  if (auto *refusal = std::get_if<Refusal>(&program))
    return *refusal;
  Assembly assembly = {std::get<Program>(std::move(program)), {}, false};
  for (const Instruction &instruction : assembly.program.instructions)
    if (findAccess(Opcode(instruction.opcode))) {
      assembly.accessesMemory = true;
      if (pack != 1)
        return Refusal{instruction.text, "accesses memory for a pack"};
    }
  auto rules = findRules(assembly.program, results.size(), holders.size());
  if (auto *refusal = std::get_if<Refusal>(&rules))
    return *refusal;
  assembly.rules = std::get<SmallVector<std::optional<Rule>>>(std::move(rules));
  return assembly;
}

bool triton_shared::isGridDependency(tt::ElementwiseInlineAsmOp op) {
  StringRef text = op.getAsmString().trim();
  return op.getArgs().empty() && op->getNumResults() == 1 &&
         op->getResult(0).getType().isInteger() &&
         text.consume_front("griddepcontrol.") &&
         (text.starts_with("wait;") ||
          text.starts_with("launch_dependents;")) &&
         text.split(';').second.trim().starts_with("//");
}

std::optional<Refusal>
triton_shared::findUnportable(tt::ElementwiseInlineAsmOp op) {
  auto assembly = readAssembly(op);
  if (auto *refusal = std::get_if<Refusal>(&assembly))
    return *refusal;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

namespace {

class Machine {
public:
  Machine(OpBuilder &builder, Location loc, const Program &program)
      : builder(builder), loc(loc), program(program),
        registers(program.widths.size()) {}

  void run(const Instruction &instruction, const std::optional<Rule> &rule) {
    current = &instruction;
    const Operand &target = instruction.operands.front();
    if (std::optional<NumberType> type = findAccess(Opcode(instruction.opcode)))
      return access(*type, target, instruction.operands[1]);
    if (!rule)
      return move(target, instruction.operands[1]);
    SmallVector<Value> in;
    for (auto [operand, slot] : llvm::zip_equal(
             ArrayRef(instruction.operands).drop_front(), rule->operands))
      for (const Operand &part : getParts(operand, slot))
        in.push_back(read(part, slot.width));
    SmallVector<Value> out = rule->build(builder, loc, in);
    if (out.size() == 1)
      return write(target, out.front(), rule->widensSigned);
    for (auto [part, value] : llvm::zip_equal(target.parts, out))
      write(part, value);
  }

  Value get(unsigned number) const { return registers[number]; }

  /// Puts a pattern of bits into a register that is as wide or wider.
  void set(unsigned number, Value bits) {
    registers[number] = resize(bits, program.widths[number], false);
  }

  Value resize(Value bits, unsigned width, bool isSigned) {
    return assembly::resize(builder, loc, bits, width, isSigned);
  }

  Value shift(Value bits, unsigned places, bool isLeft) {
    Value amount = createScalar(builder, loc, bits.getType(), places);
    return isLeft ? Value(arith::ShLIOp::create(builder, loc, bits, amount))
                  : Value(arith::ShRUIOp::create(builder, loc, bits, amount));
  }

private:
  void move(const Operand &target, const Operand &source) {
    unsigned width = widthOf(target.kind == Kind::Group ? source : target);
    Value bits;
    if (source.kind == Kind::Group) {
      unsigned part = width / source.parts.size();
      for (auto [i, operand] : llvm::enumerate(source.parts)) {
        Value lane = shift(resize(read(operand, part), width, false), i * part,
                           /*isLeft=*/true);
        bits = i ? Value(arith::OrIOp::create(builder, loc, bits, lane)) : lane;
      }
    } else {
      bits = read(source, width);
    }
    if (target.kind != Kind::Group)
      return write(target, bits);
    unsigned part = width / target.parts.size();
    for (auto [i, operand] : llvm::enumerate(target.parts))
      write(operand,
            resize(shift(bits, i * part, /*isLeft=*/false), part, false));
  }

  void access(NumberType type, const Operand &target, const Operand &source) {
    bool isLoad = source.kind == Kind::Memory;
    const Operand &memory = isLoad ? source : target;
    Value distance =
        createScalar(builder, loc, builder.getI64Type(), memory.number);
    Value address = arith::AddIOp::create(
        builder, loc, read(memory.parts.front(), 64), distance);
    Value pointer = LLVM::IntToPtrOp::create(
        builder, loc, LLVM::LLVMPointerType::get(builder.getContext()),
        address);
    Type bits = builder.getIntegerType(type.width);
    unsigned alignment = type.width / 8;
    if (isLoad)
      return write(target,
                   LLVM::LoadOp::create(builder, loc, bits, pointer, alignment),
                   type.isSigned());
    LLVM::StoreOp::create(builder, loc, read(source, type.width), pointer,
                          alignment);
  }

  unsigned widthOf(const Operand &operand) {
    if (operand.kind == Kind::Register)
      return program.widths[operand.number];
    return Opcode(current->opcode).types.front().registerWidth();
  }

  Value read(const Operand &operand, unsigned width) {
    if (operand.kind == Kind::Register)
      return resize(registers[operand.number], width, false);
    APInt bits(64, operand.number);
    if (operand.kind == Kind::Float) {
      APFloat value(llvm::bit_cast<double>(operand.number));
      bool losesInfo;
      value.convert(width == 16   ? APFloat::IEEEhalf()
                    : width == 32 ? APFloat::IEEEsingle()
                                  : APFloat::IEEEdouble(),
                    APFloat::rmNearestTiesToEven, &losesInfo);
      bits = value.bitcastToAPInt();
    }
    return arith::ConstantOp::create(
        builder, loc,
        builder.getIntegerAttr(builder.getIntegerType(width),
                               bits.zextOrTrunc(width)));
  }

  void write(const Operand &operand, Value bits, bool isSigned = false) {
    if (operand.kind == Kind::Nothing)
      return;
    Value &target = registers[operand.number];
    bits = resize(bits, program.widths[operand.number], isSigned);
    if (current->guard) {
      Value old = target ? target
                         : Value(createScalar(builder, loc, bits.getType(), 0));
      Value guard = registers[*current->guard];
      target = current->isGuardNegated
                   ? arith::SelectOp::create(builder, loc, guard, old, bits)
                   : arith::SelectOp::create(builder, loc, guard, bits, old);
      return;
    }
    target = bits;
  }

  OpBuilder &builder;
  Location loc;
  const Program &program;
  SmallVector<Value> registers;
  const Instruction *current = nullptr;
};

/// Runs the assembly on one pack of elements: all neighbours of the first
/// operand come first, then those of the second, and so for the results. Behind
/// the operands stand the special registers, one value each.
SmallVector<Value> runOnPack(OpBuilder &builder, Location loc,
                             tt::ElementwiseInlineAsmOp op,
                             const Assembly &assembly, ValueRange elements) {
  Machine machine(builder, loc, assembly.program);
  unsigned pack = op.getPackedElement();
  unsigned number = 0;
  for (Type type : op->getResultTypes())
    number += Packing(type, pack).registers;
  for (Type type : op->getOperandTypes()) {
    Packing packing(type, pack);
    for (unsigned i = 0; i < packing.registers; ++i, ++number) {
      Value bits;
      for (unsigned lane = 0; lane < packing.perRegister; ++lane) {
        Value element = elements.front();
        elements = elements.drop_front();
        Type integer = builder.getIntegerType(packing.width);
        if (element.getType() != integer)
          element = arith::BitcastOp::create(builder, loc, integer, element);
        Value wide = machine.resize(
            element, packing.width * packing.perRegister, /*isSigned=*/false);
        if (lane)
          wide = arith::OrIOp::create(
              builder, loc, bits,
              machine.shift(wide, lane * packing.width, /*isLeft=*/true));
        bits = wide;
      }
      machine.set(number, bits);
    }
  }
  for (auto [read, value] : llvm::zip_equal(assembly.program.reads, elements))
    machine.set(read.first, value);
  for (auto [instruction, rule] :
       llvm::zip_equal(assembly.program.instructions, assembly.rules))
    machine.run(instruction, rule);

  SmallVector<Value> results;
  number = 0;
  for (Type type : op->getResultTypes()) {
    Packing packing(type, pack);
    Type element = getElementTypeOrSelf(type);
    for (unsigned i = 0; i < packing.registers; ++i, ++number)
      for (unsigned lane = 0; lane < packing.perRegister; ++lane) {
        Value bits = machine.get(number);
        if (lane)
          bits = machine.shift(bits, lane * packing.width, /*isLeft=*/false);
        bits = machine.resize(bits, packing.width, false);
        results.push_back(
            bits.getType() == element
                ? bits
                : arith::BitcastOp::create(builder, loc, element, bits));
      }
  }
  return results;
}

/// What accesses memory runs in a loop of its own: nothing may drop or move it.
SmallVector<Value> runInOrder(OpBuilder &builder, Location loc,
                              tt::ElementwiseInlineAsmOp op,
                              const Assembly &assembly, ValueRange operands) {
  auto shape = dyn_cast<RankedTensorType>(op->getResultTypes().front());
  auto run = [&](OpBuilder &at, SmallVector<Value> elements) {
    llvm::append_range(elements,
                       readSpecialRegisters(at, op, assembly.program, nullptr));
    return runOnPack(at, loc, op, assembly, elements);
  };
  if (!shape)
    return run(builder, SmallVector<Value>(operands));
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  SmallVector<Value> starts(shape.getRank(), index(0)), ends,
      steps(shape.getRank(), index(1)), results;
  for (int64_t size : shape.getShape())
    ends.push_back(index(size));
  for (Type type : op->getResultTypes())
    results.push_back(
        createEmptyTensor(builder, loc, cast<RankedTensorType>(type)));
  auto body = [&](OpBuilder &inner, Location innerLoc, ValueRange indices,
                  ValueRange carried) {
    SmallVector<Value> elements;
    for (Value operand : operands)
      elements.push_back(
          isa<RankedTensorType>(operand.getType())
              ? tensor::ExtractOp::create(inner, innerLoc, operand, indices)
              : operand);
    SmallVector<Value> made = run(inner, elements);
    for (auto [value, tensor] : llvm::zip_equal(made, carried))
      value = tensor::InsertOp::create(inner, innerLoc, value, tensor, indices);
    return scf::ValueVector(made.begin(), made.end());
  };
  scf::LoopNest nest =
      scf::buildLoopNest(builder, loc, starts, ends, steps, results, body);
  return SmallVector<Value>(nest.results.begin(), nest.results.end());
}

struct LowerInlineAssembly : OpConversionPattern<tt::ElementwiseInlineAsmOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::ElementwiseInlineAsmOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (isGridDependency(op))
      return rewriter.notifyMatchFailure(op, "means nothing");
    auto read = readAssembly(op);
    if (std::holds_alternative<Refusal>(read))
      return rewriter.notifyMatchFailure(op, "has no portable meaning");
    const Assembly &assembly = std::get<Assembly>(read);
    if (!op->getParentOfType<func::FuncOp>())
      return rewriter.notifyMatchFailure(op, "not in a converted kernel");
    Location loc = op.getLoc();
    auto body = [&](OpBuilder &builder, Location inner, ValueRange elements) {
      return runOnPack(builder, inner, op, assembly, elements);
    };
    unsigned pack = op.getPackedElement();
    if (assembly.accessesMemory) {
      rewriter.replaceOp(
          op, runInOrder(rewriter, loc, op, assembly, adaptor.getOperands()));
      return success();
    }
    auto block = dyn_cast<RankedTensorType>(op->getResultTypes().front());
    if (pack == 1) {
      SmallVector<Value> operands(adaptor.getOperands());
      llvm::append_range(operands, readSpecialRegisters(
                                       rewriter, op, assembly.program, block));
      rewriter.replaceOp(
          op, mapElements(rewriter, loc, op->getResultTypes(), operands, body));
      return success();
    }
    SmallVector<Value> registers = readSpecialRegisters(
        rewriter, op, assembly.program,
        Packs(block, pack).getPartType(rewriter.getI32Type()));
    rewriter.replaceOp(op,
                       mapPacks(rewriter, loc, op->getResultTypes(),
                                adaptor.getOperands(), pack, body, registers));
    return success();
  }
};

} // namespace

void triton_shared::populateTritonTensorsToLinalgInlineAssembly(
    RewritePatternSet &patterns, ConversionTarget &target) {
  patterns.add<LowerInlineAssembly>(patterns.getContext());
  target.addLegalOp<LLVM::IntToPtrOp, LLVM::LoadOp, LLVM::StoreOp>();
}
