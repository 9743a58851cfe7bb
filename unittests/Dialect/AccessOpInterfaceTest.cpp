//===- AccessOpInterfaceTest.cpp - What accesses say about themselves -----===//

#include "Interpreter.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

class AccessOpInterfaceTest : public testing::Test {
protected:
  /// The only access of `text`, which comes after a block `%t`, its offsets
  /// `%at`, its mask `%m`, and an offset `%o`.
  tts::AccessOpInterface parse(const std::string &text) {
    module = parseKernel(context, R"(
  %t = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %at = arith.extsi %t : tensor<8xi32> to tensor<8xi64>
  %m = arith.cmpi slt, %t, %t : tensor<8xi32>
  %o = arith.extsi %a : i32 to i64
  )" + text);
    EXPECT_TRUE(module) << text;
    tts::AccessOpInterface found;
    if (module)
      module->walk([&](tts::AccessOpInterface access) { found = access; });
    EXPECT_TRUE(found) << text;
    return found;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(AccessOpInterfaceTest, ALoadReadsItsResult) {
  tts::AccessOpInterface load =
      parse("%x = tts.load %p[%o] strides [2] mask %m : tensor<8xi1> other %b "
            ": i32 {is_volatile} : !tt.ptr<i32> -> tensor<8xi32>");
  EXPECT_EQ(load.getTile(), load->getResult(0));
  EXPECT_EQ(load.getTileType().getNumElements(), 8);
  EXPECT_EQ(load.getBase(), load->getOperand(0));
  EXPECT_EQ(load.getDimensions().size(), 1u);
  EXPECT_TRUE(load.getMask());
  EXPECT_TRUE(load.isData(load.getOther()));
  EXPECT_FALSE(load.isData(load.getMask()));
  EXPECT_EQ(load.getStored(), nullptr);
  EXPECT_FALSE(load.isWrite());
  EXPECT_TRUE(load.isVolatile());
  EXPECT_FALSE(load.isAtomic());
  EXPECT_FALSE(load.hasOffsetPerElement());
}

TEST_F(AccessOpInterfaceTest, AStoreWritesAnOperand) {
  tts::AccessOpInterface store =
      parse("tts.store %t to %p[%o] strides [1] : tensor<8xi32>, !tt.ptr<i32>");
  EXPECT_EQ(store.getTile(), store->getOperand(0));
  EXPECT_EQ(store.getStored(), &store->getOpOperand(0));
  EXPECT_TRUE(store.isData(store.getTile()));
  EXPECT_TRUE(store.isWrite());
  EXPECT_FALSE(store.getMask());
  EXPECT_FALSE(store.getOther());
}

TEST_F(AccessOpInterfaceTest, EachOperandOfIndicesHasItsDimension) {
  tts::AccessOpInterface load =
      parse("%x = tts.load %p[%o] strides [4, 1] gather [0, 1] by (%at, %at : "
            "tensor<8xi64>, tensor<8xi64>) : !tt.ptr<i32> -> tensor<8x8xi32>");
  SmallVector<std::optional<int64_t>> dims;
  for (OpOperand &operand : load->getOpOperands())
    dims.push_back(load.findGatheredDim(operand));
  EXPECT_EQ(dims, (SmallVector<std::optional<int64_t>>{std::nullopt,
                                                       std::nullopt, 0, 1}));
}

TEST_F(AccessOpInterfaceTest, GathersAndScattersHaveAnOffsetPerElement) {
  tts::AccessOpInterface gather =
      parse("%x = tts.gather %p[%at] : !tt.ptr<i32>, tensor<8xi64> -> "
            "tensor<8xi32>");
  EXPECT_TRUE(gather.hasOffsetPerElement());
  EXPECT_TRUE(gather.getDimensions().empty());
  EXPECT_FALSE(gather.isWrite());
  tts::AccessOpInterface scatter = parse(
      "tts.scatter %t to %p[%at] : tensor<8xi32>, !tt.ptr<i32>, tensor<8xi64>");
  EXPECT_TRUE(scatter.hasOffsetPerElement());
  EXPECT_TRUE(scatter.isWrite());
}

TEST_F(AccessOpInterfaceTest, AtomicsReadAndWrite) {
  tts::AccessOpInterface update =
      parse("%x = tts.atomic_rmw add release gpu %a at %p[%o] : i32, "
            "!tt.ptr<i32>, i64");
  EXPECT_EQ(update.getAtomicOrder(), tts::MemoryOrder::Release);
  EXPECT_EQ(update.getTile(), update->getResult(0));
  EXPECT_EQ(update.getTileType(), nullptr);
  EXPECT_EQ(update.getStored(), nullptr);
  EXPECT_TRUE(update.isWrite());
  EXPECT_FALSE(update.waits());
  tts::AccessOpInterface swap =
      parse("%x = tts.atomic_cas relaxed gpu %a, %b at %p[%o] : i32, "
            "!tt.ptr<i32>, i64");
  EXPECT_TRUE(swap.isWrite());
  EXPECT_TRUE(swap.isData(swap->getOperand(0)));
  EXPECT_TRUE(swap.isData(swap->getOperand(1)));
  EXPECT_FALSE(swap.isData(swap.getOffset()));
}

TEST_F(AccessOpInterfaceTest, APollOnlyReadsAndWaits) {
  tts::AccessOpInterface poll =
      parse("%x = tts.atomic_poll acquire gpu %a at %p[%o] timeout %o : i32, "
            "!tt.ptr<i32>");
  EXPECT_TRUE(poll.isAtomic());
  EXPECT_TRUE(poll.waits());
  EXPECT_FALSE(poll.isWrite());
  // What moves is what is waited for, not whether it came.
  EXPECT_EQ(poll.getTile(), poll->getOperand(0));
  EXPECT_TRUE(poll.isData(poll.getTile()));
}

} // namespace
