//===- KernelSignature.h - Written and hidden parameters --------*- C++ -*-===//
//
// Behind the parameters that a kernel's author has written stand hidden ones,
// which the launch fills in: the grid, the place of the program in it, scratch
// memory. Each is named by an attribute of its argument,
//
//   func.func @k(%x: memref<*xf32>, %g: i32 {tts.parameter = "grid.x"}, ...)
//
// and found by that name, never by its position. What else must be known of one
// (of scratch memory, its size) stands beside the name in attributes of the
// dialect. The function that a launch calls, `<kernel>.entry` on a CPU and the
// kernel itself on a GPU, is read into the metadata of the kernel, and
// launchers follow that list.
//
// The documented output of --triton-to-linalg, phase `memref`, is of upstream's
// dialects alone and has no such names: there a `func.func` ends with six i32,
// the sizes of the grid along x, y and z, then the program's place in it. So do
// functions that somebody else has written for the phases around it. Nobody but
// this class knows that order.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_DIALECT_STRUCTURED_IR_KERNELSIGNATURE_H
#define TRITON_SHARED_DIALECT_STRUCTURED_IR_KERNELSIGNATURE_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"

namespace mlir::tts {

/// On an argument: a word of `ParameterKind`.
inline constexpr llvm::StringLiteral kParameter = "tts.parameter";
/// Beside `scratch`: the size of the memory.
inline constexpr llvm::StringLiteral kBytes = "tts.bytes";
/// Beside `tensor_map`: what it is made of, a `TensorMapAttr`.
inline constexpr llvm::StringLiteral kTensorMap = "tts.tensor_map";

/// How a tensor map is passed, by value.
inline constexpr unsigned kTensorMapBytes = 128, kTensorMapAlignment = 64;

/// Sizes of the grid along x, y and z.
inline constexpr ParameterKind kGridSizes[] = {
    ParameterKind::GridX, ParameterKind::GridY, ParameterKind::GridZ};

/// The place of the program in the grid.
inline constexpr ParameterKind kProgramIds[] = {
    ParameterKind::ProgramX, ParameterKind::ProgramY, ParameterKind::ProgramZ};

/// What a function of phase `linalg` or `memref` ends with, in order.
inline constexpr ParameterKind kGridAndProgram[] = {
    ParameterKind::GridX,    ParameterKind::GridY,    ParameterKind::GridZ,
    ParameterKind::ProgramX, ParameterKind::ProgramY, ParameterKind::ProgramZ};

/// A parameter that no kernel's author has written.
struct HiddenParameter {
  ParameterKind kind;
  /// How it is passed, in bytes.
  unsigned bytes, alignment;
  /// Of a tensor map; else null.
  TensorMapAttr map;
};

/// The parameters of a function: first the written ones, then the hidden ones.
class KernelSignature {
public:
  explicit KernelSignature(FunctionOpInterface function);

  unsigned getNumWritten() const { return numWritten; }
  ArrayRef<Type> getWrittenTypes();

  ArrayRef<ParameterKind> getHidden() const { return hidden; }
  SmallVector<HiddenParameter> describeHidden();

  /// True if sizes of the grid and the place of the program are parameters.
  bool hasProgram() const;

  /// The first argument that holds `kind`; null if there is none.
  BlockArgument find(ParameterKind kind);

  /// What `value` holds; nothing if it is no hidden argument of the function.
  std::optional<ParameterKind> findKind(Value value);

  /// The arguments that hold `kinds`; empty if one is missing.
  SmallVector<Value> findAll(ArrayRef<ParameterKind> kinds);

  /// Names the last arguments of `function`.
  static void nameLast(FunctionOpInterface function,
                       ArrayRef<ParameterKind> kinds);

  /// Names the arguments of the documented order if nothing has a name.
  static void nameDocumented(FunctionOpInterface function);

  /// Names the hidden arguments of `to` as those of `from`, which has as many.
  static void copyNames(FunctionOpInterface from, FunctionOpInterface to);

  /// The argument that holds `kind`; a new one of `type`, behind all others, if
  /// there is none.
  static BlockArgument getOrAppend(FunctionOpInterface function,
                                   ParameterKind kind, Type type);

  /// The argument that holds the tensor map `map`, perhaps a new one.
  static BlockArgument getOrAppend(FunctionOpInterface function,
                                   TensorMapAttr map);

  /// Takes the names away where the documented order says the same.
  static void removeNames(FunctionOpInterface function);

private:
  static BlockArgument append(FunctionOpInterface function, ParameterKind kind,
                              Type type);

  FunctionOpInterface function;
  unsigned numWritten;
  SmallVector<ParameterKind> hidden;
};

} // namespace mlir::tts

#endif // TRITON_SHARED_DIALECT_STRUCTURED_IR_KERNELSIGNATURE_H
