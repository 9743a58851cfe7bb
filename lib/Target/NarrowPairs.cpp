//===- NarrowPairs.cpp - Pairs of 8-bit floats in a register --------------===//

#include "NarrowPairs.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

/// True for a conversion whose result is a pair of narrow floats.
static bool makesNarrowPair(StringRef opcode) {
  if (!opcode.consume_front("cvt."))
    return false;
  SmallVector<StringRef> words;
  opcode.split(words, '.');
  // The type of the source is last, that of the result before it.
  return words.size() >= 2 && words[words.size() - 2].starts_with('e') &&
         words[words.size() - 2].ends_with("x2");
}

namespace {

/// One instruction of the text.
struct Line {
  StringRef text;
  StringRef opcode;
  SmallVector<StringRef> results, sources;
  /// Registers of 16 bits of which pairs share one: `{%rs1, %rs2}`.
  SmallVector<StringRef> lanes;
  /// How many branches and how many stores stand before this line.
  unsigned branches = 0, stores = 0;
  bool isStore = false;
};

/// The registers in some operands.
void findNames(StringRef operands, SmallVectorImpl<StringRef> &names) {
  auto isPart = [](char c) { return isAlnum(c) || c == '_' || c == '$'; };
  while (!operands.empty()) {
    size_t length = operands.front() == '%' ? 1 : 0;
    length += operands.drop_front(length).take_while(isPart).size();
    if (length && !isDigit(operands.front()))
      names.push_back(operands.take_front(length));
    operands = operands.drop_front(std::max<size_t>(length, 1));
  }
}

Line parseLine(StringRef text) {
  Line line;
  line.text = text;
  StringRef rest = text.trim();
  if (rest.starts_with("@")) {
    findNames(rest.take_until(isSpace), line.sources);
    rest = rest.drop_until(isSpace).ltrim();
  }
  line.opcode = rest.take_until(isSpace);
  StringRef operands = rest.drop_front(line.opcode.size()).ltrim();
  bool hasList = operands.starts_with("{");
  size_t end = operands.find(hasList ? '}' : ',');
  StringRef first = operands.take_front(end);
  StringRef others = operands.drop_front(first.size());
  line.isStore = first.starts_with("[");
  findNames(first, line.isStore ? line.sources : line.results);
  findNames(others, line.sources);
  if (line.opcode.starts_with("mov.b") || line.isStore) {
    StringRef list = others.drop_until([](char c) { return c == '{'; });
    findNames(list.take_until([](char c) { return c == '}'; }), line.lanes);
  }
  return line;
}

/// The instructions of one function, and who writes and reads which register.
class FunctionText {
public:
  void add(StringRef text) {
    Line line = parseLine(text);
    if (!lines.empty()) {
      const Line &last = lines.back();
      line.branches = last.branches + last.opcode.starts_with("bra");
      line.stores = last.stores + last.isStore;
    }
    lines.push_back(std::move(line));
    for (StringRef result : lines.back().results)
      writers[result].push_back(lines.size() - 1);
    for (StringRef source : lines.back().sources)
      readers[source].push_back(lines.size() - 1);
  }

  /// Prints the function; what follows a pair that has to be hidden hides it.
  void print(raw_ostream &stream) const {
    DenseSet<size_t> hidden = findHidden();
    for (auto [number, line] : enumerate(lines)) {
      stream << line.text << '\n';
      if (hidden.contains(number))
        printHiding(line.results.front(), stream);
    }
  }

private:
  DenseSet<size_t> findHidden() const {
    DenseSet<size_t> hidden;
    for (auto [number, line] : enumerate(lines))
      for (size_t lane = 0; lane + 1 < line.lanes.size(); lane += 2)
        for (size_t pair : findPairs(line.lanes[lane], number))
          if (isReadBetween(line.lanes[lane], pair, number) ||
              isFrom(line.lanes[lane + 1], pair, number) ||
              mayEqual(line.lanes[lane + 1], pair, number))
            hidden.insert(pair);
    return hidden;
  }

  /// The conversions before a line that give `name` its value.
  SmallVector<size_t> findPairs(StringRef name, size_t end) const {
    SmallVector<size_t> found;
    for (size_t writer : writers.lookup(name))
      if (writer < end && makesNarrowPair(lines[writer].opcode))
        found.push_back(writer);
    return found;
  }

  /// True if `name`, which the line `begin` gives a value, is read before the
  /// line `end` by more than another list in which it is a lower half.
  bool isReadBetween(StringRef name, size_t begin, size_t end) const {
    return any_of(readers.lookup(name), [&](size_t reader) {
      if (reader <= begin || reader >= end)
        return false;
      const Line &line = lines[reader];
      ptrdiff_t lower = 0;
      for (size_t lane = 0; lane < line.lanes.size(); lane += 2)
        lower += line.lanes[lane] == name;
      return count(line.sources, name) > lower;
    });
  }

  /// True if the value of `name`, between the line `begin`, which makes a pair,
  /// and the line `end`, may be computed from that pair.
  bool isFrom(StringRef name, size_t begin, size_t end) const {
    SmallVector<StringRef> open = {name};
    DenseSet<size_t> seen;
    while (!open.empty())
      for (size_t writer : writers.lookup(open.pop_back_val())) {
        if (writer == begin)
          return true;
        if (writer < begin || writer >= end || !seen.insert(writer).second)
          continue;
        // What is stored, or which way a branch goes, may be of the pair.
        const Line &line = lines[writer];
        bool loads =
            line.opcode.starts_with("ld") || line.opcode.starts_with("atom");
        if ((loads && line.stores != lines[begin].stores) ||
            line.branches != lines[begin].branches)
          return true;
        open.append(line.sources);
      }
    return false;
  }

  /// True if `name` is another pair at the line `end`, which ptxas may find to
  /// be the same as that of the line `pair`, and convert once.
  bool mayEqual(StringRef name, size_t pair, size_t end) const {
    return any_of(findPairs(name, end), [&](size_t other) {
      return lines[pair].opcode == lines[other].opcode &&
             !areOthers(lines[pair].sources, lines[other].sources);
    });
  }

  /// True if one of the first registers is certainly not computed of the same
  /// numbers as the one in its place: of different elements of a product, or of
  /// different ones that were loaded.
  bool areOthers(ArrayRef<StringRef> first, ArrayRef<StringRef> second) const {
    SmallVector<std::pair<StringRef, StringRef>> open;
    auto push = [&](ArrayRef<StringRef> some, ArrayRef<StringRef> others) {
      for (auto [one, other] : zip(some, others))
        if (one != other)
          open.push_back({one, other});
    };
    push(first, second);
    auto isProduct = [&](size_t line) {
      return lines[line].opcode.contains("mma");
    };
    DenseSet<std::pair<StringRef, StringRef>> seen;
    while (!open.empty()) {
      auto [one, other] = open.pop_back_val();
      if (!seen.insert({one, other}).second)
        continue;
      SmallVector<size_t, 1> made = writers.lookup(one);
      SmallVector<size_t, 1> madeToo = writers.lookup(other);
      if (any_of(made, isProduct) && any_of(madeToo, isProduct))
        return true;
      // Parameters, and what hardware knows.
      if (made.empty() && madeToo.empty())
        return true;
      // What has a value from several lines may be a constant in the end.
      if (made.size() != 1 || madeToo.size() != 1)
        continue;
      const Line &line = lines[made.front()], &lineToo = lines[madeToo.front()];
      if (line.opcode != lineToo.opcode)
        continue;
      if (line.opcode.starts_with("ld."))
        return true;
      push(line.sources, lineToo.sources);
    }
    return false;
  }

  static void printHiding(StringRef pair, raw_ostream &stream) {
    stream << "\t{\n\t.reg .b16 none;\n\t.reg .b32 whole;\n"
           << "\tcvt.u32.u16 \twhole, " << pair << ";\n"
           << "\tprmt.b32 \twhole, whole, 0, 0x7710;\n"
           << "\tmov.b32 \t{" << pair << ", none}, whole;\n\t}\n";
  }

  SmallVector<Line, 0> lines;
  StringMap<SmallVector<size_t, 1>> writers, readers;
};

} // namespace

void mlir::triton_shared::separateNarrowPairs(std::string &ptx) {
  // The ends of e2m1x2, e5m2x2, e4m3x2 and the like, as results.
  if (none_of(ArrayRef<StringRef>{"m1x2.", "m2x2.", "m3x2."},
              [&](StringRef end) { return StringRef(ptx).contains(end); }))
    return;
  std::string separated;
  raw_string_ostream stream(separated);
  SmallVector<StringRef, 0> lines;
  StringRef(ptx).split(lines, '\n');
  FunctionText function;
  for (StringRef line : lines) {
    function.add(line);
    // A function ends where its bracket does.
    if (line == "}") {
      function.print(stream);
      function = FunctionText();
    }
  }
  function.print(stream);
  separated.pop_back(); // the end of a line that was not there
  ptx = std::move(separated);
}
