//===- Effects.cpp - Assembly that does more than compute -----------------===//
//
// PTX instructions for memory: loads and stores, fences, barriers, and the
// hints that may be left out.
//
//===----------------------------------------------------------------------===//

#include "InlineAssembly.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::triton_shared;
using namespace mlir::triton_shared::assembly;

std::optional<NumberType> assembly::findAccess(Opcode opcode) {
  if ((opcode.base != "ld" && opcode.base != "st") ||
      opcode.types.size() != 1 || opcode.types.front().lanes != 1 ||
      opcode.types.front().width > 64)
    return std::nullopt;
  opcode.take("global");
  // How the access goes through caches is nothing to a CPU.
  for (StringRef hint :
       {"weak", "ca", "cg", "cs", "cv", "lu", "nc", "wb", "wt"})
    opcode.take(hint);
  return opcode.modifiers.empty() ? std::optional(opcode.types.front())
                                  : std::nullopt;
}

/// `fence` between threads; every order and scope is one here. What orders the
/// proxies of one thread is the compiler's business, which knows what it copies
/// by which.
static std::optional<Effect> findFence(Opcode opcode) {
  if (opcode.take("proxy"))
    return Effect::Nothing;
  opcode.takeOneOf({"sc", "acq_rel", "acquire", "release"});
  opcode.takeOneOf({"cta", "cluster", "gpu", "gl", "sys"});
  return opcode.modifiers.empty() ? std::optional(Effect::Fence) : std::nullopt;
}

static std::optional<Effect> findBarrier(Opcode opcode) {
  opcode.take("cta");
  bool isSync = opcode.take("sync");
  opcode.take("aligned");
  return isSync && opcode.modifiers.empty() ? std::optional(Effect::Barrier)
                                            : std::nullopt;
}

std::optional<Effect> assembly::findEffect(Opcode opcode) {
  if (!opcode.types.empty())
    return std::nullopt;
  if (opcode.base == "bar" || opcode.base == "barrier")
    return findBarrier(opcode);
  if (opcode.base == "fence" || opcode.base == "membar")
    return findFence(opcode);
  // Programs of the launch before have ended, and memory is what it was.
  return llvm::StringSwitch<std::optional<Effect>>(opcode.base)
      .Cases({"griddepcontrol", "prefetch", "prefetchu", "applypriority",
              "discard"},
             Effect::Nothing)
      .Default(std::nullopt);
}
