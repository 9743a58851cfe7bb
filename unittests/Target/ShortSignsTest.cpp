//===- ShortSignsTest.cpp - Negated numbers of 16 bits in PTX -------------===//

#include "Target/ShortSigns.h"

#include "llvm/ADT/StringRef.h"
#include "gtest/gtest.h"

using namespace mlir::triton_shared;

namespace {

std::string widened(std::string ptx) {
  widenShortSigns(ptx);
  return ptx;
}

TEST(ShortSigns, AreThoseOfWiderNumbers) {
  for (const char *name : {"neg", "abs"}) {
    std::string line = "\t" + std::string(name) + ".s16 \t%rs2, %rs1;\n";
    EXPECT_EQ(widened("\tmov.b16 \t%rs1, 1;\n" + line + "\tret;\n"),
              "\tmov.b16 \t%rs1, 1;\n"
              "\t{\n\t.reg .b32 whole;\n"
              "\tcvt.s32.s16 \twhole, %rs1;\n"
              "\t" +
                  std::string(name) +
                  ".s32 \twhole, whole;\n"
                  "\tcvt.u16.u32 \t%rs2, whole;\n\t}\n"
                  "\tret;\n");
  }
}

TEST(ShortSigns, OthersStay) {
  for (const char *line :
       {"\tneg.s32 \t%r2, %r1;\n", "\tabs.f16 \t%rs2, %rs1;\n",
        "\t@%p1 neg.s16 \t%rs2, %rs1;\n",
        "\tneg.s16 \t%rs2, %rs1; not.b16 \t%rs3, %rs2;\n",
        "\tsub.s16 \t%rs2, %rs3, %rs1;"})
    EXPECT_EQ(widened(line), line);
}

} // namespace
