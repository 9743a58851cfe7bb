//===- StructuredRecoverAccesses.cpp - Gathers become strided -------------===//
//
// Asks the analyses about every gather and scatter first, then changes the IR:
// carried tensors of offsets become carried scalars, and an access whose block
// has a pattern says so dimension by dimension. Whatever has no pattern stays.
//
//===----------------------------------------------------------------------===//

#include "AssumedSizes.h"
#include "CarriedScalars.h"
#include "IndexBuilder.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "triton-shared/Analysis/MaskAnalysis.h"
#include "triton-shared/Analysis/PointerAnalysis.h"
#include "triton-shared/Analysis/PointerHints.h"
#include "triton-shared/Analysis/UseAnalysis.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_STRUCTUREDRECOVERACCESSES
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

namespace {

/// What the analyses say about one gather or scatter.
struct RecoveredAccess {
  tts::AccessOpInterface op;
  AccessPattern pattern;
  MaskPattern mask;
};

/// Builds the accesses of a function from their patterns.
class AccessBuilder {
public:
  AccessBuilder(const RecoveredAccess &access, const AffineAnalysis &forms,
                SymbolValues &values)
      : access(access), values(values), builder(access.op),
        indices(builder, access.op->getLoc(), forms, values) {}

  /// Replaces the access by a strided one.
  void replace();

private:
  void replaceGather(tts::GatherOp gather);
  /// The same number for each element.
  Value loadOnce(tts::GatherOp gather);
  Value loadBlock(tts::GatherOp gather);
  void replaceScatter(tts::ScatterOp scatter);
  SmallVector<tts::DimensionAccess> buildDimensions();
  void buildBounds(MutableArrayRef<tts::DimensionAccess> dimensions);
  Value buildBound(ArrayRef<AffineExpr> bounds, bool wantsLargest);
  Value buildCondition();
  Value buildMask(Value mask);
  Value buildOther(Value other);
  Value reshape(Value value, ArrayRef<int64_t> shape);
  Value negate(Value predicate);
  Value conjoin(Value lhs, Value rhs);
  Location getLoc() const { return access.op->getLoc(); }

  const RecoveredAccess &access;
  SymbolValues &values;
  OpBuilder builder;
  IndexBuilder indices;
};

} // namespace

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

SmallVector<tts::DimensionAccess> AccessBuilder::buildDimensions() {
  SmallVector<tts::DimensionAccess> dimensions;
  for (auto [d, pattern] : llvm::enumerate(access.pattern.dimensions)) {
    tts::DimensionAccess &dimension = dimensions.emplace_back();
    dimension.stride = indices.buildMixed(pattern.stride);
    if (pattern.isWrapped()) {
      dimension.wrapStart = indices.build(pattern.wrapStart);
      // What is not negative has the same remainder by a size and its negative.
      dimension.wrapSize = indices.buildMagnitude(pattern.wrapSize);
    }
    if (pattern.isGathered())
      dimension.indices =
          indices.buildList(pattern.indices, d, access.pattern.shape[d]);
  }
  buildBounds(dimensions);
  return dimensions;
}

/// The smallest or largest of `bounds`.
Value AccessBuilder::buildBound(ArrayRef<AffineExpr> bounds,
                                bool wantsLargest) {
  Value bound;
  for (AffineExpr expr : bounds) {
    Value next = indices.build(expr);
    if (!bound)
      bound = next;
    else if (wantsLargest)
      bound = arith::MaxSIOp::create(builder, getLoc(), bound, next);
    else
      bound = arith::MinSIOp::create(builder, getLoc(), bound, next);
  }
  return bound;
}

void AccessBuilder::buildBounds(
    MutableArrayRef<tts::DimensionAccess> dimensions) {
  if (dimensions.empty())
    return;
  for (auto [d, bounds] : llvm::enumerate(access.mask.dimensions)) {
    if (bounds.lows.empty() && bounds.highs.empty())
      continue;
    dimensions[d].low = bounds.lows.empty()
                            ? indices.getConstant(0)
                            : buildBound(bounds.lows, /*wantsLargest=*/true);
    dimensions[d].high = bounds.highs.empty()
                             ? indices.getConstant(access.pattern.shape[d])
                             : buildBound(bounds.highs, /*wantsLargest=*/false);
  }
  Value condition = buildCondition();
  if (!condition)
    return;
  // A block without a condition has no elements without it.
  auto *bounded = llvm::find_if(
      dimensions, [](const auto &dimension) { return dimension.isBounded(); });
  if (bounded == dimensions.end()) {
    bounded = dimensions.begin();
    bounded->low = indices.getConstant(0);
    bounded->high = indices.getConstant(access.pattern.shape.front());
  }
  bounded->high = arith::SelectOp::create(
      builder, getLoc(), condition, bounded->high, indices.getConstant(0));
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

Value AccessBuilder::negate(Value predicate) {
  Type type = predicate.getType();
  TypedAttr one = builder.getBoolAttr(true);
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    one = DenseElementsAttr::get(tensor, true);
  Value yes = arith::ConstantOp::create(builder, getLoc(), one);
  return arith::XOrIOp::create(builder, getLoc(), predicate, yes);
}

Value AccessBuilder::conjoin(Value lhs, Value rhs) {
  return lhs ? arith::AndIOp::create(builder, getLoc(), lhs, rhs) : rhs;
}

/// What must hold for any element to take part; null if nothing must.
Value AccessBuilder::buildCondition() {
  Value condition;
  for (const Predicate &scalar : access.mask.scalars) {
    Value value = values.lookUp(scalar.value);
    condition = conjoin(condition, scalar.isNegated ? negate(value) : value);
  }
  for (const UniformComparison &comparison : access.mask.comparisons) {
    Value number = indices.build(comparison.expr);
    condition =
        conjoin(condition,
                arith::CmpIOp::create(builder, getLoc(), comparison.predicate,
                                      number, indices.getConstant(0)));
  }
  if (access.mask.isNever)
    return arith::ConstantOp::create(builder, getLoc(),
                                     builder.getBoolAttr(false));
  return condition;
}

/// The elements of a tensor in the same order; a scalar as it is.
Value AccessBuilder::reshape(Value value, ArrayRef<int64_t> shape) {
  auto type = value ? dyn_cast<RankedTensorType>(value.getType()) : nullptr;
  if (!type || type.getShape() == shape)
    return value;
  return tt::ReshapeOp::create(builder, getLoc(), type.clone(shape), value);
}

/// The part of the mask that is not bounds; all of it if there are no
/// dimensions to bound.
Value AccessBuilder::buildMask(Value mask) {
  if (access.pattern.shape.empty())
    return mask;
  Value residual;
  for (const ResidualMask &rest : access.mask.residuals) {
    Value value = values.lookUp(rest.predicate.value);
    residual =
        conjoin(residual, rest.predicate.isNegated ? negate(value) : value);
  }
  return residual;
}

/// One number for all elements where that is what `other` is.
Value AccessBuilder::buildOther(Value other) {
  if (!other)
    return nullptr;
  if (auto splat = other.getDefiningOp<tt::SplatOp>())
    return splat.getSrc();
  DenseElementsAttr constant;
  if (!matchPattern(other, m_Constant(&constant)) || !constant.isSplat())
    return other;
  return arith::ConstantOp::create(builder, getLoc(),
                                   constant.getSplatValue<TypedAttr>());
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

void AccessBuilder::replace() {
  if (auto gather = dyn_cast<tts::GatherOp>(*access.op))
    replaceGather(gather);
  else
    replaceScatter(cast<tts::ScatterOp>(*access.op));
}

/// True for what loads a block of integers, each of which may be the same.
static bool loadsIndices(tts::AccessOpInterface access) {
  auto gather = dyn_cast<tts::GatherOp>(*access);
  return gather && !gather.getMask() && !gather.getIsVolatile() &&
         isa<RankedTensorType>(gather.getType()) &&
         getElementTypeOrSelf(gather.getType()).isInteger();
}

/// True for a block of one index, which may be part of other indices.
static bool isOneIndex(const RecoveredAccess &access) {
  return loadsIndices(access.op) &&
         llvm::all_of(access.pattern.dimensions,
                      [](const DimensionPattern &dimension) {
                        return !dimension.isGathered() &&
                               !dimension.isWrapped() && dimension.stride == 0;
                      });
}

Value AccessBuilder::loadOnce(tts::GatherOp gather) {
  auto load = tts::LoadOp::create(
      builder, getLoc(), getElementTypeOrSelf(gather.getType()),
      gather.getBase(), indices.build(access.pattern.offset),
      ArrayRef<tts::DimensionAccess>(), /*mask=*/Value(), /*other=*/Value());
  load.setCacheAttr(gather.getCacheAttr());
  load.setEvictAttr(gather.getEvictAttr());
  return tt::SplatOp::create(builder, getLoc(), gather.getType(), load);
}

Value AccessBuilder::loadBlock(tts::GatherOp gather) {
  Value offset = indices.build(access.pattern.offset);
  SmallVector<tts::DimensionAccess> dimensions = buildDimensions();
  Value mask = buildMask(gather.getMask());
  bool isMasked = mask || llvm::any_of(dimensions, [](const auto &dimension) {
                    return dimension.isBounded();
                  });
  Value other = isMasked ? buildOther(gather.getOther()) : nullptr;
  ArrayRef<int64_t> shape = access.pattern.shape;
  auto load = tts::LoadOp::create(
      builder, getLoc(), gather.getType().clone(shape), gather.getBase(),
      offset, dimensions, reshape(mask, shape), reshape(other, shape));
  load.setCacheAttr(gather.getCacheAttr());
  load.setEvictAttr(gather.getEvictAttr());
  load.setIsVolatile(gather.getIsVolatile());
  if (Attribute alignment = gather->getAttr(kLineAlignment);
      alignment && shape == gather.getType().getShape())
    load->setAttr(kLineAlignment, alignment);
  if (Attribute runs = findIndexRuns(dimensions, builder.getContext()))
    load->setAttr(kIndexRuns, runs);
  return reshape(load.getResult(), gather.getType().getShape());
}

void AccessBuilder::replaceGather(tts::GatherOp gather) {
  Value result = isOneIndex(access) ? loadOnce(gather) : loadBlock(gather);
  gather.replaceAllUsesWith(result);
  values.replaced[gather.getResult()] = result;
  gather.erase();
}

void AccessBuilder::replaceScatter(tts::ScatterOp scatter) {
  Value offset = indices.build(access.pattern.offset);
  SmallVector<tts::DimensionAccess> dimensions = buildDimensions();
  Value mask = buildMask(scatter.getMask());
  ArrayRef<int64_t> shape = access.pattern.shape;
  auto store = tts::StoreOp::create(
      builder, getLoc(), reshape(scatter.getValue(), shape), scatter.getBase(),
      offset, dimensions, reshape(mask, shape));
  store.setCacheAttr(scatter.getCacheAttr());
  store.setEvictAttr(scatter.getEvictAttr());
  if (Attribute runs = findIndexRuns(dimensions, builder.getContext()))
    store->setAttr(kIndexRuns, runs);
  scatter.erase();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// True for accesses that a strided one can stand for: each element of an
/// atomic access is an update of its own.
static bool isRecoverable(tts::AccessOpInterface access) {
  return access.hasOffsetPerElement() && !access.isAtomic();
}

static bool hasGatheredDimension(const AccessPattern &pattern) {
  return llvm::any_of(
      pattern.dimensions,
      [](const DimensionPattern &dimension) { return dimension.isGathered(); });
}

/// The accesses of `function` that have a pattern, of those that are wanted and
/// of which `isAskedFor` holds.
static std::vector<RecoveredAccess>
findAccesses(Operation *function, AffineAnalysis &forms,
             const StructuredRecoverAccessesOptions &wanted,
             function_ref<bool(tts::AccessOpInterface)> isAskedFor) {
  std::vector<RecoveredAccess> accesses;
  function->walk([&](tts::AccessOpInterface access) {
    if (!isAskedFor(access))
      return;
    PointerAnalysis::Result result =
        PointerAnalysis(forms, wanted.wraps).analyze(access.getOffset());
    Value mask = access.getMask();
    if (auto *pattern = std::get_if<AccessPattern>(&result);
        pattern &&
        (wanted.gathersDimensions || !hasGatheredDimension(*pattern)))
      accesses.push_back(
          {access, *pattern,
           mask ? MaskAnalysis(forms).analyze(mask, pattern->shape)
                : MaskPattern()});
  });
  return accesses;
}

/// How much of the accesses of `function` has no structure: gathered
/// dimensions, accesses without a pattern, and masks that are not bounds.
static unsigned countUnstructured(Operation *function,
                                  ArrayRef<RecoveredAccess> accesses) {
  unsigned count = 0;
  function->walk([&](tts::AccessOpInterface access) {
    if (isRecoverable(access))
      count += 8; // more than the dimensions of any block
  });
  for (const RecoveredAccess &access : accesses) {
    count -= 8;
    count += llvm::count_if(access.pattern.dimensions,
                            [](const DimensionPattern &dimension) {
                              return dimension.isGathered();
                            });
    count += access.mask.residuals.size();
  }
  return count;
}

static void requestCarried(const RecoveredAccess &access,
                           CarriedScalars &carried) {
  carried.request(access.pattern.offset);
  for (const DimensionPattern &dimension : access.pattern.dimensions)
    for (AffineExpr expr : {dimension.stride, dimension.wrapStart,
                            dimension.wrapSize, dimension.indices})
      if (expr)
        carried.request(expr);
  for (const DimensionBounds &bounds : access.mask.dimensions)
    for (ArrayRef<AffineExpr> list :
         {ArrayRef(bounds.lows), ArrayRef(bounds.highs)})
      for (AffineExpr expr : list)
        carried.request(expr);
  for (const UniformComparison &comparison : access.mask.comparisons)
    carried.request(comparison.expr);
}

/// Has loops yield what they got where nobody needs the difference any more, so
/// that canonicalization removes what they carry.
static void dropUnusedCarried(Operation *function) {
  UseAnalysis uses(function);
  auto isUnused = [&](Value value) { return uses.getUse(value) == Use::None; };
  function->walk([&](Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (auto [argument, result, yielded] :
           llvm::zip_equal(loop.getRegionIterArgs(), loop.getResults(),
                           loop.getYieldedValuesMutable().value()))
        if (isUnused(argument) && isUnused(result))
          yielded.set(argument);
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      for (auto [argument, init, yielded] :
           llvm::zip_equal(loop.getBeforeArguments(), loop.getInits(),
                           loop.getYieldOp()->getOpOperands()))
        if (isUnused(argument))
          yielded.set(init);
    }
  });
}

namespace {

struct StructuredRecoverAccesses
    : triton_shared::impl::StructuredRecoverAccessesBase<
          StructuredRecoverAccesses> {
  using StructuredRecoverAccessesBase::StructuredRecoverAccessesBase;

  void runOnOperation() override {
    getOperation().walk([&](FunctionOpInterface function) {
      if (!function.isExternal())
        recover(function);
    });
  }

private:
  void recover(Operation *function) {
    while (recoverIndices(function)) {
    }
    std::unique_ptr<AffineAnalysis> forms;
    std::vector<RecoveredAccess> accesses = analyze(function, forms);
    replace(function, accesses, *forms);
    dropUnusedCarried(function);
  }

  /// Replaces blocks of one index: what is made of a number has a pattern. True
  /// if there were any.
  bool recoverIndices(Operation *function) {
    // The analysis solves equations for the whole function.
    WalkResult found = function->walk([](tts::AccessOpInterface access) {
      return loadsIndices(access) ? WalkResult::interrupt()
                                  : WalkResult::advance();
    });
    if (!found.wasInterrupted())
      return false;
    AffineAnalysis forms(function, DivisorSign::Unknown);
    std::vector<RecoveredAccess> accesses =
        findAccesses(function, forms, {wraps, gathersDimensions}, loadsIndices);
    llvm::erase_if(accesses, std::not_fn(isOneIndex));
    replace(function, accesses, forms);
    return !accesses.empty();
  }

  static void replace(Operation *function, ArrayRef<RecoveredAccess> accesses,
                      AffineAnalysis &forms) {
    CarriedScalars carried(forms);
    for (const RecoveredAccess &access : accesses)
      requestCarried(access, carried);

    SymbolValues values;
    carried.build(function, values);
    for (const RecoveredAccess &access : accesses)
      AccessBuilder(access, forms, values).replace();
  }

  /// Finds the accesses of `function` by what is certain; takes what indices
  /// are divided by for sizes, and marks them, where that tells more.
  std::vector<RecoveredAccess> analyze(Operation *function,
                                       std::unique_ptr<AffineAnalysis> &forms) {
    StructuredRecoverAccessesOptions wanted{wraps, gathersDimensions};
    forms = std::make_unique<AffineAnalysis>(function, DivisorSign::Unknown);
    llvm::SetVector<Value> sizes = findAssumedSizes(function, *forms);
    std::vector<RecoveredAccess> proven =
        findAccesses(function, *forms, wanted, isRecoverable);
    if (sizes.empty() || !llvm::all_of(sizes, [&](Value size) {
          return canMarkSize(function, size);
        }))
      return proven;
    auto assuming = std::make_unique<AffineAnalysis>(function);
    std::vector<RecoveredAccess> assumed =
        findAccesses(function, *assuming, wanted, isRecoverable);
    if (countUnstructured(function, proven) <=
        countUnstructured(function, assumed))
      return proven;
    for (Value size : sizes)
      markSize(function, size);
    forms = std::move(assuming);
    return assumed;
  }
};

} // namespace
