//===- Loader.h - Object files linked into this process ---------*- C++ -*-===//

#ifndef TRITON_SHARED_RUNTIME_LOADER_H
#define TRITON_SHARED_RUNTIME_LOADER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <memory>

namespace mlir::triton_shared {

/// The entry of a kernel: runs the programs `first` to `first + count - 1`, and
/// keeps in `*running` which one it is at.
using KernelEntry = void (*)(void *const *args, uint32_t gridX, uint32_t gridY,
                             uint32_t gridZ, int64_t first, int64_t count,
                             int64_t *running);

/// Where machine code lies in memory.
struct CodeRange {
  uintptr_t begin = 0, end = 0;

  bool contains(uintptr_t address) const {
    return begin <= address && address < end;
  }
};

/// The code that programs consist of.
struct CompiledCode {
  CodeRange kernel;
  /// The C library's functions of numbers; programs may spend all their time in
  /// them.
  CodeRange libm;

  bool contains(uintptr_t address) const {
    return kernel.contains(address) || libm.contains(address);
  }
};

/// An object file in memory; gone with the last owner.
class LoadedObject {
public:
  virtual ~LoadedObject() = default;
  virtual KernelEntry entry() const = 0;
  virtual const CompiledCode &code() const = 0;
  /// Whether its programs may wait for each other (see `tritonSharedYield`).
  virtual bool mayWait() const = 0;
};

/// Links `object` and finds `entry` in it. An object that is no object file for
/// this machine, or needs what nobody defines, is an error.
llvm::Expected<std::unique_ptr<LoadedObject>> loadObject(llvm::StringRef object,
                                                         llvm::StringRef entry);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_RUNTIME_LOADER_H
