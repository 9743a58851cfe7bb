//===- CallRowUpdates.cpp - Atomic sums of rows, by the runtime -----------===//
//
// Which numbers of a row are neighbours in memory shows when the program runs:
// an offset may be data. The runtime adds those together.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "triton-shared/Conversion/LinalgToCpu.h"
#include "triton-shared/Conversion/StructuredToMemRef.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CPUCALLROWUPDATES
#include "triton-shared/Conversion/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// A loop that adds one number after the other to memory.
struct RowUpdate {
  scf::ForOp loop;
  memref::AtomicRMWOp sum;
  memref::ReinterpretCastOp element;
  memref::LoadOp offset, value;
  /// Of each number; null if there is none.
  memref::LoadOp mask;
  /// Of all numbers; null if there is none.
  Value condition;

  StringRef getFunction() {
    return sum.getValue().getType().isF32() ? "tritonSharedAddRowF32"
                                            : "tritonSharedAddRowF64";
  }
};

/// The load of `value`, if it is what a row has in this turn; else null.
memref::LoadOp findRowLoad(Value value, scf::ForOp loop) {
  auto load = value.getDefiningOp<memref::LoadOp>();
  if (!load || load->getParentOfType<scf::ForOp>() != loop ||
      load.getIndices().empty() ||
      load.getIndices().back() != loop.getInductionVar() ||
      !load.getMemRefType().isLastDimUnitStride())
    return nullptr;
  bool isRow = loop.isDefinedOutsideOfLoop(load.getMemRef()) &&
               llvm::all_of(load.getIndices().drop_back(), [&](Value index) {
                 return loop.isDefinedOutsideOfLoop(index);
               });
  return isRow ? load : nullptr;
}

/// Takes what decides on an addition.
bool matchMask(Value condition, RowUpdate &update) {
  if (update.loop.isDefinedOutsideOfLoop(condition)) {
    update.condition = condition;
    return true;
  }
  // A mask in memory is bytes.
  if (auto isSet = condition.getDefiningOp<arith::CmpIOp>();
      isSet && isSet.getPredicate() == arith::CmpIPredicate::ne &&
      matchPattern(isSet.getRhs(), m_Zero()))
    condition = isSet.getLhs();
  update.mask = findRowLoad(condition, update.loop);
  return update.mask &&
         update.mask.getMemRefType().getElementTypeBitWidth() <= 8;
}

bool matchSum(memref::AtomicRMWOp sum, RowUpdate &update) {
  update.sum = sum;
  Type type = sum.getValue().getType();
  if (sum.getKind() != arith::AtomicRMWKind::addf || !sum->use_empty() ||
      !(type.isF32() || type.isF64()))
    return false;
  update.element = sum.getMemref().getDefiningOp<memref::ReinterpretCastOp>();
  if (!update.element || update.element.getType().getRank() != 1 ||
      !update.loop.isDefinedOutsideOfLoop(update.element.getSource()) ||
      getConstantIntValue(OpFoldResult(sum.getIndices().front())) != 0)
    return false;
  auto offset = dyn_cast<Value>(update.element.getMixedOffsets().front());
  auto cast = offset ? offset.getDefiningOp<arith::IndexCastOp>() : nullptr;
  if (!cast || !cast.getIn().getType().isInteger(64))
    return false;
  update.offset = findRowLoad(cast.getIn(), update.loop);
  update.value = findRowLoad(sum.getValue(), update.loop);
  return update.offset && update.value;
}

/// Finds what is added by `loop`, which does nothing else.
std::optional<RowUpdate> match(scf::ForOp loop) {
  if (loop.getNumResults() || getConstantIntValue(loop.getStep()) != 1)
    return std::nullopt;
  RowUpdate update = {loop};
  memref::AtomicRMWOp sum;
  bool isOther = false;
  loop.getBody()->walk([&](Operation *op) {
    if (auto found = dyn_cast<memref::AtomicRMWOp>(op)) {
      isOther |= bool(sum);
      sum = found;
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      isOther |= branch.elseBlock() || branch->getParentOp() != loop;
    } else {
      isOther |= !isa<memref::LoadOp>(op) && !isMemoryEffectFree(op) &&
                 !op->hasTrait<OpTrait::IsTerminator>();
    }
  });
  if (!sum || isOther || !matchSum(sum, update))
    return std::nullopt;
  if (auto branch = dyn_cast<scf::IfOp>(sum->getParentOp());
      branch && !matchMask(branch.getCondition(), update))
    return std::nullopt;
  return update;
}

class Call {
public:
  explicit Call(RowUpdate update)
      : update(update), builder(update.loop), loc(update.sum.getLoc()) {}

  void replaceLoop() {
    scf::ForOp loop = update.loop;
    if (update.condition)
      builder.setInsertionPointToStart(
          scf::IfOp::create(builder, loc, update.condition).thenBlock());
    Value none = arith::ConstantIntOp::create(builder, loc, 0, 64);
    Value count = arith::SubIOp::create(builder, loc, loop.getUpperBound(),
                                        loop.getLowerBound());
    Value arguments[] = {
        getMemory(), getRow(update.offset), getRow(update.value),
        update.mask ? getRow(update.mask) : none, toI64(count)};
    func::CallOp::create(
        builder, loc,
        declareRuntimeFunction(builder, loop, update.getFunction(),
                               TypeRange(ValueRange(arguments)), {}),
        arguments);
    loop.erase();
  }

private:
  Value toI64(Value index) {
    return arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                      index);
  }

  /// Where offsets count from.
  Value getMemory() {
    Value first = memref::ReinterpretCastOp::create(
        builder, loc, MemRefType::get({1}, update.sum.getValue().getType()),
        update.element.getSource(), builder.getIndexAttr(0),
        {builder.getIndexAttr(1)}, {builder.getIndexAttr(1)});
    return toI64(
        memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, first));
  }

  /// Where the first number is that `load` reads.
  Value getRow(memref::LoadOp load) {
    Value buffer = load.getMemRef();
    auto parts = memref::ExtractStridedMetadataOp::create(builder, loc, buffer);
    Value place = parts.getOffset();
    SmallVector<Value> indices(load.getIndices());
    indices.back() = update.loop.getLowerBound();
    for (auto [index, stride] : llvm::zip_equal(indices, parts.getStrides()))
      place = arith::AddIOp::create(
          builder, loc, place,
          arith::MulIOp::create(builder, loc, index, stride));
    Value bytes = arith::ConstantIndexOp::create(
        builder, loc,
        llvm::divideCeil(load.getMemRefType().getElementTypeBitWidth(), 8));
    Value begin =
        memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, buffer);
    return toI64(arith::AddIOp::create(
        builder, loc, begin,
        arith::MulIOp::create(builder, loc, place, bytes)));
  }

  RowUpdate update;
  OpBuilder builder;
  Location loc;
};

struct CpuCallRowUpdates
    : triton_shared::impl::CpuCallRowUpdatesBase<CpuCallRowUpdates> {
  void runOnOperation() override {
    SmallVector<RowUpdate> updates;
    getOperation()->walk([&](scf::ForOp loop) {
      if (std::optional<RowUpdate> update = match(loop))
        updates.push_back(*update);
    });
    for (RowUpdate update : updates)
      Call(update).replaceLoop();
  }
};

} // namespace
