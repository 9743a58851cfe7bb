//===- WideVectors.cpp - Vectors that no registers hold -------------------===//

#include "WideVectors.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

/// A thread of a GPU has at most 255 registers.
static constexpr unsigned kRegisterBits = 255 * 32;

/// Elements of the parts that a wide vector is put together from.
static constexpr unsigned kPart = 8;

static bool isWide(const Value &value) {
  return value.getType()->getPrimitiveSizeInBits() > kRegisterBits;
}

/// True for a wide vector whose lanes are those of others.
static bool movesLanes(const Value &value) {
  if (!isWide(value))
    return false;
  if (auto *insert = dyn_cast<InsertElementInst>(&value))
    return isa<ConstantInt>(insert->getOperand(2));
  return isa<ShuffleVectorInst>(value);
}

/// The value of one lane, as a scalar.
static Value *createLane(Value *vector, unsigned lane, IRBuilderBase &builder) {
  Type *type = vector->getType()->getScalarType();
  while (movesLanes(*vector)) {
    if (auto *insert = dyn_cast<InsertElementInst>(vector)) {
      if (cast<ConstantInt>(insert->getOperand(2))->equalsInt(lane))
        return insert->getOperand(1);
      vector = insert->getOperand(0);
      continue;
    }
    auto *shuffle = cast<ShuffleVectorInst>(vector);
    int from = shuffle->getMaskValue(lane);
    if (from < 0)
      return PoisonValue::get(type);
    auto *operands = cast<FixedVectorType>(shuffle->getOperand(0)->getType());
    vector = shuffle->getOperand(from / operands->getNumElements());
    lane = from % operands->getNumElements();
  }
  return builder.CreateExtractElement(vector, lane);
}

/// Puts a vector that is made lane by lane, or part by part, together from
/// halves, those from theirs, and so on. The scalarizer writes down every
/// vector on the way, of which there were as many as parts.
static void makeOfHalves(Instruction &vector) {
  IRBuilder<> builder(&vector);
  auto *type = cast<FixedVectorType>(vector.getType());
  SmallVector<Value *> parts;
  for (unsigned begin = 0; begin < type->getNumElements(); begin += kPart) {
    unsigned size = std::min(kPart, type->getNumElements() - begin);
    Value *part =
        PoisonValue::get(FixedVectorType::get(type->getElementType(), size));
    for (unsigned lane = 0; lane < size; ++lane)
      part = builder.CreateInsertElement(
          part, createLane(&vector, begin + lane, builder), lane);
    parts.push_back(part);
  }
  vector.replaceAllUsesWith(concatenateVectors(builder, parts));
  RecursivelyDeleteTriviallyDeadInstructions(&vector);
}

PreservedAnalyses
mlir::triton_shared::SplitWideVectors::run(Function &function,
                                           FunctionAnalysisManager &analyses) {
  bool hasWide = any_of(instructions(function), [](Instruction &instruction) {
    return isWide(instruction);
  });
  if (!hasWide)
    return PreservedAnalyses::all();
  // A name for each scalar would take most of the time.
  LLVMContext &context = function.getContext();
  bool discards = context.shouldDiscardValueNames();
  context.setDiscardValueNames(true);
  SmallVector<Instruction *> made;
  for (Instruction &instruction : instructions(function))
    if (movesLanes(instruction) && any_of(instruction.users(), [](User *user) {
          return !movesLanes(*user);
        }))
      made.push_back(&instruction);
  for (Instruction *vector : made)
    makeOfHalves(*vector);
  PreservedAnalyses kept = ScalarizerPass().run(function, analyses);
  context.setDiscardValueNames(discards);
  return kept;
}
