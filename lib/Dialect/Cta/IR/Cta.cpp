//===- Cta.cpp - The cta dialect, its layout attribute and its folds ------===//

#include "triton-shared/Dialect/Cta/IR/Cta.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "triton-shared/Dialect/Structured/IR/ElementBytes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::cta;
using triton_shared::GpuTarget;

#include "triton-shared/Dialect/Cta/IR/CtaDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "triton-shared/Dialect/Cta/IR/CtaAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "triton-shared/Dialect/Cta/IR/CtaOpInterface.cpp.inc"
#include "triton-shared/Dialect/Cta/IR/CtaTypes.cpp.inc"
#define GET_OP_CLASSES
#include "triton-shared/Dialect/Cta/IR/CtaOps.cpp.inc"

/// The registers of what assembly gives whose type is written out each time.
static constexpr size_t kFewRegisters = 8;

namespace {
/// Layouts are long, and so are the structs in which assembly gives registers:
/// they are printed once, at the top.
struct Aliases : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attribute,
                       raw_ostream &stream) const override {
    if (!isa<LayoutAttr, SharedLayoutAttr>(attribute))
      return AliasResult::NoAlias;
    stream << (isa<LayoutAttr>(attribute) ? "layout" : "shared");
    return AliasResult::FinalAlias;
  }

  AliasResult getAlias(Type type, raw_ostream &stream) const override {
    auto registers = dyn_cast<LLVM::LLVMStructType>(type);
    if (!registers || registers.isIdentified() ||
        registers.getBody().size() <= kFewRegisters)
      return AliasResult::NoAlias;
    stream << "registers";
    return AliasResult::FinalAlias;
  }
};
} // namespace

void CTADialect::initialize() {
  addInterfaces<Aliases>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "triton-shared/Dialect/Cta/IR/CtaAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "triton-shared/Dialect/Cta/IR/CtaTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "triton-shared/Dialect/Cta/IR/CtaOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// The layout attribute
//===----------------------------------------------------------------------===//

static SmallVector<int32_t> flattenBases(const LinearLayout::Bases &bases) {
  SmallVector<int32_t> flat;
  for (const Coordinates &basis : bases)
    llvm::append_range(flat, basis);
  return flat;
}

static LinearLayout::Bases unflattenBases(ArrayRef<int32_t> flat, unsigned rank,
                                          unsigned count) {
  LinearLayout::Bases bases;
  for (unsigned i = 0; i < count; ++i) {
    ArrayRef<int32_t> basis = flat.slice(i * rank, rank);
    bases.push_back(Coordinates(basis.begin(), basis.end()));
  }
  return bases;
}

/// Coordinates of rank 0 take no room in the flat list, so their number is kept
/// in front of it.
static SmallVector<int32_t> encodeBases(const LinearLayout::Bases &bases) {
  SmallVector<int32_t> encoded = {static_cast<int32_t>(bases.size())};
  llvm::append_range(encoded, flattenBases(bases));
  return encoded;
}

static LinearLayout::Bases decodeBases(ArrayRef<int32_t> encoded,
                                       unsigned rank) {
  return unflattenBases(encoded.drop_front(), rank, encoded.front());
}

LayoutAttr LayoutAttr::get(MLIRContext *context, const LinearLayout &layout) {
  return get(context, layout.getRank(), encodeBases(layout.getRegisters()),
             encodeBases(layout.getLanes()), encodeBases(layout.getWarps()));
}

LinearLayout LayoutAttr::getLayout() const {
  return LinearLayout(getRank(), decodeBases(getRegisters(), getRank()),
                      decodeBases(getLanes(), getRank()),
                      decodeBases(getWarps(), getRank()));
}

void LayoutAttr::print(AsmPrinter &printer) const {
  auto printBases = [&](StringRef name, ArrayRef<int32_t> encoded) {
    printer << name << " = [";
    llvm::interleaveComma(decodeBases(encoded, getRank()), printer,
                          [&](const Coordinates &basis) {
                            printer << "[";
                            llvm::interleaveComma(basis, printer);
                            printer << "]";
                          });
    printer << "]";
  };
  printer << "<";
  printBases("register", getRegisters());
  printer << ", ";
  printBases("lane", getLanes());
  printer << ", ";
  printBases("warp", getWarps());
  printer << ">";
}

static ParseResult parseBases(AsmParser &parser, StringRef name,
                              LinearLayout::Bases &bases) {
  if (parser.parseKeyword(name) || parser.parseEqual())
    return failure();
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        Coordinates basis;
        if (parser.parseCommaSeparatedList(
                AsmParser::Delimiter::Square, [&]() -> ParseResult {
                  return parser.parseInteger(basis.emplace_back());
                }))
          return failure();
        bases.push_back(std::move(basis));
        return success();
      });
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  LinearLayout::Bases registers, lanes, warps;
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parseBases(parser, "register", registers) ||
      parser.parseComma() || parseBases(parser, "lane", lanes) ||
      parser.parseComma() || parseBases(parser, "warp", warps) ||
      parser.parseGreater())
    return nullptr;
  if (lanes.size() != kLaneBits) {
    parser.emitError(loc, "a layout has 5 lane bases, got ") << lanes.size();
    return nullptr;
  }
  size_t rank = lanes.front().size();
  for (const auto *bases : {&registers, &lanes, &warps})
    for (const Coordinates &basis : *bases)
      if (basis.size() != rank) {
        parser.emitError(loc, "all bases of a layout have the same rank");
        return nullptr;
      }
  return get(parser.getContext(), LinearLayout(rank, registers, lanes, warps));
}

//===----------------------------------------------------------------------===//
// Targets
//===----------------------------------------------------------------------===//

static constexpr StringRef kTargetPrefix = "sm_";

LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef name) {
  if (name.consume_front(kTargetPrefix) &&
      GpuTarget(name).getCapability() >= GpuTarget::kLeastCapability)
    return success();
  return emitError() << "a target is an NVIDIA GPU as in \"sm_90a\", from sm_"
                     << GpuTarget::kLeastCapability << " on";
}

GpuTarget TargetAttr::getTarget() const {
  return GpuTarget(getName().drop_front(kTargetPrefix.size()));
}

//===----------------------------------------------------------------------===//
// Folds
//===----------------------------------------------------------------------===//

/// A tile of one constant.
static Attribute splatOf(Attribute source, Type type) {
  auto splat = dyn_cast_if_present<SplatElementsAttr>(source);
  if (!splat)
    return nullptr;
  return DenseElementsAttr::get(cast<ShapedType>(type),
                                splat.getSplatValue<Attribute>());
}

OpFoldResult SplatOp::fold(FoldAdaptor adaptor) {
  Attribute source = adaptor.getSource();
  if (!isa_and_nonnull<IntegerAttr, FloatAttr>(source))
    return nullptr;
  return DenseElementsAttr::get(getType(), source);
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  return splatOf(adaptor.getSource(), getType());
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  if (auto inner = getSource().getDefiningOp<ReshapeOp>()) {
    getSourceMutable().assign(inner.getSource());
    return getResult();
  }
  return splatOf(adaptor.getSource(), getType());
}

OpFoldResult ConvertLayoutOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  return splatOf(adaptor.getSource(), getType());
}

Operation *CTADialect::materializeConstant(OpBuilder &builder, Attribute value,
                                           Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

//===----------------------------------------------------------------------===//
// What operations say of themselves
//===----------------------------------------------------------------------===//

bool SplatOp::isMadeAgain() { return true; }
bool IotaOp::isMadeAgain() { return true; }
bool ReshapeOp::isMadeAgain() { return true; }
bool TransposeOp::isMadeAgain() { return true; }
bool BroadcastOp::isMadeAgain() { return true; }
bool SliceOp::isMadeAgain() { return true; }

StringRef AllocOp::getNoun() { return "this block"; }
StringRef ReduceOp::getNoun() { return "this reduction"; }
StringRef ScanOp::getNoun() { return "this scan"; }
StringRef HistogramOp::getNoun() { return "this histogram"; }
StringRef LookupOp::getNoun() { return "this lookup of elements"; }
StringRef ExtractOp::getNoun() { return "this use of one element"; }
StringRef ConvertLayoutOp::getNoun() {
  return "moving this block between threads";
}

//===----------------------------------------------------------------------===//
// Tiles and their functions
//===----------------------------------------------------------------------===//

int64_t cta::getElementBytes(Type type) { return tts::getElementBytes(type); }

int64_t cta::getTileBytes(RankedTensorType tile) {
  return tile.getNumElements() * getElementBytes(tile);
}

int64_t cta::getThreadBytes(RankedTensorType tile) {
  return getLayout(tile).getNumRegisters() * getElementBytes(tile);
}

GpuTarget cta::getTarget(Operation *function) {
  auto target = function->getAttrOfType<TargetAttr>(kTarget);
  return target ? target.getTarget() : GpuTarget::getOldest();
}

std::optional<int64_t> cta::getNumWarps(Operation *function) {
  if (auto declared = dyn_cast<FunctionOpInterface>(function);
      declared && declared.isExternal())
    return std::nullopt;
  auto warps = function->getAttrOfType<IntegerAttr>(kNumWarps);
  return warps ? std::optional(warps.getInt()) : std::nullopt;
}

int64_t cta::getNumProducerWarps(Operation *function) {
  auto warps = function->getAttrOfType<IntegerAttr>(kProducerWarps);
  return warps ? warps.getInt() : 0;
}

std::optional<cta::RegisterShares> cta::getRegisterShares(Operation *function) {
  // Counted in registers of each thread of a group of four warps.
  constexpr int64_t kRegisters = 512, kUnit = 8, kMost = 240;
  constexpr int64_t kFewForCopies = 24, kForCopies = 40;
  constexpr int64_t kWarps = triton_shared::GpuTarget::kWarpgroupWarps;
  int64_t producers = getNumProducerWarps(function);
  if (producers != kWarps)
    return std::nullopt;
  int64_t consumers = *getNumWarps(function) / kWarps;
  int64_t given = kRegisters / (consumers + 1) / kUnit * kUnit;
  int64_t kept = consumers > 2 ? kFewForCopies : kForCopies;
  int64_t all = given * (consumers + 1) - kept;
  return RegisterShares{kept, std::min(all / consumers / kUnit * kUnit, kMost)};
}

int64_t cta::getNumThreads(Operation *function) {
  return (*getNumWarps(function) + getNumProducerWarps(function)) *
         GpuTarget::kWarpSize;
}

int64_t cta::getNumPrograms(Operation *function) {
  auto programs = function->getAttrOfType<IntegerAttr>(kPrograms);
  return programs ? programs.getInt() : 1;
}
