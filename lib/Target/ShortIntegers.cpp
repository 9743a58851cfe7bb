//===- ShortIntegers.cpp - Arithmetic of 16 bits --------------------------===//

#include "ShortIntegers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

/// Prints `name`, `neg` or `abs`, with 32 bits.
static void printSign(StringRef name, ArrayRef<StringRef> operands,
                      raw_ostream &stream) {
  stream << "\t{\n\t.reg .b32 whole;\n"
         << "\tcvt.s32.s16 \twhole, " << operands[1] << ";\n"
         << '\t' << name << ".s32 \twhole, whole;\n"
         << "\tcvt.u16.u32 \t" << operands[0] << ", whole;\n\t}";
}

static void printSums(ArrayRef<StringRef> operands, raw_ostream &stream) {
  stream << "\t{\n\t.reg .b16 low, high, lower, higher;\n"
         << "\tmov.b32 \t{low, high}, " << operands[1] << ";\n"
         << "\tmov.b32 \t{lower, higher}, " << operands[2] << ";\n"
         << "\tadd.s16 \tlow, low, lower;\n"
         << "\tadd.s16 \thigh, high, higher;\n"
         << "\tmov.b32 \t" << operands[0] << ", {low, high};\n\t}";
}

/// Prints what stands in the place of `line`; false if that is the line. Of
/// more than one instruction, or one that depends on a condition, it is in the
/// text of users, who know what they want.
static bool printOther(StringRef line, raw_ostream &stream) {
  auto [name, rest] = line.split(' ');
  bool isSign = name == "neg.s16" || name == "abs.s16";
  bool isSums = name == "add.s16x2";
  if ((!isSign && !isSums) || !rest.consume_back(";") || rest.contains(';'))
    return false;
  SmallVector<StringRef, 3> operands;
  rest.split(operands, ',');
  for (StringRef &operand : operands)
    operand = operand.trim();
  if (isSign)
    printSign(name.take_front(3), operands, stream);
  else
    printSums(operands, stream);
  return true;
}

void mlir::triton_shared::rewriteShortIntegers(std::string &ptx) {
  if (none_of(ArrayRef<StringRef>{"neg.s16", "abs.s16", "add.s16x2"},
              [&](StringRef name) { return StringRef(ptx).contains(name); }))
    return;
  SmallVector<StringRef, 0> lines;
  StringRef(ptx).split(lines, '\n');
  std::string rewritten;
  raw_string_ostream stream(rewritten);
  for (StringRef line : lines) {
    if (!printOther(line.trim(), stream))
      stream << line;
    stream << '\n';
  }
  rewritten.pop_back(); // the end of a line that was not there
  ptx = std::move(rewritten);
}
