//===- CheckedLaunch.h - What is known and found in one launch --*- C++ -*-===//
//
// A kernel whose accesses are checked (structured-check-accesses) gets a table
// as its last argument: the address of the launch, and for each argument two
// numbers, between which bytes from its address its tensor lies. An access that
// goes further, or into a tensor with gaps, asks here.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_RUNTIME_CHECK_CHECKEDLAUNCH_H
#define TRITON_SHARED_RUNTIME_CHECK_CHECKEDLAUNCH_H

#include "TensorView.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringRef.h"

#include <array>
#include <map>
#include <mutex>
#include <string>

namespace mlir::triton_shared {

/// One element of an access.
struct CheckedElement {
  /// From the base, in elements of the access.
  int64_t offset;
  /// Which one of the block, row-major.
  int64_t number;
};

/// One access of one program that is looked at element by element.
struct CheckedAccess {
  /// JSON, see AccessSite.h; a constant of the kernel.
  llvm::StringRef site;
  int64_t argument;
  int64_t elementBytes;
  /// Where the argument lies.
  char *base;
  /// x, y, z.
  std::array<int32_t, 3> program;
  std::vector<CheckedElement> elements;

  char *addressOf(int64_t offset) const { return base + offset * elementBytes; }
};

class CheckedLaunch {
public:
  /// One view per argument, also for those that are no pointers.
  explicit CheckedLaunch(std::vector<TensorView> views);
  CheckedLaunch(const CheckedLaunch &) = delete;

  const int64_t *getTable() const { return table.data(); }
  bool isInside(const CheckedAccess &access,
                const CheckedElement &element) const;

  /// Notes that `outside` of the elements of `access` are outside of its
  /// tensor.
  void addOutOfBounds(const CheckedAccess &access,
                      llvm::ArrayRef<CheckedElement> outside);

  /// JSON: a list with one object per class, site and argument:
  /// {"class": "out-of-bounds", "site": …, "argument": its number, "programs":
  /// in how many, "elements": how many elements in all, "first": {"program":
  /// [x, y, z], "elements": [{"number", "offset"}, …] (a few), "outside",
  /// "accessed": how many elements of the access were outside, and took part}}.
  /// `first` is about the first program of the grid, and its first such access.
  std::string getFindings();

private:
  struct Finding {
    llvm::DenseSet<uint64_t> programs;
    int64_t elements = 0;
    std::array<int32_t, 3> program;
    std::vector<CheckedElement> examples;
    int64_t outside = 0, accessed = 0;
    int64_t lowest = 0, highest = 0;
  };

  std::vector<TensorView> views;
  std::vector<int64_t> table;
  std::mutex mutex;
  std::map<std::pair<llvm::StringRef, int64_t>, Finding> findings;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_RUNTIME_CHECK_CHECKEDLAUNCH_H
