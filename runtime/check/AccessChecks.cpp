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

/// The note that this thread is making.
struct Noted {
  CheckedLaunch *launch = nullptr;
  llvm::StringRef site;
  std::array<int32_t, 3> program;
  std::vector<CausedElement> elements;
  /// It says why the access that comes next goes wrong, and waits to hear where
  /// that goes.
  bool isPending = false;
};

/// So many may be moved in one program; each is a mapping of its own, of which
/// a process may have some 65 thousand.
constexpr size_t kMostMoved = 20000;

/// Vectors of this many bytes are aligned as they would be in the tensor.
constexpr size_t kAlignment = 64;

} // namespace

static thread_local Asked asked;
static thread_local Noted noted;

/// Leaves the programs, with everything that belongs to a thread left as it is.
static void giveUp(const char *why) {
  failureOfLaunch().record(std::string("check: ") + why);
  leavePrograms();
}

void mlir::triton_shared::beginAccess(int64_t table, const char *site,
                                      int64_t siteSize, int64_t argument,
                                      int64_t flags, int64_t elementBytes,
                                      int64_t tensor, int64_t base, int32_t x,
                                      int32_t y, int32_t z) {
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
  asked.access.tensor = reinterpret_cast<char *>(tensor);
  asked.access.base = reinterpret_cast<char *>(base);
  asked.access.program = program;
  asked.access.rows.clear();
}

void mlir::triton_shared::nameElement(int64_t offset, int64_t number) {
  asked.access.add({offset, number});
}

void mlir::triton_shared::nameRow(int64_t offset, int64_t number, int64_t count,
                                  int64_t stride) {
  if (count > 0)
    asked.access.rows.push_back({offset, number, count, stride});
}

/// Memory for everything from the lowest to the highest element of the access,
/// and the distance there; nothing if there is none.
static std::optional<MovedAccess> moveAccess(const CheckedAccess &access) {
  int64_t low = INT64_MAX, high = INT64_MIN;
  for (const CheckedRow &row : access.rows) {
    auto [first, last] = std::minmax({row.offset, row.last().offset});
    low = std::min(low, first);
    high = std::max(high, last);
  }
  int64_t span, bytes;
  if (__builtin_sub_overflow(high, low, &span) ||
      __builtin_mul_overflow(span, access.elementBytes, &bytes) ||
      bytes > int64_t(1) << 45)
    return std::nullopt;
  SparseMemory memory(bytes + access.elementBytes + kAlignment);
  if (!memory.get())
    return std::nullopt;
  auto there = reinterpret_cast<uintptr_t>(memory.get());
  auto here = reinterpret_cast<uintptr_t>(access.base) +
              uintptr_t(low) * uintptr_t(access.elementBytes);
  there += (here - there) % kAlignment;
  int64_t distance = static_cast<int64_t>(there - here) / access.elementBytes;
  return MovedAccess{std::move(memory), distance, access};
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

static bool addPendingNote();

/// Leaves the elements of the access that are inside, and notes the others.
static void dropOutside(bool isExplained) {
  CheckedAccess inside = asked.access;
  inside.rows.clear();
  std::vector<CheckedElement> outside;
  asked.access.forEach([&](const CheckedElement &element) {
    if (asked.launch->isInside(asked.access, element))
      inside.add(element);
    else
      outside.push_back(element);
  });
  if (!isExplained)
    asked.launch->addOutOfBounds(asked.access, outside);
  asked.access = std::move(inside);
}

int64_t mlir::triton_shared::endAccess() {
  asked.token = 0;
  bool isExplained = addPendingNote();
  asked.launch->count(asked.access);
  if (llvm::all_of(asked.access.rows, [](const CheckedRow &row) {
        return asked.launch->isInside(asked.access, row);
      })) {
    compareAccess();
    askForValues();
    return 0;
  }
  std::optional<MovedAccess> moved;
  if (asked.moved.size() < kMostMoved)
    moved = moveAccess(asked.access);
  dropOutside(isExplained);
  if (!moved)
    giveUp(asked.moved.size() < kMostMoved
               ? "an access is too far outside of its tensor to go on"
               : "a program accesses too much outside of its tensors to go on");
  compareAccess();
  moved->access = asked.access;
  moved->access.forEach([&](const CheckedElement &element) {
    std::memcpy(moved->access.addressOf(element.offset + moved->distance),
                moved->access.addressOf(element.offset),
                moved->access.elementBytes);
  });
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
  access.forEach([&](const CheckedElement &element) {
    std::memcpy(access.addressOf(element.offset),
                access.addressOf(element.offset + distance),
                access.elementBytes);
  });
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

//===----------------------------------------------------------------------===//
// Notes
//===----------------------------------------------------------------------===//

void mlir::triton_shared::beginNote(int64_t table, const char *site,
                                    int64_t siteSize, int32_t x, int32_t y,
                                    int32_t z) {
  noted.launch = *reinterpret_cast<CheckedLaunch **>(table);
  noted.site = llvm::StringRef(site, siteSize);
  noted.program = {x, y, z};
  noted.elements.clear();
}

void mlir::triton_shared::nameCause(int32_t cause, int64_t number,
                                    int64_t value) {
  if (cause)
    noted.elements.push_back({cause, {value, number}});
}

/// Causes are computed by the kernel's code: one that is none says that this is
/// wrong, and nothing else that it finds can be trusted.
static void addNote() {
  if (!noted.launch->addNote(noted.site, noted.program, noted.elements))
    giveUp("the compiler has lost track of a value; please report this kernel, "
           "and use mode=\"reference\" meanwhile");
}

void mlir::triton_shared::endNote() {
  noted.isPending = noted.launch->explainsAccess(noted.site);
  if (!noted.isPending)
    addNote();
}

/// Adds the note about addresses of the access that is asked about, if there is
/// one: it shows where they are.
static bool addPendingNote() {
  // An access that was interrupted leaves its note behind.
  if (!std::exchange(noted.isPending, false) || noted.launch != asked.launch ||
      noted.program != asked.access.program)
    return false;
  llvm::DenseMap<int64_t, int64_t> offsets;
  asked.access.forEach([&](const CheckedElement &element) {
    offsets[element.number] = element.offset;
  });
  for (CausedElement &caused : noted.elements)
    caused.element.offset = offsets.lookup(caused.element.number);
  addNote();
  return !noted.launch->isAboutStored(noted.site);
}

void mlir::triton_shared::passBarrier(int64_t table, int32_t x, int32_t y,
                                      int32_t z) {
  (*reinterpret_cast<CheckedLaunch **>(table))->passBarrier({x, y, z});
}
