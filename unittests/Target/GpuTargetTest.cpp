//===- GpuTargetTest.cpp - What kinds of GPU have -------------------------===//

#include "triton-shared/Target/GpuTarget.h"

#include "gtest/gtest.h"

using mlir::triton_shared::GpuTarget;

TEST(GpuTarget, CapabilityIsTheNumberOfTheArchitecture) {
  EXPECT_EQ(GpuTarget("80").getCapability(), 80u);
  EXPECT_EQ(GpuTarget("90a").getCapability(), 90u);
  EXPECT_EQ(GpuTarget("103f").getCapability(), 103u);
  EXPECT_EQ(GpuTarget("ninety").getCapability(), 0u);
}

TEST(GpuTarget, ProductsByFourWarpsAreOfHopperAlone) {
  EXPECT_TRUE(GpuTarget("90a").hasWgmma());
  for (const char *arch : {"80", "89", "90", "100a", "120"})
    EXPECT_FALSE(GpuTarget(arch).hasWgmma()) << arch;
}

TEST(GpuTarget, TensorCopiesAndClustersCameWithHopper) {
  EXPECT_FALSE(GpuTarget("89").hasTma());
  EXPECT_EQ(GpuTarget("89").getClusterLimit(), 1u);
  for (const char *arch : {"90", "90a", "100a", "120"}) {
    EXPECT_TRUE(GpuTarget(arch).hasTma()) << arch;
    EXPECT_EQ(GpuTarget(arch).getClusterLimit(), 8u) << arch;
  }
}

TEST(GpuTarget, SharedMemoryIsThatOfOneBlock) {
  EXPECT_EQ(GpuTarget("80").getSharedBytes(), 163 * 1024);
  EXPECT_EQ(GpuTarget("86").getSharedBytes(), 99 * 1024);
  EXPECT_EQ(GpuTarget("90a").getSharedBytes(), 227 * 1024);
}
