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
#include "WrappedMemory.h"

#include <map>
#include <mutex>
#include <optional>
#include <set>

namespace mlir::triton_shared {

/// One element of a block that is wrong.
struct CausedElement {
  /// The number of the operation that is to blame, from 1 on.
  int32_t cause;
  /// Which element of the block, and the value that is shown.
  CheckedElement element;
};

class CheckedLaunch {
public:
  /// One view per argument, also for those that are no pointers. Memory that
  /// holds the eight bytes `unwritten`, aligned, has never been written; 0 if
  /// nobody knows.
  CheckedLaunch(std::vector<TensorView> views, std::array<uint32_t, 3> grid,
                bool findsRaces, uint64_t unwritten);
  CheckedLaunch(const CheckedLaunch &) = delete;
  ~CheckedLaunch() { WrappedMemory::get().settle(this); }

  const int64_t *getTable() const { return table.data(); }
  bool isInside(const CheckedAccess &access,
                const CheckedElement &element) const;
  bool isInside(const CheckedAccess &access, const CheckedRow &row) const;

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

  /// True if a note is about addresses of the access that comes next.
  bool explainsAccess(llvm::StringRef text);
  /// True if it is about what that one stores.
  bool isAboutStored(llvm::StringRef text);
  /// Notes elements of a block with their causes (triton-check-values). False
  /// if one of these is none that the note knows.
  bool addNote(llvm::StringRef text, std::array<int32_t, 3> program,
               llvm::ArrayRef<CausedElement> elements);

  /// Notes how many elements of a block take part in an access.
  void count(const CheckedAccess &access);

  std::string getFindings();

private:
  uint32_t numberOf(std::array<int32_t, 3> program) const;
  std::array<int32_t, 3> placeOf(uint32_t number) const;
  uint16_t siteOf(const CheckedAccess &access);
  bool isUnwritten(const CheckedAccess &access,
                   const CheckedElement &element) const;
  void findUnwritten(const CheckedAccess &access);
  void findMisaligned(const CheckedAccess &access);
  /// Told of an element that is in conflict with `other`.
  using ElementReport = llvm::function_ref<void(Conflict, const Touch &other,
                                                const CheckedElement &element)>;
  void compareRows(const CheckedAccess &access, const AccessHistory::Kind &kind,
                   ElementReport report);
  /// Marks what the access stores if a note has said that it has wrapped, and
  /// finds such integers among those that it loads to form addresses.
  void followWrapped(const CheckedAccess &access);
  void addWrapped(const CheckedAccess &access, const WrappedOrigin &origin,
                  llvm::ArrayRef<CheckedElement> concerned);
  /// Remembers who may have learned what by blocks of atomic accesses.
  void followBlocks(const CheckedAccess &access);

  /// A note, as the kernel's constant says it.
  struct Note {
    CheckedSite site;
    llvm::StringRef kind;
    std::vector<CheckedSite> causes;
    bool formsAddress = false;
  };
  const Note &getNote(llvm::StringRef text);
  llvm::StringRef keep(std::string text);
  void addIdleMasks();

  /// How often an access was made, and with how many elements in all.
  struct Use {
    CheckedAccess first;
    int64_t times = 0, elements = 0;
  };

  std::vector<TensorView> views;
  std::array<uint32_t, 3> grid;
  uint64_t unwritten;
  std::vector<int64_t> table;
  Findings findings;
  /// What follows is of this mutex.
  std::mutex mutex;
  std::optional<AccessHistory> history;
  /// Who was the last one to release at an address.
  struct Release {
    uint32_t program;
    bool isBlock;
  };
  llvm::DenseMap<uintptr_t, Release> lastReleases;
  /// Elements that the next access stores, and where they come from.
  std::vector<std::pair<CheckedElement, WrappedOrigin>> stored;
  /// Programs that may know what others have done, as one side of what has told
  /// them was a block, and where they were told.
  llvm::DenseMap<uint32_t, CheckedSite> mayKnow;
  /// Of the access that is compared, elements that lie anywhere.
  std::vector<AccessHistory::Element> scattered;
  std::vector<CheckedSite> sites;
  llvm::DenseMap<const char *, uint16_t> siteNumbers;
  std::map<const char *, Note> notes;
  /// By the site's text, a constant of the kernel.
  llvm::DenseMap<const char *, Use> uses;
  /// Texts that findings refer to.
  std::set<std::string> texts;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_RUNTIME_CHECK_CHECKEDLAUNCH_H
