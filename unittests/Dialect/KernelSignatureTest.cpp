//===- KernelSignatureTest.cpp - Unit tests of hidden parameters ----------===//

#include "triton-shared/Dialect/Structured/IR/KernelSignature.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::tts;

namespace {

using Kinds = SmallVector<ParameterKind>;

class KernelSignatureTest : public ::testing::Test {
protected:
  KernelSignatureTest() {
    context.loadDialect<func::FuncDialect, gpu::GPUDialect, LLVM::LLVMDialect,
                        TTSDialect>();
  }

  /// The first function of `text`.
  FunctionOpInterface parse(StringRef text) {
    module = parseSourceString<ModuleOp>(text, &context);
    FunctionOpInterface found;
    if (module)
      module->walk([&](FunctionOpInterface function) { found = function; });
    EXPECT_TRUE(found) << text.str();
    return found;
  }

  std::string print() {
    std::string text;
    llvm::raw_string_ostream stream(text);
    module->print(stream);
    return text;
  }

private:
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

constexpr StringRef kDocumented =
    "func.func @k(%x: memref<*xf32>, %n: i32, %gx: i32, %gy: i32, %gz: i32, "
    "%px: i32, %py: i32, %pz: i32) { return }";

TEST_F(KernelSignatureTest, SixLastIntegersAreHiddenWhereNothingIsNamed) {
  FunctionOpInterface function = parse(kDocumented);
  KernelSignature signature(function);
  EXPECT_EQ(signature.getNumWritten(), 2u);
  EXPECT_EQ(signature.getWrittenTypes(),
            function.getArgumentTypes().take_front(2));
  EXPECT_TRUE(signature.hasProgram());
  EXPECT_EQ(signature.find(ParameterKind::GridX), function.getArgument(2));
  EXPECT_EQ(signature.find(ParameterKind::ProgramZ), function.getArgument(7));
  EXPECT_EQ(signature.findKind(function.getArgument(7)),
            ParameterKind::ProgramZ);
  EXPECT_FALSE(signature.findKind(function.getArgument(1)));
  EXPECT_FALSE(signature.find(ParameterKind::Scratch));
}

TEST_F(KernelSignatureTest, NamesSayMoreThanTheOrder) {
  FunctionOpInterface function = parse(
      "func.func @k(%a: i32, %b: i32, %c: i32, %d: i32, %e: i32, %f: i32, "
      "%p: i32 {tts.parameter = \"program.y\"}, "
      "%g: i32 {tts.parameter = \"grid.x\"}) { return }");
  KernelSignature signature(function);
  EXPECT_EQ(signature.getNumWritten(), 6u);
  EXPECT_EQ(signature.getHidden(), ArrayRef<ParameterKind>(Kinds{
                                       ParameterKind::ProgramY,
                                       ParameterKind::GridX,
                                   }));
  EXPECT_FALSE(signature.hasProgram());
  EXPECT_EQ(signature.find(ParameterKind::GridX), function.getArgument(7));
  EXPECT_TRUE(signature.findAll(kProgramIds).empty());
  EXPECT_EQ(signature.findAll(ParameterKind::ProgramY).front(),
            function.getArgument(6));
}

TEST_F(KernelSignatureTest, FewerIntegersThanTheDocumentedOnesAreWritten) {
  KernelSignature signature(
      parse("func.func @k(%f: f32, %a: i32, %b: i32, %c: i32, %d: i32, "
            "%e: i32) { return }"));
  EXPECT_EQ(signature.getNumWritten(), 6u);
  EXPECT_FALSE(signature.hasProgram());
}

TEST_F(KernelSignatureTest, AKernelOfAGpuHasNoHiddenParametersWithoutNames) {
  KernelSignature signature(
      parse("gpu.module @m { gpu.func @k(%a: i32, %b: i32, %c: i32, %d: i32, "
            "%e: i32, %f: i32) kernel { gpu.return } }"));
  EXPECT_EQ(signature.getNumWritten(), 6u);
  EXPECT_TRUE(signature.getHidden().empty());
}

TEST_F(KernelSignatureTest, AParameterIsAsLargeAsItsType) {
  KernelSignature signature(
      parse("llvm.func @k(!llvm.ptr, i32 {tts.parameter = \"grid.x\"}, "
            "i64 {tts.parameter = \"programs.first\"}, "
            "!llvm.ptr {tts.parameter = \"programs.running\"})"));
  SmallVector<HiddenParameter> hidden = signature.describeHidden();
  ASSERT_EQ(hidden.size(), 3u);
  unsigned sizes[] = {4, 8, 8};
  for (auto [parameter, size] : llvm::zip_equal(hidden, sizes)) {
    EXPECT_EQ(parameter.bytes, size);
    EXPECT_EQ(parameter.alignment, size);
  }
  EXPECT_EQ(hidden[2].kind, ParameterKind::RunningProgram);
}

TEST_F(KernelSignatureTest, NamesComeAndGo) {
  FunctionOpInterface function = parse(kDocumented);
  std::string before = print();
  KernelSignature::nameLast(function, kGridAndProgram);
  EXPECT_EQ(KernelSignature(function).getHidden(),
            ArrayRef<ParameterKind>(kGridAndProgram));
  EXPECT_NE(print(), before);
  KernelSignature::removeNames(function);
  EXPECT_EQ(print(), before);
}

TEST_F(KernelSignatureTest, TensorMapsAreAppendedOnce) {
  FunctionOpInterface function = parse(kDocumented);
  MLIRContext *context = function.getContext();
  auto makeMap = [&](int64_t size) {
    return TensorMapAttr::get(context, Float16Type::get(context), /*base=*/0,
                              LaunchNumber::constant(size),
                              LaunchNumber::constant(1), int64_t(8),
                              /*swizzle=*/0, LaunchNumber::constant(0));
  };
  Type i32 = IntegerType::get(context, 32);
  auto kind = ParameterKind::MissingTensorMaps;
  Value first = KernelSignature::getOrAppend(function, makeMap(9));
  Value encoded = KernelSignature::getOrAppend(function, kind, i32);
  Value second = KernelSignature::getOrAppend(function, makeMap(10));
  EXPECT_EQ(KernelSignature::getOrAppend(function, makeMap(9)), first);
  EXPECT_EQ(KernelSignature::getOrAppend(function, kind, i32), encoded);
  Value last[] = {first, encoded, second};
  for (auto [i, value] : llvm::enumerate(last))
    EXPECT_EQ(function.getArgument(8 + i), value);
  KernelSignature signature(function);
  EXPECT_EQ(signature.getNumWritten(), 2u);
  EXPECT_TRUE(signature.hasProgram());
  SmallVector<HiddenParameter> hidden = signature.describeHidden();
  EXPECT_EQ(hidden.back().bytes, 128u);
  EXPECT_EQ(hidden.back().alignment, 64u);
  EXPECT_EQ(hidden.back().map, makeMap(10));
}

} // namespace
