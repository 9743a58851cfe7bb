//===- Unsupported.cpp - What the pass cannot lower -----------------------===//
//
// Every op that stays behind is an error at its place in the kernel, which says
// why and what to write instead.
//
//===----------------------------------------------------------------------===//

#include "Unsupported.h"

#include "Libdevice/LibraryFunctions.h"
#include "Ptx/InlineAssembly.h"
#include "mlir/IR/TypeUtilities.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

//===----------------------------------------------------------------------===//
// Before the conversion
//===----------------------------------------------------------------------===//

/// The pass that should have removed `op`, if there is one.
static StringRef findMissingPass(Operation *op) {
  auto holds = [&](auto isType) {
    auto isElement = [&](Type type) {
      return isType(getElementTypeOrSelf(type));
    };
    return llvm::any_of(op->getOperandTypes(), isElement) ||
           llvm::any_of(op->getResultTypes(), isElement);
  };
  if (isa<tt::CallOp>(op))
    return "triton-inline-calls";
  if (holds([](Type type) { return isa<tt::TensorDescType>(type); }))
    return "triton-descriptors-to-structured";
  if (isa<tt::LoadOp, tt::StoreOp, tt::AddPtrOp, tt::IntToPtrOp, tt::PtrToIntOp,
          tt::AtomicRMWOp, tt::AtomicCASOp>(op))
    return "triton-pointers-to-structured";
  return "";
}

static LogicalResult reportWrongPhase(Operation *op) {
  StringRef pass = findMissingPass(op);
  if (pass.empty())
    return success();
  InFlightDiagnostic error =
      op->emitOpError("is not expected in phase 'structured'");
  error.attachNote() << "run --" << pass << " first";
  return error;
}

static LogicalResult reportInlineAssembly(tt::ElementwiseInlineAsmOp op,
                                          bool keepsAssembly) {
  std::optional<assembly::Refusal> refusal = findUnportable(op, keepsAssembly);
  if (!refusal)
    return success();
  InFlightDiagnostic error = op.emitOpError(
      "holds assembly that has a meaning on one kind of GPU only");
  error.attachNote() << "\"" << refusal->culprit << "\" " << refusal->reason;
  error.attachNote() << "write it with operations of triton.language, or call "
                        "a function of libdevice";
  return error;
}

static bool haveElements(TypeRange types, TypeRange elements) {
  return llvm::equal(types, elements, [](Type type, Type element) {
    return getElementTypeOrSelf(type) == element;
  });
}

static LogicalResult reportUnknownFunction(tt::ExternElementwiseOp op) {
  FunctionType type = findLibrarySignature(op.getSymbol(), op.getContext());
  if (type && findLibraryFunction(op.getSymbol())) {
    if (haveElements(op->getOperandTypes(), type.getInputs()) &&
        haveElements(op->getResultTypes(), type.getResults()))
      return success();
    InFlightDiagnostic error = op.emitOpError("calls \"")
                               << op.getSymbol() << "\" with other types";
    error.attachNote() << "in libdevice it is " << type;
    error.attachNote() << "convert the operands with `.to(...)`, or call the "
                          "function of triton.language.extra.libdevice, which "
                          "chooses by type";
    return error;
  }
  InFlightDiagnostic error = op.emitOpError("calls \"")
                             << op.getSymbol()
                             << "\", which has no portable meaning";
  error.attachNote() << "known are the functions of libdevice that "
                        "docs/supported-ops.md lists";
  error.attachNote() << "write it with operations of triton.language, or with "
                        "a libdevice function that is known";
  return error;
}

LogicalResult triton_shared::reportUnsupported(Operation *root,
                                               bool keepsAssembly) {
  LogicalResult result = success();
  root->walk([&](Operation *op) {
    LogicalResult supported =
        llvm::TypeSwitch<Operation *, LogicalResult>(op)
            .Case<tt::ElementwiseInlineAsmOp>(
                [&](tt::ElementwiseInlineAsmOp assembly) {
                  return reportInlineAssembly(assembly, keepsAssembly);
                })
            .Case<tt::ExternElementwiseOp>(reportUnknownFunction)
            .Default(reportWrongPhase);
    if (failed(supported))
      result = failure();
  });
  return result;
}

//===----------------------------------------------------------------------===//
// After the conversion
//===----------------------------------------------------------------------===//

static bool isLeftover(Operation *op) {
  StringRef dialect = op->getName().getDialectNamespace();
  return dialect == "tt" || dialect == "ttg";
}

LogicalResult
triton_shared::reportLeftovers(Operation *root,
                               function_ref<bool(Operation *)> isKept) {
  LogicalResult result = success();
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isLeftover(op) || isKept(op))
      return WalkResult::advance();
    result = failure();
    InFlightDiagnostic error = op->emitOpError("has no lowering to linalg");
    error.attachNote() << "its operands and attributes are a combination that "
                          "is not supported, see docs/supported-ops.md";
    error.attachNote() << "compute the value with other operations of "
                          "triton.language";
    // The body of a reported op is part of it.
    return WalkResult::skip();
  });
  return result;
}
