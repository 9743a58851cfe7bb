//===- Findings.cpp - What is wrong in a launch ---------------------------===//

#include "Findings.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::triton_shared;

/// How many elements of an access a report names.
static constexpr size_t kMostExamples = 64;

/// Grids have 2^31 programs along x at most, and 2^16 along y and z.
static uint64_t pack(std::array<int32_t, 3> program) {
  auto [x, y, z] = program;
  return uint64_t(x) | uint64_t(y) << 31 | uint64_t(z) << 47;
}

void Findings::add(llvm::StringRef kind, const CheckedAccess &access,
                   llvm::ArrayRef<CheckedElement> concerned,
                   const OtherSide *other, const CheckedSite *by) {
  std::lock_guard<std::mutex> lock(mutex);
  llvm::StringRef otherText = other ? other->site.text : "";
  Key key(kind, access.site.text, otherText);
  // The two sides of a conflict meet in either order.
  Key turned(kind, otherText, access.site.text);
  if (other && findings.count(turned))
    key = turned;
  auto [found, isNew] = findings.try_emplace(key);
  Finding &finding = found->second;
  finding.programs.insert(pack(access.program));
  if (other)
    finding.programs.insert(pack(other->program));
  finding.elements += concerned.size();
  auto [low, high] = std::minmax_element(
      concerned.begin(), concerned.end(),
      [](const CheckedElement &lhs, const CheckedElement &rhs) {
        return lhs.offset < rhs.offset;
      });
  finding.lowest = isNew ? low->offset : std::min(finding.lowest, low->offset);
  finding.highest =
      isNew ? high->offset : std::max(finding.highest, high->offset);
  if (!isNew && pack(access.program) >= pack(finding.program))
    return;
  finding.site = access.site;
  if (other)
    finding.other = *other;
  if (by)
    finding.by = *by;
  finding.program = access.program;
  finding.examples.assign(concerned.begin(),
                          concerned.begin() +
                              std::min(concerned.size(), kMostExamples));
  finding.outside = concerned.size();
  finding.accessed = access.count();
}

static llvm::json::Value parseSite(llvm::StringRef text) {
  llvm::Expected<llvm::json::Value> site = llvm::json::parse(text);
  if (site)
    return std::move(*site);
  llvm::consumeError(site.takeError());
  return nullptr;
}

std::string Findings::asJson() {
  std::lock_guard<std::mutex> lock(mutex);
  llvm::json::Array list;
  for (auto &[key, finding] : findings) {
    llvm::json::Array examples;
    for (const CheckedElement &element : finding.examples)
      examples.push_back(llvm::json::Object{{"number", element.number},
                                            {"offset", element.offset}});
    llvm::json::Object object{
        {"class", std::get<0>(key)},
        {"site", parseSite(finding.site.text)},
        {"argument", finding.site.argument},
        {"programs", int64_t(finding.programs.size())},
        {"elements", finding.elements},
        {"lowest", finding.lowest},
        {"highest", finding.highest},
        {"first",
         llvm::json::Object{{"program", llvm::json::Array(finding.program)},
                            {"elements", std::move(examples)},
                            {"outside", finding.outside},
                            {"accessed", finding.accessed}}}};
    if (!std::get<2>(key).empty())
      object["other"] = llvm::json::Object{
          {"site", parseSite(finding.other.site.text)},
          {"argument", finding.other.site.argument},
          {"program", llvm::json::Array(finding.other.program)}};
    if (!finding.by.text.empty())
      object["by"] = parseSite(finding.by.text);
    list.push_back(std::move(object));
  }
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(list));
  return text;
}
