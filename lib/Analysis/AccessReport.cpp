//===- AccessReport.cpp - How a kernel accesses memory, for people --------===//

#include "triton-shared/Analysis/AccessReport.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "triton-shared/Analysis/DescribeIndex.h"
#include "triton-shared/Analysis/MaskAnalysis.h"
#include "triton-shared/Analysis/PointerAnalysis.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::triton_shared;

StringRef triton_shared::stringify(AccessKind kind) {
  switch (kind) {
  case AccessKind::Scalar:
    return "scalar";
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
  case AccessKind::Atomic:
    return "atomic";
  }
  llvm_unreachable("covered switch");
}

//===----------------------------------------------------------------------===//
// Kinds
//===----------------------------------------------------------------------===//

/// The kind of a block with these dimensions. Those of size 1 say nothing.
static AccessKind classify(ArrayRef<DimensionReport> dimensions) {
  auto any = [&](auto predicate) {
    return llvm::any_of(dimensions, [&](const DimensionReport &dimension) {
      return dimension.size > 1 && predicate(dimension);
    });
  };
  if (any([](auto &dimension) { return dimension.isGathered; }))
    return AccessKind::PartlyGathered;
  if (any([](auto &dimension) { return !dimension.wrap.empty(); }))
    return AccessKind::Wrapped;
  if (any([](auto &dimension) { return dimension.stride == "0"; }))
    return AccessKind::Broadcast;
  bool isLastUnit = !dimensions.empty() && dimensions.back().stride == "1";
  if (!isLastUnit &&
      any([](auto &dimension) { return dimension.stride == "1"; }) &&
      dimensions.back().size > 1)
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

static SmallVector<DimensionReport>
describeDimensions(const AffineAnalysis &forms, const AccessPattern &pattern,
                   const MaskPattern &mask) {
  SmallVector<DimensionReport> reports;
  for (auto [d, dimension] : llvm::enumerate(pattern.dimensions)) {
    DimensionReport &report = reports.emplace_back();
    report.size = pattern.shape[d];
    report.stride = describeIndex(forms, dimension.stride);
    report.isGathered = dimension.isGathered();
    if (dimension.isWrapped())
      report.wrap = describeIndex(forms, dimension.wrapSize);
    if (d >= mask.dimensions.size())
      continue;
    const DimensionBounds &bounds = mask.dimensions[d];
    if (bounds.lows.empty() && bounds.highs.empty())
      continue;
    report.low = describeBound(forms, bounds.lows, "max", 0);
    report.high = describeBound(forms, bounds.highs, "min", pattern.shape[d]);
  }
  return reports;
}

/// What a block pointer, a descriptor or an earlier pass has fixed.
static SmallVector<DimensionReport>
describeDimensions(ArrayRef<tts::DimensionAccess> dimensions,
                   ArrayRef<int64_t> shape) {
  SmallVector<DimensionReport> reports;
  for (auto [dimension, size] : llvm::zip_equal(dimensions, shape)) {
    std::optional<int64_t> stride = getConstantIntValue(dimension.stride);
    StringRef bound = dimension.isBounded() ? "?" : "";
    reports.push_back({size, stride ? std::to_string(*stride) : "?",
                       dimension.isWrapped() ? "?" : "", dimension.isGathered(),
                       bound.str(), bound.str()});
  }
  return reports;
}

static AccessReport reportOffsets(tts::AccessOpInterface access, StringRef noun,
                                  AffineAnalysis &forms) {
  Value offsets = access.getOffset(), mask = access.getMask();
  AccessReport report{access, noun, AccessKind::Gathered,
                      getIndexShape(offsets)};
  PointerAnalysis::Result result = PointerAnalysis(forms).analyze(offsets);
  if (auto *why = std::get_if<Unstructured>(&result)) {
    report.why = std::move(*why);
    return report;
  }
  const auto &pattern = std::get<AccessPattern>(result);
  MaskPattern bounds =
      mask ? MaskAnalysis(forms).analyze(mask, pattern.shape) : MaskPattern();
  report.isReshaped = pattern.shape != report.shape;
  report.shape = pattern.shape;
  report.offset = describeIndex(forms, pattern.offset);
  report.dimensions = describeDimensions(forms, pattern, bounds);
  report.kind = classify(report.dimensions);
  for (auto [dimension, size] :
       llvm::zip_equal(pattern.dimensions, pattern.shape))
    if (dimension.isGathered() && !report.why)
      report.why = forms.blame(
          dimension.indices, offsets,
          PointerAnalysis(forms).explainIndices(dimension.indices, size));
  for (const ResidualMask &residual : bounds.residuals)
    report.masks.push_back(residual.why);
  return report;
}

static AccessReport reportDimensions(tts::AccessOpInterface access,
                                     StringRef noun) {
  RankedTensorType block = access.getTileType();
  if (!block)
    return {access, noun, AccessKind::Scalar, {}};
  SmallVector<tts::DimensionAccess> dimensions = access.getDimensions();
  AccessReport report{access, noun, AccessKind::Strided,
                      SmallVector<int64_t>(block.getShape())};
  report.dimensions = describeDimensions(dimensions, block.getShape());
  report.kind = classify(report.dimensions);
  for (const tts::DimensionAccess &dimension : dimensions)
    if (dimension.isGathered() && !report.why)
      report.why = Unstructured{dimension.indices, "is a list of indices"};
  return report;
}

static AccessReport report(tts::AccessOpInterface access,
                           AffineAnalysis &forms) {
  if (access.isAtomic())
    return {access, "atomic", AccessKind::Atomic,
            getIndexShape(access.getOffset())};
  StringRef noun = access.isWrite() ? "store" : "load";
  return access.hasOffsetPerElement() ? reportOffsets(access, noun, forms)
                                      : reportDimensions(access, noun);
}

static SmallVector<LoopReport> reportLoops(Operation *op,
                                           AffineAnalysis &forms) {
  SmallVector<LoopReport> reports;
  for (auto loop = op->getParentOfType<LoopLikeOpInterface>(); loop;
       loop = loop->getParentOfType<LoopLikeOpInterface>())
    if (std::optional<Value> variable = loop.getSingleInductionVar())
      reports.push_back(
          {describeIndex(forms, forms.getForm(*variable).expr), loop});
  return reports;
}

std::vector<AccessReport> triton_shared::reportAccesses(Operation *function) {
  AffineAnalysis forms(function);
  std::vector<AccessReport> reports;
  function->walk([&](tts::AccessOpInterface access) {
    reports.push_back(report(access, forms));
    reports.back().loops = reportLoops(access, forms);
  });
  return reports;
}

//===----------------------------------------------------------------------===//
// In words
//===----------------------------------------------------------------------===//

static std::string describe(const DimensionReport &dimension) {
  std::string text = "; stride " + dimension.stride;
  if (!dimension.wrap.empty())
    text +=
        dimension.wrap == "?" ? ", wrapped" : ", wrapped at " + dimension.wrap;
  if (dimension.isGathered)
    text += ", by index";
  if (dimension.high == "?")
    text += ", bounded";
  else if (!dimension.high.empty())
    text += ", from " + dimension.low + " to " + dimension.high;
  return text;
}

std::string triton_shared::describe(const AccessReport &report) {
  std::string text = (stringify(report.kind) + " " + report.noun).str();
  for (const DimensionReport &dimension : report.dimensions)
    text += ::describe(dimension);
  if (!report.isReshaped)
    return text;
  auto sizes = llvm::map_range(
      report.shape, [](int64_t size) { return std::to_string(size); });
  return text + "; as a block of " + llvm::join(sizes, "x");
}

StringRef triton_shared::getWayOut(const Unstructured &why) {
  StringRef reason = why.reason;
  if (reason.ends_with("not whole rows of that") ||
      reason.starts_with("divides an index by a size"))
    return "a range for the rows and one for the columns, as in "
           "'rows[:, None] * n + columns[None, :]', would be strided";
  return llvm::StringSwitch<StringRef>(reason)
      .Case("is itself read from memory",
            "what it reads is known at run time only; a range computed with "
            "tl.arange would be strided")
      .Case("is a list of indices",
            "the other dimensions are strided; neighbours in the list can be "
            "one block of a plain load")
      .Cases({"divides a value that may be negative",
              "divides by a value that may be negative"},
             "tl.assume(... >= 0) says that it is not")
      .Case(
          "depends on two dimensions at once",
          "an offset that is a sum of one term per dimension would be strided")
      .Default("an offset with one term per dimension, each a scalar times a "
               "range, would be strided");
}
