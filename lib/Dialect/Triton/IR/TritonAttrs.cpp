//===- TritonAttrs.cpp - The words of `tt` --------------------------------===//

#include "triton-shared/Dialect/Triton/IR/Triton.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
namespace tt = mlir::triton;

#include "triton-shared/Dialect/Triton/IR/TritonEnums.cpp.inc"

// GCC does not see that the generated parser checks its optionals.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#define GET_ATTRDEF_CLASSES
#include "triton-shared/Dialect/Triton/IR/TritonAttrs.cpp.inc"

void tt::TritonDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "triton-shared/Dialect/Triton/IR/TritonAttrs.cpp.inc"
      >();
}
