//===- MatrixDescriptorTest.cpp - What wgmma finds at an address ----------===//
//
// The instruction is modelled as the PTX manual describes it: where it looks
// for an element of an operand must be where the layout has put that.
//
//===----------------------------------------------------------------------===//

#include "triton-shared/Dialect/Cta/IR/MatrixDescriptor.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::cta;

namespace {

/// The fields of a descriptor, in bytes.
struct Fields {
  explicit Fields(uint64_t bits)
      : leading(((bits >> 16) & 0x3fff) * 16),
        stride(((bits >> 32) & 0x3fff) * 16) {
    constexpr int64_t kLines[] = {16, 128, 64, 32};
    line = kLines[bits >> 62];
  }

  /// Where the instruction finds element `own` of a row or column, `k` along K,
  /// of a matrix that begins at `start`.
  int64_t find(int64_t start, int64_t own, int64_t k, int64_t bytes,
               bool isTransposed) const {
    int64_t along = isTransposed ? own : k, across = isTransposed ? k : own;
    int64_t perLine = line / bytes;
    int64_t address = start + along / perLine * leading +
                      along % perLine * bytes + across / 8 * stride +
                      across % 8 * line;
    // Pieces of 16 bytes change places by bits of the address.
    return address ^ ((address >> 7 & (line / 16 - 1)) << 4);
  }

  int64_t leading, stride, line;
};

/// One product of buffers, by one instruction per warpgroup.
class MatrixDescriptorTest : public testing::Test {
protected:
  MatrixDescriptorTest() : builder(&context) {
    context.loadDialect<CTADialect>();
    module = ModuleOp::create(builder.getUnknownLoc());
    builder.setInsertionPointToStart(module->getBody());
  }

  DotOp createDot(ArrayRef<int64_t> shape, int64_t depth, Type element,
                  unsigned n) {
    auto createTile = [&](ArrayRef<int64_t> sizes, Type type) -> Value {
      return UnrealizedConversionCastOp::create(
                 builder, builder.getUnknownLoc(),
                 RankedTensorType::get(sizes, type), ValueRange())
          .getResult(0);
    };
    unsigned k = 32 / getElementBytes(element);
    return DotOp::create(builder, builder.getUnknownLoc(),
                         createTile({shape[0], depth}, element),
                         createTile({depth, shape[1]}, element),
                         createTile(shape, builder.getF32Type()), StringAttr(),
                         WgmmaAttr::get(&context, 64, n, k, false));
  }

  /// Compares all elements of all matrices of an operand.
  void check(OpOperand &operand, unsigned contiguous) {
    std::optional<SharedLayout> layout = findMatrixLayout(operand, contiguous);
    ASSERT_TRUE(layout);
    auto dot = cast<DotOp>(operand.getOwner());
    ArrayRef<int64_t> shape = DotOp::getOperandShape(operand.get());
    Type element = DotOp::getOperandElementType(operand.get());
    ASSERT_TRUE(layout->covers(shape));
    auto buffer = BufferType::get(&context, 1, shape, element,
                                  SharedLayoutAttr::get(&context, *layout));
    std::optional<MatrixDescriptor> descriptor =
        describeMatrix(buffer, operand);
    ASSERT_TRUE(descriptor);
    bool isLeft = operand.getOperandNumber() == 0;
    EXPECT_EQ(descriptor->isTransposed, contiguous != (isLeft ? 1u : 0u));
    Fields fields(descriptor->encode());
    EXPECT_EQ(fields.line, descriptor->lineBytes);
    int64_t bytes = getElementBytes(element);
    int64_t size = isLeft ? dot.getWgmma().getM() : dot.getWgmma().getN();
    int64_t depth = dot.getWgmma().getK();
    unsigned own = isLeft ? 0 : 1;
    auto place = [&](int64_t alongOwn, int64_t alongK) {
      Coordinates coordinates(2, 0);
      coordinates[own] = alongOwn;
      coordinates[1 - own] = alongK;
      return layout->getOffset(coordinates) * bytes;
    };
    for (int64_t first = 0; first < shape[own]; first += size)
      for (int64_t k = 0; k < shape[1 - own]; k += depth)
        for (int64_t i = 0; i < size; ++i)
          for (int64_t j = 0; j < depth; ++j)
            ASSERT_EQ(fields.find(place(first, k), i, j, bytes,
                                  descriptor->isTransposed),
                      place(first + i, k + j))
                << first << " " << k << " " << i << " " << j;
  }

  MLIRContext context;
  OpBuilder builder;
  OwningOpRef<ModuleOp> module;
};

TEST_F(MatrixDescriptorTest, ElementsLieWhereTheInstructionLooks) {
  for (int64_t depth : {16, 32, 64, 128})
    for (unsigned n : {16, 32, 64, 128, 256}) {
      DotOp dot = createDot({128, n * 2}, depth, builder.getF16Type(), n);
      for (unsigned contiguous : {0, 1}) {
        check(dot.getAMutable(), contiguous);
        check(dot.getBMutable(), contiguous);
      }
    }
}

TEST_F(MatrixDescriptorTest, OtherElementsLieAlongK) {
  for (Type type : {Type(builder.getF32Type()), Type(builder.getI8Type())})
    for (int64_t depth : {32, 64, 128}) {
      DotOp dot = createDot({128, 256}, depth, type, 128);
      check(dot.getAMutable(), /*contiguous=*/1);
      check(dot.getBMutable(), /*contiguous=*/0);
      EXPECT_FALSE(findMatrixLayout(dot.getAMutable(), /*contiguous=*/0));
      EXPECT_FALSE(findMatrixLayout(dot.getBMutable(), /*contiguous=*/1));
    }
}

TEST_F(MatrixDescriptorTest, OtherLayoutsAreNotDescribed) {
  DotOp dot = createDot({64, 64}, 64, builder.getF16Type(), 64);
  auto buffer = BufferType::get(
      &context, 1, {64, 64}, builder.getF16Type(),
      SharedLayoutAttr::get(&context, SharedLayout::getRowMajor({64, 64})));
  EXPECT_FALSE(describeMatrix(buffer, dot.getAMutable()));
  EXPECT_FALSE(describeMatrix(buffer, dot.getBMutable()));
}

} // namespace
