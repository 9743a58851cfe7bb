//===- InlineAssemblyRegisters.cpp - Registers that nobody writes ---------===//
//
// What PTX calls special registers. A program is what a block of threads is to
// PTX, alone in its cluster; how many threads it has is the machine's business.
//
//===----------------------------------------------------------------------===//

#include "InlineAssembly.h"

using namespace mlir;
using namespace mlir::triton_shared;
using namespace mlir::triton_shared::assembly;

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
