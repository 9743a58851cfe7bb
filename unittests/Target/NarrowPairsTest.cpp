//===- NarrowPairsTest.cpp - Pairs of 8-bit floats in PTX -----------------===//

#include "Target/NarrowPairs.h"

#include "llvm/ADT/StringRef.h"
#include "gtest/gtest.h"

using namespace mlir::triton_shared;

namespace {

constexpr const char *kPair =
    "\tcvt.rn.satfinite.e4m3x2.f32 \t%rs1, %r2, %r1;\n";

/// How many pairs are hidden where these lines follow one in `%rs1`.
size_t countHidden(const std::string &lines) {
  std::string ptx = ".visible .entry k()\n{\n" + (kPair + lines) + "}\n";
  std::string before = ptx;
  separateNarrowPairs(ptx);
  size_t hidden = llvm::StringRef(ptx).count("prmt.b32 \twhole, whole");
  EXPECT_EQ(hidden == 0, ptx == before) << ptx;
  // The pair itself is what is hidden, at once.
  EXPECT_EQ(llvm::StringRef(ptx).contains(std::string(kPair) + "\t{\n"),
            hidden > 0)
      << ptx;
  return hidden;
}

TEST(NarrowPairs, ValuesOfTheirOwnShareARegister) {
  EXPECT_EQ(countHidden("\tcvt.rn.satfinite.e4m3x2.f32 \t%rs2, %r4, %r3;\n"
                        "\tmov.b32 \t%r5, {%rs1, %rs2};\n"),
            0u);
  EXPECT_EQ(countHidden("\tst.global.b16 \t[%rd1], %rs1;\n"), 0u);
  // The upper half may be a pair that the lower one is computed from.
  EXPECT_EQ(countHidden("\tshr.u16 \t%rs2, %rs1, 8;\n"
                        "\tmov.b32 \t%r5, {%rs2, %rs1};\n"),
            0u);
  // A load with no store before it reads nothing of the pair.
  EXPECT_EQ(countHidden("\tld.global.b16 \t%rs2, [%rd1];\n"
                        "\tmov.b32 \t%r5, {%rs1, %rs2};\n"),
            0u);
}

TEST(NarrowPairs, WhatIsComputedOfAPairDoesNot) {
  const char *shift = "\tshr.u16 \t%rs2, %rs1, 8;\n";
  EXPECT_EQ(
      countHidden(std::string(shift) + "\tmov.b32 \t%r5, {%rs1, %rs2};\n"), 1u);
  EXPECT_EQ(countHidden("\tmov.b32 \t%r5, {%rs1, %rs1};\n"), 1u);
  EXPECT_EQ(countHidden(std::string(shift) +
                        "\tmov.b64 \t%rd5, {%rs3, %rs4, %rs1, %rs2};\n"),
            1u);
  EXPECT_EQ(countHidden(std::string(shift) +
                        "\tst.global.v2.b16 \t[%rd1], {%rs1, %rs2};\n"),
            1u);
  // By way of other registers, and of the text of users.
  EXPECT_EQ(countHidden("\t{\n\t.reg .b32 t;\n\tcvt.u32.u16 t, %rs1;\n"
                        "\tcvt.u16.u32 %rs2, t;\n\t}\n"
                        "\tmov.b32 \t%r5, {%rs1, %rs2};\n"),
            1u);
}

TEST(NarrowPairs, APairThatIsReadBeforeItSharesARegisterDoesNot) {
  const char *other = "\tcvt.rn.satfinite.e4m3x2.f32 \t%rs2, %r4, %r3;\n";
  const char *join = "\tmov.b32 \t%r5, {%rs1, %rs2};\n";
  for (const char *read :
       {"\tcvt.rn.f16x2.e4m3x2 \t%r6, %rs1;\n", "\tadd.s16 \t%rs3, %rs1, 7;\n",
        "\tst.global.b16 \t[%rd1], %rs1;\n",
        "\tmov.b32 \t%r6, {%rs3, %rs1};\n"}) {
    EXPECT_EQ(countHidden(std::string(other) + read + join), 1u) << read;
    EXPECT_EQ(countHidden(std::string(other) + join + read), 0u) << read;
  }
  // Of which one lane is the upper half of another register.
  EXPECT_EQ(countHidden("\tcvt.rn.f16x2.e4m3x2 \t%r6, %rs1;\n"
                        "\tmov.b32 \t%r5, {%rs2, %rs1};\n"),
            0u);
  EXPECT_EQ(countHidden(std::string(other) + join +
                        "\tmov.b32 \t%r6, {%rs1, %rs3};\n"),
            0u);
}

TEST(NarrowPairs, WhatMayBeAnEqualPairDoesNot) {
  // Of a constant, and of what is loaded only where a condition says so.
  const char *pair = "\tcvt.rn.satfinite.e4m3x2.f32 \t%rs2, %r2, %r3;\n"
                     "\tmov.b32 \t%r5, {%rs1, %rs2};\n";
  std::string one =
      "\tmov.b32 \t%r1, 0;\n\t@%p1 ld.global.b32 \t%r1, [%rd1];\n";
  std::string other =
      "\tmov.b32 \t%r3, 0;\n\t@%p1 ld.global.b32 \t%r3, [%rd2];\n";
  std::string conversion = kPair;
  auto count = [&](const std::string &before) {
    std::string ptx = before + conversion + pair;
    separateNarrowPairs(ptx);
    return llvm::StringRef(ptx).count("prmt.b32 \twhole, whole");
  };
  EXPECT_EQ(count(one + other), 1u);
  // Two elements of memory or of a product are not the same.
  EXPECT_EQ(count("\tld.global.v2.b32 \t{%r1, %r3}, [%rd1];\n"), 0u);
  EXPECT_EQ(count("\twgmma.mma_async.sync \t{%r8, %r9}, %rd1, %rd2;\n"
                  "\tmul.f32 \t%r1, %r8, %r7;\n"
                  "\tmul.f32 \t%r3, %r9, %r7;\n"),
            0u);
  // Nor is what was converted in another way.
  conversion = "\tcvt.rn.satfinite.e4m3x2.f16x2 \t%rs1, %r1;\n";
  EXPECT_EQ(count(one + other), 0u);
}

TEST(NarrowPairs, ConditionsAndMemoryCount) {
  EXPECT_EQ(countHidden("\tsetp.eq.b16 \t%p1, %rs1, 0;\n"
                        "\t@%p1 mov.b16 \t%rs2, %rs3;\n"
                        "\tmov.b32 \t%r5, {%rs1, %rs2};\n"),
            1u);
  EXPECT_EQ(countHidden("\tsetp.eq.b16 \t%p1, %rs1, 0;\n"
                        "\t@%p1 bra \t$L__BB0_2;\n\tmov.b16 \t%rs2, 1;\n"
                        "$L__BB0_2:\n\tmov.b32 \t%r5, {%rs1, %rs2};\n"),
            1u);
  EXPECT_EQ(countHidden("\tst.shared.b16 \t[%r9], %rs1;\n"
                        "\tld.shared.b16 \t%rs2, [%r9];\n"
                        "\tmov.b32 \t%r5, {%rs1, %rs2};\n"),
            1u);
}

TEST(NarrowPairs, FunctionsHaveRegistersOfTheirOwn) {
  EXPECT_EQ(countHidden("\tret;\n}\n.visible .entry other()\n{\n"
                        "\tmov.b16 \t%rs1, 1;\n\tmov.b16 \t%rs2, %rs1;\n"
                        "\tmov.b32 \t%r5, {%rs1, %rs2};\n"),
            0u);
}

} // namespace
