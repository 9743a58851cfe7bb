//===- BundledTriton.h - The bundled `tt` dialect ---------------*- C++ -*-===//
//
// Included through Triton.h only.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_DIALECT_TRITON_IR_BUNDLEDTRITON_H
#define TRITON_SHARED_DIALECT_TRITON_IR_BUNDLEDTRITON_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/CastInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <atomic>
#include <optional>

#include "triton-shared/Dialect/Triton/IR/TritonEnums.h.inc"
#include "triton-shared/Dialect/Triton/IR/TritonGPUEnums.h.inc"

namespace mlir::triton {

/// The two spellings of the dialect's text. Parsers take both.
enum class TextVintage {
  Before38, ///< Triton 3.5 to 3.7.
  From38,   ///< Triton 3.8 and 3.9.
};

/// Has the dialect print one spelling in every context made from `registry`.
void requestTextVintage(DialectRegistry &registry, TextVintage vintage);

/// Memory that programs share. An operation with an effect on it keeps its
/// place among the others.
struct GlobalMemory : SideEffects::Resource::Base<GlobalMemory> {
  StringRef getName() final { return "<tt.global>"; }
};

} // namespace mlir::triton

#include "triton-shared/Dialect/Triton/IR/TritonDialect.h.inc"
#include "triton-shared/Dialect/Triton/IR/TritonGPUDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "triton-shared/Dialect/Triton/IR/TritonAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "triton-shared/Dialect/Triton/IR/TritonTypes.h.inc"

namespace mlir::triton {

/// What is at the address: `f32` of `!tt.ptr<f32>`, `tensor<4xf32>` of
/// `tensor<4x!tt.ptr<f32>>`. A type without pointers is returned as it is.
Type getPointeeType(Type type);

/// An i1 for each element of what is at the address.
Type getMaskType(Type type);

/// `!tt.ptr<f16>` of `!tt.ptr<tensor<64x32xf16>>`.
Type getElementPointerType(Type type);

/// True for a pointer to a block.
bool isTensorPointerType(Type type);

} // namespace mlir::triton

#define GET_OP_CLASSES
#include "triton-shared/Dialect/Triton/IR/TritonOps.h.inc"

#define GET_OP_CLASSES
#include "triton-shared/Dialect/Triton/IR/TritonGPUOps.h.inc"

#endif // TRITON_SHARED_DIALECT_TRITON_IR_BUNDLEDTRITON_H
