//===- Findings.h - What is wrong in a launch -------------------*- C++ -*-===//

#ifndef TRITON_SHARED_RUNTIME_CHECK_FINDINGS_H
#define TRITON_SHARED_RUNTIME_CHECK_FINDINGS_H

#include "CheckedAccess.h"

#include "llvm/ADT/DenseSet.h"

#include <map>
#include <mutex>
#include <string>
#include <tuple>

namespace mlir::triton_shared {

/// Collects what is found; may be called by several threads.
class Findings {
public:
  /// Notes that `concerned`, some of the elements of `access`, are wrong in the
  /// way that `kind` names; `by` is the site that may excuse it.
  void add(llvm::StringRef kind, const CheckedAccess &access,
           llvm::ArrayRef<CheckedElement> concerned,
           const OtherSide *other = nullptr, const CheckedSite *by = nullptr);

  /// A list with one object per class, site and other site: {"class", "site":
  /// …, "argument": its number, "programs": in how many, "elements": how many
  /// in all, "lowest" and "highest" offset, "first": {"program": [x, y, z],
  /// "elements": [{"number", "offset"}, …] (a few), "outside", "accessed": how
  /// many elements of the access were concerned, and took part}, "other":
  /// {"site", "argument", "program"} if there are two sides, "by": the site
  /// that may excuse it, if there is one}. `first` is about the first program
  /// of the grid, and its first such access. Of notes about values, offsets are
  /// the values, and `other` is where they matter.
  std::string asJson();

private:
  struct Finding {
    CheckedSite site;
    OtherSide other;
    CheckedSite by = {"", -1};
    llvm::DenseSet<uint64_t> programs;
    int64_t elements = 0;
    std::array<int32_t, 3> program;
    std::vector<CheckedElement> examples;
    int64_t outside = 0, accessed = 0;
    int64_t lowest = 0, highest = 0;
  };
  /// The class, the site, the other one or an empty string.
  using Key = std::tuple<llvm::StringRef, llvm::StringRef, llvm::StringRef>;

  std::mutex mutex;
  std::map<Key, Finding> findings;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_RUNTIME_CHECK_FINDINGS_H
