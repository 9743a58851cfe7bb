//===- AccessChecks.cpp - What checked kernels call -----------------------===//

#include "AccessChecks.h"

#include "../Guard.h"
#include "CheckedLaunch.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <sys/mman.h>

using namespace mlir::triton_shared;

namespace {

/// Zeros that cost memory only where somebody writes.
class SparseMemory {
public:
  explicit SparseMemory(size_t bytes) : bytes(bytes) {
    void *mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    start = mapped == MAP_FAILED ? nullptr : static_cast<char *>(mapped);
  }
  ~SparseMemory() {
    if (start)
      munmap(start, bytes);
  }
  SparseMemory(SparseMemory &&other)
      : start(std::exchange(other.start, nullptr)), bytes(other.bytes) {}
  SparseMemory &operator=(SparseMemory &&other) {
    std::swap(start, other.start);
    std::swap(bytes, other.bytes);
    return *this;
  }

  char *get() const { return start; }

private:
  char *start;
  size_t bytes;
};

/// An access that goes elsewhere.
struct MovedAccess {
  SparseMemory memory;
  /// By how many elements.
  int64_t distance;
  CheckedAccess access;
};

/// A store of which several elements lie at one address.
struct ValuedAccess {
  CheckedAccess access;
  std::vector<int64_t> values;
};

/// What the program has asked that this thread runs.
struct Asked {
  CheckedLaunch *launch = nullptr;
  CheckedAccess access;
  /// Loads may read where they were moved to until the program ends.
  std::vector<MovedAccess> moved;
  /// Stores whose values are to be compared, by their token, which is their
  /// place here and one.
  std::vector<ValuedAccess> valued;
  /// The access waits for `finishAccess`, to know what it has learned.
  bool acquires = false;
  /// What `wantsValues` answers.
  int64_t token = 0;
};

/// So many may be moved in one program; each is a mapping of its own, of which
/// a process may have some 65 thousand.
constexpr size_t kMostMoved = 20000;

/// Vectors of this many bytes are aligned as they would be in the tensor.
constexpr size_t kAlignment = 64;

} // namespace

static thread_local Asked asked;

/// Leaves the programs, with everything that belongs to a thread left as it is.
static void giveUp(const char *why) {
  failureOfLaunch().record(std::string("check: ") + why);
  leavePrograms();
}

void mlir::triton_shared::beginAccess(int64_t table, const char *site,
                                      int64_t siteSize, int64_t argument,
                                      int64_t flags, int64_t elementBytes,
                                      int64_t base, int32_t x, int32_t y,
                                      int32_t z) {
  auto *launch = *reinterpret_cast<CheckedLaunch **>(table);
  std::array<int32_t, 3> program = {x, y, z};
  if (asked.launch != launch || asked.access.program != program) {
    asked.moved.clear();
    asked.valued.clear();
  }
  asked.launch = launch;
  asked.access.site = {llvm::StringRef(site, siteSize), argument};
  asked.access.flags = flags;
  asked.access.elementBytes = elementBytes;
  asked.access.base = reinterpret_cast<char *>(base);
  asked.access.program = program;
  asked.access.elements.clear();
}

void mlir::triton_shared::nameElement(int64_t offset, int64_t number) {
  asked.access.elements.push_back({offset, number});
}

/// Memory for everything from the lowest to the highest element of the access,
/// and the distance there; nothing if there is none.
static std::optional<MovedAccess> moveAccess(const CheckedAccess &access) {
  auto [low, high] = std::minmax_element(
      access.elements.begin(), access.elements.end(),
      [](const CheckedElement &lhs, const CheckedElement &rhs) {
        return lhs.offset < rhs.offset;
      });
  int64_t span, bytes;
  if (__builtin_sub_overflow(high->offset, low->offset, &span) ||
      __builtin_mul_overflow(span, access.elementBytes, &bytes) ||
      bytes > int64_t(1) << 45)
    return std::nullopt;
  SparseMemory memory(bytes + access.elementBytes + kAlignment);
  if (!memory.get())
    return std::nullopt;
  auto there = reinterpret_cast<uintptr_t>(memory.get());
  auto here = reinterpret_cast<uintptr_t>(access.base) +
              uintptr_t(low->offset) * uintptr_t(access.elementBytes);
  there += (here - there) % kAlignment;
  int64_t distance = static_cast<int64_t>(there - here) / access.elementBytes;
  return MovedAccess{std::move(memory), distance, access};
}

static bool isInside(const CheckedElement &element) {
  return asked.launch->isInside(asked.access, element);
}

/// Looks at those elements of the access that are inside.
static void compareAccess() {
  asked.launch->compare(asked.access);
  asked.acquires = asked.access.flags & kAcquires;
}

/// Has the values of the access compared if its elements share addresses.
static void askForValues() {
  const CheckedAccess &access = asked.access;
  if ((access.flags & kIsAtomic) || !(access.flags & kWrites) ||
      !asked.launch->hasDuplicates(access))
    return;
  asked.valued.push_back({access, {}});
  asked.token = asked.valued.size();
}

int64_t mlir::triton_shared::endAccess() {
  std::optional<MovedAccess> moved;
  asked.token = 0;
  {
    if (llvm::all_of(asked.access.elements, isInside)) {
      compareAccess();
      askForValues();
      return 0;
    }
    std::vector<CheckedElement> outside;
    llvm::copy_if(asked.access.elements, std::back_inserter(outside),
                  [](const CheckedElement &e) { return !isInside(e); });
    asked.launch->addOutOfBounds(asked.access, outside);
    if (asked.moved.size() < kMostMoved)
      moved = moveAccess(asked.access);
  }
  if (!moved)
    giveUp(asked.moved.size() < kMostMoved
               ? "an access is too far outside of its tensor to go on"
               : "a program accesses too much outside of its tensors to go on");
  llvm::erase_if(asked.access.elements,
                 [](const CheckedElement &e) { return !isInside(e); });
  compareAccess();
  moved->access.elements = asked.access.elements;
  for (const CheckedElement &element : moved->access.elements)
    std::memcpy(moved->access.addressOf(element.offset + moved->distance),
                moved->access.addressOf(element.offset),
                moved->access.elementBytes);
  asked.moved.push_back(std::move(*moved));
  return asked.moved.back().distance;
}

void mlir::triton_shared::finishAccess(int64_t distance) {
  if (std::exchange(asked.acquires, false))
    asked.launch->acquire(asked.access);
  if (distance == 0)
    return;
  auto found = std::find_if(
      asked.moved.rbegin(), asked.moved.rend(),
      [&](const MovedAccess &moved) { return moved.distance == distance; });
  if (found == asked.moved.rend())
    return;
  const CheckedAccess &access = found->access;
  for (const CheckedElement &element : access.elements)
    std::memcpy(access.addressOf(element.offset),
                access.addressOf(element.offset + distance),
                access.elementBytes);
  asked.moved.erase(std::next(found).base());
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

int64_t mlir::triton_shared::wantsValues() {
  return std::exchange(asked.token, 0);
}

void mlir::triton_shared::nameValue(int64_t token, int64_t bits) {
  asked.valued[token - 1].values.push_back(bits);
}

void mlir::triton_shared::endValues(int64_t token) {
  ValuedAccess &valued = asked.valued[token - 1];
  asked.launch->compareValues(valued.access, valued.values);
  valued.values.clear();
}

void mlir::triton_shared::passBarrier(int64_t table, int32_t x, int32_t y,
                                      int32_t z) {
  (*reinterpret_cast<CheckedLaunch **>(table))->passBarrier({x, y, z});
}
