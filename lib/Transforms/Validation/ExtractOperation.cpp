//===- ExtractOperation.cpp - A kernel of one operation -------------------===//

#include "ProbePoints.h"
#include "RowMajorBlock.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "triton-shared/Transforms/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_TRITONEXTRACTOPERATION
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

/// Why `op` cannot stand alone; empty if it can.
static StringRef findObstacle(Operation *op) {
  auto isPointer = [](Value operand) {
    return isa<tt::PointerType, tt::TensorDescType>(
        getElementTypeOrSelf(operand.getType()));
  };
  if (llvm::any_of(op->getOperands(), isPointer))
    return "has a pointer for an operand";
  if (!isMemoryEffectFree(op))
    return "accesses memory";
  return "";
}

/// A pointer to the elements of a value of type `type`.
static Type getMemoryType(Type type) {
  return tt::PointerType::get(getElementTypeOrSelf(type), 1);
}

namespace {

struct TritonExtractOperation
    : triton_shared::impl::TritonExtractOperationBase<TritonExtractOperation> {
  using TritonExtractOperationBase::TritonExtractOperationBase;

  void runOnOperation() override {
    tt::FuncOp kernel = findTritonKernel(getOperation());
    if (!kernel)
      return signalPassFailure();
    ProbePoints points(kernel);
    auto result = dyn_cast_if_present<OpResult>(findValue(points));
    if (!result)
      return signalPassFailure();
    StringRef obstacle = findObstacle(result.getOwner());
    if (!obstacle.empty()) {
      InFlightDiagnostic error = result.getOwner()->emitOpError()
                                 << obstacle << ", so it cannot be extracted";
      error.attachNote() << "what is extracted runs alone, on given operands";
      error.attachNote() << "extract an operation that comes before or after";
      return signalPassFailure();
    }
    makeKernel(result, kernel);
    for (auto function :
         llvm::make_early_inc_range(getOperation().getOps<tt::FuncOp>()))
      if (function.getName() != "operation")
        function.erase();
  }

private:
  Value findValue(const ProbePoints &points) {
    ArrayRef<Value> values = points.getValues();
    if (number < 0 || static_cast<size_t>(number) >= values.size()) {
      InFlightDiagnostic error = getOperation().emitError()
                                 << "there is no value " << number.getValue()
                                 << "; the kernel has " << values.size();
      error.attachNote() << "values count from 0, in the order of the program";
      error.attachNote() << "triton-probe-values lists them";
      return nullptr;
    }
    Value value = values[number];
    if (!value.getDefiningOp() ||
        isa<RegionBranchOpInterface>(value.getDefiningOp())) {
      InFlightDiagnostic error = emitError(value.getLoc())
                                 << "value " << number.getValue()
                                 << " is carried, not computed, so it cannot "
                                    "be extracted";
      error.attachNote() << "a loop or a branch hands it on";
      error.attachNote() << "extract what computes the value that it hands on";
      return nullptr;
    }
    return value;
  }

  void makeKernel(OpResult result, tt::FuncOp kernel) {
    Operation *op = result.getOwner();
    Location loc = op->getLoc();
    SetVector<Value> operands, constants;
    for (Value operand : op->getOperands())
      (matchPattern(operand, m_Constant()) ? constants : operands)
          .insert(operand);

    SmallVector<Type> types = {getMemoryType(result.getType())};
    for (Value operand : operands)
      types.push_back(getMemoryType(operand.getType()));
    OpBuilder builder(kernel);
    auto made = tt::FuncOp::create(builder, loc, "operation",
                                   builder.getFunctionType(types, {}));
    made.setPublic();
    Block *body = made.addEntryBlock();
    builder.setInsertionPointToStart(body);

    IRMapping mapping;
    for (Value constant : constants)
      builder.clone(*constant.getDefiningOp(), mapping);
    for (auto [index, operand] : llvm::enumerate(operands)) {
      Value pointers = makeRowMajorPointers(
          builder, loc, body->getArgument(index + 1), operand.getType());
      mapping.map(operand, tt::LoadOp::create(builder, loc, pointers));
    }
    Value computed =
        builder.clone(*op, mapping)->getResult(result.getResultNumber());
    Value pointers = makeRowMajorPointers(builder, loc, body->getArgument(0),
                                          computed.getType());
    tt::StoreOp::create(builder, loc, pointers, computed);
    tt::ReturnOp::create(builder, loc);
  }
};

} // namespace
