//===- RuntimeChecks.cpp - Calls of runtime/check -------------------------===//

#include "RuntimeChecks.h"

#include "Elements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "triton-shared/Conversion/NumberBits.h"
#include "triton-shared/Conversion/StructuredToMemRef.h"
#include "triton-shared/Transforms/MemoryEffects.h"

using namespace mlir;
using namespace mlir::triton_shared;

func::CallOp triton_shared::callCheck(OpBuilder &builder, Operation *user,
                                      StringRef name, ValueRange operands,
                                      TypeRange results, bool writes) {
  func::FuncOp callee =
      declareRuntimeFunction(builder, user, name, operands.getTypes(), results);
  if (!writes) {
    LLVM::ModRefInfo reads = LLVM::ModRefInfo::Ref;
    LLVM::ModRefInfo own = LLVM::ModRefInfo::ModRef;
    callee->setAttr(kMemoryEffects,
                    builder.getAttr<LLVM::MemoryEffectsAttr>(
                        ArrayRef{reads, reads, own, own, own, own}));
  }
  return func::CallOp::create(builder, user->getLoc(), callee, operands);
}

Value triton_shared::numberOf(OpBuilder &builder, Location loc,
                              ValueRange indices, ArrayRef<int64_t> shape) {
  OpFoldResult number = builder.getIndexAttr(0);
  for (auto [index, size] : llvm::zip_equal(indices, shape))
    number = addIndex(
        builder, loc,
        multiplyIndex(builder, loc, number, builder.getIndexAttr(size)), index);
  return arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                    indexValue(builder, loc, number));
}

//===----------------------------------------------------------------------===//
// Notes
//===----------------------------------------------------------------------===//

/// The largest of the causes, a number or a block of them.
static Value findLargestCause(OpBuilder &builder, Location loc, Value causes) {
  auto type = dyn_cast<RankedTensorType>(causes.getType());
  if (!type)
    return causes;
  Type i32 = builder.getI32Type();
  Value none = arith::ConstantIntOp::create(builder, loc, 0, 32);
  Value init = tensor::FromElementsOp::create(
      builder, loc, RankedTensorType::get({}, i32), none);
  AffineMap all = builder.getMultiDimIdentityMap(type.getRank());
  AffineMap single = AffineMap::get(type.getRank(), 0, builder.getContext());
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::reduction);
  auto largest = linalg::GenericOp::create(
      builder, loc, init.getType(), causes, init, ArrayRef{all, single}, loops,
      [](OpBuilder &inner, Location innerLoc, ValueRange args) {
        linalg::YieldOp::create(
            inner, innerLoc,
            arith::MaxSIOp::create(inner, innerLoc, args[1], args[0])
                .getResult());
      });
  return tensor::ExtractOp::create(builder, loc, largest.getResult(0),
                                   ValueRange());
}

/// A number as 64 bits: an integer with its sign, a float as an f64.
static Value asShown(OpBuilder &builder, Location loc, Value number) {
  Type i64 = builder.getI64Type();
  if (isa<FloatType>(number.getType())) {
    if (!number.getType().isF64())
      number =
          arith::ExtFOp::create(builder, loc, builder.getF64Type(), number);
    return arith::BitcastOp::create(builder, loc, i64, number);
  }
  if (number.getType() == i64)
    return number;
  return arith::ExtSIOp::create(builder, loc, i64, number);
}

/// ```
/// tritonSharedCheckNoteBegin(views, site, size, x, y, z)
/// tritonSharedCheckNote(cause, number, value)   for each element
/// tritonSharedCheckNoteEnd()
/// ```
void triton_shared::lowerNote(OpBuilder &builder, tts::NoteOp op, Value views,
                              ValueRange program) {
  Location loc = op.getLoc();
  Type i64 = builder.getI64Type();
  builder.setInsertionPoint(op);
  Value none = arith::ConstantIntOp::create(builder, loc, 0, 32);
  Value isAny = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ne,
      findLargestCause(builder, loc, op.getCauses()), none);
  auto branch =
      scf::IfOp::create(builder, loc, isAny, /*withElseRegion=*/false);
  builder.setInsertionPointToStart(branch.thenBlock());
  SmallVector<Value> operands = {
      tts::ToAddressOp::create(builder, loc, i64, views)};
  llvm::append_range(operands, textConstant(builder, op, op.getSite()));
  llvm::append_range(operands, program);
  callCheck(builder, op, "tritonSharedCheckNoteBegin", operands);
  ElementAccess block;
  if (auto type = dyn_cast<RankedTensorType>(op.getCauses().getType())) {
    block.shape = type.getShape();
    block.intervals = wholeBlock(builder, block.shape);
  }
  forEachElement(
      builder, loc, block,
      [&](OpBuilder &inner, Location innerLoc, ValueRange indices) {
        Value cause = elementOf(inner, innerLoc, op.getCauses(), indices);
        Value shown = arith::ConstantIntOp::create(inner, innerLoc, 0, 64);
        if (op.getValues())
          shown = asShown(inner, innerLoc,
                          elementOf(inner, innerLoc, op.getValues(), indices));
        callCheck(
            inner, op, "tritonSharedCheckNote",
            {cause, numberOf(inner, innerLoc, indices, block.shape), shown});
      });
  callCheck(builder, op, "tritonSharedCheckNoteEnd", {});
  op.erase();
}
