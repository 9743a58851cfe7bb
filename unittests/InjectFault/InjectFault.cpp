//===- InjectFault.cpp - A plugin with faults of a compiler ---------------===//
//
// For the tests of `triton_shared.diff --locate`, which has to find them. A
// pass marks one operation of a kernel, another one makes it wrong: between
// them the kernel is probed, and probes are no operation of the kernel.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Config/llvm-config.h"

using namespace mlir;

static constexpr StringLiteral mark = "tt.fault";

namespace {

struct MarkFault : PassWrapper<MarkFault, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MarkFault)
  MarkFault() = default;
  MarkFault(const MarkFault &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "mark-fault"; }
  StringRef getDescription() const override { return "Mark an operation"; }

  void runOnOperation() override {
    int64_t left = nth;
    getOperation()->walk([&](Operation *op) {
      if (op->getName().getStringRef() == name.getValue() && left-- == 0)
        op->setAttr(mark, UnitAttr::get(&getContext()));
    });
    if (left >= 0) {
      getOperation()->emitError("there is no such operation");
      signalPassFailure();
    }
  }

  Option<std::string> name{*this, "op", llvm::cl::desc("its name")};
  Option<int64_t> nth{*this, "nth", llvm::cl::desc("which one, from 0"),
                      llvm::cl::init(0)};
};

struct InjectFault : PassWrapper<InjectFault, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(InjectFault)
  InjectFault() = default;
  InjectFault(const InjectFault &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "inject-fault"; }
  StringRef getDescription() const override {
    return "Make the marked operation wrong";
  }

  void runOnOperation() override {
    getOperation()->walk([&](Operation *op) {
      if (!op->hasAttr(mark))
        return;
      op->removeAttr(mark);
      inject(op);
    });
  }

private:
  void inject(Operation *op) {
    // One that goes where probes count their entries.
    bool isShy = kind == "shy-swap";
    if (kind == "swap-operands" || (isShy && countProbes() == 0)) {
      Value first = op->getOperand(0);
      op->setOperand(0, op->getOperand(1));
      op->setOperand(1, first);
    } else if (kind == "drop-mask") {
      // A mask is a block of i1 that is true then.
      for (OpOperand &operand : op->getOpOperands())
        if (getElementTypeOrSelf(operand.get().getType()).isInteger(1))
          operand.set(makeConstant(op, operand.get().getType(), 1));
    } else if (kind == "off-by-one") {
      replaceBy<arith::AddIOp>(op, 1);
    } else if (kind == "wrong-round") {
      // As if it had been rounded to half of the bits of f32.
      replaceBy<arith::MulFOp>(op, 1.0 + 0x1.0p-14);
    } else if (kind == "toward-zero") {
      cast<arith::TruncFOp>(op).setRoundingmode(
          arith::RoundingMode::toward_zero);
    } else if (kind == "drop-last") {
      // The accumulator of a product, the right operand of a sum.
      unsigned last = op->getNumOperands() - 1;
      op->setOperand(last, makeConstant(op, op->getOperand(last).getType(), 0));
    }
  }

  int countProbes() {
    int count = 0;
    getOperation()->walk([&](Operation *op) {
      count += op->getName().getStringRef() == "tt.atomic_rmw";
    });
    return count;
  }

  static Value makeConstant(Operation *op, Type type, double number) {
    OpBuilder builder(op);
    Type element = getElementTypeOrSelf(type);
    TypedAttr value = isa<FloatType>(element)
                          ? TypedAttr(builder.getFloatAttr(element, number))
                          : builder.getIntegerAttr(element, int64_t(number));
    if (auto block = dyn_cast<RankedTensorType>(type))
      value = DenseElementsAttr::get(block, Attribute(value));
    return arith::ConstantOp::create(builder, op->getLoc(), value);
  }

  /// Puts `f(result, number)` in the place of the first result.
  template <typename Op> void replaceBy(Operation *op, double number) {
    OpBuilder builder(op);
    builder.setInsertionPointAfter(op);
    Value result = op->getResult(0);
    Value constant = makeConstant(op, result.getType(), number);
    Value wrong = Op::create(builder, op->getLoc(), result, constant);
    result.replaceAllUsesExcept(wrong, wrong.getDefiningOp());
  }

  Option<std::string> kind{*this, "kind", llvm::cl::desc("what is wrong")};
};

} // namespace

extern "C" PassPluginLibraryInfo LLVM_ATTRIBUTE_WEAK mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "InjectFault", LLVM_VERSION_STRING, [] {
            PassRegistration<MarkFault>();
            PassRegistration<InjectFault>();
          }};
}
