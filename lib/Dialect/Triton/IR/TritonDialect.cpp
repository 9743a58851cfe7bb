//===- TritonDialect.cpp - The dialect itself -----------------------------===//
//
// Registration, which spelling is printed, and the hints (`tt.divisibility` and
// its kind) that may stand on any operation or argument.
//
//===----------------------------------------------------------------------===//

#include "triton-shared/Dialect/Triton/IR/Triton.h"

#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
namespace tt = mlir::triton;

#include "triton-shared/Dialect/Triton/IR/TritonDialect.cpp.inc"

namespace {

/// Everything may be inlined; `tt.return` hands its operands to the uses of the
/// call's results.
struct TritonInliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Operation *, bool) const final {
    return true;
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }

  void handleTerminator(Operation *op, Block *continuation) const final {
    auto returnOp = dyn_cast<tt::ReturnOp>(op);
    if (!returnOp)
      return;
    OpBuilder builder(op);
    cf::BranchOp::create(builder, op->getLoc(), continuation,
                         returnOp.getSrcs());
    op->erase();
  }

  void handleTerminator(Operation *op, ValueRange toReplace) const final {
    for (auto [result, value] : llvm::zip_equal(toReplace, op->getOperands()))
      result.replaceAllUsesWith(value);
  }
};

} // namespace

void tt::TritonDialect::initialize() {
  registerAttributes();
  registerTypes();
  registerOperations();
  addInterfaces<TritonInliner>();
}

Operation *tt::TritonDialect::materializeConstant(OpBuilder &builder,
                                                  Attribute value, Type type,
                                                  Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

//===----------------------------------------------------------------------===//
// Vintages
//===----------------------------------------------------------------------===//

tt::TextVintage tt::TritonDialect::getTextVintage() const {
  if (requestedVintage)
    return *requestedVintage;
  return sawFrom38 && !sawBefore38 ? TextVintage::From38
                                   : TextVintage::Before38;
}

void tt::TritonDialect::noteParsedVintage(TextVintage vintage) {
  (vintage == TextVintage::From38 ? sawFrom38 : sawBefore38) = true;
}

namespace mlir::triton {
/// Carries a request from a registry to the contexts made from it.
struct VintageRequest : DialectExtension<VintageRequest, TritonDialect> {
  explicit VintageRequest(TextVintage vintage) : vintage(vintage) {}
  void apply(MLIRContext *, TritonDialect *dialect) const final {
    dialect->setTextVintage(vintage);
  }
  TextVintage vintage;
};
} // namespace mlir::triton

void tt::requestTextVintage(DialectRegistry &registry, TextVintage vintage) {
  registry.addExtension(TypeID::get<VintageRequest>(),
                        std::make_unique<VintageRequest>(vintage));
}

//===----------------------------------------------------------------------===//
// Hints
//===----------------------------------------------------------------------===//

/// True for the hints whose value is a number, or one number per dimension.
static bool isNumericHint(StringRef name) {
  return llvm::is_contained({"tt.divisibility", "tt.contiguity", "tt.constancy",
                             "tt.pointer_range", "tt.num_stages",
                             "tt.loop_unroll_factor"},
                            name);
}

static bool hasIntegers(Attribute value) {
  if (auto elements = dyn_cast<DenseElementsAttr>(value))
    return isa<IntegerType>(elements.getElementType());
  return isa<IntegerAttr>(value);
}

static LogicalResult verifyHint(Operation *op, NamedAttribute hint) {
  if (isNumericHint(hint.getName()) && !hasIntegers(hint.getValue()))
    return op->emitOpError()
           << "has the hint '" << hint.getName().getValue()
           << "' = " << hint.getValue() << ", which is not an integer";
  return success();
}

LogicalResult
tt::TritonDialect::verifyOperationAttribute(Operation *op,
                                            NamedAttribute attribute) {
  return verifyHint(op, attribute);
}

LogicalResult
tt::TritonDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned,
                                            NamedAttribute attribute) {
  return verifyHint(op, attribute);
}
