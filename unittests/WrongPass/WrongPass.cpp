//===- WrongPass.cpp - A plugin with a pass that is wrong -----------------===//
//
// For the tests of triton_shared.bisect, which has to find it.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Config/llvm-config.h"

using namespace mlir;

namespace {

/// x * y  ->  x + y
struct WrongMultiplications
    : PassWrapper<WrongMultiplications, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(WrongMultiplications)

  StringRef getArgument() const override { return "wrong-multiplications"; }
  StringRef getDescription() const override {
    return "Replace multiplications of floats by additions";
  }

  void runOnOperation() override {
    getOperation()->walk([](arith::MulFOp op) {
      OpBuilder builder(op);
      op.replaceAllUsesWith(
          arith::AddFOp::create(builder, op.getLoc(), op.getLhs(), op.getRhs())
              .getResult());
      op.erase();
    });
  }
};

} // namespace

extern "C" PassPluginLibraryInfo LLVM_ATTRIBUTE_WEAK mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "WrongPass", LLVM_VERSION_STRING,
          [] { PassRegistration<WrongMultiplications>(); }};
}
