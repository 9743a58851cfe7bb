//===- TurnLoads.cpp - Operands that are transposed where they are loaded -===//
//
// An access describes its dimensions one by one: their order is only how the
// block is held. A block that is loaded to be transposed for a product is
// loaded as the product takes it, and can be copied to where that reads it.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "triton-shared/Analysis/PointerHints.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CTATURNLOADS
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

/// The load of which `transpose` is the only user, if its dimensions may change
/// places.
static tts::LoadOp findTurnedLoad(cta::TransposeOp transpose) {
  auto load = transpose.getSource().getDefiningOp<tts::LoadOp>();
  bool hasTiles =
      load &&
      (load.getMask() ||
       (load.getOther() && isa<RankedTensorType>(load.getOther().getType())));
  return load && load->hasOneUse() && !load.getIsVolatile() && !hasTiles
             ? load
             : nullptr;
}

static void turn(tts::LoadOp load, cta::TransposeOp transpose) {
  SmallVector<tts::DimensionAccess> dimensions = llvm::map_to_vector(
      transpose.getPermutation(),
      [from = load.getDimensions()](int64_t dim) { return from[dim]; });
  OpBuilder builder(load);
  auto turned = tts::LoadOp::create(builder, load.getLoc(), transpose.getType(),
                                    load.getBase(), load.getOffset(),
                                    dimensions, Value(), load.getOther());
  turned->setDiscardableAttrs(load->getDiscardableAttrDictionary());
  turned.setCacheAttr(load.getCacheAttr());
  turned.setEvictAttr(load.getEvictAttr());
  for (StringRef name : {kLineAlignment, kIndexRuns})
    if (auto hint = load->getAttrOfType<DenseI64ArrayAttr>(name))
      turned->setAttr(name, builder.getDenseI64ArrayAttr(llvm::map_to_vector(
                                transpose.getPermutation(),
                                [&](int64_t dim) { return hint[dim]; })));
  transpose.replaceAllUsesWith(turned.getResult());
  transpose.erase();
  load.erase();
}

namespace {

struct CtaTurnLoads : triton_shared::impl::CtaTurnLoadsBase<CtaTurnLoads> {
  void runOnOperation() override {
    SmallVector<cta::TransposeOp> found;
    getOperation().walk([&](cta::TransposeOp transpose) {
      if (llvm::any_of(transpose->getUsers(),
                       [](Operation *user) { return isa<cta::DotOp>(user); }))
        found.push_back(transpose);
    });
    for (cta::TransposeOp transpose : found)
      if (tts::LoadOp load = findTurnedLoad(transpose))
        turn(load, transpose);
  }
};

} // namespace
