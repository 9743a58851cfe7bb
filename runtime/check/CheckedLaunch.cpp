//===- CheckedLaunch.cpp - What is known and found in one launch ----------===//

#include "CheckedLaunch.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>
#include <functional>

using namespace mlir::triton_shared;

/// The size of the smallest elements: tensors of larger ones have several cells
/// for each.
static int64_t chooseCellBytes(llvm::ArrayRef<TensorView> views) {
  int64_t bytes = 8;
  for (const TensorView &view : views)
    if (view.isKnown())
      bytes = std::min(bytes, view.getElementBytes());
  return bytes;
}

CheckedLaunch::CheckedLaunch(std::vector<TensorView> tensors,
                             std::array<uint32_t, 3> grid, bool findsRaces,
                             uint64_t unwritten)
    : views(std::move(tensors)), grid(grid), unwritten(unwritten) {
  if (findsRaces)
    history.emplace(chooseCellBytes(views));
  // Further than any access may go.
  constexpr int64_t far = int64_t(1) << 62;
  table.push_back(reinterpret_cast<intptr_t>(this));
  for (const TensorView &view : views) {
    // Each access to a tensor with gaps has to ask.
    bool asks = findsRaces || (view.isKnown() && !view.isDense());
    table.push_back(asks ? 0 : view.isKnown() ? view.getFirst() : -far);
    table.push_back(asks ? 0 : view.isKnown() ? view.getEnd() : far);
  }
}

bool CheckedLaunch::isInside(const CheckedAccess &access,
                             const CheckedElement &element) const {
  int64_t distance;
  return !__builtin_mul_overflow(element.offset, access.elementBytes,
                                 &distance) &&
         views[access.site.argument].contains(distance, access.elementBytes);
}

void CheckedLaunch::addOutOfBounds(const CheckedAccess &access,
                                   llvm::ArrayRef<CheckedElement> outside) {
  findings.add("out-of-bounds", access, outside);
}

//===----------------------------------------------------------------------===//
// Conflicts
//===----------------------------------------------------------------------===//

uint32_t CheckedLaunch::numberOf(std::array<int32_t, 3> program) const {
  auto [x, y, z] = program;
  return 1 + x + grid[0] * (y + grid[1] * z);
}

std::array<int32_t, 3> CheckedLaunch::placeOf(uint32_t number) const {
  uint32_t rest = number - 1;
  return {int32_t(rest % grid[0]), int32_t(rest / grid[0] % grid[1]),
          int32_t(rest / grid[0] / grid[1])};
}

uint16_t CheckedLaunch::siteOf(const CheckedAccess &access) {
  auto [found, isNew] =
      siteNumbers.try_emplace(access.site.text.data(), sites.size());
  if (isNew)
    sites.push_back(access.site);
  return found->second;
}

/// A word that is written in part is taken for written.
bool CheckedLaunch::isUnwritten(const CheckedAccess &access,
                                const CheckedElement &element) const {
  constexpr int64_t word = sizeof(unwritten), least = word / 2;
  char *address = access.addressOf(element.offset);
  char *start = address - reinterpret_cast<uintptr_t>(address) % word;
  char *end = access.base + views[access.site.argument].getEnd();
  int64_t bytes = std::min<int64_t>(word, end - start);
  return bytes >= least && std::memcmp(start, &unwritten, bytes) == 0;
}

void CheckedLaunch::compare(const CheckedAccess &access) {
  if (!history)
    return;
  if (unwritten && (access.flags & kReads) &&
      views[access.site.argument].isKnown()) {
    std::vector<CheckedElement> never;
    llvm::copy_if(access.elements, std::back_inserter(never),
                  [&](const CheckedElement &element) {
                    return isUnwritten(access, element);
                  });
    if (!never.empty())
      findings.add("never-written", access, never);
  }
  std::lock_guard<std::mutex> lock(mutex);
  uint32_t program = numberOf(access.program);
  Touch touch = history->makeTouch(program, siteOf(access));
  // By class and the other access.
  std::map<std::pair<Conflict, uint64_t>, std::vector<CheckedElement>> found;
  for (const CheckedElement &element : access.elements)
    history->add(
        reinterpret_cast<uintptr_t>(access.addressOf(element.offset)),
        access.elementBytes, access.flags, touch, element.number,
        [&](Conflict conflict, const WriteTouch &other) {
          // Elements at the same place of blocks of one shape are one thread's.
          if (conflict == Conflict::ReadBack && other.number == element.number)
            return;
          uint64_t side = uint64_t(other.program) << 16 | other.site;
          std::vector<CheckedElement> &elements = found[{conflict, side}];
          // Several cells of one element are one conflict.
          if (elements.empty() || elements.back().number != element.number)
            elements.push_back(element);
        });
  for (const auto &[key, elements] : found) {
    OtherSide other = {sites[key.second & UINT16_MAX],
                       placeOf(key.second >> 16)};
    findings.add(key.first == Conflict::Race ? "race" : "read-back", access,
                 elements, &other);
  }
  if (access.flags & kReleases)
    for (const CheckedElement &element : access.elements)
      history->release(program, reinterpret_cast<uintptr_t>(
                                    access.addressOf(element.offset)));
}

void CheckedLaunch::acquire(const CheckedAccess &access) {
  std::lock_guard<std::mutex> lock(mutex);
  for (const CheckedElement &element : access.elements)
    history->acquire(
        numberOf(access.program),
        reinterpret_cast<uintptr_t>(access.addressOf(element.offset)));
}

void CheckedLaunch::passBarrier(std::array<int32_t, 3> program) {
  if (!history)
    return;
  std::lock_guard<std::mutex> lock(mutex);
  history->passBarrier(numberOf(program));
}

//===----------------------------------------------------------------------===//
// Elements of one store
//===----------------------------------------------------------------------===//

bool CheckedLaunch::hasDuplicates(const CheckedAccess &access) const {
  if (!history)
    return false;
  // As nearly all stores are, and much faster to see.
  auto ascends = [](const CheckedElement &lhs, const CheckedElement &rhs) {
    return lhs.offset < rhs.offset;
  };
  if (std::adjacent_find(access.elements.begin(), access.elements.end(),
                         std::not_fn(ascends)) == access.elements.end())
    return false;
  std::vector<int64_t> offsets;
  for (const CheckedElement &element : access.elements)
    offsets.push_back(element.offset);
  llvm::sort(offsets);
  return std::adjacent_find(offsets.begin(), offsets.end()) != offsets.end();
}

void CheckedLaunch::compareValues(const CheckedAccess &access,
                                  llvm::ArrayRef<int64_t> values) {
  llvm::DenseMap<int64_t, int64_t> stored;
  std::vector<CheckedElement> different;
  for (auto [element, value] : llvm::zip_equal(access.elements, values)) {
    auto [found, isNew] = stored.try_emplace(element.offset, value);
    if (!isNew && found->second != value)
      different.push_back(element);
  }
  if (!different.empty())
    findings.add("duplicate-lanes", access, different);
}
