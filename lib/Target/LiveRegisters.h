//===- LiveRegisters.h - What registers still hold --------------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_TARGET_LIVEREGISTERS_H
#define TRITON_SHARED_LIB_TARGET_LIVEREGISTERS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class BasicBlock;
class Function;
class Instruction;
class Value;
} // namespace llvm

namespace mlir::triton_shared {

/// How many registers of 32 bits each thread of `kernel` may have.
unsigned getRegisterLimit(const llvm::Function &kernel);

/// Counts the registers that hold values while instructions of a block run in
/// any order that is possible. Conditions have registers of their own; values
/// from outside of the block are held all the time.
class LiveRegisters {
public:
  explicit LiveRegisters(const llvm::BasicBlock &block);

  /// `instruction` has run.
  void run(const llvm::Instruction &instruction);

  unsigned getCount() const { return count; }

  /// Registers that `instruction` would take, less those that it would free.
  int getChange(const llvm::Instruction &instruction) const;

private:
  unsigned getFreed(const llvm::Instruction &instruction) const;

  unsigned count = 0;
  /// Of values that nobody needs behind the block: by how many instructions
  /// that have not run they are used.
  llvm::DenseMap<const llvm::Value *, unsigned> usersLeft;
};

/// How many registers of 32 bits `value` takes.
unsigned countRegisters(const llvm::Value &value);

/// The instructions of `block` but phis and its end.
llvm::SmallVector<llvm::Instruction *> listInOrder(llvm::BasicBlock &block);

/// The most registers that hold values at once if those instructions run in the
/// order `order`.
unsigned findMostRegisters(const llvm::BasicBlock &block,
                           llvm::ArrayRef<llvm::Instruction *> order);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_TARGET_LIVEREGISTERS_H
