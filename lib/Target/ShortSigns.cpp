//===- ShortSigns.cpp - Negated numbers of 16 bits ------------------------===//

#include "ShortSigns.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

/// True for one of the two instructions, alone in its line. Those that depend
/// on a condition are in the text of users, who know what they want.
static bool isShortSign(StringRef line) {
  return (line.starts_with("neg.s16") || line.starts_with("abs.s16")) &&
         line.find(';') == line.size() - 1;
}

/// Prints what stands in the place of such a line.
static void printWide(StringRef line, raw_ostream &stream) {
  StringRef name = line.take_front(3);
  auto [result, operand] = line.drop_front(7).rtrim(';').split(',');
  stream << "\t{\n\t.reg .b32 whole;\n"
         << "\tcvt.s32.s16 \twhole, " << operand.trim() << ";\n"
         << '\t' << name << ".s32 \twhole, whole;\n"
         << "\tcvt.u16.u32 \t" << result.trim() << ", whole;\n\t}";
}

void mlir::triton_shared::widenShortSigns(std::string &ptx) {
  if (!StringRef(ptx).contains("neg.s16") &&
      !StringRef(ptx).contains("abs.s16"))
    return;
  SmallVector<StringRef, 0> lines;
  StringRef(ptx).split(lines, '\n');
  std::string widened;
  raw_string_ostream stream(widened);
  for (StringRef line : lines) {
    if (isShortSign(line.trim()))
      printWide(line.trim(), stream);
    else
      stream << line;
    stream << '\n';
  }
  widened.pop_back(); // the end of a line that was not there
  ptx = std::move(widened);
}
