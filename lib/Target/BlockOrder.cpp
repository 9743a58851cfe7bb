//===- BlockOrder.cpp - In which order a block runs -----------------------===//
//
// Loads come one after the other, those of several tiles in turn, and what can
// be computed of them comes at once: of all that is done with a row, one
// element is done after the other. The rest comes as late as it is needed, the
// longest computation first: of a chain of sums, all but the last element are
// there before the last one is.
//
//===----------------------------------------------------------------------===//

#include "BlockOrder.h"

#include "LiveRegisters.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using mlir::triton_shared::countRegisters;
using mlir::triton_shared::listInOrder;
using mlir::triton_shared::LiveRegisters;

/// Of a value that more instructions use, none is looked at when another has
/// run: an address that all loads begin with.
static constexpr unsigned kManyUsers = 16;

/// True for assembly that loads under a predicate and does nothing else, as
/// GlobalMemory.cpp writes it.
static bool isAssemblyLoad(const CallBase &call) {
  auto *code = dyn_cast<InlineAsm>(call.getCalledOperand());
  if (!code)
    return false;
  SmallVector<StringRef> statements;
  StringRef(code->getAsmString()).split(statements, ';');
  bool loads = false;
  for (StringRef statement : statements) {
    statement = statement.trim();
    if (statement.consume_front("@$"))
      statement = statement.drop_while(isDigit).ltrim();
    bool isLoad = statement.starts_with("ld.global.");
    if (!isLoad && !statement.empty() && !statement.starts_with("mov.b"))
      return false;
    loads |= isLoad;
  }
  return loads;
}

static bool isLoad(const Instruction &instruction) {
  if (auto *load = dyn_cast<LoadInst>(&instruction))
    return load->isSimple();
  auto *call = dyn_cast<CallBase>(&instruction);
  return call && isAssemblyLoad(*call);
}

/// True for what keeps its order: effects, and what lanes do together but for
/// what an address needs.
static bool hasPlace(const Instruction &instruction) {
  if (isLoad(instruction))
    return false;
  auto *call = dyn_cast<CallBase>(&instruction);
  return instruction.mayHaveSideEffects() ||
         instruction.mayReadOrWriteMemory() || (call && call->isConvergent());
}

namespace {

/// Loads in the order in which they are needed, and how many registers may
/// hold values for them to come before that.
struct LoadsAhead {
  ArrayRef<Instruction *> loads;
  unsigned registers;
};

class Ordering {
public:
  Ordering(BasicBlock &block, LoadsAhead ahead)
      : all(listInOrder(block)), ahead(ahead), live(block) {
    unsigned before = 0;
    auto isOfLoad = [&](const Use &use) {
      return isOfLoads.contains(dyn_cast<Instruction>(use));
    };
    for (Instruction *instruction : all) {
      left.insert(instruction);
      unsigned above = 0;
      for (Value *operand : instruction->operands())
        if (auto *used = dyn_cast<Instruction>(operand); left.contains(used))
          above = std::max(above, depths.lookup(used) + 1);
      depths[instruction] = above;
      if (isLoad(*instruction)) {
        loads.push_back(instruction);
        writesBefore[instruction] = before;
      }
      if (isLoad(*instruction) || any_of(instruction->operands(), isOfLoad))
        isOfLoads.insert(instruction);
      before += mayWrite(*instruction);
    }
  }

  SmallVector<Instruction *> run() {
    putLoads();
    for (Instruction *instruction : all)
      if (hasPlace(*instruction)) {
        putComputed(instruction);
        if (mayWrite(*instruction))
          putLoads();
      }
    for (Instruction *instruction : all)
      putComputed(instruction);
    return std::move(order);
  }

private:
  static bool mayWrite(const Instruction &instruction) {
    return hasPlace(instruction) && instruction.mayReadOrWriteMemory();
  }

  /// Appends the loads that come before the next write: the first of each tile,
  /// then the next of each.
  void putLoads() {
    SmallVector<std::pair<double, size_t>> next;
    while (nextLoad < loads.size() &&
           writesBefore.lookup(loads[nextLoad]) <= writes) {
      size_t begin = nextLoad++;
      while (nextLoad < loads.size() &&
             areOfOneTile(*loads[begin], *loads[nextLoad]))
        ++nextLoad;
      for (size_t i = begin; i < nextLoad; ++i)
        next.push_back({double(i - begin) / (nextLoad - begin), i});
    }
    llvm::sort(next);
    for (auto [_, i] : next)
      putComputed(loads[i]);
  }

  bool areOfOneTile(const Instruction &first, const Instruction &next) const {
    return first.getType() == next.getType() &&
           writesBefore.lookup(&first) == writesBefore.lookup(&next) &&
           getUnderlyingObject(getAddress(first)) ==
               getUnderlyingObject(getAddress(next));
  }

  static const Value *getAddress(const Instruction &load) {
    auto *call = dyn_cast<CallBase>(&load);
    return call ? call->getArgOperand(0) : getLoadStorePointerOperand(&load);
  }

  /// Appends `root` and, before it, what it is computed of.
  void putComputed(Instruction *root) {
    SmallVector<Instruction *> open{root};
    while (!open.empty()) {
      Instruction *top = open.back();
      if (Instruction *next = findDeepest(*top)) {
        open.push_back(next);
        continue;
      }
      open.pop_back();
      append(top);
    }
  }

  /// What `instruction` still waits for; of several, what takes longest.
  Instruction *findDeepest(const Instruction &instruction) const {
    Instruction *deepest = nullptr;
    if (!left.contains(&instruction))
      return nullptr;
    for (Value *operand : instruction.operands())
      if (auto *used = dyn_cast<Instruction>(operand); left.contains(used))
        if (!deepest || depths.lookup(used) > depths.lookup(deepest))
          deepest = used;
    return deepest;
  }

  /// Appends loads that are needed soon, while there are registers for them.
  void loadAhead() {
    if (std::exchange(isAhead, true))
      return;
    for (; nextAhead < ahead.loads.size(); ++nextAhead) {
      Instruction *load = ahead.loads[nextAhead];
      if (!left.contains(load))
        continue;
      if (writesBefore.lookup(load) > writes ||
          live.getCount() + countLoaded(*load) > ahead.registers)
        break;
      putComputed(load);
    }
    isAhead = false;
  }

  static unsigned countLoaded(const Instruction &load) {
    auto *type = dyn_cast<StructType>(load.getType());
    return type ? type->getNumElements() : countRegisters(load);
  }

  /// Appends `first`, then what comes at once.
  void append(Instruction *first) {
    loadAhead();
    SmallVector<Instruction *> next{first};
    while (!next.empty()) {
      Instruction *instruction = next.pop_back_val();
      if (!left.erase(instruction))
        continue;
      order.push_back(instruction);
      writes += mayWrite(*instruction);
      live.run(*instruction);
      addReady(*instruction, next);
      for (Value *operand : instruction->operands())
        if (isa<Instruction>(operand))
          addReady(*operand, next);
    }
  }

  void addReady(Value &value, SmallVectorImpl<Instruction *> &next) const {
    // The parts of a result are registers from its begin.
    bool inParts = value.getType()->isStructTy();
    if (!inParts && value.hasNUsesOrMore(kManyUsers))
      return;
    for (User *user : value.users()) {
      auto *instruction = dyn_cast<Instruction>(user);
      if (left.contains(instruction) && !hasPlace(*instruction) &&
          !isLoad(*instruction) && !findDeepest(*instruction) &&
          (inParts || comesAtOnce(*instruction)))
        next.push_back(instruction);
    }
  }

  bool comesAtOnce(const Instruction &instruction) const {
    return isOfLoads.contains(&instruction) || live.getChange(instruction) < 0;
  }

  /// As it was.
  SmallVector<Instruction *> all;
  LoadsAhead ahead;
  size_t nextAhead = 0;
  bool isAhead = false;
  DenseSet<const Instruction *> left;
  /// How many instructions of the block each is the last of.
  DenseMap<const Instruction *, unsigned> depths;
  /// Loads, and what is computed of them.
  DenseSet<const Instruction *> isOfLoads;
  SmallVector<Instruction *> loads;
  size_t nextLoad = 0;
  DenseMap<const Instruction *, unsigned> writesBefore;
  /// How many have been appended.
  unsigned writes = 0;
  LiveRegisters live;
  SmallVector<Instruction *> order;
};

} // namespace

SmallVector<Instruction *>
mlir::triton_shared::findShortOrder(BasicBlock &block, unsigned forLoads) {
  SmallVector<Instruction *> order = Ordering(block, {{}, 0}).run();
  SmallVector<Instruction *> loads;
  llvm::copy_if(order, std::back_inserter(loads),
                [](Instruction *one) { return isLoad(*one); });
  return Ordering(block, {loads, forLoads}).run();
}
