//===- ShortIntegersTest.cpp - Arithmetic of 16 bits in PTX ---------------===//

#include "Target/ShortIntegers.h"

#include "llvm/ADT/StringRef.h"
#include "gtest/gtest.h"

using namespace mlir::triton_shared;

namespace {

std::string rewritten(std::string ptx) {
  rewriteShortIntegers(ptx);
  return ptx;
}

TEST(ShortIntegers, SignsAreThoseOfWiderNumbers) {
  for (const char *name : {"neg", "abs"}) {
    std::string line = "\t" + std::string(name) + ".s16 \t%rs2, %rs1;\n";
    EXPECT_EQ(rewritten("\tmov.b16 \t%rs1, 1;\n" + line + "\tret;\n"),
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

TEST(ShortIntegers, SumsOfPairsAreTwo) {
  EXPECT_EQ(rewritten("\tadd.s16x2 \t%r3, %r2, %r1;\n"),
            "\t{\n\t.reg .b16 low, high, lower, higher;\n"
            "\tmov.b32 \t{low, high}, %r2;\n"
            "\tmov.b32 \t{lower, higher}, %r1;\n"
            "\tadd.s16 \tlow, low, lower;\n"
            "\tadd.s16 \thigh, high, higher;\n"
            "\tmov.b32 \t%r3, {low, high};\n\t}\n");
}

TEST(ShortIntegers, OthersStay) {
  for (const char *line :
       {"\tneg.s32 \t%r2, %r1;\n", "\tmax.s16x2 \t%r3, %r2, %r1;\n",
        "\tabs.f16 \t%rs2, %rs1;\n", "\t@%p1 neg.s16 \t%rs2, %rs1;\n",
        "\tneg.s16 \t%rs2, %rs1; not.b16 \t%rs3, %rs2;\n",
        "\tsub.s16 \t%rs2, %rs3, %rs1;"})
    EXPECT_EQ(rewritten(line), line);
}

} // namespace
