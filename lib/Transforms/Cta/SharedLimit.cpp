//===- SharedLimit.cpp - More shared memory than there is -----------------===//

#include "SharedLimit.h"
#include "SharedUse.h"

#include "triton-shared/Dialect/Cta/IR/Cta.h"

using namespace mlir;
using namespace mlir::triton_shared;

/// So many operations are named: two that take turns fill all of the memory.
static constexpr unsigned kNamed = 2;

/// What the kernel's author wrote, or what it came to.
static StringRef describe(Operation *op) {
  auto tiles = dyn_cast<cta::CtaOpInterface>(op);
  return tiles ? tiles.getNoun() : "this operation";
}

/// The operations that need shared memory and their bytes, those that need most
/// first.
static SmallVector<std::pair<int64_t, Operation *>>
findUsers(func::FuncOp function) {
  SmallVector<std::pair<int64_t, Operation *>> users;
  function.walk([&](Operation *op) {
    int64_t bytes = getSharedBytes(op);
    auto isSmaller = [&](const auto &other) { return other.first < bytes; };
    if (bytes > 0)
      users.insert(llvm::find_if(users, isSmaller), {bytes, op});
  });
  return users;
}

LogicalResult triton_shared::checkSharedLimit(func::FuncOp function) {
  int64_t needed = function->getAttrOfType<IntegerAttr>(cta::kShared).getInt();
  int64_t limit = cta::getTarget(function).getSharedBytes();
  if (needed <= limit)
    return success();
  InFlightDiagnostic error =
      function.emitError("kernel '")
      << function.getName() << "' needs " << needed
      << " bytes of shared memory, a block of this GPU has " << limit;
  SmallVector<std::pair<int64_t, Operation *>> users = findUsers(function);
  for (auto [bytes, op] : ArrayRef(users).take_front(kNamed))
    error.attachNote(op->getLoc())
        << describe(op) << " takes " << bytes << " bytes";
  error.attachNote() << "use smaller blocks, narrower types, or fewer stages "
                        "(num_stages)";
  return error;
}
