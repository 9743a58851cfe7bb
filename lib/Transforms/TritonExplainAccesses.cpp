//===- TritonExplainAccesses.cpp - Say how each block is accessed ---------===//
//
// One remark per load or store of a block, at the line of the kernel: what the
// compiler has found out or, if it has found no structure, which value broke it
// and what to write instead.
//
//===----------------------------------------------------------------------===//

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "triton-shared/Analysis/DescribeIndex.h"
#include "triton-shared/Analysis/MaskAnalysis.h"
#include "triton-shared/Analysis/PointerAnalysis.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "triton-shared/Transforms/Passes.h"
#include "llvm/Support/InterleavedRange.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_TRITONEXPLAINACCESSES
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// How a block lies in memory, in one word; what costs more comes later.
enum class AccessKind {
  Strided,
  Transposed,
  Broadcast,
  Wrapped,
  PartlyGathered,
  Gathered,
};

/// One dimension, however it was found out.
struct DimensionSummary {
  std::string stride; ///< "?" if it has no name.
  bool isWrapped, isGathered, isVisible;
  std::string text; ///< "[0, n - 64 * pid) of it, wraps at m".
};

} // namespace

static StringRef stringify(AccessKind kind) {
  switch (kind) {
  case AccessKind::Strided:
    return "strided";
  case AccessKind::Transposed:
    return "transposed";
  case AccessKind::Broadcast:
    return "broadcast";
  case AccessKind::Wrapped:
    return "wrapped";
  case AccessKind::PartlyGathered:
    return "partly gathered";
  case AccessKind::Gathered:
    return "gathered";
  }
  llvm_unreachable("covered switch");
}

/// The kind of a block with these dimensions. Those of size 1 say nothing.
static AccessKind classify(ArrayRef<DimensionSummary> dimensions) {
  auto any = [&](auto predicate) {
    return llvm::any_of(dimensions, [&](const DimensionSummary &dimension) {
      return dimension.isVisible && predicate(dimension);
    });
  };
  if (any([](auto &dimension) { return dimension.isGathered; }))
    return AccessKind::PartlyGathered;
  if (any([](auto &dimension) { return dimension.isWrapped; }))
    return AccessKind::Wrapped;
  if (any([](auto &dimension) { return dimension.stride == "0"; }))
    return AccessKind::Broadcast;
  bool isLastUnit = !dimensions.empty() && dimensions.back().stride == "1";
  if (!isLastUnit &&
      any([](auto &dimension) { return dimension.stride == "1"; }) &&
      dimensions.back().isVisible)
    return AccessKind::Transposed;
  return AccessKind::Strided;
}

//===----------------------------------------------------------------------===//
// What the analyses found
//===----------------------------------------------------------------------===//

static std::string describeBound(const AffineAnalysis &forms,
                                 ArrayRef<AffineExpr> bounds,
                                 StringRef function, int64_t otherwise) {
  SmallVector<std::string> texts;
  for (AffineExpr bound : bounds)
    texts.push_back(describeIndex(forms, bound));
  if (texts.empty())
    return std::to_string(otherwise);
  return texts.size() == 1
             ? texts.front()
             : function.str() + "(" + llvm::join(texts, ", ") + ")";
}

static SmallVector<DimensionSummary> summarize(const AffineAnalysis &forms,
                                               const AccessPattern &pattern,
                                               const MaskPattern &mask) {
  SmallVector<DimensionSummary> summaries;
  for (auto [d, dimension] : llvm::enumerate(pattern.dimensions)) {
    std::string text;
    if (dimension.isWrapped())
      text += ", wrapped at " + describeIndex(forms, dimension.wrapSize);
    if (dimension.isGathered())
      text += ", by index";
    if (d < mask.dimensions.size()) {
      const DimensionBounds &bounds = mask.dimensions[d];
      if (!bounds.lows.empty() || !bounds.highs.empty())
        text += ", from " + describeBound(forms, bounds.lows, "max", 0) +
                " to " +
                describeBound(forms, bounds.highs, "min", pattern.shape[d]);
    }
    summaries.push_back({describeIndex(forms, dimension.stride),
                         dimension.isWrapped(), dimension.isGathered(),
                         pattern.shape[d] > 1, std::move(text)});
  }
  return summaries;
}

/// What a block pointer, a descriptor or an earlier pass has fixed.
static SmallVector<DimensionSummary>
summarize(ArrayRef<tts::DimensionAccess> dimensions, ArrayRef<int64_t> shape) {
  SmallVector<DimensionSummary> summaries;
  for (auto [d, dimension] : llvm::enumerate(dimensions)) {
    std::optional<int64_t> stride = getConstantIntValue(dimension.stride);
    std::string text;
    if (dimension.isWrapped())
      text += ", wrapped";
    if (dimension.isGathered())
      text += ", by index";
    if (dimension.isBounded())
      text += ", bounded";
    summaries.push_back({stride ? std::to_string(*stride) : "?",
                         dimension.isWrapped(), dimension.isGathered(),
                         shape[d] > 1, std::move(text)});
  }
  return summaries;
}

/// "strided load; stride n, from 0 to m - 64 * pid; stride 1".
static std::string describe(AccessKind kind, StringRef noun,
                            ArrayRef<DimensionSummary> dimensions) {
  std::string text = (stringify(kind) + " " + noun).str();
  for (const DimensionSummary &dimension : dimensions)
    text += "; stride " + dimension.stride + dimension.text;
  return text;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct TritonExplainAccesses
    : triton_shared::impl::TritonExplainAccessesBase<TritonExplainAccesses> {
  void runOnOperation() override {
    getOperation().walk([&](FunctionOpInterface function) {
      if (!function.isExternal())
        explainAll(function);
    });
  }

private:
  void explainAll(Operation *function);
  void explain(Operation *op, Value offsets, Value mask, StringRef noun,
               AffineAnalysis &forms);
  void explain(Operation *op, ArrayRef<tts::DimensionAccess> dimensions,
               Type block, StringRef noun);
  void count(AccessKind kind);
};

} // namespace

void TritonExplainAccesses::explainAll(Operation *function) {
  AffineAnalysis forms(function);
  function->walk([&](Operation *op) {
    if (auto gather = dyn_cast<tts::GatherOp>(op))
      explain(op, gather.getOffsets(), gather.getMask(), "load", forms);
    else if (auto scatter = dyn_cast<tts::ScatterOp>(op))
      explain(op, scatter.getOffsets(), scatter.getMask(), "store", forms);
    else if (auto load = dyn_cast<tts::LoadOp>(op))
      explain(op, load.getDimensions(), load.getType(), "load");
    else if (auto store = dyn_cast<tts::StoreOp>(op))
      explain(op, store.getDimensions(), store.getValue().getType(), "store");
  });
}

void TritonExplainAccesses::explain(Operation *op, Value offsets, Value mask,
                                    StringRef noun, AffineAnalysis &forms) {
  PointerAnalysis::Result result = PointerAnalysis(forms).analyze(offsets);
  if (const auto *why = std::get_if<Unstructured>(&result)) {
    count(AccessKind::Gathered);
    InFlightDiagnostic remark =
        op->emitRemark(describe(AccessKind::Gathered, noun, {}));
    remark.attachNote(why->culprit.getLoc()) << "this value " << why->reason;
    remark.attachNote(op->getLoc())
        << "an offset with one term per dimension, each a scalar times a "
           "range, would be strided";
    return;
  }
  const auto &pattern = std::get<AccessPattern>(result);
  MaskPattern bounds =
      mask ? MaskAnalysis(forms).analyze(mask, pattern.shape) : MaskPattern();
  SmallVector<DimensionSummary> dimensions = summarize(forms, pattern, bounds);
  AccessKind kind = classify(dimensions);
  count(kind);
  InFlightDiagnostic remark = op->emitRemark(describe(kind, noun, dimensions));
  if (pattern.shape != getIndexShape(offsets))
    remark << "; as a block of " << llvm::interleaved(pattern.shape, "x");
  for (const ResidualMask &residual : bounds.residuals)
    remark.attachNote(residual.why.culprit.getLoc())
        << "the mask stays a tensor, because this value "
        << residual.why.reason;
}

void TritonExplainAccesses::explain(Operation *op,
                                    ArrayRef<tts::DimensionAccess> dimensions,
                                    Type block, StringRef noun) {
  auto tensor = dyn_cast<RankedTensorType>(block);
  if (!tensor)
    return;
  SmallVector<DimensionSummary> summaries =
      summarize(dimensions, tensor.getShape());
  AccessKind kind = classify(summaries);
  count(kind);
  op->emitRemark(describe(kind, noun, summaries));
}

void TritonExplainAccesses::count(AccessKind kind) {
  switch (kind) {
  case AccessKind::Strided:
    ++numStrided;
    return;
  case AccessKind::Transposed:
    ++numTransposed;
    return;
  case AccessKind::Broadcast:
    ++numBroadcast;
    return;
  case AccessKind::Wrapped:
    ++numWrapped;
    return;
  case AccessKind::PartlyGathered:
    ++numPartlyGathered;
    return;
  case AccessKind::Gathered:
    ++numGathered;
    return;
  }
}
