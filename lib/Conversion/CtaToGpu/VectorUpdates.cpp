//===- VectorUpdates.cpp - Floats that memory adds together ---------------===//
//
// Neighbours that nobody wants the old values of are added by one instruction,
// up to 16 bytes of them: the memory has as many requests less to serve. Each
// is still updated by itself. Where a mask may cut through such a group, it is
// added at once if all of it takes part, and element by element otherwise.
// LLVM's atomicrmw and NVVM's operations have no vectors: this is assembly.
//
//===----------------------------------------------------------------------===//

#include "Atomics.h"
#include "ElementPlaces.h"
#include "Threads.h"
#include "Topics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "triton-shared/Transforms/InlinePtx.h"

using namespace mlir;
using namespace mlir::triton_shared;

/// PTX's name of what `words` registers of 32 bits with elements of `type` are.
static std::string nameVector(Type type, unsigned words) {
  std::string count = words > 1 ? ".v" + std::to_string(words) : "";
  if (type.isF32())
    return count + ".f32";
  return ".noftz" + count + (type.isF16() ? ".f16x2" : ".bf16x2");
}

namespace {

/// The updates of one block.
class VectorUpdates {
public:
  VectorUpdates(OpBuilder &builder, tts::AtomicRMWOp op, ValueRange values)
      : builder(builder), loc(op.getLoc()), op(op), values(values),
        element(values.front().getType()) {}

  /// Adds `count` elements from register `first` on, side by side from
  /// `pointer`, if `condition` (null for true) holds.
  void addTogether(unsigned first, unsigned count, Value pointer,
                   Value condition) {
    unsigned words = count * element.getIntOrFloatBitWidth() / kWordBits;
    Value vector = packRegisters(builder, loc, values.slice(first, count));
    Value bits = vector::BitCastOp::create(
        builder, loc, VectorType::get({words}, builder.getI32Type()), vector);
    SmallVector<Value> operands = {pointer};
    llvm::append_range(operands, unpackRegisters(builder, loc, bits));
    std::string text = "red.relaxed." + getPtxScope(op.getScope()).str() +
                       ".global.add" + nameVector(element, words) + " [$0], " +
                       (words > 1 ? listPlaceholders(1, words) : "$1") + ";";
    std::string constraints = "l" + repeatConstraint("r", words);
    if (condition) {
      text = "@$" + std::to_string(operands.size()) + " " + text;
      constraints += ",b";
      operands.push_back(condition);
    }
    createPtx(builder, loc, {}, operands, text, constraints + ",~{memory}",
              PtxEffects::Memory);
  }

  /// Adds those of the elements from `first` on whose conditions hold, unless
  /// `all` do.
  void addOneByOne(unsigned first, ArrayRef<Value> conditions,
                   ArrayRef<Value> pointers, Value all) {
    Value isPart = arith::XOrIOp::create(
        builder, loc, all, arith::ConstantIntOp::create(builder, loc, 1, 1));
    createIf(isPart, [&] {
      for (auto [i, condition] : llvm::enumerate(conditions))
        createIf(condition, [&, i = i] {
          updateElement(builder, loc, op.getKind(), op.getScope(), pointers[i],
                        values[first + i], /*isUsed=*/false);
        });
    });
  }

private:
  static constexpr unsigned kWordBits = 32;

  void createIf(Value condition, llvm::function_ref<void()> act) {
    auto branch = scf::IfOp::create(builder, loc, condition,
                                    /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    act();
  }

  OpBuilder &builder;
  Location loc;
  tts::AtomicRMWOp op;
  ValueRange values;
  Type element;
};

struct ConvertVectorUpdate : OpConversionPattern<tts::AtomicRMWOp> {
  ConvertVectorUpdate(const TypeConverter &types, const AccessWidths &widths,
                      MLIRContext *context)
      : OpConversionPattern(types, context, /*benefit=*/2), widths(widths) {}

  LogicalResult
  matchAndRewrite(tts::AtomicRMWOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto width = widths.find(op);
    if (width == widths.end() || width->second.elements < 2)
      return rewriter.notifyMatchFailure(op, "has no neighbours in memory");
    cta::LinearLayout layout = cta::getLayout(op.getType());
    unsigned count =
        std::min(width->second.elements,
                 layout.countNeighbours(width->second.order.front()));
    if (count < 2)
      return rewriter.notifyMatchFailure(op, "has no neighbours in a thread");
    Location loc = op.getLoc();
    createRelease(rewriter, loc, op.getOrder(), op.getScope());
    update(op, adaptor, rewriter, layout, count, width->second.isUniform());
    createAcquire(rewriter, op, op.getOrder(), op.getScope(),
                  /*hasBarrier=*/false);
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// The updates of all groups of `count` neighbours.
  static void update(tts::AtomicRMWOp op, OpAdaptor adaptor, OpBuilder &builder,
                     const cta::LinearLayout &layout, unsigned count,
                     bool isUniform) {
    Location loc = op.getLoc();
    SmallVector<Value> values =
        unpackRegisters(builder, loc, adaptor.getValue());
    SmallVector<Value> offsets =
        unpackRegisters(builder, loc, adaptor.getOffset());
    SmallVector<Value> masks;
    if (adaptor.getMask())
      masks = unpackRegisters(builder, loc, adaptor.getMask());
    Value isHolder = createIsFirstHolder(builder, loc, layout);
    auto getCondition = [&](unsigned reg) {
      return createAnd(builder, loc, isHolder,
                       masks.empty() ? Value() : masks[reg]);
    };
    auto getPointer = [&](unsigned reg) {
      return createElementPointer(builder, loc, adaptor.getBase(), offsets[reg],
                                  values.front().getType());
    };
    VectorUpdates updates(builder, op, values);
    for (unsigned first = 0; first < values.size(); first += count) {
      if (isUniform) {
        updates.addTogether(first, count, getPointer(first),
                            getCondition(first));
        continue;
      }
      SmallVector<Value> conditions, pointers;
      Value all;
      for (unsigned reg = first; reg < first + count; ++reg) {
        conditions.push_back(getCondition(reg));
        pointers.push_back(getPointer(reg));
        all = createAnd(builder, loc, all, conditions.back());
      }
      updates.addTogether(first, count, pointers.front(), all);
      updates.addOneByOne(first, conditions, pointers, all);
    }
  }

  const AccessWidths &widths;
};

} // namespace

void triton_shared::populateCtaToGpuVectorUpdates(const TypeConverter &types,
                                                  const AccessWidths &widths,
                                                  RewritePatternSet &patterns) {
  patterns.add<ConvertVectorUpdate>(types, widths, patterns.getContext());
}
