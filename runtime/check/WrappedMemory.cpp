//===- WrappedMemory.cpp - Integers that wrapped before a store -----------===//

#include "WrappedMemory.h"

#include <cstring>

using namespace mlir::triton_shared;

int64_t mlir::triton_shared::readInteger(const char *address, int64_t bytes) {
  int64_t value = 0;
  std::memcpy(&value, address, bytes);
  int64_t unused = 64 - 8 * bytes;
  return static_cast<int64_t>(static_cast<uint64_t>(value) << unused) >> unused;
}

WrappedMemory &WrappedMemory::get() {
  static WrappedMemory memory;
  return memory;
}

bool WrappedMemory::isEmpty() {
  std::lock_guard<std::mutex> lock(mutex);
  return marks.empty();
}

void WrappedMemory::mark(const void *owner, const char *address, int64_t bytes,
                         const WrappedOrigin &origin) {
  std::lock_guard<std::mutex> lock(mutex);
  marks[address] = {owner, bytes, 0, origin};
}

void WrappedMemory::unmark(const char *address) {
  std::lock_guard<std::mutex> lock(mutex);
  marks.erase(address);
}

std::optional<WrappedOrigin>
WrappedMemory::find(const void *owner, const char *address, int64_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = marks.find(address);
  if (found == marks.end() || found->second.bytes != bytes)
    return std::nullopt;
  const Mark &mark = found->second;
  // A launch that goes on has unmarked what it has written since.
  if (mark.owner != owner && mark.value != readInteger(address, bytes))
    return std::nullopt;
  return mark.origin;
}

void WrappedMemory::settle(const void *owner) {
  std::lock_guard<std::mutex> lock(mutex);
  for (auto &[address, mark] : marks)
    if (mark.owner == owner) {
      mark.owner = nullptr;
      mark.value = readInteger(address, mark.bytes);
    }
}

void WrappedMemory::clear() {
  std::lock_guard<std::mutex> lock(mutex);
  marks.clear();
}
