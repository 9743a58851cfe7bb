//===- PromoteFloats.cpp - Every float becomes f64 ------------------------===//
//
// Types and constants are replaced where they stand. What depends on how a
// float is stored is refused before, and what converts between floats goes
// after.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/AttrTypeSubElements.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"
#include "triton-shared/Transforms/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_TRITONPROMOTEFLOATS
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
namespace tt = mlir::triton;

/// `f16` of `tensor<4x!tt.ptr<f16>>`.
static Type getNumberType(Type type) {
  while (true) {
    if (auto pointer = dyn_cast<tt::PointerType>(type))
      type = pointer.getPointeeType();
    else if (auto shaped = dyn_cast<ShapedType>(type))
      type = shaped.getElementType();
    else
      return type;
  }
}

static bool hasFloats(Operation *op) {
  auto isFloat = [](Type type) { return isa<FloatType>(getNumberType(type)); };
  return llvm::any_of(op->getOperandTypes(), isFloat) ||
         llvm::any_of(op->getResultTypes(), isFloat);
}

/// Why `op` has no meaning where floats are f64; empty if it has one.
static StringRef findObstacle(Operation *op) {
  if (!hasFloats(op))
    return "";
  return TypeSwitch<Operation *, StringRef>(op)
      .Case<arith::BitcastOp, tt::BitcastOp>([](Operation *cast) {
        return getNumberType(cast->getOperand(0).getType()) ==
                       getNumberType(cast->getResult(0).getType())
                   ? ""
                   : "takes the bits of a float for something else";
      })
      .Case<tt::IntToPtrOp, tt::PtrToIntOp>([](Operation *) {
        return "takes the address of a float for a number";
      })
      .Case<tt::ElementwiseInlineAsmOp>(
          [](Operation *) { return "holds assembly for floats of one type"; })
      .Case<tt::DotScaledOp>(
          [](Operation *) { return "multiplies floats of one format"; })
      .Default([](Operation *) { return ""; });
}

/// The function of libdevice that computes the same in f64; empty if the name
/// does not say which one that is.
static std::string nameInDouble(StringRef symbol) {
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

namespace {

struct TritonPromoteFloats
    : triton_shared::impl::TritonPromoteFloatsBase<TritonPromoteFloats> {
  void runOnOperation() override {
    if (failed(checkOperations()) || failed(renameFunctions()))
      return signalPassFailure();
    AttrTypeReplacer replacer = makeReplacer(&getContext());
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
    SmallVector<Operation *> all;
    getOperation().walk([&](Operation *op) { all.push_back(op); });
    llvm::for_each(all, simplify);
  }

private:
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
