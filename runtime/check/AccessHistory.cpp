//===- AccessHistory.cpp - Who has touched which memory -------------------===//

#include "AccessHistory.h"

#include <algorithm>

using namespace mlir::triton_shared;

/// How much memory has its history in one piece.
static constexpr uintptr_t kPageBytes = 4096;

/// A page with more runs has its cells one by one; …
static constexpr size_t kMostRuns = 64;

/// … with this many, if they come from elements that lie anywhere.
static constexpr size_t kMostScattered = 4;

/// So many pages are found together.
static constexpr uintptr_t kPagesPerRegion = 512;

/// So many elements that lie anywhere are looked for before the first of them
/// is looked at: memory is slow, and answers many at a time.
static constexpr size_t kAhead = 128;

struct AccessHistory::Region {
  std::array<CellPage, kPagesPerRegion> pages;
};

/// Where an element lies.
struct AccessHistory::Place {
  CellPage *page;
  uint32_t cell;
};

/// The part of a row that lies in one page.
struct AccessHistory::Step {
  const Kind *kind;
  /// Which element of the block the row begins with.
  int64_t firstNumber;
  Report report;
  /// Cells of the page.
  uint32_t begin, end;
  /// Which cell of the row `begin` is.
  int64_t distance;
  int64_t cellsPerElement;

  /// Which cell of the block the first one is.
  uint32_t number() const { return firstNumber * cellsPerElement + distance; }
  /// The part from `cell` to before `last`.
  Step part(uint32_t cell, uint32_t last) const {
    Step part = *this;
    part.begin = cell;
    part.end = last;
    part.distance += cell - begin;
    return part;
  }
  void tell(Conflict conflict, const Touch &other) const {
    int64_t last = distance + (end - begin) - 1;
    report(conflict, other, distance / cellsPerElement,
           last / cellsPerElement + 1);
  }
};

AccessHistory::AccessHistory(int64_t cellBytes)
    : cellBytes(cellBytes), cellsPerPage(kPageBytes / cellBytes),
      recent(kRecent) {}

AccessHistory::~AccessHistory() = default;

CellPage &AccessHistory::getPage(uintptr_t number) {
  uintptr_t wanted = number / kPagesPerRegion;
  auto &[known, region] = recent[wanted % kRecent];
  if (!region || known != wanted) {
    std::unique_ptr<Region> &found = regions[wanted];
    if (!found)
      found = std::make_unique<Region>();
    known = wanted;
    region = found.get();
  }
  return region->pages[number % kPagesPerRegion];
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

Touch AccessHistory::makeTouch(uint32_t program, uint16_t site) {
  auto known = programs.find(program);
  return {program, site,
          known == programs.end() ? uint16_t(1) : known->second.epoch};
}

/// True unless the program of `now` knows of `earlier`.
bool AccessHistory::isUnordered(const Touch &earlier, const Touch &now) const {
  if (earlier.program == 0 || earlier.program == now.program)
    return false;
  if (programs.empty())
    return true;
  auto known = programs.find(now.program);
  return known == programs.end() ||
         known->second.seen.lookup(earlier.program) < earlier.epoch;
}

/// What comes after `from` comes after all that `to` knows, too.
static void join(llvm::DenseMap<uint32_t, uint16_t> &to,
                 const llvm::DenseMap<uint32_t, uint16_t> &from) {
  for (auto [program, epoch] : from) {
    uint16_t &known = to[program];
    known = std::max(known, epoch);
  }
}

void AccessHistory::acquire(uint32_t program, uintptr_t address) {
  auto known = released.find(address);
  if (known != released.end())
    join(programs[program].seen, known->second);
}

void AccessHistory::release(uint32_t program, uintptr_t address) {
  Program &state = programs[program];
  Clock &clock = released[address];
  join(clock, state.seen);
  clock[program] = state.epoch;
  passBarrier(program);
}

void AccessHistory::passBarrier(uint32_t program) {
  uint16_t &epoch = programs[program].epoch;
  // Of more turns than that, later ones are taken for the last.
  if (epoch < UINT16_MAX)
    ++epoch;
}

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

/// Keeps `touch` in one of two slots, in place of one that it comes after.
void AccessHistory::remember(TwoTouches &slots, const Touch &touch) const {
  if (slots[0].program == 0 || slots[0].program == touch.program)
    slots[0] = touch;
  else if (!isUnordered(slots[1], touch))
    slots[1] = touch;
  else if (!isUnordered(slots[0], touch))
    slots[0] = touch;
}

/// Reports what the cells of `step`, all of which have `past`, are in conflict
/// with.
void AccessHistory::compare(const CellPast &past, const Step &step) const {
  int64_t flags = step.kind->flags;
  const Touch &touch = step.kind->touch;
  bool isAtomic = flags & kIsAtomic, writes = flags & kWrites;
  auto compareWith = [&](const TwoTouches &others, Conflict how) {
    for (const Touch &other : others)
      if (isUnordered(other, touch))
        return step.tell(how, other);
  };
  if (isUnordered(past.writer, touch))
    step.tell(Conflict::Race, past.writer);
  else if (!writes && !isAtomic && past.writer.program == touch.program &&
           past.writer.epoch == touch.epoch &&
           // Elements at the same place of blocks of one shape are one
           // thread's.
           past.number != step.number())
    step.tell(Conflict::ReadBack, past.writer);
  if (!isAtomic)
    compareWith(past.updaters, Conflict::Race);
  else if (flags & kAddsFloats)
    compareWith(past.updaters, Conflict::Order);
  if (writes || isAtomic)
    compareWith(past.readers, Conflict::Race);
}

/// What the first cell of `step` remembers afterwards.
CellPast AccessHistory::follow(const CellPast &past, const Step &step) const {
  CellPast next = past;
  if (step.kind->flags & kIsAtomic) {
    remember(next.updaters, step.kind->touch);
  } else if (step.kind->flags & kWrites) {
    next.writer = step.kind->touch;
    next.number = step.number();
  } else {
    remember(next.readers, step.kind->touch);
  }
  return next;
}

void AccessHistory::addToCells(CellPage &page, const Step &step) {
  for (uint32_t cell = step.begin; cell < step.end; ++cell) {
    Step one = step.part(cell, cell + 1);
    if (addQuietly(page, cell, *step.kind, one.number()))
      continue;
    CellPast past = page.get(cell);
    compare(past, one);
    page.set(cell, follow(past, one), cellsPerPage, memory);
  }
}

/// Notes an access of a cell if it is obvious that there is no conflict; else
/// does nothing.
bool AccessHistory::addQuietly(CellPage &page, uint32_t cell, const Kind &kind,
                               uint32_t number) {
  const Touch &touch = kind.touch;
  bool isAtomic = kind.flags & kIsAtomic, writes = kind.flags & kWrites;
  auto isOther = [&](const Touch &before) {
    return before.program != 0 && before.program != touch.program;
  };
  auto hasOther = [&](const TwoTouches &slots) {
    return isOther(slots[0]) || isOther(slots[1]);
  };
  if (page.writers) {
    const Touch &writer = page.writers[cell].touch;
    // A program that reads what it has written may read back.
    if (isOther(writer) || (writer.program && !writes && !isAtomic))
      return false;
  }
  if (page.updaters && (!isAtomic || (kind.flags & kAddsFloats)) &&
      hasOther(page.updaters[cell]))
    return false;
  if (page.readers && (writes || isAtomic) && hasOther(page.readers[cell]))
    return false;
  if (isAtomic)
    remember(CellPage::require(page.updaters, cellsPerPage, memory)[cell],
             touch);
  else if (writes)
    CellPage::require(page.writers, cellsPerPage, memory)[cell] = {touch,
                                                                   number};
  else
    remember(CellPage::require(page.readers, cellsPerPage, memory)[cell],
             touch);
  return true;
}

void AccessHistory::addToRuns(CellPage &page, Step step) {
  std::vector<CellPage::Run> &runs = page.runs;
  if (runs.empty())
    runs.push_back({0, {}});
  auto isAfter = [](uint32_t cell, const CellPage::Run &run) {
    return cell < run.begin;
  };
  size_t at = std::upper_bound(runs.begin(), runs.end(), step.begin, isAfter) -
              runs.begin() - 1;
  while (step.begin < step.end) {
    uint32_t end = at + 1 < runs.size() ? runs[at + 1].begin : cellsPerPage;
    Step part = step.part(step.begin, std::min(end, step.end));
    CellPage::Run run = runs[at];
    CellPast past = run.past.after(part.begin - run.begin);
    compare(past, part);
    CellPast next = follow(past, part);
    if (!(next == past)) {
      // What lies behind the part, and before it, stays as it was.
      if (part.end < end)
        runs.insert(runs.begin() + at + 1,
                    {part.end, run.past.after(part.end - run.begin)});
      if (run.begin < part.begin)
        runs.insert(runs.begin() + ++at, {part.begin, next});
      else
        runs[at].past = next;
      // The run before may simply go on.
      if (at > 0 &&
          runs[at - 1].past.after(runs[at].begin - runs[at - 1].begin) == next)
        runs.erase(runs.begin() + at--);
    }
    step = step.part(part.end, step.end);
    ++at;
  }
}

void AccessHistory::addToPage(CellPage &page, const Step &step,
                              size_t mostRuns) {
  if (page.isSplit)
    return addToCells(page, step);
  addToRuns(page, step);
  if (page.runs.size() > mostRuns)
    page.split(cellsPerPage, memory);
}

void AccessHistory::add(const Kind &kind, const Row &row, Report report) {
  // Neighbours that share a cell would be taken for one.
  if (kind.elementBytes < cellBytes)
    return;
  uintptr_t cell = row.address / cellBytes;
  int64_t each = kind.elementBytes / cellBytes;
  int64_t left = row.count * each, done = 0;
  while (left > 0) {
    uint32_t begin = cell % cellsPerPage;
    uint32_t count = std::min<int64_t>(left, cellsPerPage - begin);
    addToPage(getPage(cell / cellsPerPage),
              {&kind, row.number, report, begin, begin + count, done, each},
              kMostRuns);
    cell += count;
    left -= count;
    done += count;
  }
}

/// Adds an element that lies in one page.
void AccessHistory::addAt(const Place &place, const Kind &kind,
                          const Element &element, int64_t index,
                          Report report) {
  auto each = static_cast<uint32_t>(kind.elementBytes / cellBytes);
  if (each == 1 && place.page->isSplit &&
      addQuietly(*place.page, place.cell, kind, element.number))
    return;
  auto tell = [&](Conflict conflict, const Touch &other, int64_t, int64_t) {
    report(conflict, other, index, index + 1);
  };
  // One that is not aligned may reach into the next page.
  if (place.cell + each > cellsPerPage)
    return add(kind, Row{element.address, 1, element.number}, tell);
  addToPage(
      *place.page,
      {&kind, element.number, tell, place.cell, place.cell + each, 0, each},
      kMostScattered);
}

void AccessHistory::add(const Kind &kind, llvm::ArrayRef<Element> elements,
                        Report report) {
  if (kind.elementBytes < cellBytes)
    return;
  std::array<Place, kAhead> places;
  for (size_t first = 0; first < elements.size(); first += kAhead) {
    size_t count = std::min(kAhead, elements.size() - first);
    for (size_t i = 0; i < count; ++i) {
      uintptr_t cell = elements[first + i].address / cellBytes;
      CellPage &page = getPage(cell / cellsPerPage);
      places[i] = {&page, uint32_t(cell % cellsPerPage)};
      page.prefetch(places[i].cell);
    }
    for (size_t i = 0; i < count; ++i)
      addAt(places[i], kind, elements[first + i], first + i, report);
  }
}
