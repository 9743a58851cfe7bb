//===- InlinePtx.h - Instructions written as assembly -----------*- C++ -*-===//

#ifndef TRITON_SHARED_TRANSFORMS_INLINEPTX_H
#define TRITON_SHARED_TRANSFORMS_INLINEPTX_H

#include "mlir/IR/Builders.h"

#include <string>

namespace mlir::triton_shared {

/// Whether an instruction may be dropped, merged and moved.
enum class PtxEffects { None, Memory };

/// Inserts PTX; the placeholders `$0`, `$1`, … of `text` are the results, then
/// the operands, in the registers that LLVM's `constraints` name. Gives one
/// value per result.
SmallVector<Value> createPtx(OpBuilder &builder, Location loc,
                             TypeRange results, ValueRange operands,
                             StringRef text, StringRef constraints,
                             PtxEffects effects);

/// How LLVM gives the results of one instruction: nothing, the one that there
/// is, or all of them in a struct.
Type packResultTypes(MLIRContext *context, TypeRange results);
/// The `count` results of an instruction of that type, one by one.
SmallVector<Value> unpackResults(OpBuilder &builder, Location loc, Value packed,
                                 unsigned count);

/// `{$first, $first+1, …}`: `count` placeholders as one operand of PTX.
std::string listPlaceholders(unsigned first, unsigned count);

/// `count` times `,constraint`.
std::string repeatConstraint(StringRef constraint, unsigned count);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_TRANSFORMS_INLINEPTX_H
