//===- AccessHistory.cpp - Who has touched which memory -------------------===//

#include "AccessHistory.h"

#include <vector>

using namespace mlir::triton_shared;

/// How much memory has its history in one piece.
static constexpr uintptr_t kPageBytes = 4096;

/// The cells of a page. Most memory is only read or only written.
struct AccessHistory::Page {
  std::vector<WriteTouch> writers;
  /// Two per cell.
  std::vector<Touch> readers, updaters;
};

AccessHistory::AccessHistory(int64_t cellBytes)
    : cellBytes(cellBytes), cellsPerPage(kPageBytes / cellBytes) {}

AccessHistory::~AccessHistory() = default;

AccessHistory::Page &AccessHistory::getPage(uintptr_t address) {
  uintptr_t number = address / kPageBytes;
  if (!lastPage || number != lastNumber) {
    std::unique_ptr<Page> &page = pages[number];
    if (!page)
      page = std::make_unique<Page>();
    lastPage = page.get();
    lastNumber = number;
  }
  return *lastPage;
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
void AccessHistory::remember(Touch *slots, const Touch &touch) const {
  if (slots[0].program == 0 || slots[0].program == touch.program)
    slots[0] = touch;
  else if (!isUnordered(slots[1], touch))
    slots[1] = touch;
  else if (!isUnordered(slots[0], touch))
    slots[0] = touch;
}

void AccessHistory::addToCell(Page &page, size_t cell, int64_t flags,
                              Touch touch, uint32_t number, Report report) {
  bool isAtomic = flags & kIsAtomic, writes = flags & kWrites;
  auto compare = [&](const std::vector<Touch> &others) {
    for (size_t i = 2 * cell; i < 2 * cell + 2 && !others.empty(); ++i)
      if (isUnordered(others[i], touch))
        return report(Conflict::Race, {others[i]});
  };
  if (!page.writers.empty()) {
    const WriteTouch &writer = page.writers[cell];
    if (isUnordered(writer, touch))
      report(Conflict::Race, writer);
    else if (!writes && !isAtomic && writer.program == touch.program &&
             writer.epoch == touch.epoch)
      report(Conflict::ReadBack, writer);
  }
  if (!isAtomic)
    compare(page.updaters);
  if (writes || isAtomic)
    compare(page.readers);
  if (isAtomic || !writes) {
    std::vector<Touch> &touches = isAtomic ? page.updaters : page.readers;
    if (touches.empty())
      touches.resize(2 * cellsPerPage);
    return remember(&touches[2 * cell], touch);
  }
  if (page.writers.empty())
    page.writers.resize(cellsPerPage);
  page.writers[cell] = {touch, number};
}

void AccessHistory::add(uintptr_t address, int64_t bytes, int64_t flags,
                        Touch touch, uint32_t number, Report report) {
  // Neighbours that share a cell would be taken for one.
  if (bytes < cellBytes)
    return;
  for (uintptr_t cell = address; cell < address + bytes; cell += cellBytes)
    addToCell(getPage(cell), cell % kPageBytes / cellBytes, flags, touch,
              number, report);
}
