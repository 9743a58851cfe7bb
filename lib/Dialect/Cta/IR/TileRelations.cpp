//===- TileRelations.cpp - Which tiles of an operation share a layout -----===//
//
// An operation relates the layouts of the tiles it touches: one that works
// element by element wants one for all, a shape operation a function of it.
//
//===----------------------------------------------------------------------===//

#include "triton-shared/Dialect/Cta/IR/TileRelations.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"
#include "triton-shared/Layout/LayoutParts.h"

using namespace mlir;
using namespace mlir::cta;

static LinearLayout keep(const LinearLayout &layout) { return layout; }

void cta::relateEqual(SmallVectorImpl<LayoutRelation> &relations,
                      ValueRange values, Value value) {
  for (Value other : values)
    if (isa<RankedTensorType>(other.getType()) && other != value)
      relations.push_back({other, keep});
}

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

/// One layout for all tiles of `op`.
static SmallVector<LayoutRelation> relateAllTiles(Operation *op, Value value) {
  SmallVector<LayoutRelation> relations;
  relateEqual(relations, op->getOperands(), value);
  relateEqual(relations, op->getResults(), value);
  return relations;
}

SmallVector<LayoutRelation> MapOp::getLayoutRelations(Value value) {
  return relateAllTiles(*this, value);
}

std::optional<LinearLayout> MapOp::getNeededLayout(OpOperand &) {
  return getLayout(getResult(0).getType());
}

SmallVector<LayoutRelation> RescaleOp::getLayoutRelations(Value value) {
  return relateAllTiles(*this, value);
}

std::optional<LinearLayout> RescaleOp::getNeededLayout(OpOperand &) {
  return getLayout(getType());
}

SmallVector<LayoutRelation> ScanOp::getLayoutRelations(Value value) {
  return relateAllTiles(*this, value);
}

std::optional<LinearLayout> ScanOp::getNeededLayout(OpOperand &) {
  return getLayout(getResult(0).getType());
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// What the relation from the result of a shape operation says of its operand.
template <typename ShapeOp>
static std::optional<LinearLayout> followFromResult(ShapeOp op) {
  Value result = op.getResult();
  return op.getLayoutRelations(result).front().follow(
      getLayout(result.getType()));
}

/// The tile of a shape operation that is not `value`.
template <typename ShapeOp> static Value getOtherTile(ShapeOp op, Value value) {
  return value == op.getSource() ? op.getResult() : op.getSource();
}

SmallVector<LayoutRelation> ReshapeOp::getLayoutRelations(Value value) {
  Value other = getOtherTile(*this, value);
  SmallVector<int64_t> from(getTile(value).getShape()),
      to(getTile(other).getShape());
  return {{other, [=](const LinearLayout &layout) {
             return layout.reshape(from, to);
           }}};
}

std::optional<LinearLayout> ReshapeOp::getNeededLayout(OpOperand &) {
  return followFromResult(*this);
}

SmallVector<LayoutRelation> TransposeOp::getLayoutRelations(Value value) {
  SmallVector<int64_t> permutation(getPermutation());
  if (value != getSource())
    permutation = invertPermutationVector(permutation);
  return {{getOtherTile(*this, value), [=](const LinearLayout &layout) {
             return layout.transpose(permutation);
           }}};
}

std::optional<LinearLayout> TransposeOp::getNeededLayout(OpOperand &) {
  return followFromResult(*this);
}

SmallVector<LayoutRelation> BroadcastOp::getLayoutRelations(Value value) {
  // The layout of one row does not tell that of all rows.
  if (value == getSource())
    return {};
  SmallVector<unsigned> repeated;
  for (auto [dim, size] : llvm::enumerate(getTile(getSource()).getShape()))
    if (size == 1)
      repeated.push_back(dim);
  return {{getSource(), [=](const LinearLayout &layout) {
             return layout.collapseDimensions(repeated);
           }}};
}

std::optional<LinearLayout> BroadcastOp::getNeededLayout(OpOperand &) {
  return followFromResult(*this);
}

/// Both floats of a byte are in registers side by side.
static LayoutFunction unpackingAlong(unsigned dim) {
  return [dim](const LinearLayout &layout) {
    auto insert = [dim](LinearLayout::Bases bases) {
      for (Coordinates &basis : bases)
        basis.insert(basis.begin() + dim, 0);
      return bases;
    };
    unsigned rank = layout.getRank() + 1;
    LinearLayout::Bases registers = insert(layout.getRegisters());
    registers.insert(registers.begin(), getStep(rank, dim, 1));
    return LinearLayout(rank, registers, insert(layout.getLanes()),
                        insert(layout.getWarps()));
  };
}

SmallVector<LayoutRelation> UnpackE2M1Op::getLayoutRelations(Value value) {
  unsigned dim = getDim();
  if (value == getSource())
    return {{getResult(), unpackingAlong(dim)}};
  return {{getSource(), [dim](const LinearLayout &layout) {
             return layout.dropDimension(dim);
           }}};
}

std::optional<LinearLayout> UnpackE2M1Op::getNeededLayout(OpOperand &) {
  return followFromResult(*this);
}

std::optional<LayoutRelation> UnpackE2M1Op::getLayoutOrigin() {
  return LayoutRelation{getSource(), unpackingAlong(getDim())};
}

SmallVector<LayoutRelation> SliceOp::getLayoutRelations(Value value) {
  if (value == getSource())
    return {{getResult(), getLayoutOrigin()->follow}};
  SmallVector<int64_t> whole(getTile(getSource()).getShape()),
      part(getType().getShape());
  return {{getSource(), [=](const LinearLayout &layout) {
             return getWholeLayout(layout, whole, part);
           }}};
}

std::optional<LinearLayout> SliceOp::getNeededLayout(OpOperand &operand) {
  RankedTensorType source = getTile(operand.get());
  return bringPartsIntoRegisters(getLayout(source), source.getShape(),
                                 getType().getShape());
}

/// What a thread keeps is where it was.
std::optional<LayoutRelation> SliceOp::getLayoutOrigin() {
  SmallVector<int64_t> whole(getTile(getSource()).getShape()),
      part(getType().getShape());
  return LayoutRelation{getSource(), [=](const LinearLayout &layout) {
                          return getPartLayout(
                              bringPartsIntoRegisters(layout, whole, part),
                              part);
                        }};
}

SmallVector<LayoutRelation> InsertSliceOp::getLayoutRelations(Value value) {
  SmallVector<int64_t> whole(getType().getShape()),
      part(getTile(getSource()).getShape());
  SmallVector<LayoutRelation> relations;
  if (value == getSource()) {
    for (Value other : {Value(getDest()), Value(getResult())})
      relations.push_back({other, [=](const LinearLayout &layout) {
                             return getWholeLayout(layout, whole, part);
                           }});
    return relations;
  }
  relations.push_back({getSource(), [=](const LinearLayout &layout) {
                         return getPartLayout(
                             bringPartsIntoRegisters(layout, whole, part),
                             part);
                       }});
  relateEqual(relations, {getDest(), getResult()}, value);
  return relations;
}

std::optional<LinearLayout> InsertSliceOp::getNeededLayout(OpOperand &operand) {
  LinearLayout layout = getLayout(getType());
  return &operand == &getDestMutable()
             ? layout
             : getPartLayout(layout, getTile(getSource()).getShape());
}

LinearLayout InsertSliceOp::getPossibleLayout(const LinearLayout &layout) {
  return bringPartsIntoRegisters(layout, getType().getShape(),
                                 getTile(getSource()).getShape());
}

//===----------------------------------------------------------------------===//
// Across elements
//===----------------------------------------------------------------------===//

static LayoutFunction dropping(ReduceOp op) {
  return [axis = op.getAxis(),
          isSpread = op.getSpread()](const LinearLayout &layout) {
    return isSpread ? layout.spreadDimension(axis) : layout.dropDimension(axis);
  };
}

SmallVector<LayoutRelation> ReduceOp::getLayoutRelations(Value value) {
  SmallVector<LayoutRelation> relations;
  if (!llvm::is_contained(getSources(), value))
    return relations;
  for (Value source : getSources())
    relations.push_back({source, keep});
  for (Value result : getResults())
    relations.push_back({result, dropping(*this)});
  return relations;
}

std::optional<LinearLayout> ReduceOp::getNeededLayout(OpOperand &) {
  return getLayout(getSources().front().getType());
}

/// What is left of a tile is where the tile was.
std::optional<LayoutRelation> ReduceOp::getLayoutOrigin() {
  return LayoutRelation{getSources().front(), dropping(*this)};
}

SmallVector<LayoutRelation> HistogramOp::getLayoutRelations(Value value) {
  SmallVector<LayoutRelation> relations;
  if (value == getSource() || value == getMask())
    relateEqual(relations, (*this)->getOperands(), value);
  return relations;
}

std::optional<LinearLayout> HistogramOp::getNeededLayout(OpOperand &) {
  return getLayout(getSource().getType());
}

SmallVector<LayoutRelation> LookupOp::getLayoutRelations(Value value) {
  SmallVector<LayoutRelation> relations;
  if (value != getSource()) {
    relateEqual(relations, getIndices(), value);
    relateEqual(relations, getResult(), value);
  }
  return relations;
}

std::optional<LinearLayout> LookupOp::getNeededLayout(OpOperand &operand) {
  if (&operand == &getSourceMutable())
    return std::nullopt;
  return getLayout(getType());
}

SmallVector<LayoutRelation> WaitDotOp::getLayoutRelations(Value value) {
  return relateAllTiles(*this, value);
}

std::optional<LinearLayout> WaitDotOp::getNeededLayout(OpOperand &) {
  return getLayout(getType());
}

SmallVector<LayoutRelation> MoveOp::getLayoutRelations(Value value) {
  return relateAllTiles(*this, value);
}

std::optional<LinearLayout> MoveOp::getNeededLayout(OpOperand &) {
  return getLayout(getType());
}
