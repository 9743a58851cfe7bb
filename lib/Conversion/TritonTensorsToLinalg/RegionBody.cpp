//===- RegionBody.cpp - The region of a tt op, built elsewhere ------------===//
//
// The region is copied, not moved: a lowering may need it more than once.
//
//===----------------------------------------------------------------------===//

#include "RegionBody.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

SmallVector<Value> triton_shared::cloneRegionBody(OpBuilder &builder,
                                                  Region &region,
                                                  ValueRange arguments) {
  Block &block = region.front();
  IRMapping mapping;
  mapping.map(block.getArguments(), arguments);
  for (Operation &op : block.without_terminator())
    builder.clone(op, mapping);
  return llvm::map_to_vector(
      block.getTerminator()->getOperands(),
      [&](Value value) { return mapping.lookupOrDefault(value); });
}
