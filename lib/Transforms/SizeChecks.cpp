//===- SizeChecks.cpp - Numbers that were taken for sizes are checked -----===//
//
// `structured-recover-accesses` marks the numbers that it took for sizes (see
// AssumedSizes.h). A negative one would lead to wrong addresses,
// so it ends the launch instead.
//
//===----------------------------------------------------------------------===//

#include "triton-shared/Transforms/SizeChecks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"

using namespace mlir;
using namespace mlir::triton_shared;

static void checkSize(OpBuilder &builder, Value size,
                      BuildSizeCheck buildCheck) {
  Location loc = size.getLoc();
  Value zero = arith::ConstantOp::create(builder, loc,
                                         builder.getZeroAttr(size.getType()));
  Value holds = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                                      size, zero);
  buildCheck(builder, loc, holds,
             "an index is divided by a negative number, which is "
             "supported only where it does not form addresses");
}

void triton_shared::checkMarkedSizes(Operation *root,
                                     BuildSizeCheck buildCheck) {
  OpBuilder builder(root->getContext());
  root->walk([&](FunctionOpInterface function) {
    if (function.isExternal())
      return;
    for (BlockArgument argument : function.getArguments())
      if (function.removeArgAttr(argument.getArgNumber(), tts::kSizeMark)) {
        builder.setInsertionPointToStart(&function.front());
        checkSize(builder, argument, buildCheck);
      }
    function->walk([&](Operation *op) {
      if (op->removeDiscardableAttr(tts::kSizeMark)) {
        builder.setInsertionPointAfter(op);
        checkSize(builder, op->getResult(0), buildCheck);
      }
    });
  });
}

void triton_shared::checkMarkedSizes(Operation *root) {
  checkMarkedSizes(root, [](OpBuilder &builder, Location loc, Value holds,
                            StringRef message) {
    auto check = tts::AssertOp::create(builder, loc, holds, message);
    check->setAttr(tts::kOwnCheck, builder.getUnitAttr());
  });
}
