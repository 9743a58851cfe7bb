//===- Scan.cpp - Loops that are scans to cta.scan ------------------------===//

#include "Parts.h"

#include "mlir/IR/IRMapping.h"
#include "triton-shared/Analysis/ScanLoop.h"

using namespace mlir;
using namespace mlir::triton_shared;

/// The region of the scan: the running elements of all operands, then the next
/// ones.
static void fillRegion(cta::ScanOp scan, const ScanLoop &loop) {
  Location loc = scan.getLoc();
  Block &block = scan.getCombine().emplaceBlock();
  SmallVector<Type> types =
      llvm::map_to_vector(scan.getOperands(), [](Value source) {
        return getElementTypeOrSelf(source.getType());
      });
  SmallVector<Location> locs(types.size(), loc);
  block.addArguments(types, locs);
  block.addArguments(types, locs);
  OpBuilder builder = OpBuilder::atBlockEnd(&block);
  ScanBody body = loop.getBody();
  IRMapping mapping;
  for (auto [value, operand] : body.running)
    mapping.map(value, block.getArgument(operand));
  for (auto [value, operand] : body.next)
    mapping.map(value, block.getArgument(types.size() + operand));
  for (Operation *op : body.operations)
    builder.clone(*op, mapping);
  cta::YieldOp::create(builder, loc,
                       llvm::map_to_vector(body.results, [&](Value result) {
                         return mapping.lookupOrDefault(result);
                       }));
}

static void replaceLoop(const ScanLoop &loop) {
  OpBuilder builder(loop.getLoop());
  SmallVector<Value> sources = loop.getSources();
  auto scan = cta::ScanOp::create(
      builder, loop.getLoop().getLoc(), TypeRange(ValueRange(sources)), sources,
      builder.getI64IntegerAttr(loop.getAxis()),
      loop.isReverse() ? builder.getUnitAttr() : UnitAttr());
  fillRegion(scan, loop);
  for (auto [old, result] :
       llvm::zip_equal(loop.getResults(), scan.getResults()))
    old.replaceAllUsesWith(result);
  loop.getLoop().erase();
}

void triton_shared::convertScanLoops(Operation *op) {
  op->walk([](scf::ForOp loop) {
    if (std::optional<ScanLoop> scan = ScanLoop::match(loop))
      replaceLoop(*scan);
  });
}
