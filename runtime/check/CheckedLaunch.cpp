//===- CheckedLaunch.cpp - What is known and found in one launch ----------===//

#include "CheckedLaunch.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

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
    table.push_back(asks ? far : view.isKnown() ? view.getFirst() : -far);
    table.push_back(asks ? -far : view.isKnown() ? view.getEnd() : far);
  }
}

bool CheckedLaunch::isInside(const CheckedAccess &access,
                             const CheckedElement &element) const {
  int64_t distance;
  return !__builtin_mul_overflow(element.offset, access.elementBytes,
                                 &distance) &&
         !__builtin_add_overflow(distance, access.base - access.tensor,
                                 &distance) &&
         views[access.site.argument].contains(distance, access.elementBytes);
}

bool CheckedLaunch::isInside(const CheckedAccess &access,
                             const CheckedRow &row) const {
  const TensorView &view = views[access.site.argument];
  if (!view.isKnown())
    return true;
  if (view.isDense())
    return isInside(access, row[0]) &&
           (row.count == 1 || isInside(access, row.last()));
  for (int64_t i = 0; i < row.count; ++i)
    if (!isInside(access, row[i]))
      return false;
  return true;
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
  char *end = access.tensor + views[access.site.argument].getEnd();
  if (end - start >= word) {
    uint64_t there;
    std::memcpy(&there, start, word);
    return there == unwritten;
  }
  int64_t bytes = end - start;
  return bytes >= least && std::memcmp(start, &unwritten, bytes) == 0;
}

/// Whether aligned words from `start` to before `end`, and those that these cut
/// off, may be unwritten: most memory is not, and this is fast.
static bool mayHold(const char *start, const char *end, uint64_t number) {
  constexpr uintptr_t word = sizeof(number);
  start -= reinterpret_cast<uintptr_t>(start) % word;
  bool holds = false;
  for (; end - start >= int64_t(word); start += word) {
    uint64_t there;
    std::memcpy(&there, start, word);
    holds |= there == number;
  }
  return holds || start < end;
}

void CheckedLaunch::findUnwritten(const CheckedAccess &access) {
  // Elements that lie anywhere are not near, and so many of them come at once.
  constexpr size_t ahead = 32;
  std::vector<CheckedElement> never;
  for (size_t at = 0; at < access.rows.size(); ++at) {
    const CheckedRow &row = access.rows[at];
    if (at + ahead < access.rows.size())
      __builtin_prefetch(access.addressOf(access.rows[at + ahead].offset));
    if (row.stride == 1 && row.count > 1 &&
        !mayHold(access.addressOf(row.offset),
                 access.addressOf(row.offset + row.count), unwritten))
      continue;
    for (int64_t i = 0; i < row.count; ++i)
      if (isUnwritten(access, row[i]))
        never.push_back(row[i]);
  }
  if (!never.empty())
    findings.add("never-written", access, never);
}

/// Adds the elements of an access to the history: rows of neighbours as rows,
/// all others together.
void CheckedLaunch::compareRows(const CheckedAccess &access,
                                const AccessHistory::Kind &kind,
                                ElementReport report) {
  scattered.clear();
  auto addScattered = [&] {
    history->add(
        kind, scattered,
        [&](Conflict conflict, const Touch &other, int64_t first, int64_t end) {
          for (; first < end; ++first)
            report(conflict, other,
                   {access.offsetOf(scattered[first].address),
                    scattered[first].number});
        });
    scattered.clear();
  };
  for (const CheckedRow &row : access.rows) {
    if (row.count == 1 || row.stride != 1) {
      for (int64_t i = 0; i < row.count; ++i)
        scattered.push_back(
            {access.numberedAddressOf(row[i].offset), row[i].number});
      continue;
    }
    addScattered();
    history->add(
        kind, {access.numberedAddressOf(row.offset), row.count, row.number},
        [&](Conflict conflict, const Touch &other, int64_t first, int64_t end) {
          for (; first < end; ++first)
            report(conflict, other, row[first]);
        });
  }
  addScattered();
}

static llvm::StringRef nameOf(Conflict conflict) {
  switch (conflict) {
  case Conflict::Race:
    return "race";
  case Conflict::ReadBack:
    return "read-back";
  case Conflict::Order:
    return "order-dependent";
  }
  llvm_unreachable("covered switch");
}

/// Offsets count elements, so the base decides for all of them.
void CheckedLaunch::findMisaligned(const CheckedAccess &access) {
  auto address = reinterpret_cast<uintptr_t>(access.base);
  if (address % access.elementBytes == 0 || access.rows.empty())
    return;
  std::vector<CheckedElement> all;
  access.forEach(
      [&](const CheckedElement &element) { all.push_back(element); });
  findings.add("misaligned", access, all);
}

void CheckedLaunch::compare(const CheckedAccess &access) {
  if (!history)
    return;
  findMisaligned(access);
  if (unwritten && (access.flags & kReads) &&
      views[access.site.argument].isKnown())
    findUnwritten(access);
  std::lock_guard<std::mutex> lock(mutex);
  Touch touch = history->makeTouch(numberOf(access.program), siteOf(access));
  // By class and the other access.
  std::map<std::pair<Conflict, uint64_t>, std::vector<CheckedElement>> found;
  compareRows(access, {access.elementBytes, access.flags, touch},
              [&](Conflict conflict, const Touch &other,
                  const CheckedElement &element) {
                uint64_t side = uint64_t(other.program) << 16 | other.site;
                std::vector<CheckedElement> &elements = found[{conflict, side}];
                // Several cells of one element are one conflict.
                if (elements.empty() ||
                    elements.back().number != element.number)
                  elements.push_back(element);
              });
  for (const auto &[key, elements] : found) {
    OtherSide other = {sites[key.second & UINT16_MAX],
                       placeOf(key.second >> 16)};
    auto told = mayKnow.find(numberOf(access.program));
    bool isUnknown = key.first == Conflict::Race && told != mayKnow.end();
    findings.add(isUnknown ? "unknown-order" : nameOf(key.first), access,
                 elements, &other, isUnknown ? &told->second : nullptr);
  }
  followBlocks(access);
  followWrapped(access);
  if (access.flags & kReleases)
    access.forEach([&](const CheckedElement &element) {
      history->release(
          numberOf(access.program),
          reinterpret_cast<uintptr_t>(access.addressOf(element.offset)));
    });
}

void CheckedLaunch::followWrapped(const CheckedAccess &access) {
  WrappedMemory &memory = WrappedMemory::get();
  if (access.flags & kWrites) {
    if (!memory.isEmpty())
      access.forEach([&](const CheckedElement &element) {
        memory.unmark(access.addressOf(element.offset));
      });
    for (const auto &[element, origin] : stored)
      if (isInside(access, element))
        memory.mark(this, access.addressOf(element.offset), access.elementBytes,
                    origin);
    stored.clear();
    return;
  }
  if (memory.isEmpty() || !access.site.text.contains("\"index\":true"))
    return;
  // By the two sites of their origin.
  std::map<std::pair<std::string, std::string>, std::vector<CheckedElement>>
      found;
  access.forEach([&](const CheckedElement &element) {
    const char *address = access.addressOf(element.offset);
    if (std::optional<WrappedOrigin> origin =
            memory.find(this, address, access.elementBytes))
      found[{origin->cause, origin->store}].push_back(
          {readInteger(address, access.elementBytes), element.number});
  });
  for (const auto &[origin, concerned] : found)
    addWrapped(access, {origin.first, origin.second}, concerned);
}

void CheckedLaunch::addWrapped(const CheckedAccess &access,
                               const WrappedOrigin &origin,
                               llvm::ArrayRef<CheckedElement> concerned) {
  llvm::Expected<llvm::json::Value> site = llvm::json::parse(access.site.text);
  if (!site)
    llvm::report_fatal_error(site.takeError());
  // As a note has them: values are shown, not places in a tensor.
  (*site->getAsObject())["class"] = "wrapped-address";
  (*site->getAsObject())["shows"] = "integers";
  std::string text;
  llvm::raw_string_ostream(text) << *site;
  CheckedAccess cause{{keep(origin.cause), -1}, 0, 1, nullptr, nullptr,
                      access.program,           {}};
  for (const CheckedElement &element : concerned)
    cause.rows.push_back({element.offset, element.number, 1, 1});
  OtherSide other = {{keep(std::move(text)), access.site.argument},
                     access.program};
  CheckedSite by = {keep(origin.store), -1};
  findings.add("wrapped-address", cause, concerned, &other, &by);
}

/// Whether each lane of a block orders what all lanes of the program did before
/// and after is a question of barriers, which only a compiler knows.
void CheckedLaunch::followBlocks(const CheckedAccess &access) {
  bool acquires = access.flags & (kAcquires | kMayAcquire);
  bool releases = access.flags & (kReleases | kMayRelease);
  if (!acquires && !releases)
    return;
  bool isBlock = access.flags & (kMayAcquire | kMayRelease);
  uint32_t program = numberOf(access.program);
  access.forEach([&](const CheckedElement &element) {
    uintptr_t address = access.numberedAddressOf(element.offset);
    auto known = lastReleases.find(address);
    if (acquires && known != lastReleases.end() &&
        known->second.program != program && (isBlock || known->second.isBlock))
      mayKnow.try_emplace(program, access.site);
    if (releases)
      lastReleases[address] = {program, isBlock};
  });
}

void CheckedLaunch::acquire(const CheckedAccess &access) {
  std::lock_guard<std::mutex> lock(mutex);
  access.forEach([&](const CheckedElement &element) {
    history->acquire(
        numberOf(access.program),
        reinterpret_cast<uintptr_t>(access.addressOf(element.offset)));
  });
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

/// True if each row begins behind the one before it.
static bool ascend(llvm::ArrayRef<CheckedRow> rows) {
  bool ascends = true;
  std::optional<int64_t> last;
  for (const CheckedRow &row : rows) {
    ascends &= (row.count == 1 || row.stride > 0) && !(last >= row.offset);
    last = row.last().offset;
  }
  return ascends;
}

/// True if rows, at least one, of one stride begin one behind the other within
/// it, as those of a block that is stored by columns do.
static bool interleave(llvm::ArrayRef<CheckedRow> rows) {
  const CheckedRow &first = rows.front();
  bool isSo = rows.back().offset - first.offset < first.stride;
  for (size_t i = 1; i < rows.size(); ++i)
    isSo &=
        rows[i].stride == first.stride && rows[i - 1].offset < rows[i].offset;
  return isSo;
}

bool CheckedLaunch::hasDuplicates(const CheckedAccess &access) const {
  if (!history)
    return false;
  // As nearly all stores are, and much faster to see.
  if (ascend(access.rows) || interleave(access.rows))
    return false;
  // A table twice as large as what is put there; the offset of its free places
  // is none of an element.
  constexpr int64_t none = INT64_MIN;
  size_t mask = llvm::NextPowerOf2(2 * access.count()) - 1;
  std::vector<int64_t> offsets(mask + 1, none);
  bool isTwice = false;
  access.forEach([&](const CheckedElement &element) {
    size_t place = llvm::DenseMapInfo<int64_t>::getHashValue(element.offset);
    while (offsets[place & mask] != none &&
           offsets[place & mask] != element.offset)
      ++place;
    isTwice |= offsets[place & mask] == element.offset;
    offsets[place & mask] = element.offset;
  });
  return isTwice;
}

void CheckedLaunch::compareValues(const CheckedAccess &access,
                                  llvm::ArrayRef<int64_t> values) {
  llvm::DenseMap<int64_t, int64_t> stored;
  std::vector<CheckedElement> different;
  const int64_t *value = values.begin();
  access.forEach([&](const CheckedElement &element) {
    auto [found, isNew] = stored.try_emplace(element.offset, *value);
    if (!isNew && found->second != *value)
      different.push_back(element);
    ++value;
  });
  if (!different.empty())
    findings.add("duplicate-lanes", access, different);
}

//===----------------------------------------------------------------------===//
// Masks, and notes about values
//===----------------------------------------------------------------------===//

void CheckedLaunch::count(const CheckedAccess &access) {
  if (!history)
    return;
  std::lock_guard<std::mutex> lock(mutex);
  Use &use = uses[access.site.text.data()];
  if (use.times++ == 0) {
    use.first = access;
    use.first.rows.clear();
  }
  use.elements += access.count();
}

/// Masks that have left nothing out, or everything.
void CheckedLaunch::addIdleMasks() {
  for (const auto &[text, use] : uses) {
    llvm::Expected<llvm::json::Value> site =
        llvm::json::parse(use.first.site.text);
    if (!site)
      llvm::report_fatal_error(site.takeError());
    const llvm::json::Object &known = *site->getAsObject();
    if (!known.getBoolean("masked"))
      continue;
    int64_t block = 1;
    for (const llvm::json::Value &size : *known.getArray("shape"))
      block *= *size.getAsInteger();
    if (use.elements == 0)
      findings.add("empty-mask", use.first, CheckedElement{0, 0});
    else if (use.elements == block * use.times)
      findings.add("full-mask", use.first, CheckedElement{0, 0});
  }
  uses.clear();
}

std::string CheckedLaunch::getFindings() {
  std::lock_guard<std::mutex> lock(mutex);
  addIdleMasks();
  return findings.asJson();
}

llvm::StringRef CheckedLaunch::keep(std::string text) {
  return *texts.insert(std::move(text)).first;
}

/// Takes the text of a note apart, once.
const CheckedLaunch::Note &CheckedLaunch::getNote(llvm::StringRef text) {
  auto [found, isNew] = notes.try_emplace(text.data());
  Note &note = found->second;
  if (!isNew)
    return note;
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(text);
  if (!parsed)
    llvm::report_fatal_error(parsed.takeError());
  llvm::json::Object &site = *parsed->getAsObject();
  auto read = [&](llvm::json::Value value) {
    int64_t argument = value.getAsObject()->getInteger("argument").value_or(-1);
    std::string written;
    llvm::raw_string_ostream(written) << value;
    return CheckedSite{keep(std::move(written)), argument};
  };
  llvm::json::Array causes = std::move(*site.getArray("causes"));
  site.erase("causes");
  note.kind = keep(site.getString("class")->str());
  note.formsAddress = site.getBoolean("forms_address").value_or(false);
  note.site = read(std::move(*parsed));
  for (llvm::json::Value &cause : causes)
    note.causes.push_back(read(std::move(cause)));
  return note;
}

bool CheckedLaunch::explainsAccess(llvm::StringRef text) {
  std::lock_guard<std::mutex> lock(mutex);
  return getNote(text).formsAddress;
}

bool CheckedLaunch::isAboutStored(llvm::StringRef text) {
  std::lock_guard<std::mutex> lock(mutex);
  return getNote(text).kind == "stored";
}

bool CheckedLaunch::addNote(llvm::StringRef text,
                            std::array<int32_t, 3> program,
                            llvm::ArrayRef<CausedElement> elements) {
  std::lock_guard<std::mutex> lock(mutex);
  const Note &note = getNote(text);
  auto most = static_cast<int32_t>(std::max<size_t>(1, note.causes.size()));
  if (!llvm::all_of(elements, [&](const CausedElement &caused) {
        return caused.cause > 0 && caused.cause <= most;
      }))
    return false;
  if (note.kind == "stored") {
    for (const CausedElement &caused : elements)
      stored.push_back(
          {caused.element,
           {note.causes[caused.cause - 1].text.str(), note.site.text.str()}});
    return true;
  }
  std::map<int32_t, std::vector<CheckedElement>> byCause;
  for (const CausedElement &caused : elements)
    byCause[caused.cause].push_back(caused.element);
  for (const auto &[cause, concerned] : byCause) {
    CheckedAccess access{note.site, 0, 1, nullptr, nullptr, program, {}};
    OtherSide other = {note.site, program};
    if (!note.causes.empty())
      access.site = note.causes[cause - 1];
    for (const CheckedElement &element : concerned)
      access.rows.push_back({element.offset, element.number, 1, 1});
    findings.add(note.kind, access, concerned,
                 note.causes.empty() ? nullptr : &other);
  }
  return true;
}
