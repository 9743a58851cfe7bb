//===- AccessHistory.h - Who has touched which memory -----------*- C++ -*-===//
//
// Programs of a grid run in any order, unless atomic accesses order them. Each
// cell of memory remembers who wrote it last, and two programs that read it and
// two that updated it atomically: of these, one is another program than the one
// that comes next, so that a conflict is found whenever there is one. What is
// ordered by atomics is known from vector clocks, which only programs with such
// accesses have.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_RUNTIME_CHECK_ACCESSHISTORY_H
#define TRITON_SHARED_RUNTIME_CHECK_ACCESSHISTORY_H

#include "CellPage.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace mlir::triton_shared {

/// What an access does, as bits.
enum AccessFlags : int64_t {
  kReads = 1,
  kWrites = 2,
  kIsAtomic = 4,
  /// It sees what came before the releasing access whose value it reads …
  kAcquires = 8,
  /// … and lets others see what came before it.
  kReleases = 16,
  /// It adds a float, so that the result depends on the order.
  kAddsFloats = 32,
  /// A block whose elements may do the one, or the other.
  kMayAcquire = 64,
  kMayRelease = 128,
};

/// How two accesses of one cell do not go together.
enum class Conflict {
  /// Those of two programs, in no order.
  Race,
  /// A program reads what another element of one of its blocks has written.
  ReadBack,
  /// Two programs add floats, in no order.
  Order,
};

class AccessHistory {
public:
  /// Cells are of `cellBytes` bytes, a power of two up to 8.
  explicit AccessHistory(int64_t cellBytes);
  ~AccessHistory();
  AccessHistory(const AccessHistory &) = delete;

  /// What the program `number`, from 1 on, does at `site`.
  Touch makeTouch(uint32_t program, uint16_t site);

  /// What is common to all elements of an access.
  struct Kind {
    int64_t elementBytes;
    int64_t flags;
    Touch touch;
  };

  /// Elements side by side.
  struct Row {
    uintptr_t address;
    int64_t count;
    /// Which one of the block the first element is.
    int64_t number;
  };

  /// Told of the elements of a row, or of those that lie anywhere, from `first`
  /// to before `end` that are in conflict with `other`.
  using Report = llvm::function_ref<void(Conflict, const Touch &other,
                                         int64_t first, int64_t end)>;

  /// Notes a row, and reports what it is in conflict with.
  void add(const Kind &kind, const Row &row, Report report);

  /// An element of which the neighbours may lie anywhere.
  struct Element {
    uintptr_t address;
    /// Which one of the block it is.
    int64_t number;
  };

  /// The same for elements that lie anywhere, which is much faster than as many
  /// rows.
  void add(const Kind &kind, llvm::ArrayRef<Element> elements, Report report);

  /// The program has everything known that programs knew which released at
  /// `address`.
  void acquire(uint32_t program, uintptr_t address);
  /// Others that acquire at `address` know what the program knows.
  void release(uint32_t program, uintptr_t address);
  /// Threads of the program see what the others have written.
  void passBarrier(uint32_t program);

private:
  using Clock = llvm::DenseMap<uint32_t, uint16_t>;
  struct Program {
    uint16_t epoch = 1;
    Clock seen;
  };
  struct Region;
  struct Step;
  struct Place;

  CellPage &getPage(uintptr_t number);
  bool isUnordered(const Touch &earlier, const Touch &now) const;
  void remember(TwoTouches &slots, const Touch &touch) const;
  void compare(const CellPast &past, const Step &step) const;
  CellPast follow(const CellPast &past, const Step &step) const;
  void addToRuns(CellPage &page, Step step);
  void addToCells(CellPage &page, const Step &step);
  void addToPage(CellPage &page, const Step &step, size_t mostRuns);
  bool addQuietly(CellPage &page, uint32_t cell, const Kind &kind,
                  uint32_t number);
  void addAt(const Place &place, const Kind &kind, const Element &element,
             int64_t index, Report report);

  int64_t cellBytes;
  uint32_t cellsPerPage;
  CellMemory memory;
  std::unordered_map<uintptr_t, std::unique_ptr<Region>> regions;
  /// Regions that were asked for lately, by their number's last bits.
  static constexpr size_t kRecent = 1 << 10;
  std::vector<std::pair<uintptr_t, Region *>> recent;
  llvm::DenseMap<uint32_t, Program> programs;
  /// What was released where.
  llvm::DenseMap<uintptr_t, Clock> released;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_RUNTIME_CHECK_ACCESSHISTORY_H
