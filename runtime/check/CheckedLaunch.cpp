//===- CheckedLaunch.cpp - What is known and found in one launch ----------===//

#include "CheckedLaunch.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::triton_shared;

/// How many elements of an access a report names.
static constexpr size_t kMostExamples = 64;

CheckedLaunch::CheckedLaunch(std::vector<TensorView> tensors)
    : views(std::move(tensors)) {
  // Further than any access may go.
  constexpr int64_t far = int64_t(1) << 62;
  table.push_back(reinterpret_cast<intptr_t>(this));
  for (const TensorView &view : views) {
    // Each access to a tensor with gaps has to ask.
    bool asks = view.isKnown() && !view.isDense();
    table.push_back(view.isKnown() ? (asks ? 0 : view.getFirst()) : -far);
    table.push_back(view.isKnown() ? (asks ? 0 : view.getEnd()) : far);
  }
}

bool CheckedLaunch::isInside(const CheckedAccess &access,
                             const CheckedElement &element) const {
  int64_t distance;
  return !__builtin_mul_overflow(element.offset, access.elementBytes,
                                 &distance) &&
         views[access.argument].contains(distance, access.elementBytes);
}

void CheckedLaunch::addOutOfBounds(const CheckedAccess &access,
                                   llvm::ArrayRef<CheckedElement> outside) {
  auto [x, y, z] = access.program;
  std::lock_guard<std::mutex> lock(mutex);
  auto [found, isNew] = findings.try_emplace({access.site, access.argument});
  Finding &finding = found->second;
  // Grids have 2^31 programs along x at most, and 2^16 along y and z.
  finding.programs.insert(uint64_t(x) | uint64_t(y) << 31 | uint64_t(z) << 47);
  finding.elements += outside.size();
  auto [low, high] = std::minmax_element(
      outside.begin(), outside.end(),
      [](const CheckedElement &lhs, const CheckedElement &rhs) {
        return lhs.offset < rhs.offset;
      });
  finding.lowest = isNew ? low->offset : std::min(finding.lowest, low->offset);
  finding.highest =
      isNew ? high->offset : std::max(finding.highest, high->offset);
  std::array<int32_t, 3> zyx = {z, y, x};
  std::array<int32_t, 3> known = {finding.program[2], finding.program[1],
                                  finding.program[0]};
  if (!isNew && zyx >= known)
    return;
  finding.program = access.program;
  finding.examples.assign(outside.begin(),
                          outside.begin() +
                              std::min(outside.size(), kMostExamples));
  finding.outside = outside.size();
  finding.accessed = access.elements.size();
}

std::string CheckedLaunch::getFindings() {
  std::lock_guard<std::mutex> lock(mutex);
  llvm::json::Array list;
  for (auto &[key, finding] : findings) {
    llvm::json::Array examples;
    for (const CheckedElement &element : finding.examples)
      examples.push_back(llvm::json::Object{{"number", element.number},
                                            {"offset", element.offset}});
    llvm::Expected<llvm::json::Value> site = llvm::json::parse(key.first);
    list.push_back(llvm::json::Object{
        {"class", "out-of-bounds"},
        {"site", site ? std::move(*site) : llvm::json::Value(nullptr)},
        {"argument", key.second},
        {"programs", int64_t(finding.programs.size())},
        {"elements", finding.elements},
        {"lowest", finding.lowest},
        {"highest", finding.highest},
        {"first",
         llvm::json::Object{{"program", llvm::json::Array(finding.program)},
                            {"elements", std::move(examples)},
                            {"outside", finding.outside},
                            {"accessed", finding.accessed}}}});
    if (!site)
      llvm::consumeError(site.takeError());
  }
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(list));
  return text;
}
