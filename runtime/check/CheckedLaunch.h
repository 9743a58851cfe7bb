//===- CheckedLaunch.h - What is known and found in one launch --*- C++ -*-===//
//
// A kernel whose accesses are checked (structured-check-accesses) gets a table
// as its last argument: the address of the launch, and for each argument two
// numbers, between which bytes from its address its tensor lies. An access that
// goes further, or into a tensor with gaps, asks here; if programs are compared
// with each other, each access does.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_RUNTIME_CHECK_CHECKEDLAUNCH_H
#define TRITON_SHARED_RUNTIME_CHECK_CHECKEDLAUNCH_H

#include "AccessHistory.h"
#include "Findings.h"
#include "TensorView.h"

#include <mutex>
#include <optional>

namespace mlir::triton_shared {

class CheckedLaunch {
public:
  /// One view per argument, also for those that are no pointers. Memory that
  /// holds the eight bytes `unwritten`, aligned, has never been written; 0 if
  /// nobody knows.
  CheckedLaunch(std::vector<TensorView> views, std::array<uint32_t, 3> grid,
                bool findsRaces, uint64_t unwritten);
  CheckedLaunch(const CheckedLaunch &) = delete;

  const int64_t *getTable() const { return table.data(); }
  bool isInside(const CheckedAccess &access,
                const CheckedElement &element) const;

  /// Notes that `outside` of the elements of `access` are outside of its
  /// tensor.
  void addOutOfBounds(const CheckedAccess &access,
                      llvm::ArrayRef<CheckedElement> outside);

  /// Compares an access, all elements of which are inside, with those before.
  void compare(const CheckedAccess &access);

  /// Has the program know what it learns by an atomic access that is made.
  void acquire(const CheckedAccess &access);

  /// The threads of a program have waited for each other.
  void passBarrier(std::array<int32_t, 3> program);

  /// True if several elements of a store lie at one address.
  bool hasDuplicates(const CheckedAccess &access) const;
  /// Notes a store of different values to one address; `values` has one entry
  /// per element of `access`.
  void compareValues(const CheckedAccess &access,
                     llvm::ArrayRef<int64_t> values);

  std::string getFindings() { return findings.asJson(); }

private:
  uint32_t numberOf(std::array<int32_t, 3> program) const;
  std::array<int32_t, 3> placeOf(uint32_t number) const;
  uint16_t siteOf(const CheckedAccess &access);
  bool isUnwritten(const CheckedAccess &access,
                   const CheckedElement &element) const;

  std::vector<TensorView> views;
  std::array<uint32_t, 3> grid;
  uint64_t unwritten;
  std::vector<int64_t> table;
  Findings findings;
  /// What follows is of this mutex.
  std::mutex mutex;
  std::optional<AccessHistory> history;
  std::vector<CheckedSite> sites;
  llvm::DenseMap<const char *, uint16_t> siteNumbers;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_RUNTIME_CHECK_CHECKEDLAUNCH_H
