//===- AccessHistory.cpp - Who has touched which memory -------------------===//

#include "AccessHistory.h"

#include <algorithm>

using namespace mlir::triton_shared;

/// How much memory has its history in one piece.
static constexpr uintptr_t kPageBytes = 4096;

/// A page with more runs has its cells one by one.
static constexpr size_t kMostRuns = 64;

/// What a cell remembers.
struct AccessHistory::Past {
  Touch writer;
  /// Which cell of the writer's block it was.
  uint32_t number = 0;
  std::array<Touch, 2> readers, updaters;

  /// What the cell `distance` further on has if it is of the same run.
  Past after(uint32_t distance) const {
    Past past = *this;
    if (writer.program)
      past.number += distance;
    return past;
  }
  bool operator==(const Past &other) const {
    return writer == other.writer && number == other.number &&
           readers == other.readers && updaters == other.updaters;
  }
};

/// The cells of a page: runs, each up to where the next one begins, or one by
/// one. Most memory is only read or only written, so each kind of touch is
/// apart.
struct AccessHistory::Page {
  struct Run {
    uint32_t begin;
    Past past;
  };
  struct Writer {
    Touch touch;
    uint32_t number = 0;
  };
  /// None if the cells are kept one by one.
  std::vector<Run> runs = {{0, {}}};
  std::vector<Writer> writers;
  std::vector<std::array<Touch, 2>> readers, updaters;

  Past get(uint32_t cell) const {
    Past past;
    if (!writers.empty()) {
      past.writer = writers[cell].touch;
      past.number = writers[cell].number;
    }
    if (!readers.empty())
      past.readers = readers[cell];
    if (!updaters.empty())
      past.updaters = updaters[cell];
    return past;
  }

  /// `count` is how many cells a page has.
  void set(uint32_t cell, const Past &past, uint32_t count) {
    if (past.writer.program)
      at(writers, cell, count) = {past.writer, past.number};
    if (past.readers[0].program)
      at(readers, cell, count) = past.readers;
    if (past.updaters[0].program)
      at(updaters, cell, count) = past.updaters;
  }

private:
  template <typename Cell>
  static Cell &at(std::vector<Cell> &cells, uint32_t cell, uint32_t count) {
    if (cells.empty())
      cells.resize(count);
    return cells[cell];
  }
};

/// The part of a row that lies in one page.
struct AccessHistory::Step {
  const Row *row;
  Report report;
  /// Cells of the page.
  uint32_t begin, end;
  /// Which cell of the row `begin` is.
  int64_t distance;
  int64_t cellsPerElement;

  /// Which cell of the block the first one is.
  uint32_t number() const { return row->number * cellsPerElement + distance; }
  /// The part from `cell` to before `last`.
  Step part(uint32_t cell, uint32_t last) const {
    return {row, report, cell, last, distance + cell - begin, cellsPerElement};
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

AccessHistory::Page &AccessHistory::getPage(uintptr_t number) {
  auto &[known, page] = recent[number % kRecent];
  if (!page || known != number) {
    std::unique_ptr<Page> &found = pages[number];
    if (!found)
      found = std::make_unique<Page>();
    known = number;
    page = found.get();
  }
  return *page;
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
void AccessHistory::remember(std::array<Touch, 2> &slots,
                             const Touch &touch) const {
  if (slots[0].program == 0 || slots[0].program == touch.program)
    slots[0] = touch;
  else if (!isUnordered(slots[1], touch))
    slots[1] = touch;
  else if (!isUnordered(slots[0], touch))
    slots[0] = touch;
}

/// Reports what the cells of `step`, all of which have `past`, are in conflict
/// with.
void AccessHistory::compare(const Past &past, const Step &step) const {
  int64_t flags = step.row->flags;
  const Touch &touch = step.row->touch;
  bool isAtomic = flags & kIsAtomic, writes = flags & kWrites;
  auto compareWith = [&](const std::array<Touch, 2> &others, Conflict how) {
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
AccessHistory::Past AccessHistory::follow(const Past &past,
                                          const Step &step) const {
  Past next = past;
  if (step.row->flags & kIsAtomic) {
    remember(next.updaters, step.row->touch);
  } else if (step.row->flags & kWrites) {
    next.writer = step.row->touch;
    next.number = step.number();
  } else {
    remember(next.readers, step.row->touch);
  }
  return next;
}

void AccessHistory::addToCells(Page &page, Step step) {
  for (uint32_t cell = step.begin; cell < step.end; ++cell) {
    Step one = step.part(cell, cell + 1);
    Past past = page.get(cell);
    compare(past, one);
    page.set(cell, follow(past, one), cellsPerPage);
  }
}

/// Takes runs apart.
void AccessHistory::splitRuns(Page &page) const {
  for (size_t i = 0; i < page.runs.size(); ++i) {
    const Page::Run &run = page.runs[i];
    uint32_t next =
        i + 1 < page.runs.size() ? page.runs[i + 1].begin : cellsPerPage;
    for (uint32_t cell = run.begin; cell < next; ++cell)
      page.set(cell, run.past.after(cell - run.begin), cellsPerPage);
  }
  page.runs.clear();
}

void AccessHistory::addToRuns(Page &page, Step step) {
  std::vector<Page::Run> &runs = page.runs;
  auto isAfter = [](uint32_t cell, const Page::Run &run) {
    return cell < run.begin;
  };
  size_t at = std::upper_bound(runs.begin(), runs.end(), step.begin, isAfter) -
              runs.begin() - 1;
  while (step.begin < step.end) {
    uint32_t end = at + 1 < runs.size() ? runs[at + 1].begin : cellsPerPage;
    Step part = step.part(step.begin, std::min(end, step.end));
    Page::Run run = runs[at];
    Past past = run.past.after(part.begin - run.begin);
    compare(past, part);
    Past next = follow(past, part);
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

void AccessHistory::add(const Row &row, Report report) {
  // Neighbours that share a cell would be taken for one.
  if (row.elementBytes < cellBytes)
    return;
  uintptr_t cell = row.address / cellBytes;
  int64_t left = row.count * (row.elementBytes / cellBytes), done = 0;
  while (left > 0) {
    uint32_t begin = cell % cellsPerPage;
    uint32_t count = std::min<int64_t>(left, cellsPerPage - begin);
    Page &page = getPage(cell / cellsPerPage);
    Step step = {&row,          report, begin,
                 begin + count, done,   row.elementBytes / cellBytes};
    if (!page.runs.empty())
      addToRuns(page, step);
    else
      addToCells(page, step);
    if (page.runs.size() > kMostRuns)
      splitRuns(page);
    cell += count;
    left -= count;
    done += count;
  }
}
