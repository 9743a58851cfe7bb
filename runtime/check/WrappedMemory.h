//===- WrappedMemory.h - Integers that wrapped before a store ---*- C++ -*-===//
//
// An integer that has wrapped around may lie in memory until another kernel
// forms an address of it. Who else has written there since is seen by what lies
// there: torch is not asked.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_RUNTIME_CHECK_WRAPPEDMEMORY_H
#define TRITON_SHARED_RUNTIME_CHECK_WRAPPEDMEMORY_H

#include "llvm/ADT/DenseMap.h"

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

namespace mlir::triton_shared {

/// Where such an integer comes from: JSON of two sites.
struct WrappedOrigin {
  std::string cause, store;
};

/// Of all launches until somebody says that they have nothing to do with those
/// that come. May be called by several threads.
class WrappedMemory {
public:
  static WrappedMemory &get();

  /// True if there are none, which is cheap to know.
  bool isEmpty();
  /// `bytes` at `address` are about to be written by the launch `owner`.
  void mark(const void *owner, const char *address, int64_t bytes,
            const WrappedOrigin &origin);
  void unmark(const char *address);
  /// What is known of the integer that `owner` reads there.
  std::optional<WrappedOrigin> find(const void *owner, const char *address,
                                    int64_t bytes);
  /// `owner` has ended: from now on others may write.
  void settle(const void *owner);
  void clear();

private:
  struct Mark {
    /// Null once it has ended.
    const void *owner;
    int64_t bytes, value;
    WrappedOrigin origin;
  };
  std::mutex mutex;
  llvm::DenseMap<const char *, Mark> marks;
};

/// The integer of so many bytes at an address, with its sign.
int64_t readInteger(const char *address, int64_t bytes);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_RUNTIME_CHECK_WRAPPEDMEMORY_H
