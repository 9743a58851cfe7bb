//===- TritonInlineCalls.cpp - Every call becomes the code it calls -------===//
//
// A kernel is one function in the end: library functions of the language and
// functions that asked for `noinline` are copied into their callers.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/SymbolTable.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"
#include "triton-shared/Transforms/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_TRITONINLINECALLS
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
namespace tt = mlir::triton;

/// Marks everything in `op` as called from `caller`.
static void setCallSite(Operation *op, Location caller) {
  op->walk([&](Operation *inner) {
    inner->setLoc(CallSiteLoc::get(inner->getLoc(), caller));
  });
}

/// Puts a copy of the callee's body in the place of the call.
static void inlineCall(tt::CallOp call, tt::FuncOp callee) {
  OpBuilder builder(call);
  IRMapping mapping;
  Block &body = callee.getBody().front();
  mapping.map(body.getArguments(), call.getOperands());
  for (Operation &op : body.without_terminator())
    setCallSite(builder.clone(op, mapping), call.getLoc());
  for (auto [result, value] :
       llvm::zip_equal(call.getResults(), body.getTerminator()->getOperands()))
    result.replaceAllUsesWith(mapping.lookupOrDefault(value));
  call.erase();
}

namespace {

struct TritonInlineCalls
    : triton_shared::impl::TritonInlineCallsBase<TritonInlineCalls> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    finished.clear();
    for (auto function : getOperation().getOps<tt::FuncOp>())
      if (failed(inlineInto(function, symbols)))
        return signalPassFailure();

    for (auto function :
         llvm::make_early_inc_range(getOperation().getOps<tt::FuncOp>()))
      if (function.isPrivate())
        function.erase();
  }

private:
  /// Inlines all calls in `function`, after those in its callees.
  LogicalResult inlineInto(tt::FuncOp function, SymbolTable &symbols) {
    if (finished.contains(function))
      return success();
    callers.insert(function);
    SmallVector<tt::CallOp> calls;
    function.walk([&](tt::CallOp call) { calls.push_back(call); });
    for (tt::CallOp call : calls) {
      auto callee = symbols.lookup<tt::FuncOp>(call.getCallee());
      if (failed(checkCall(call, callee)) ||
          failed(inlineInto(callee, symbols)))
        return failure();
      inlineCall(call, callee);
    }
    callers.remove(function);
    finished.insert(function);
    return success();
  }

  LogicalResult checkCall(tt::CallOp call, tt::FuncOp callee) {
    if (callers.contains(callee)) {
      InFlightDiagnostic diagnostic = call.emitOpError()
                                      << "calls '" << callee.getName()
                                      << "', which calls itself";
      diagnostic.attachNote(callee.getLoc()) << "the function is here";
      diagnostic.attachNote(call.getLoc())
          << "a kernel can not recurse; write the recursion as a loop";
      return diagnostic;
    }
    if (callee.isExternal()) {
      InFlightDiagnostic diagnostic = call.emitOpError()
                                      << "calls '" << callee.getName()
                                      << "', which has no body";
      diagnostic.attachNote(callee.getLoc())
          << "the function is declared here, and its code is elsewhere";
      diagnostic.attachNote(call.getLoc())
          << "write the function with @triton.jit in the same module, or call "
             "one of libdevice";
      return diagnostic;
    }
    if (callee.getBody().hasOneBlock())
      return success();
    InFlightDiagnostic diagnostic = call.emitOpError()
                                    << "calls '" << callee.getName()
                                    << "', which has branches";
    diagnostic.attachNote(callee.getLoc()) << "the function is here";
    diagnostic.attachNote(call.getLoc())
        << "run triton-structure-control-flow first";
    return diagnostic;
  }

  llvm::SetVector<Operation *> callers; ///< From the kernel to the function.
  DenseSet<Operation *> finished;       ///< Functions without calls.
};

} // namespace
