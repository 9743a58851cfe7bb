//===- ElementLoops.cpp - Gathers and scatters by vectors -----------------===//
//
// Accesses without structure are loops that compute the place of one element in
// each iteration:
//
//   scf.for %i = %low to %high step %c1 {
//     %m = memref.load %mask[%i]                 a mask, if there is one
//     scf.if %m {
//       %p = memref.load %places[%i]
//       %view = memref.reinterpret_cast %base to offset: [%p], sizes: [1], ...
//       %x = affine.load %view[0]
//       memref.store %x, %block[%i]
//     }
//   }
//
// Such a loop, with any arithmetic in it, goes as many iterations at once as a
// vector has lanes. Lanes are in the order of iterations, also where several
// elements are stored to one place.
//
//===----------------------------------------------------------------------===//

#include "VectorLoops.h"
#include "VectorValues.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// CPUs gather from these registers on, and scatter from these.
constexpr unsigned kGatherBytes = 32;
constexpr unsigned kScatterBytes = 64;

/// What an operation does with memory, if it does no more than that.
struct Access {
  Value memory;
  /// Null for a load.
  Value stored;
  ValueRange indices;
};

std::optional<Access> findAccess(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Access>>(op)
      .Case([](memref::LoadOp load) {
        return Access{load.getMemRef(), {}, load.getIndices()};
      })
      .Case([](memref::StoreOp store) {
        return Access{store.getMemRef(), store.getValue(), store.getIndices()};
      })
      .Case([](affine::AffineLoadOp load) {
        return Access{load.getMemRef(), {}, load.getMapOperands()};
      })
      .Case([](affine::AffineStoreOp store) {
        return Access{store.getMemRef(), store.getValue(),
                      store.getMapOperands()};
      })
      .Default([](Operation *) { return std::nullopt; });
}

/// The view of one element whose place the loop has computed; null if `memory`
/// is none.
memref::ReinterpretCastOp findElement(Value memory, scf::ForOp loop) {
  auto view = memory.getDefiningOp<memref::ReinterpretCastOp>();
  bool isElement =
      view && loop->isProperAncestor(view) && view.getType().getRank() == 1 &&
      view.getType().getDimSize(0) == 1 && view.getOffsets().size() == 1 &&
      loop.isDefinedOutsideOfLoop(view.getSource());
  return isElement ? view : nullptr;
}

/// Tells whether a loop has a form by vectors.
class Matcher {
public:
  Matcher(scf::ForOp loop, unsigned vectorBytes)
      : loop(loop), vectorBytes(vectorBytes) {}

  /// The lanes; 0 if there is no such form.
  int64_t match() {
    if (!loop.getInitArgs().empty() || !isConstantIntValue(loop.getStep(), 1) ||
        !loop.getInductionVar().getType().isIndex() ||
        vectorBytes < kGatherBytes)
      return 0;
    widest = 1;
    bool matches = llvm::all_of(loop.getBody()->without_terminator(),
                                [&](Operation &op) { return matchOp(&op); });
    return matches && hasElement ? vectorBytes / widest : 0;
  }

private:
  bool matchOp(Operation *op) {
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return branch.getNumResults() == 0 && !branch.elseBlock() &&
             llvm::all_of(branch.thenBlock()->without_terminator(),
                          [&](Operation &nested) { return matchOp(&nested); });
    if (std::optional<Access> access = findAccess(op))
      return matchAccess(*access);
    if (isa<memref::ReinterpretCastOp>(op))
      return findElement(op->getResult(0), loop) != nullptr;
    return (isa<arith::ConstantOp>(op) ||
            OpTrait::hasElementwiseMappableTraits(op)) &&
           llvm::all_of(op->getResultTypes(),
                        [&](Type type) { return matchType(type); });
  }

  bool matchType(Type type) {
    if (!isLane(type))
      return false;
    unsigned bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
    widest = std::max(widest, bits / 8);
    return true;
  }

  bool matchAccess(const Access &access) {
    auto type = cast<MemRefType>(access.memory.getType());
    if (!matchType(type.getElementType()))
      return false;
    if (findElement(access.memory, loop)) {
      hasElement = true;
      unsigned bits = type.getElementTypeBitWidth();
      return (bits == 32 || bits == 64) &&
             (!access.stored || vectorBytes >= kScatterBytes);
    }
    // Neighbours: the last index counts the iterations.
    return loop.isDefinedOutsideOfLoop(access.memory) &&
           !access.indices.empty() && type.isLastDimUnitStride() &&
           !type.getElementType().isInteger(1) &&
           access.indices.back() == loop.getInductionVar() &&
           llvm::all_of(access.indices.drop_back(), [&](Value index) {
             return loop.isDefinedOutsideOfLoop(index);
           });
  }

  scf::ForOp loop;
  unsigned vectorBytes, widest = 1;
  bool hasElement = false;
};

/// Builds what a loop does in as many iterations as there are lanes.
class Vectorizer {
public:
  Vectorizer(scf::ForOp loop, int64_t lanes) : loop(loop), values(lanes) {}

  void build(OpBuilder &builder) {
    Location loc = loop.getLoc();
    std::optional<llvm::APInt> count = loop.getStaticTripCount();
    int64_t lanes = values.getLanes();
    bool isWhole = count && count->getZExtValue() % lanes == 0;
    Value step = arith::ConstantIndexOp::create(builder, loc, lanes);
    buildBases(builder);
    auto vectors = scf::ForOp::create(builder, loc, loop.getLowerBound(),
                                      loop.getUpperBound(), step);
    OpBuilder inner = OpBuilder::atBlockTerminator(vectors.getBody());
    first = vectors.getInductionVar();
    Value mask;
    if (!isWhole) {
      Value left =
          arith::SubIOp::create(inner, loc, loop.getUpperBound(), first);
      mask = vector::CreateMaskOp::create(
          inner, loc, VectorType::get(lanes, inner.getI1Type()), left);
    }
    auto type = VectorType::get(lanes, inner.getIndexType());
    Value start = vector::BroadcastOp::create(inner, loc, type, first);
    Value places = arith::AddIOp::create(
        inner, loc, start, vector::StepOp::create(inner, loc, type));
    values.map(loop.getInductionVar(), places);
    buildBlock(inner, loop.getBody(), mask);
  }

private:
  /// Lets views of elements begin in front of the loop, where their memory
  /// does.
  void buildBases(OpBuilder &builder) {
    loop.walk([&](memref::ReinterpretCastOp view) {
      OpFoldResult zero = builder.getIndexAttr(0),
                   one = builder.getIndexAttr(1);
      bases[view] = memref::ReinterpretCastOp::create(
          builder, view.getLoc(),
          MemRefType::get({1}, view.getType().getElementType()),
          view.getSource(), zero, one, one);
    });
  }

  void buildBlock(OpBuilder &builder, Block *block, Value mask) {
    for (Operation &op : block->without_terminator()) {
      if (isa<memref::ReinterpretCastOp>(op))
        continue;
      if (auto branch = dyn_cast<scf::IfOp>(op)) {
        Value taken = values.getVector(builder, branch.getCondition());
        if (mask)
          taken = arith::AndIOp::create(builder, op.getLoc(), mask, taken);
        buildBlock(builder, branch.thenBlock(), taken);
      } else if (std::optional<Access> access = findAccess(&op)) {
        Value loaded = buildAccess(builder, op.getLoc(), *access, mask);
        if (loaded)
          values.map(op.getResult(0), loaded);
      } else {
        values.buildElementwise(builder, &op);
      }
    }
  }

  /// What is loaded; null for a store.
  Value buildAccess(OpBuilder &builder, Location loc, const Access &access,
                    Value mask) {
    auto element = cast<MemRefType>(access.memory.getType()).getElementType();
    auto type = VectorType::get(values.getLanes(), element);
    Value stored =
        access.stored ? values.getVector(builder, access.stored) : Value();
    if (memref::ReinterpretCastOp view = findElement(access.memory, loop))
      return buildElements(builder, loc, view, type, stored, mask);
    SmallVector<Value> place(access.indices);
    place.back() = first;
    if (!mask && stored) {
      vector::StoreOp::create(builder, loc, stored, access.memory, place);
      return {};
    }
    if (stored) {
      vector::MaskedStoreOp::create(builder, loc, access.memory, place, mask,
                                    stored);
      return {};
    }
    if (!mask)
      return vector::LoadOp::create(builder, loc, type, access.memory, place);
    return vector::MaskedLoadOp::create(builder, loc, type, access.memory,
                                        place, mask,
                                        createZero(builder, loc, type));
  }

  /// A gather, or a scatter of `stored`.
  Value buildElements(OpBuilder &builder, Location loc,
                      memref::ReinterpretCastOp view, VectorType type,
                      Value stored, Value mask) {
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value places = values.getVector(builder, view.getOffsets().front());
    if (!mask)
      mask = arith::ConstantOp::create(
          builder, loc,
          DenseElementsAttr::get(type.clone(builder.getI1Type()), true));
    if (!stored)
      return vector::GatherOp::create(builder, loc, type, bases[view], zero,
                                      places, mask,
                                      createZero(builder, loc, type));
    vector::ScatterOp::create(builder, loc, Type(), bases[view], zero, places,
                              mask, stored);
    return {};
  }

  static Value createZero(OpBuilder &builder, Location loc, VectorType type) {
    return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  }

  scf::ForOp loop;
  VectorValues values;
  /// The number of the first lane's iteration.
  Value first;
  llvm::DenseMap<Operation *, Value> bases;
};

struct VectorizeElementLoop : OpRewritePattern<scf::ForOp> {
  VectorizeElementLoop(MLIRContext *context, unsigned vectorBytes)
      : OpRewritePattern(context), vectorBytes(vectorBytes) {}

  LogicalResult matchAndRewrite(scf::ForOp loop,
                                PatternRewriter &rewriter) const override {
    int64_t lanes = Matcher(loop, vectorBytes).match();
    if (lanes < 2)
      return rewriter.notifyMatchFailure(loop, "no loop over elements");
    Vectorizer(loop, lanes).build(rewriter);
    rewriter.eraseOp(loop);
    return success();
  }

private:
  unsigned vectorBytes;
};

} // namespace

void triton_shared::populateElementLoopsToVector(RewritePatternSet &patterns,
                                                 unsigned vectorBytes) {
  patterns.add<VectorizeElementLoop>(patterns.getContext(), vectorBytes);
}
