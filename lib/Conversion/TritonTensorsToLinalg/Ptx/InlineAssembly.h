//===- InlineAssembly.h - PTX instructions with a portable meaning -*- C++ -*-//
//
// `tt.elementwise_inline_asm` holds text for NVIDIA GPUs. Most of what kernels
// write there computes with registers and touches nothing else; that has the
// same meaning everywhere. The text becomes a program, whose instructions each
// have a rule that computes integers of certain widths from others: registers
// are patterns of bits.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_CONVERSION_TRITONTENSORSTOLINALG_PTX_INLINEASSEMBLY_H
#define TRITON_SHARED_LIB_CONVERSION_TRITONTENSORSTOLINALG_PTX_INLINEASSEMBLY_H

#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace mlir::triton_shared::assembly {

/// What has no portable meaning, as written, and why.
struct Refusal {
  std::string culprit, reason;
};

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

struct Operand {
  enum class Kind {
    Register, ///< `number` is its number.
    Integer,  ///< `number` is its value.
    Float,    ///< `number` is the pattern of an f64.
    Group,    ///< `{a, b}`: parts of one register, the low one first.
    Pair,     ///< `p|q`: two results.
    Nothing,  ///< `_`: a result that nobody wants.
    Memory,   ///< `[a+4]`: the register, and the distance as its `number`.
  };
  Kind kind;
  uint64_t number = 0;
  std::vector<Operand> parts;
  bool isNegated = false; ///< `!p`.
};

struct Instruction {
  std::string text;   ///< As written, for errors.
  std::string opcode; ///< With all its suffixes.
  std::vector<Operand> operands;
  std::optional<unsigned> guard; ///< The predicate register of `@p`.
  bool isGuardNegated = false;   ///< `@!p`.
};

/// A register of the GPU that the text reads: what it stands for here.
struct SpecialRegister {
  enum class Kind {
    Constant,  ///< `number` itself.
    GridSize,  ///< Of the axis `number`.
    ProgramId, ///< Along the axis `number`.
    Machine,   ///< What `machine` holds now.
  };
  Kind kind;
  unsigned number = 0;
  tts::MachineRegister machine = {};

  unsigned getWidth() const {
    return kind == Kind::Machine ? tts::getWidth(machine) : 32;
  }
};

/// The meaning of `name`, which begins with `%`, or nothing.
std::optional<SpecialRegister> findSpecialRegister(StringRef name);

/// Registers are numbered: first the placeholders `$0`, `$1`, ..., then those
/// that the text declares or reads.
struct Program {
  SmallVector<unsigned> widths; ///< Of each register, in bits.
  SmallVector<Instruction> instructions;
  /// The special registers that are read, in order: each read has a register
  /// of its own, which is written before the first instruction.
  SmallVector<std::pair<unsigned, SpecialRegister>> reads;
  /// The register of the carry, which `.cc` writes and `addc` and its like read
  /// without a name for it: here, it is a second result and a last operand.
  std::optional<unsigned> carry;
};

/// Reads `text`, whose placeholders have the given widths.
std::variant<Program, Refusal> parse(StringRef text,
                                     ArrayRef<unsigned> placeholderWidths);

/// The widths of the registers that LLVM's `constraints` name, results first.
struct Constraints {
  SmallVector<unsigned> results, operands;
};
std::variant<Constraints, Refusal> parseConstraints(StringRef constraints);

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

/// How many registers a pack of elements of `types` fills.
unsigned countRegisters(TypeRange types, unsigned pack);

/// What a pack of `elements` of `types` is in registers: integers. All
/// neighbours of the first type come first; those are taken off.
SmallVector<Value> packElements(OpBuilder &builder, Location loc,
                                TypeRange types, unsigned pack,
                                ValueRange &elements);
/// The elements that `registers` hold.
SmallVector<Value> unpackElements(OpBuilder &builder, Location loc,
                                  TypeRange types, unsigned pack,
                                  ValueRange registers);

/// The assembly of `op` as it is, on one pack of elements.
SmallVector<Value> createAssembly(OpBuilder &builder, Location loc,
                                  triton::ElementwiseInlineAsmOp op,
                                  const Constraints &constraints,
                                  ValueRange elements);

/// What the special registers of `program` hold at `op`, one value each; for
/// the elements of `block`, if it is one and they may differ.
SmallVector<Value> readSpecialRegisters(OpBuilder &builder,
                                        triton::ElementwiseInlineAsmOp op,
                                        const Program &program,
                                        RankedTensorType block);

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// The type in an instruction's name.
struct NumberType {
  enum class Kind { Bits, Signed, Unsigned, Float, BFloat, Predicate };
  Kind kind;
  unsigned width;     ///< Of one number.
  unsigned lanes = 1; ///< 2 in `f16x2`, 4 in `u8x4`.

  bool isFloat() const { return kind == Kind::Float || kind == Kind::BFloat; }
  bool isSigned() const { return kind == Kind::Signed; }
  unsigned registerWidth() const { return width * lanes; }
};

/// An instruction's name, taken apart: `cvt.rn.f32.s32` is `cvt`, {`rn`} and
/// {f32, s32}.
struct Opcode {
  explicit Opcode(StringRef text);
  explicit Opcode(const Instruction &instruction);

  /// Whether `modifier` is there; takes it away.
  bool take(StringRef modifier);
  /// The first of `choices` that is there, taken away; or nothing.
  StringRef takeOneOf(ArrayRef<StringRef> choices);
  /// Whether `word` stands before the types: it says what the result is.
  bool isResult(StringRef word) const;

  StringRef text;
  StringRef base;
  SmallVector<StringRef> modifiers;
  SmallVector<NumberType> types;
  unsigned sources = 0; ///< How many operands are given.
};

struct Slot {
  unsigned width;
  bool isFloat = false;    ///< A literal is converted to a float of this width.
  bool mayBeWider = false; ///< Only the low bits of a wider register count.
  unsigned parts = 1;      ///< So many registers, in braces if more than one.

  /// What fills it: `operand` itself, or what that has in braces.
  ArrayRef<Operand> getParts(const Operand &operand) const {
    return parts > 1 ? ArrayRef(operand.parts) : ArrayRef(operand);
  }
};

/// Computes integers of the widths `results` from integers of those of the
/// slots, one for each part.
struct Rule {
  SmallVector<unsigned, 2> results;
  SmallVector<Slot, 4> operands;
  std::function<SmallVector<Value>(OpBuilder &, Location, ValueRange)> build;
  /// A wider register takes the result, with its sign repeated or with zeros.
  bool mayWiden = false, widensSigned = false;
  bool mayDropSecond = false; ///< `p` may stand for the results `p|q`.
};

/// The type that `ld` or `st` moves between a register and global memory, if
/// `opcode` is one of them.
std::optional<NumberType> findAccess(Opcode opcode);

/// What an instruction without a result is good for.
enum class Effect {
  Nothing, ///< A hint, or what the compiler does by itself.
  Fence,   ///< Accesses before it are seen before those after it.
  Barrier, ///< All threads of the program meet.
};
std::optional<Effect> findEffect(Opcode opcode);

/// All are empty for an instruction that is not theirs.
std::optional<Rule> findIntegerRule(Opcode opcode);
std::optional<Rule> findProductRule(Opcode opcode);
std::optional<Rule> findCarryRule(Opcode opcode);
std::optional<Rule> findBitsRule(Opcode opcode);
std::optional<Rule> findPermutationRule(Opcode opcode);
std::optional<Rule> findFieldRule(Opcode opcode);
std::optional<Rule> findPlaceRule(Opcode opcode);
std::optional<Rule> findComparisonRule(Opcode opcode);
std::optional<Rule> findChoiceRule(Opcode opcode);
std::optional<Rule> findFloatRule(Opcode opcode);
std::optional<Rule> findExtremumRule(Opcode opcode);
std::optional<Rule> findConversionRule(Opcode opcode);
std::optional<Rule> findPackRule(Opcode opcode);
std::optional<Rule> findNarrowRule(Opcode opcode);
std::optional<Rule> findWideningRule(Opcode opcode);
std::optional<Rule> findExponentRule(Opcode opcode);

/// A rule for each instruction of `program` that has one of its own; moves,
/// accesses and effects have none. The first `isWanted.size()` of the `holders`
/// placeholders are results, of which those that are wanted must be written;
/// the others are operands.
std::variant<SmallVector<std::optional<Rule>>, Refusal>
findRules(const Program &program, ArrayRef<bool> isWanted, unsigned holders);

} // namespace mlir::triton_shared::assembly

namespace mlir::triton_shared {

/// Why `op` cannot be computed, or nothing. What `staysAssembly` may hold any
/// instruction.
std::optional<assembly::Refusal>
findUnportable(triton::ElementwiseInlineAsmOp op, bool staysAssembly);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CONVERSION_TRITONTENSORSTOLINALG_PTX_INLINEASSEMBLY_H
