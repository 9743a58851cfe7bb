//===- WholeLoads.cpp - Loads of what was stored in parts -----------------===//

#include "WholeLoads.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace {

/// A load or store of a local variable.
struct Access {
  Instruction *instruction;
  /// In bytes, from the variable's begin.
  int64_t begin, end;

  /// The vector that is accessed; null if it is none.
  FixedVectorType *getVector() const {
    return dyn_cast<FixedVectorType>(getLoadStoreType(instruction));
  }
};

/// A load of all that some stores have written.
struct WholeLoad {
  LoadInst *load;
  /// In the order of their places.
  SmallVector<Access> stores;
};

} // namespace

/// Adds the accesses by `address`, `offset` bytes behind the variable's begin.
/// False if that is not all that is done with it.
static bool collectAccesses(SmallVectorImpl<Access> &accesses, Value &address,
                            int64_t offset, const llvm::DataLayout &layout) {
  return all_of(address.users(), [&](User *user) {
    if (auto *step = dyn_cast<GetElementPtrInst>(user)) {
      APInt distance(layout.getIndexTypeSizeInBits(step->getType()), 0);
      return step->accumulateConstantOffset(layout, distance) &&
             collectAccesses(accesses, *step, offset + distance.getSExtValue(),
                             layout);
    }
    auto *instruction = cast<Instruction>(user);
    if (getLoadStorePointerOperand(instruction) != &address)
      return user->isDroppable() || instruction->isLifetimeStartOrEnd();
    TypeSize size = layout.getTypeStoreSize(getLoadStoreType(instruction));
    accesses.push_back(
        {instruction, offset, offset + int64_t(size.getFixedValue())});
    return !instruction->isVolatile() && !instruction->isAtomic();
  });
}

/// What `load` loads, if that is what at least two stores of vectors of its
/// elements have written side by side, and nobody else has to do with it.
static std::optional<WholeLoad> findStores(const Access &load,
                                           ArrayRef<Access> accesses) {
  FixedVectorType *whole = load.getVector();
  if (!whole || !isa<LoadInst>(load.instruction))
    return std::nullopt;
  WholeLoad found{cast<LoadInst>(load.instruction), {}};
  for (const Access &other : accesses)
    if (other.instruction != load.instruction && other.begin < load.end &&
        load.begin < other.end)
      found.stores.push_back(other);
  sort(found.stores,
       [](const Access &a, const Access &b) { return a.begin < b.begin; });
  int64_t next = load.begin;
  for (const Access &store : found.stores) {
    FixedVectorType *part = store.getVector();
    if (!isa<StoreInst>(store.instruction) || !part || store.begin != next ||
        part->getElementType() != whole->getElementType())
      return std::nullopt;
    next = store.end;
  }
  return next == load.end && found.stores.size() > 1 ? std::optional(found)
                                                     : std::nullopt;
}

/// Loads what each store has written, in the place of the whole.
static void loadParts(const WholeLoad &found) {
  IRBuilder<> builder(found.load);
  auto *whole = cast<FixedVectorType>(found.load->getType());
  unsigned lanes = whole->getNumElements(), first = 0;
  Value *result = PoisonValue::get(whole);
  for (const Access &access : found.stores) {
    auto *store = cast<StoreInst>(access.instruction);
    FixedVectorType *type = access.getVector();
    // The store's own address may be computed later than the load.
    Value *address = builder.CreateConstGEP1_64(
        builder.getInt8Ty(), found.load->getPointerOperand(),
        access.begin - found.stores.front().begin);
    Value *loaded = builder.CreateAlignedLoad(type, address, store->getAlign());
    SmallVector<int> wide(lanes, PoisonMaskElem);
    auto both = to_vector_of<int>(seq<int>(0, lanes));
    for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
      wide[first + lane] = lane;
      both[first + lane] = lanes + first + lane;
    }
    result = builder.CreateShuffleVector(
        result, builder.CreateShuffleVector(loaded, wide), both);
    first += type->getNumElements();
  }
  found.load->replaceAllUsesWith(result);
  found.load->eraseFromParent();
}

PreservedAnalyses
mlir::triton_shared::SplitWholeLoads::run(Function &function,
                                          FunctionAnalysisManager &) {
  SmallVector<WholeLoad> all;
  // SROA looks at the variables of the first block.
  for (Instruction &instruction : function.getEntryBlock()) {
    SmallVector<Access> accesses;
    if (!isa<AllocaInst>(instruction) ||
        !collectAccesses(accesses, instruction, 0, function.getDataLayout()))
      continue;
    for (const Access &access : accesses)
      if (std::optional<WholeLoad> found = findStores(access, accesses))
        all.push_back(std::move(*found));
  }
  for (const WholeLoad &found : all)
    loadParts(found);
  return all.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}
