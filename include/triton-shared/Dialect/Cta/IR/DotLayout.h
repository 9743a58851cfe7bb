//===- DotLayout.h - How tensor cores hold matrices -------------*- C++ -*-===//
//
// An `mma.sync` instruction multiplies small matrices whose elements lie in
// fixed lanes and registers. A tile is cut into such matrices: the bits of its
// coordinates that the instruction knows come first, those of further matrices
// follow as warps and registers.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_DIALECT_CTA_IR_DOTLAYOUT_H
#define TRITON_SHARED_DIALECT_CTA_IR_DOTLAYOUT_H

#include "triton-shared/Dialect/Cta/IR/Cta.h"

namespace mlir::cta {

/// One matrix instruction. Source: PTX ISA, "Matrix multiply-accumulate
/// operation using mma instruction".
struct MmaInstruction {
  /// Rows and columns of the result, and the common dimension.
  unsigned m, n, k;
  /// Elements of an operand in one 32-bit register; 1 for f64, which fills two.
  unsigned perRegister;
  /// As PTX writes the types of the operands and the result.
  StringRef operandType, resultType;
};

/// The instruction that computes `dot`; nothing if the tensor cores of sm_80
/// and later do not have its types or it is smaller than they are.
std::optional<MmaInstruction> getMmaInstruction(DotOp dot);

/// The layout of the accumulator and result of `dot` on `numWarps` warps.
LinearLayout getDotLayout(DotOp dot, unsigned numWarps);

/// The layouts in which the instruction takes the operands of `dot`, for a
/// result in `getDotLayout`.
LinearLayout getLeftOperandLayout(DotOp dot, const MmaInstruction &mma);
LinearLayout getRightOperandLayout(DotOp dot, const MmaInstruction &mma);

/// The instruction that computes `dot`, if its operands lie where it takes
/// them.
std::optional<MmaInstruction> getReadyInstruction(DotOp dot);

} // namespace mlir::cta

#endif // TRITON_SHARED_DIALECT_CTA_IR_DOTLAYOUT_H
