//===- PromoteFloats.cpp - Every float becomes f64 ------------------------===//
//
// Types and constants are replaced where they stand. What depends on how a
// float is stored is refused before, and what converts between floats goes
// after.
//
//===----------------------------------------------------------------------===//

#include "LibraryInDouble.h"
#include "ProbePoints.h"
#include "StoredFloats.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"
#include "triton-shared/Transforms/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_TRITONPROMOTEFLOATS
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

static bool hasFloats(Operation *op) {
  return hasNumbers(op, [](Type number) { return isa<FloatType>(number); });
}

/// Why `op` has no meaning where floats are f64; empty if it has one.
static StringRef findObstacle(Operation *op) {
  if (!hasFloats(op))
    return "";
  if (isa<arith::BitcastOp, tt::BitcastOp>(op))
    return getNumberType(op->getOperand(0).getType()) ==
                   getNumberType(op->getResult(0).getType())
               ? ""
               : "takes the bits of a float for something else";
  return findNeedOfStorage(op);
}

std::string triton_shared::nameInDouble(StringRef symbol) {
  if (!symbol.consume_front("__nv_") || !symbol.consume_back("f"))
    return "";
  symbol.consume_front("fast_");
  StringRef name = llvm::StringSwitch<StringRef>(symbol)
                       .Case("isinf", "isinfd")
                       .Case("isnan", "isnand")
                       .Case("finite", "isfinited")
                       .Case("signbit", "signbitd")
                       .Default(symbol);
  return ("__nv_" + name).str();
}

static APFloat widen(APFloat value) {
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value;
}

static AttrTypeReplacer makeReplacer(MLIRContext *context) {
  Type f64 = Float64Type::get(context);
  AttrTypeReplacer replacer;
  replacer.addReplacement([f64](FloatType) -> Type { return f64; });
  replacer.addReplacement(
      [f64](FloatAttr attr) -> std::pair<Attribute, WalkResult> {
        return {FloatAttr::get(f64, widen(attr.getValue())),
                WalkResult::skip()};
      });
  replacer.addReplacement(
      [f64](DenseElementsAttr attr) -> std::pair<Attribute, WalkResult> {
        if (!isa<FloatType>(attr.getElementType()))
          return {attr, WalkResult::skip()};
        auto widened = attr.mapValues(f64, [](const APFloat &value) {
          return widen(value).bitcastToAPInt();
        });
        return {widened, WalkResult::skip()};
      });
  return replacer;
}

/// Puts what computes the same in f64 in the place of `op`, if it is not that.
static void simplify(Operation *op) {
  OpBuilder builder(op);
  auto replaceBy = [&](Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  };
  TypeSwitch<Operation *>(op)
      .Case<arith::ExtFOp, arith::TruncFOp, tt::FpToFpOp>(
          [&](Operation *cast) { replaceBy(cast->getOperand(0)); })
      .Case<tt::PreciseSqrtOp>([&](tt::PreciseSqrtOp root) {
        replaceBy(math::SqrtOp::create(builder, op->getLoc(), root.getX()));
      })
      .Case<tt::PreciseDivFOp, tt::ApproxDivFOp>([&](Operation *quotient) {
        replaceBy(arith::DivFOp::create(builder, op->getLoc(),
                                        quotient->getOperand(0),
                                        quotient->getOperand(1)));
      })
      .Case<tt::DotOp>([](tt::DotOp dot) {
        if (!getNumberType(dot.getType()).isF64())
          return;
        dot.setInputPrecision(tt::InputPrecision::IEEE);
        dot.setMaxNumImpreciseAcc(0);
      });
}

/// `value`, whose type is f64 or a block of it, rounded to `type`; or a value
/// of a narrower type in f64.
static Value convert(OpBuilder &builder, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  Type from = getElementTypeOrSelf(value.getType());
  Type to = getElementTypeOrSelf(type);
  unsigned width = from.getIntOrFloatBitWidth();
  if (std::min(width, to.getIntOrFloatBitWidth()) < 16)
    return tt::FpToFpOp::create(
        builder, loc, type, value,
        to.isF64() ? nullptr
                   : tt::RoundingModeAttr::get(builder.getContext(),
                                               tt::RoundingMode::RTNE));
  if (to.isF64())
    return arith::ExtFOp::create(builder, loc, type, value);
  return arith::TruncFOp::create(builder, loc, type, value);
}

namespace {

/// An operation as it was before floats became f64, for that place.
class Original {
public:
  explicit Original(Operation *op)
      : place(op), copy(op->clone()), operands(op->getOperandTypes()) {}
  Original(Original &&other)
      : place(other.place), copy(std::exchange(other.copy, nullptr)),
        operands(std::move(other.operands)) {}
  ~Original() {
    if (copy)
      copy->destroy();
  }

  bool is(Operation *op) const { return op == place; }

  /// Puts it where it was, between conversions from f64 and back.
  void restore() {
    OpBuilder builder(place);
    for (auto [operand, type] :
         llvm::zip_equal(copy->getOpOperands(), operands))
      operand.set(convert(builder, copy->getLoc(), operand.get(), type));
    builder.insert(copy);
    for (auto [wide, narrow] :
         llvm::zip_equal(place->getResults(), copy->getResults()))
      wide.replaceAllUsesWith(
          convert(builder, copy->getLoc(), narrow, wide.getType()));
    place->erase();
    copy = nullptr;
  }

private:
  Operation *place;
  Operation *copy;
  SmallVector<Type> operands;
};

struct TritonPromoteFloats
    : triton_shared::impl::TritonPromoteFloatsBase<TritonPromoteFloats> {
  using TritonPromoteFloatsBase::TritonPromoteFloatsBase;

  void runOnOperation() override {
    std::optional<Original> kept;
    if (except >= 0) {
      Operation *op = findExcepted();
      if (!op)
        return signalPassFailure();
      kept.emplace(op);
    }
    if (failed(checkOperations()) || failed(renameFunctions()))
      return signalPassFailure();
    AttrTypeReplacer replacer = makeReplacer(&getContext());
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
    SmallVector<Operation *> all;
    getOperation().walk([&](Operation *op) { all.push_back(op); });
    for (Operation *op : all)
      if (!kept || !kept->is(op))
        simplify(op);
    if (kept)
      kept->restore();
  }

private:
  /// The operation that stays as it is written.
  Operation *findExcepted() {
    tt::FuncOp kernel = findTritonKernel(getOperation());
    if (!kernel)
      return nullptr;
    ProbePoints points(kernel);
    ArrayRef<Value> values = points.getValues();
    auto number = static_cast<size_t>(except);
    Operation *op =
        number < values.size() ? values[number].getDefiningOp() : nullptr;
    if (op && hasFloats(op) && isMemoryEffectFree(op) &&
        !isa<RegionBranchOpInterface>(op))
      return op;
    InFlightDiagnostic error = getOperation().emitError()
                               << "value " << except.getValue()
                               << " is not computed from floats";
    error.attachNote() << "an operation that computes one can stay as it is";
    error.attachNote() << "triton-probe-values lists values by number";
    return nullptr;
  }

  LogicalResult checkOperations() {
    WalkResult checked = getOperation().walk([](Operation *op) {
      StringRef obstacle = findObstacle(op);
      if (obstacle.empty())
        return WalkResult::advance();
      InFlightDiagnostic error = op->emitOpError()
                                 << obstacle << ", and has no form in f64";
      error.attachNote() << "results of this kernel have no reference in f64";
      error.attachNote() << "compare two targets, with bounds of your own";
      return WalkResult::interrupt();
    });
    return failure(checked.wasInterrupted());
  }

  LogicalResult renameFunctions() {
    WalkResult renamed = getOperation().walk([](tt::ExternElementwiseOp call) {
      auto isNarrow = [](Type type) {
        auto number = dyn_cast<FloatType>(getNumberType(type));
        return number && !number.isF64();
      };
      if (llvm::none_of(call->getOperandTypes(), isNarrow) &&
          llvm::none_of(call->getResultTypes(), isNarrow))
        return WalkResult::advance();
      std::string name = nameInDouble(call.getSymbol());
      if (name.empty()) {
        InFlightDiagnostic error = call.emitOpError()
                                   << "calls '" << call.getSymbol()
                                   << "', which is not known to have a form in "
                                      "f64";
        error.attachNote() << "results of this kernel have no reference in f64";
        error.attachNote() << "compare two targets, with bounds of your own";
        return WalkResult::interrupt();
      }
      call.setSymbol(name);
      return WalkResult::advance();
    });
    return failure(renamed.wasInterrupted());
  }
};

} // namespace
