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
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
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
// Elements and registers
//===----------------------------------------------------------------------===//

namespace {

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

/// The registers of the constraints, if elements lie in them.
static std::variant<Constraints, Refusal>
readConstraints(tt::ElementwiseInlineAsmOp op) {
  unsigned pack = op.getPackedElement();
  auto shape = dyn_cast<RankedTensorType>(op->getResultTypes().front());
  if (pack != 1 && (!shape || shape.getNumElements() % pack != 0))
    return Refusal{"pack=" + std::to_string(pack),
                   "does not divide the number of elements"};
  auto constraints = parseConstraints(op.getConstraints());
  if (std::holds_alternative<Refusal>(constraints))
    return constraints;
  auto &[results, operands] = std::get<Constraints>(constraints);
  if (auto refusal =
          checkRegisters(op->getResultTypes(), pack, results, "a result"))
    return *refusal;
  if (auto refusal =
          checkRegisters(op->getOperandTypes(), pack, operands, "an operand"))
    return *refusal;
  return constraints;
}

static std::variant<Assembly, Refusal>
readAssembly(tt::ElementwiseInlineAsmOp op) {
  auto constraints = readConstraints(op);
  if (auto *refusal = std::get_if<Refusal>(&constraints))
    return *refusal;
  auto &[results, operands] = std::get<Constraints>(constraints);
  unsigned pack = op.getPackedElement();
  SmallVector<unsigned> holders(results);
  holders.append(operands);
  auto program = parse(op.getAsmString(), holders);
  if (auto *refusal = std::get_if<Refusal>(&program))
    return *refusal;
  Assembly assembly = {std::get<Program>(std::move(program)), {}, false};
  const Instruction *barrier = nullptr;
  for (const Instruction &instruction : assembly.program.instructions) {
    std::optional<Effect> effect = findEffect(Opcode(instruction));
    if (effect == Effect::Barrier)
      barrier = &instruction;
    if (findAccess(Opcode(instruction)) ||
        (effect && *effect != Effect::Nothing)) {
      assembly.accessesMemory = true;
      if (pack != 1)
        return Refusal{instruction.text, "accesses memory for a pack"};
    }
  }
  SmallVector<bool> isWanted;
  for (Value result : op->getResults())
    isWanted.append(Packing(result.getType(), pack).registers,
                    !result.use_empty());
  auto rules = findRules(assembly.program, isWanted, holders.size());
  if (auto *refusal = std::get_if<Refusal>(&rules))
    return *refusal;
  assembly.rules = std::get<SmallVector<std::optional<Rule>>>(std::move(rules));
  if (barrier && isa<RankedTensorType>(op->getResultTypes().front()))
    return Refusal{barrier->text, "lets threads meet for each element"};
  return assembly;
}

std::optional<Refusal>
triton_shared::findUnportable(tt::ElementwiseInlineAsmOp op,
                              bool staysAssembly) {
  auto getRefusal = [](const auto &read) -> std::optional<Refusal> {
    if (auto *refusal = std::get_if<Refusal>(&read))
      return *refusal;
    return std::nullopt;
  };
  return staysAssembly ? getRefusal(readConstraints(op))
                       : getRefusal(readAssembly(op));
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
    if (std::optional<Effect> effect = findEffect(Opcode(instruction)))
      return affect(*effect);
    const Operand &target = instruction.operands.front();
    if (std::optional<NumberType> type = findAccess(Opcode(instruction)))
      return access(*type, target, instruction.operands[1]);
    if (!rule)
      return move(target, instruction.operands[1]);
    SmallVector<Value> in;
    for (auto [operand, slot] : llvm::zip_equal(
             ArrayRef(instruction.operands).drop_front(), rule->operands))
      for (const Operand &part : slot.getParts(operand))
        in.push_back(read(part, slot.width));
    SmallVector<Value> out = rule->build(builder, loc, in);
    if (target.kind != Kind::Pair)
      return write(target, out.front(), rule->widensSigned);
    for (auto [part, value] : llvm::zip_equal(target.parts, out))
      write(part, value);
  }

  /// What nothing has written is wanted by nobody.
  Value get(unsigned number) {
    Value bits = registers[number];
    return bits ? bits : createBits(builder, loc, program.widths[number], 0);
  }

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

  void affect(Effect effect) {
    if (effect == Effect::Fence)
      LLVM::FenceOp::create(builder, loc, LLVM::AtomicOrdering::seq_cst,
                            /*syncscope=*/StringRef());
    if (effect == Effect::Barrier)
      gpu::BarrierOp::create(builder, loc);
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
    if (operand.kind == Kind::Register) {
      Value bits = resize(registers[operand.number], width, false);
      return operand.isNegated
                 ? arith::XOrIOp::create(builder, loc, bits,
                                         createBits(builder, loc, width, 1))
                 : bits;
    }
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
  unsigned number = countRegisters(op->getResultTypes(), pack);
  for (Value bits :
       packElements(builder, loc, op->getOperandTypes(), pack, elements))
    machine.set(number++, bits);
  for (auto [read, value] : llvm::zip_equal(assembly.program.reads, elements))
    machine.set(read.first, value);
  for (auto [instruction, rule] :
       llvm::zip_equal(assembly.program.instructions, assembly.rules))
    machine.run(instruction, rule);

  SmallVector<Value> results;
  for (unsigned i = 0; i < countRegisters(op->getResultTypes(), pack); ++i)
    results.push_back(machine.get(i));
  return unpackElements(builder, loc, op->getResultTypes(), pack, results);
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

/// Assembly that has no portable meaning, for the GPU that it is for.
struct KeepInlineAssembly : OpConversionPattern<tt::ElementwiseInlineAsmOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::ElementwiseInlineAsmOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto constraints = readConstraints(op);
    if (std::holds_alternative<Refusal>(constraints))
      return rewriter.notifyMatchFailure(op, "has other registers");
    const Constraints &known = std::get<Constraints>(constraints);
    unsigned pack = op.getPackedElement();
    auto body = [&](OpBuilder &builder, Location loc, ValueRange elements) {
      return createAssembly(builder, loc, op, known, elements);
    };
    ValueRange operands = adaptor.getOperands();
    rewriter.replaceOp(
        op, pack == 1 ? mapElements(rewriter, op.getLoc(), op->getResultTypes(),
                                    operands, body)
                      : mapPacks(rewriter, op.getLoc(), op->getResultTypes(),
                                 operands, pack, body, {}));
    return success();
  }
};

struct LowerInlineAssembly : OpConversionPattern<tt::ElementwiseInlineAsmOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::ElementwiseInlineAsmOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
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
    RewritePatternSet &patterns, ConversionTarget &target, bool keepsAssembly) {
  // What has a portable meaning is taken for that, on every target.
  patterns.add<LowerInlineAssembly>(patterns.getContext(), /*benefit=*/2);
  if (keepsAssembly) {
    patterns.add<KeepInlineAssembly>(patterns.getContext());
    target.addLegalOp<LLVM::InlineAsmOp, LLVM::ExtractValueOp>();
  }
  target.addLegalOp<LLVM::FenceOp, LLVM::IntToPtrOp, LLVM::LoadOp,
                    LLVM::StoreOp>();
}
