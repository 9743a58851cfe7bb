//===- ScoresAgain.cpp - A product that one warp computes again -----------===//

#include "ScoresAgain.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "triton-shared/Dialect/Cta/IR/DotLayout.h"

using namespace mlir;
using namespace mlir::triton_shared;
using cta::LinearLayout;

static constexpr int64_t kColumnsAtOnce = 32;

/// The instruction with which one warp multiplies what `dot` does with three
/// others; null if there is none that takes f16 or bf16, as both read these.
static cta::MmaAttr findMmaOfWarp(cta::DotOp dot) {
  Type operand = cta::DotOp::getOperandElementType(dot.getA());
  return operand.isF16() || operand.isBF16() ? cta::findMma(dot) : nullptr;
}

/// What gives operands back once `waited` is there; null if that is not one
/// operation.
static cta::ArriveOp findRelease(cta::WaitDotOp waited) {
  cta::ArriveOp found;
  for (Operation *op = waited->getNextNode(); op; op = op->getNextNode())
    if (auto arrive = dyn_cast<cta::ArriveOp>(op)) {
      if (found || !arrive.getMbarriers().getDefiningOp<cta::MbarriersOp>())
        return nullptr;
      found = arrive;
    } else if (!isMemoryEffectFree(op)) {
      break;
    }
  return found;
}

std::optional<ScoresAgain> ScoresAgain::find(cta::WaitDotOp waited) {
  auto dot = waited.getSource().getDefiningOp<cta::DotOp>();
  if (!dot || !dot.getWgmma() || dot.getPartialDepth() ||
      !dot.isReadFromShared(dot.getAMutable()) ||
      !dot.isReadFromShared(dot.getBMutable()) ||
      !matchPattern(dot.getAccumulator(), m_AnyZeroFloat()))
    return std::nullopt;
  cta::MmaAttr mma = findMmaOfWarp(dot);
  RankedTensorType tile = cta::getTile(dot.getResult());
  LinearLayout layout = cta::getLayout(tile);
  if (!mma || cta::getResultLayout(tile.getShape(), mma,
                                   cta::readWarpGrid(layout, mma)) != layout)
    return std::nullopt;
  cta::ArriveOp release = findRelease(waited);
  return release ? std::optional(ScoresAgain(waited, dot, mma, release))
                 : std::nullopt;
}

/// A part of an operand that has no layout yet.
static Value read(OpBuilder &builder, Value buffer, Value slot,
                  ArrayRef<int64_t> offsets, ArrayRef<int64_t> shape) {
  auto type = cast<cta::BufferType>(buffer.getType());
  return cta::ReadOp::create(
      builder, buffer.getLoc(),
      RankedTensorType::get(shape, type.getElementType()), buffer, slot,
      offsets);
}

/// So many columns, from `first` on.
Value ScoresAgain::computePart(OpBuilder &builder, int64_t first,
                               int64_t columns) const {
  cta::DotOp product = dot;
  Location loc = product.getLoc();
  RankedTensorType tile = cta::getTile(product.getResult());
  SmallVector<int64_t> shape = {tile.getDimSize(0), columns};
  auto type = cast<RankedTensorType>(cta::withLayout(
      RankedTensorType::get(shape, tile.getElementType()),
      cta::getResultLayout(shape, mma,
                           cta::readWarpGrid(cta::getLayout(tile), mma))));
  Value sum =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  int64_t depth = cta::DotOp::getOperandShape(product.getA())[1];
  for (int64_t k = 0; k < depth; k += mma.getK()) {
    Value left = read(builder, product.getA(), product.getASlot(), {0, k},
                      {shape[0], mma.getK()});
    Value right = read(builder, product.getB(), product.getBSlot(), {k, first},
                       {mma.getK(), columns});
    auto step = cta::DotOp::create(builder, loc, left, right, sum,
                                   product.getPrecisionAttr(), mma);
    left.setType(
        cta::withLayout(left.getType(), cta::getLeftOperandLayout(step)));
    right.setType(
        cta::withLayout(right.getType(), cta::getRightOperandLayout(step)));
    sum = step;
  }
  return sum;
}

Value ScoresAgain::compute(OpBuilder &builder) const {
  cta::DotOp product = dot;
  Value all = product.getAccumulator();
  RankedTensorType tile = cta::getTile(all);
  int64_t columns = tile.getDimSize(1);
  int64_t some = std::min(kColumnsAtOnce, columns);
  for (int64_t first = 0; first < columns; first += some) {
    Value part = computePart(builder, first, some);
    all = cta::InsertSliceOp::create(builder, product.getLoc(), part, all,
                                     ArrayRef<int64_t>{0, first});
  }
  return all;
}

void ScoresAgain::keepOperandsUntil(Operation *last) const {
  cta::ArriveOp arrives = release;
  arrives->moveAfter(last);
  if (arrives.getByWarps())
    return;
  auto barriers = arrives.getMbarriers().getDefiningOp<cta::MbarriersOp>();
  barriers.setArrivals(barriers.getArrivals() * GpuTarget::kWarpgroupWarps);
  for (Operation *user : barriers->getUsers())
    if (auto arrive = dyn_cast<cta::ArriveOp>(user))
      arrive.setByWarps(true);
}
