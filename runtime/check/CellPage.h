//===- CellPage.h - The past of cells side by side --------------*- C++ -*-===//
//
// Cells with the same past are kept as one run, as rows of blocks leave them,
// as long as a page has few of these; then one by one. Most memory is only read
// or only written, so that each kind of touch is apart.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_RUNTIME_CHECK_CELLPAGE_H
#define TRITON_SHARED_RUNTIME_CHECK_CELLPAGE_H

#include "CellMemory.h"

#include <array>
#include <cstdint>
#include <vector>

namespace mlir::triton_shared {

/// One access by one program.
struct Touch {
  /// Its number in the grid, from 1 on; 0 for no access.
  uint32_t program = 0;
  uint16_t site = 0;
  /// How often the program had released anything before.
  uint16_t epoch = 0;

  bool operator==(const Touch &other) const {
    return program == other.program && site == other.site &&
           epoch == other.epoch;
  }
};

/// Two programs: one of them is another than the one that comes next.
using TwoTouches = std::array<Touch, 2>;

/// What a cell remembers.
struct CellPast {
  Touch writer;
  /// Which cell of the writer's block it was.
  uint32_t number = 0;
  TwoTouches readers, updaters;

  /// What the cell `distance` further on has if it is of the same run.
  CellPast after(uint32_t distance) const {
    CellPast past = *this;
    if (writer.program)
      past.number += distance;
    return past;
  }
  bool operator==(const CellPast &other) const {
    return writer == other.writer && number == other.number &&
           readers == other.readers && updaters == other.updaters;
  }
};

struct CellPage {
  /// Cells up to where the next run begins, or the page ends.
  struct Run {
    uint32_t begin;
    CellPast past;
  };
  struct Writer {
    Touch touch;
    uint32_t number;
  };

  /// None, if nobody has touched the page, or if cells are kept one by one.
  std::vector<Run> runs;
  bool isSplit = false;
  /// Of each cell; null as long as there was no such touch.
  Writer *writers = nullptr;
  TwoTouches *readers = nullptr, *updaters = nullptr;

  CellPast get(uint32_t cell) const {
    CellPast past;
    if (writers) {
      past.writer = writers[cell].touch;
      past.number = writers[cell].number;
    }
    if (readers)
      past.readers = readers[cell];
    if (updaters)
      past.updaters = updaters[cell];
    return past;
  }

  /// Takes runs apart; the page has `count` cells.
  void split(uint32_t count, CellMemory &memory) {
    for (size_t i = 0; i < runs.size(); ++i) {
      const Run &run = runs[i];
      uint32_t end = i + 1 < runs.size() ? runs[i + 1].begin : count;
      for (uint32_t cell = run.begin; cell < end; ++cell)
        set(cell, run.past.after(cell - run.begin), count, memory);
    }
    runs = {};
    isSplit = true;
  }

  void set(uint32_t cell, const CellPast &past, uint32_t count,
           CellMemory &memory) {
    if (past.writer.program)
      require(writers, count, memory)[cell] = {past.writer, past.number};
    if (past.readers[0].program)
      require(readers, count, memory)[cell] = past.readers;
    if (past.updaters[0].program)
      require(updaters, count, memory)[cell] = past.updaters;
  }

  /// Has the memory of a cell brought near, which will be written.
  void prefetch(uint32_t cell) const {
    if (writers)
      __builtin_prefetch(writers + cell, /*rw=*/1);
    if (readers)
      __builtin_prefetch(readers + cell, /*rw=*/1);
    if (updaters)
      __builtin_prefetch(updaters + cell, /*rw=*/1);
  }

  /// The cells of a kind, which are there from now on.
  template <typename Cell>
  static Cell *require(Cell *&cells, uint32_t count, CellMemory &memory) {
    if (!cells)
      cells = memory.allocate<Cell>(count);
    return cells;
  }
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_RUNTIME_CHECK_CELLPAGE_H
