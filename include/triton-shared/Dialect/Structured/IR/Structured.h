//===- Structured.h - Memory accesses as data -------------------*- C++ -*-===//

#ifndef TRITON_SHARED_DIALECT_STRUCTURED_IR_STRUCTURED_H
#define TRITON_SHARED_DIALECT_STRUCTURED_IR_STRUCTURED_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace mlir::tts {

/// How one dimension of a block lies in memory and which part of it counts.
struct DimensionAccess {
  /// Elements between neighbours: an i64 attribute or value.
  OpFoldResult stride;
  /// Wrapped dimension: index `i` means `(wrapStart + i) mod wrapSize`; both
  /// i64, `wrapSize` positive and `wrapStart` not negative.
  Value wrapStart = nullptr, wrapSize = nullptr;
  /// Gathered dimension: index `i` means `indices[i]`; a 1-D tensor of i64.
  Value indices = nullptr;
  /// Bounded dimension: only `low <= i < high` takes part; both i64, in any
  /// relation to 0, to the block's size and to each other.
  Value low = nullptr, high = nullptr;

  bool isWrapped() const { return static_cast<bool>(wrapSize); }
  bool isGathered() const { return static_cast<bool>(indices); }
  bool isBounded() const { return static_cast<bool>(high); }

  bool operator==(const DimensionAccess &other) const {
    return stride == other.stride && wrapStart == other.wrapStart &&
           wrapSize == other.wrapSize && indices == other.indices &&
           low == other.low && high == other.high;
  }
};

/// A number that a launch knows.
struct LaunchNumber {
  static LaunchNumber constant(int64_t value) { return {false, value}; }
  /// That of the written parameter `index`.
  static LaunchNumber argument(unsigned index) { return {true, index}; }

  bool isArgument;
  int64_t value;

  bool operator==(const LaunchNumber &other) const {
    return isArgument == other.isArgument && value == other.value;
  }
};

inline llvm::hash_code hash_value(const LaunchNumber &number) {
  return llvm::hash_combine(number.isArgument, number.value);
}

/// A discardable attribute of an argument, or of an operation with one result:
/// the accesses of the function rely on it that the number is not negative.
inline constexpr llvm::StringLiteral kSizeMark = "tts.size";
/// On an access: it goes through a tensor descriptor. Base and strides but that
/// of neighbours are then multiples of 16 bytes, as Triton asks of those.
inline constexpr llvm::StringLiteral kThroughDescriptor =
    "tts.through_descriptor";
/// On an access of a box: launches see to it that base and strides but that of
/// neighbours are multiples of 16 bytes, and the program asks if they were.
inline constexpr llvm::StringLiteral kMapIsChecked = "tts.map_is_checked";
/// Attribute of an assertion that the compiler added, and no user wrote.
inline constexpr llvm::StringLiteral kOwnCheck = "tts.own_check";

/// Attribute of a matrix product: how f32 operands may be rounded, in the words
/// of `tt.dot`.
inline constexpr llvm::StringLiteral kInputPrecision = "tts.input_precision";

/// Attribute of a product of 8-bit floats: how many products along K may be
/// added up with fewer bits than f32 has, if any (`max_num_imprecise_acc`).
inline constexpr llvm::StringLiteral kMaxNumImpreciseAcc =
    "tts.max_num_imprecise_acc";

/// Attribute of a product in f32 whose accumulator was and whose result becomes
/// f16: tensor cores may add up in f16.
inline constexpr llvm::StringLiteral kAddsInHalf = "tts.adds_in_half";

/// On a matrix product for a CPU that is computed bit by bit as on a GPU: which
/// instruction that is, and how it adds up (`linalg-mark-gpu-products`).
inline constexpr llvm::StringLiteral kGpuProduct = "tts.gpu_product";
/// Which product of a function it is, while a copy goes the way to a GPU.
inline constexpr llvm::StringLiteral kProductNumber = "tts.product_number";

/// On a product of f32, the format that its operands are exact in: `bf16` or
/// `tf32`. Only numbers near the smallest of f32 may lose bits.
inline constexpr llvm::StringLiteral kExactIn = "tts.exact_in";

/// On a `linalg.generic` that does nothing but decode floats of 4 bits: the
/// loop, of size 2, along which the two of each byte lie.
inline constexpr llvm::StringLiteral kUnpacksE2M1 = "tts.unpacks_e2m1";

/// Attribute of an operation that must be right to the last bit also where
/// others of its kind need not.
inline constexpr llvm::StringLiteral kIsPrecise = "tts.precise";

/// Attribute of an operation on f32 that PTX asks for as an approximation: a
/// GPU takes its own instruction.
inline constexpr llvm::StringLiteral kIsApproximate = "tts.approximate";

/// True for what an access may start from: a pointer to a scalar, or a memref
/// of unknown rank.
bool isAccessBase(Type type);

/// True for what has an address: a base, or a pointer to a pointer.
bool isAddressable(Type type);

/// The type of the elements in memory at `base`.
Type getAccessElementType(Type base);

/// What `tts.read_machine` reads: it changes by itself, and is no memory.
struct MachineState : SideEffects::Resource::Base<MachineState> {
  StringRef getName() final { return "MachineState"; }
};

} // namespace mlir::tts

#include "triton-shared/Dialect/Structured/IR/StructuredDialect.h.inc"
#include "triton-shared/Dialect/Structured/IR/StructuredEnums.h.inc"
namespace mlir::tts {

/// The bits of a register.
unsigned getWidth(MachineRegister name);

/// True for what differs from thread to thread of a program.
bool isOfThread(MachineRegister name);

} // namespace mlir::tts

#define GET_ATTRDEF_CLASSES
#include "triton-shared/Dialect/Structured/IR/StructuredAttrs.h.inc"

#include "triton-shared/Dialect/Structured/IR/AccessOpInterface.h.inc"
#define GET_OP_CLASSES
#include "triton-shared/Dialect/Structured/IR/StructuredOps.h.inc"

#endif // TRITON_SHARED_DIALECT_STRUCTURED_IR_STRUCTURED_H
