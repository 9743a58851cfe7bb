//===- GpuTarget.h - What one kind of GPU has -------------------*- C++ -*-===//
//
// The facts about an NVIDIA GPU that code is made by. They come from its name
// alone, so that the dialects can say which GPU a function is made for.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_TARGET_GPUTARGET_H
#define TRITON_SHARED_TARGET_GPUTARGET_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace mlir::triton_shared {

class GpuTarget {
public:
  /// Threads of a warp, on every GPU.
  static constexpr unsigned kWarpSize = 32;
  /// Warps that execute one `wgmma`, where there is one.
  static constexpr unsigned kWarpgroupWarps = 4;
  /// The most registers of 32 bits that a thread can have.
  static constexpr unsigned kRegistersPerThread = 255;
  /// The registers that all threads of a block have together, at most; so many
  /// has a multiprocessor.
  static constexpr unsigned kRegistersPerBlock = 65536;
  /// The registers that each thread of a block can have, if it has `threads`.
  static constexpr unsigned getRegisterLimit(unsigned threads) {
    constexpr unsigned kStep = 8;
    unsigned limit = kRegistersPerBlock / threads / kStep * kStep;
    return limit < kRegistersPerThread ? limit : kRegistersPerThread;
  }
  /// The most that one instruction moves for one thread, in any memory; a row
  /// of `ldmatrix` has as many.
  static constexpr unsigned kBytesPerAccess = 16;
  /// Of a register, and of a bank of shared memory.
  static constexpr unsigned kBytesPerWord = 4;
  /// The least that one thread copies into shared memory by `cp.async`.
  static constexpr unsigned kLeastCopyBytes = 4;
  /// The first compute capability that has the tensor cores and copies that
  /// are used.
  static constexpr unsigned kLeastCapability = 80;

  /// `arch` is an architecture such as `90a`, without `sm_`.
  explicit GpuTarget(llvm::StringRef arch);

  /// The first of the GPUs that code is made for.
  static GpuTarget getOldest();

  llvm::StringRef getArch() const { return arch; }
  /// The compute capability as a number: 90; zero if it is none.
  unsigned getCapability() const { return capability; }
  /// The shared memory that one program can have, in bytes.
  int64_t getSharedBytes() const;
  /// Has `wgmma`: products by four warps, of operands in shared memory.
  bool hasWgmma() const;
  /// Has TMA: copies of boxes of a tensor, which arrive at an `mbarrier`.
  bool hasTma() const;
  /// A kernel can make the tensor maps that TMA copies by.
  bool makesTensorMaps() const;
  /// Has `stmatrix`: a warp writes four matrices to shared memory at once.
  bool hasMatrixStores() const;
  /// Multiplies matrices of f64 of 16 rows at full speed, and those of 8 rows
  /// at half of it.
  bool hasLargeF64Matrices() const;
  /// Converts pairs of 8-bit floats, e4m3 or e5m2, to f16.
  bool hasFloat8() const;
  /// Adds several floats in memory at once, if they lie side by side.
  bool hasVectorUpdates() const;
  /// The blocks that a cluster can have on any GPU of this kind; 1 if there are
  /// no clusters.
  unsigned getClusterLimit() const;

private:
  std::string arch;
  unsigned capability;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_TARGET_GPUTARGET_H
