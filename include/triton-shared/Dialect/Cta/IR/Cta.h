//===- Cta.h - Tiles spread over the threads of a CTA -----------*- C++ -*-===//

#ifndef TRITON_SHARED_DIALECT_CTA_IR_CTA_H
#define TRITON_SHARED_DIALECT_CTA_IR_CTA_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "triton-shared/Dialect/Cta/IR/TileRelations.h"
#include "triton-shared/Layout/LinearLayout.h"
#include "triton-shared/Layout/SharedLayout.h"
#include "triton-shared/Target/GpuTarget.h"

#include "triton-shared/Dialect/Cta/IR/CtaDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "triton-shared/Dialect/Cta/IR/CtaAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "triton-shared/Dialect/Cta/IR/CtaTypes.h.inc"

#include "triton-shared/Dialect/Cta/IR/CtaOpInterface.h.inc"
#define GET_OP_CLASSES
#include "triton-shared/Dialect/Cta/IR/CtaOps.h.inc"

namespace mlir::cta {

/// The layout of a tile; null if it has none yet.
inline LayoutAttr getLayoutAttr(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile ? dyn_cast_or_null<LayoutAttr>(tile.getEncoding()) : nullptr;
}

/// The layout of a tile that has one.
inline LinearLayout getLayout(Type type) {
  return getLayoutAttr(type).getLayout();
}

/// `type` with `layout`, or with none if it is not a tile.
inline Type withLayout(Type type, const LinearLayout &layout) {
  auto tile = dyn_cast<RankedTensorType>(type);
  if (!tile)
    return type;
  return RankedTensorType::get(tile.getShape(), tile.getElementType(),
                               LayoutAttr::get(type.getContext(), layout));
}

/// The type of a value that is a tile.
inline RankedTensorType getTile(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// The bytes that one element of `type`, a tile or a number, takes in memory.
int64_t getElementBytes(Type type);
/// The bytes that all elements of `tile` take.
int64_t getTileBytes(RankedTensorType tile);
/// The bytes that a thread holds of `tile`, in registers.
int64_t getThreadBytes(RankedTensorType tile);

/// The buffer that `buffer` is, or shows in another order.
Value getWholeBuffer(Value buffer);

/// Attribute of the function: the GPU it is made for.
inline constexpr llvm::StringLiteral kTarget = "cta.target";
/// Attribute of the function: how many warps run a program.
inline constexpr llvm::StringLiteral kNumWarps = "cta.num_warps";
/// Attribute of the function: how many warps copy for those of a program,
/// beside them.
inline constexpr llvm::StringLiteral kProducerWarps = "cta.producer_warps";
/// Attribute of what chooses the number that powers of a softmax are relative
/// to, and of the power of the difference to the number before.
inline constexpr llvm::StringLiteral kRelative = "cta.relative";
/// Attribute of a store by the copy engine: it is done in parts, one after the
/// other.
inline constexpr llvm::StringLiteral kInParts = "cta.in_parts";
/// Attribute of a branch: where its condition is true, its first part does the
/// same as its second one, in a better way.
inline constexpr llvm::StringLiteral kGuard = "cta.guard";
/// Attribute of the function: tensor maps that its author does not ask for must
/// be there.
inline constexpr llvm::StringLiteral kAssumesMaps = "cta.assumes_maps";
/// Attribute of a function that assumes maps: a map from what it is launched
/// with, the parameters that its author wrote and the sizes of the grid, to how
/// far its boxes may begin, all of it from 0 and below 2^30.
inline constexpr llvm::StringLiteral kLaunchBounds = "cta.launch_bounds";
/// Attribute of the function: how many programs share a block, one warp each.
inline constexpr llvm::StringLiteral kPrograms = "cta.programs";
/// Attribute of the function: how many bytes of shared memory it uses.
inline constexpr llvm::StringLiteral kShared = "cta.shared";
/// Attribute of an operation: where its part of shared memory begins, in bytes.
inline constexpr llvm::StringLiteral kSharedOffset = "cta.shared_offset";
/// Attribute of a conversion: the tile goes through that part in two rounds, or
/// in 2^n.
inline constexpr llvm::StringLiteral kRounds = "cta.rounds";
/// Attribute of an operation: threads wait for each other before they write to
/// that part.
inline constexpr llvm::StringLiteral kSharedBarrier = "cta.shared_barrier";

/// The GPU that `function` is made for; the oldest if it does not say.
triton_shared::GpuTarget getTarget(Operation *function);
/// How many warps run a program of `function`; nothing if it has no tiles.
std::optional<int64_t> getNumWarps(Operation *function);
/// How many warps copy for those of a program of `function`.
int64_t getNumProducerWarps(Operation *function);
/// How many registers threads have after those that copy have left theirs to
/// those that compute.
struct RegisterShares {
  int64_t producer, consumer;
};
/// The shares in a program of `function`; nothing if no group of four warps
/// copies, which is what can leave registers.
std::optional<RegisterShares> getRegisterShares(Operation *function);
/// How many threads run a program of `function`, which has tiles, with those
/// that copy for it.
int64_t getNumThreads(Operation *function);
/// How many programs share a block of `function`.
int64_t getNumPrograms(Operation *function);

} // namespace mlir::cta

#endif // TRITON_SHARED_DIALECT_CTA_IR_CTA_H
