//===- Registers.cpp - Registers that nobody writes -----------------------===//
//
// What PTX calls special registers. A program is what a block of threads is to
// PTX, alone in its cluster; how many threads it has is the machine's business.
//
//===----------------------------------------------------------------------===//

#include "InlineAssembly.h"

#include "../MapElements.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "triton-shared/Dialect/Structured/IR/KernelSignature.h"

using namespace mlir;
using namespace mlir::triton_shared;
using namespace mlir::triton_shared::assembly;

namespace tt = mlir::triton;

using Kind = SpecialRegister::Kind;

/// Takes `.x`, `.y` or `.z` off the end; its number, or nothing.
static std::optional<unsigned> takeAxis(StringRef &name) {
  for (unsigned axis = 0; axis < 3; ++axis)
    if (name.consume_back(("." + Twine("xyz"[axis])).str()))
      return axis;
  return std::nullopt;
}

std::optional<SpecialRegister> assembly::findSpecialRegister(StringRef name) {
  if (!name.consume_front("%"))
    return std::nullopt;
  if (auto machine = tts::symbolizeMachineRegister(name))
    return SpecialRegister{Kind::Machine, 0, *machine};
  std::optional<unsigned> axis = takeAxis(name);
  auto isOneOf = [&](ArrayRef<StringRef> names) {
    return llvm::is_contained(names, name);
  };
  if (!axis) {
    if (isOneOf({"cluster_ctarank"}))
      return SpecialRegister{Kind::Constant, 0};
    if (isOneOf({"cluster_nctarank"}))
      return SpecialRegister{Kind::Constant, 1};
    return std::nullopt;
  }
  if (isOneOf({"ctaid", "clusterid"}))
    return SpecialRegister{Kind::ProgramId, *axis};
  if (isOneOf({"nctaid", "nclusterid"}))
    return SpecialRegister{Kind::GridSize, *axis};
  // Threads are counted along x, which is the machine's.
  if (isOneOf({"cluster_ctaid", "tid"}))
    return SpecialRegister{Kind::Constant, 0};
  if (isOneOf({"cluster_nctaid", "ntid"}))
    return SpecialRegister{Kind::Constant, 1};
  return std::nullopt;
}

/// What `special` holds, at `op`; for the elements of `block`, if it is one and
/// they may differ.
static Value readSpecialRegister(OpBuilder &builder,
                                 tt::ElementwiseInlineAsmOp op,
                                 const SpecialRegister &special,
                                 RankedTensorType block) {
  Location loc = op.getLoc();
  Type type = builder.getIntegerType(special.getWidth());
  auto argument = [&](ArrayRef<tts::ParameterKind> kinds) -> Value {
    tts::KernelSignature signature(op->getParentOfType<func::FuncOp>());
    return signature.find(kinds[special.number]);
  };
  switch (special.kind) {
  case Kind::Constant:
    return createScalar(builder, loc, type, special.number);
  case Kind::GridSize:
    return argument(tts::kGridSizes);
  case Kind::ProgramId:
    return argument(tts::kProgramIds);
  case Kind::Machine:
    if (block)
      type = block.clone(type);
    return tts::ReadMachineOp::create(builder, loc, type, special.machine);
  }
  llvm_unreachable("covered switch");
}

SmallVector<Value> assembly::readSpecialRegisters(OpBuilder &builder,
                                                  tt::ElementwiseInlineAsmOp op,
                                                  const Program &program,
                                                  RankedTensorType block) {
  SmallVector<Value> values;
  for (const auto &read : program.reads)
    values.push_back(readSpecialRegister(builder, op, read.second, block));
  return values;
}
