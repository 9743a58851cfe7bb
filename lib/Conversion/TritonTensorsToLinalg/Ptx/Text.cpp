//===- Text.cpp - The text of assembly as a program -----------------------===//
//
// Reads the part of PTX that inline assembly uses: declarations of registers,
// blocks, instructions with a guard. Names nothing's meaning.
//
//===----------------------------------------------------------------------===//

#include "InlineAssembly.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::triton_shared;
using namespace mlir::triton_shared::assembly;

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

/// The width of the register class `letter`, 0 if there is none such.
static unsigned getClassWidth(StringRef letter) {
  return llvm::StringSwitch<unsigned>(letter)
      .Case("h", 16)
      .Cases({"r", "f", "n", "i"}, 32)
      .Cases({"l", "d"}, 64)
      .Default(0);
}

std::variant<Constraints, Refusal>
assembly::parseConstraints(StringRef constraints) {
  Constraints parsed;
  SmallVector<StringRef> words;
  constraints.split(words, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef word : words) {
    StringRef rest = word.trim();
    bool isResult = rest.consume_front("=");
    rest.consume_front("&");
    unsigned tied;
    if (!isResult && !rest.getAsInteger(10, tied))
      return Refusal{word.trim().str(), "ties an operand to a result"};
    unsigned width = getClassWidth(rest);
    if (!width)
      return Refusal{word.trim().str(), "is a constraint that is not known"};
    (isResult ? parsed.results : parsed.operands).push_back(width);
  }
  return parsed;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// The type that `word` names, if it names one.
static std::optional<NumberType> parseType(StringRef word) {
  using Kind = NumberType::Kind;
  if (word == "pred")
    return NumberType{Kind::Predicate, 1};
  unsigned lanes = word.consume_back("x2")   ? 2
                   : word.consume_back("x4") ? 4
                                             : 1;
  std::optional<Kind> kind;
  if (word.consume_front("bf"))
    kind = Kind::BFloat;
  else if (word.consume_front("f"))
    kind = Kind::Float;
  else if (word.consume_front("b"))
    kind = Kind::Bits;
  else if (word.consume_front("s"))
    kind = Kind::Signed;
  else if (word.consume_front("u"))
    kind = Kind::Unsigned;
  unsigned width;
  if (!kind || word.getAsInteger(10, width) || !llvm::isPowerOf2_32(width) ||
      width < 8 || width > (kind == Kind::Bits ? 128 : 64))
    return std::nullopt;
  return NumberType{*kind, width, lanes};
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

/// The text without comments, its white space made blanks.
static std::string removeComments(StringRef text) {
  std::string clean;
  while (!text.empty()) {
    if (text.starts_with("//")) {
      text = text.drop_until([](char c) { return c == '\n'; });
    } else if (text.starts_with("/*")) {
      text = text.split("*/").second;
      clean += ' ';
    } else {
      clean += llvm::isSpace(text.front()) ? ' ' : text.front();
      text = text.drop_front();
    }
  }
  return clean;
}

namespace {

class Reader {
public:
  explicit Reader(ArrayRef<unsigned> widths) : placeholders(widths.size()) {
    program.widths.append(widths.begin(), widths.end());
    scopes.emplace_back();
  }

  /// Takes the text up to the next statement's end. False after a refusal.
  bool read(StringRef text) {
    for (text = text.trim(); !text.empty(); text = text.trim()) {
      if (text.consume_front("{")) {
        scopes.emplace_back();
        continue;
      }
      if (text.consume_front("}")) {
        if (scopes.size() == 1)
          return refuse("}", "closes no block");
        scopes.pop_back();
        continue;
      }
      if (text.consume_front(";"))
        continue;
      auto [statement, rest] = splitStatement(text);
      if (!readStatement(statement.trim()))
        return false;
      text = rest;
    }
    return scopes.size() == 1 || refuse("{", "opens a block without an end");
  }

  Program program;
  Refusal refusal;

private:
  /// Up to the semicolon; a statement may lack it before the end of a block.
  static std::pair<StringRef, StringRef> splitStatement(StringRef text) {
    int depth = 0;
    for (auto [i, c] : llvm::enumerate(text)) {
      if (c == '{')
        ++depth;
      if (c == '}' && depth-- == 0)
        return {text.take_front(i), text.drop_front(i)};
      if (c == ';')
        return {text.take_front(i), text.drop_front(i + 1)};
    }
    return {text, ""};
  }

  bool readStatement(StringRef statement) {
    if (statement.consume_front(".reg"))
      return readDeclaration(statement.trim());
    if (statement.starts_with("."))
      return refuse(statement, "is a directive of the assembler");
    Instruction instruction;
    instruction.text = statement.str();
    if (isLabel(statement))
      return refuse(statement, "is a place to jump to");
    if (statement.consume_front("@")) {
      instruction.isGuardNegated = statement.consume_front("!");
      auto [name, rest] = statement.split(' ');
      std::optional<unsigned> guard = findRegister(name.trim());
      if (!guard)
        return refuse(name, "is no register that the text declares");
      instruction.guard = guard;
      statement = rest.trim();
    }
    auto [opcode, operands] = statement.split(' ');
    instruction.opcode = opcode.str();
    if (!readOperands(operands, instruction.operands))
      return false;
    nameCarry(instruction);
    program.instructions.push_back(std::move(instruction));
    return true;
  }

  /// `a: ...`, not `cvt.scaled::n2::...`.
  static bool isLabel(StringRef statement) {
    size_t colon = statement.find(':');
    return colon != StringRef::npos &&
           !statement.drop_front(colon).starts_with("::");
  }

  /// Makes the carry an operand of what reads it, a result of what writes it.
  void nameCarry(Instruction &instruction) {
    auto [base, suffixes] = StringRef(instruction.opcode).split('.');
    bool reads = base == "addc" || base == "subc" || base == "madc";
    bool writes = llvm::is_contained(llvm::split(suffixes, '.'), "cc");
    if (instruction.operands.empty() || (!reads && !writes))
      return;
    if (!program.carry) {
      program.carry = program.widths.size();
      program.widths.push_back(1);
    }
    Operand carry{Operand::Kind::Register, *program.carry};
    if (reads)
      instruction.operands.push_back(carry);
    if (writes)
      instruction.operands.front() = {
          Operand::Kind::Pair, 0, {instruction.operands.front(), carry}};
  }

  /// `.b32 a<2>, b` declares `a0`, `a1` and `b`.
  bool readDeclaration(StringRef text) {
    auto [type, names] = text.split(' ');
    bool hasDot = type.consume_front(".");
    std::optional<NumberType> held = parseType(type);
    if (!hasDot || !held)
      return refuse(text.split(' ').first,
                    "is a type of registers that is not known");
    unsigned width = held->registerWidth();
    for (StringRef name : llvm::split(names, ',')) {
      auto [stem, count] = name.trim().split('<');
      unsigned number;
      if (count.empty()) {
        declare(stem.trim(), width);
        continue;
      }
      if (count.rtrim('>').trim().getAsInteger(10, number) || number > 1024)
        return refuse(name.trim(), "is not a number of registers");
      for (unsigned i = 0; i < number; ++i)
        declare((stem.trim() + Twine(i)).str(), width);
    }
    return true;
  }

  void declare(StringRef name, unsigned width) {
    scopes.back()[name] = program.widths.size();
    program.widths.push_back(width);
  }

  std::optional<unsigned> findRegister(StringRef name) const {
    for (const llvm::StringMap<unsigned> &scope : llvm::reverse(scopes))
      if (auto found = scope.find(name); found != scope.end())
        return found->second;
    return std::nullopt;
  }

  bool readOperands(StringRef text, std::vector<Operand> &operands) {
    for (text = text.trim(); !text.empty(); text = text.trim()) {
      size_t end = text.starts_with("{") ? text.find('}') + 1 : 0;
      end = std::min(text.find(',', end), text.size());
      Operand operand;
      if (!readOperand(text.take_front(end).trim(), operand))
        return false;
      operands.push_back(std::move(operand));
      text = text.drop_front(std::min(end + 1, text.size()));
    }
    return true;
  }

  bool readOperand(StringRef text, Operand &operand) {
    if (text.consume_front("{")) {
      operand.kind = Operand::Kind::Group;
      text.consume_back("}");
      return readOperands(text, operand.parts);
    }
    if (text.contains('|')) {
      operand.kind = Operand::Kind::Pair;
      operand.parts.resize(2);
      auto [first, second] = text.split('|');
      return readOperand(first.trim(), operand.parts[0]) &&
             readOperand(second.trim(), operand.parts[1]);
    }
    if (text.consume_front("!")) {
      operand.isNegated = true;
      return readOperand(text.trim(), operand);
    }
    if (text == "_") {
      operand.kind = Operand::Kind::Nothing;
      return true;
    }
    if (text.starts_with("["))
      return readAddress(text, operand);
    if (readRegister(text, operand))
      return true;
    if (text.starts_with("%"))
      return readSpecialRegister(text, operand);
    return readLiteral(text, operand) ||
           refuse(text, "is no register that the text declares");
  }

  /// `[a]`, or `[a+4]`.
  bool readAddress(StringRef text, Operand &operand) {
    operand.kind = Operand::Kind::Memory;
    operand.parts.resize(1);
    auto [name, distance] = text.trim("[]").split('+');
    bool isKnown =
        text.ends_with("]") &&
        readRegister(name.trim(), operand.parts.front()) &&
        (distance.empty() || !distance.trim().getAsInteger(0, operand.number));
    return isKnown || refuse(text, "is no address in a register");
  }

  /// `$1`, `${1}`, `$(1)` are the same placeholder.
  bool readRegister(StringRef text, Operand &operand) {
    operand.kind = Operand::Kind::Register;
    StringRef digits = text;
    if (digits.consume_front("$")) {
      digits = digits.trim("{}()");
      return !digits.getAsInteger(10, operand.number) &&
             operand.number < placeholders;
    }
    std::optional<unsigned> number = findRegister(text);
    if (number)
      operand.number = *number;
    return number.has_value();
  }

  bool readSpecialRegister(StringRef text, Operand &operand) {
    std::optional<SpecialRegister> special = findSpecialRegister(text);
    if (!special)
      return refuse(text, "is a register of the GPU that is not known");
    operand.kind = Operand::Kind::Register;
    operand.number = program.widths.size();
    program.widths.push_back(special->getWidth());
    program.reads.push_back({operand.number, *special});
    return true;
  }

  /// Integers as in C, `0f` and the pattern of an f32, `0d` and that of an f64,
  /// decimal floats.
  static bool readLiteral(StringRef text, Operand &operand) {
    StringRef pattern = text;
    if (pattern.consume_front_insensitive("0f") && pattern.size() == 8) {
      uint32_t bits;
      operand.kind = Operand::Kind::Float;
      if (pattern.getAsInteger(16, bits))
        return false;
      operand.number = llvm::bit_cast<uint64_t>(
          static_cast<double>(llvm::bit_cast<float>(bits)));
      return true;
    }
    pattern = text;
    if (pattern.consume_front_insensitive("0d") && pattern.size() == 16) {
      operand.kind = Operand::Kind::Float;
      return !pattern.getAsInteger(16, operand.number);
    }
    operand.kind = Operand::Kind::Integer;
    StringRef digits = text;
    bool isNegative = digits.consume_front("-");
    digits.consume_back("U");
    if (!digits.getAsInteger(0, operand.number)) {
      if (isNegative)
        operand.number = -operand.number;
      return true;
    }
    double value;
    operand.kind = Operand::Kind::Float;
    if (!text.contains('.') || text.getAsDouble(value))
      return false;
    operand.number = llvm::bit_cast<uint64_t>(value);
    return true;
  }

  bool refuse(StringRef culprit, StringRef reason) {
    refusal = {culprit.str(), reason.str()};
    return false;
  }

  unsigned placeholders;
  SmallVector<llvm::StringMap<unsigned>, 2> scopes;
};

} // namespace

std::variant<Program, Refusal>
assembly::parse(StringRef text, ArrayRef<unsigned> placeholderWidths) {
  Reader reader(placeholderWidths);
  if (!reader.read(removeComments(text)))
    return reader.refusal;
  return std::move(reader.program);
}

//===----------------------------------------------------------------------===//
// Opcodes
//===----------------------------------------------------------------------===//

Opcode::Opcode(StringRef text) : text(text) {
  SmallVector<StringRef> words;
  text.split(words, '.');
  base = words.front();
  for (StringRef word : ArrayRef(words).drop_front()) {
    if (std::optional<NumberType> type = parseType(word))
      types.push_back(*type);
    else
      modifiers.push_back(word);
  }
}

Opcode::Opcode(const Instruction &instruction) : Opcode(instruction.opcode) {
  if (!instruction.operands.empty())
    sources = instruction.operands.size() - 1;
}

bool Opcode::take(StringRef modifier) {
  auto *found = llvm::find(modifiers, modifier);
  if (found == modifiers.end())
    return false;
  modifiers.erase(found);
  return true;
}

bool Opcode::isResult(StringRef word) const {
  for (StringRef other : llvm::split(text, '.'))
    if (other == word || parseType(other))
      return other == word;
  return false;
}

StringRef Opcode::takeOneOf(ArrayRef<StringRef> choices) {
  for (StringRef choice : choices)
    if (take(choice))
      return choice;
  return "";
}
