//===- DescriptorsPass.cpp - Block pointers and descriptors to parts ------===//
//
// The types say what the parts are; the patterns of BlockPointers.cpp and
// Descriptors.cpp make and use them, and upstream patterns carry them through
// scf.
//
//===----------------------------------------------------------------------===//

#include "PointerParts.h"

#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "triton-shared/Conversion/Passes.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_TRITONDESCRIPTORSTOSTRUCTURED
#include "triton-shared/Conversion/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

namespace {

/// Replaces block pointers and descriptors by their parts.
struct PartsConverter : TypeConverter {
  PartsConverter() {
    addConversion([](Type type) { return type; });
    addConversion(
        [](tt::PointerType type,
           SmallVectorImpl<Type> &parts) -> std::optional<LogicalResult> {
          auto block = dyn_cast<RankedTensorType>(type.getPointeeType());
          if (!block)
            return std::nullopt;
          addTensorParts(block, parts);
          Type i64 = IntegerType::get(type.getContext(), 64);
          parts.append(block.getRank(), i64);
          return success();
        });
    addConversion(
        [](tt::TensorDescType type,
           SmallVectorImpl<Type> &parts) -> std::optional<LogicalResult> {
          addTensorParts(type.getSignlessBlockType(), parts);
          parts.append(2, IntegerType::get(type.getContext(), 1));
          return success();
        });
  }

private:
  static void addTensorParts(RankedTensorType block,
                             SmallVectorImpl<Type> &parts) {
    parts.push_back(tt::PointerType::get(block.getElementType(), 1));
    Type i64 = IntegerType::get(block.getContext(), 64);
    parts.append(2 * block.getRank(), i64);
  }
};

/// Says of the arguments from `first` on what every descriptor that a launch
/// passes guarantees: addresses and distances of rows are multiples of what a
/// copy engine moves. A row's elements lie side by side: that stride becomes a
/// constant in `parts`, the values of the arguments.
void describeParts(tt::FuncOp function, unsigned first, RankedTensorType block,
                   MutableArrayRef<Value> parts) {
  constexpr int64_t kAlignment = 16;
  OpBuilder builder(function.getBody());
  auto divide = [&](unsigned part, int64_t by) {
    function.setArgAttr(first + part, "tt.divisibility",
                        builder.getI32IntegerAttr(by));
  };
  unsigned rank = block.getRank(), firstStride = 1 + rank;
  int64_t bytes =
      std::max<int64_t>(1, block.getElementTypeBitWidth() / CHAR_BIT);
  divide(0, kAlignment);
  for (unsigned d = 0; d + 1 < rank; ++d)
    divide(firstStride + d, std::max<int64_t>(1, kAlignment / bytes));
  Value &innermost = parts[firstStride + rank - 1];
  innermost = arith::ConstantOp::create(builder, innermost.getLoc(),
                                        builder.getI64IntegerAttr(1));
}

/// Replaces descriptor arguments of `function` by arguments for their parts.
void splitArguments(tt::FuncOp function, const TypeConverter &converter) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    BlockArgument argument = function.getArgument(i);
    if (converter.isLegal(argument.getType()))
      continue;
    SmallVector<Type> types;
    if (failed(converter.convertType(argument.getType(), types)))
      continue;
    for (auto [k, type] : llvm::enumerate(types))
      (void)function.insertArgument(i + 1 + k, type, {}, argument.getLoc());
    SmallVector<Value> parts(
        function.getArguments().slice(i + 1, types.size()));
    if (auto descriptor = dyn_cast<tt::TensorDescType>(argument.getType()))
      describeParts(function, i + 1, descriptor.getSignlessBlockType(), parts);
    OpBuilder builder(function.getBody());
    auto cast = UnrealizedConversionCastOp::create(builder, argument.getLoc(),
                                                   argument.getType(), parts);
    argument.replaceAllUsesWith(cast.getResult(0));
    (void)function.eraseArgument(i);
    i += types.size() - 1;
  }
}

struct TritonDescriptorsToStructured
    : triton_shared::impl::TritonDescriptorsToStructuredBase<
          TritonDescriptorsToStructured> {
  void runOnOperation() override {
    PartsConverter converter;
    for (auto function : getOperation().getOps<tt::FuncOp>())
      if (!function.isExternal())
        splitArguments(function, converter);

    RewritePatternSet patterns(&getContext());
    ConversionTarget target(getContext());
    populateBlockPointerPatterns(patterns, converter);
    populateDescriptorPatterns(patterns, converter);
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                         target);
    target.addLegalOp<UnrealizedConversionCastOp>();
    target.markUnknownOpDynamicallyLegal([&](Operation *op) {
      return isa<UnrealizedConversionCastOp>(op) || converter.isLegal(op);
    });
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      return signalPassFailure();
    reconcileCasts();
  }

private:
  /// Removes the casts between descriptor arguments and their parts.
  void reconcileCasts() {
    SmallVector<UnrealizedConversionCastOp> casts;
    getOperation().walk(
        [&](UnrealizedConversionCastOp cast) { casts.push_back(cast); });
    reconcileUnrealizedCasts(casts);
  }
};

} // namespace
