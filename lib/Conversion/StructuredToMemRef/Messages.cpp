//===- Messages.cpp - Prints and assertions as calls of the runtime -------===//
//
// A message is built by a few calls for each element: which program and which
// element it is about, and the value. The strings are constants of the module.
//
//===----------------------------------------------------------------------===//

#include "Elements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "triton-shared/Conversion/StructuredToMemRef.h"
#include "triton-shared/Dialect/Structured/IR/KernelSignature.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

//===----------------------------------------------------------------------===//
// Arguments of the calls
//===----------------------------------------------------------------------===//

/// The program ids x, y, z. Empty if the function is not told them.
SmallVector<Value> programIds(Operation *op) {
  auto function = op->getParentOfType<func::FuncOp>();
  if (!function)
    return {};
  return tts::KernelSignature(function).findAll(tts::kProgramIds);
}

void call(PatternRewriter &rewriter, Operation *user, StringRef name,
          ValueRange operands) {
  func::FuncOp callee =
      declareRuntimeFunction(rewriter, user, name, operands.getTypes(), {});
  func::CallOp::create(rewriter, user->getLoc(), callee, operands);
}

/// Runs `body` for each element of `value`, with the rewriter in the loop.
void forEachElementOf(
    PatternRewriter &rewriter, Location loc, Value value,
    function_ref<void(Value element, ValueRange indices)> body) {
  ElementAccess access;
  if (auto type = dyn_cast<RankedTensorType>(value.getType()))
    access.shape = type.getShape();
  access.intervals = wholeBlock(rewriter, access.shape);
  OpBuilder::InsertionGuard guard(rewriter);
  forEachElement(rewriter, loc, access,
                 [&](OpBuilder &inner, Location innerLoc, ValueRange indices) {
                   OpBuilder::InsertionGuard innerGuard(rewriter);
                   rewriter.restoreInsertionPoint(inner.saveInsertionPoint());
                   body(elementOf(rewriter, innerLoc, value, indices), indices);
                 });
}

/// `line` of `file`, as deep in the location as it lies; empty if unknown.
std::string describeLocation(Location loc) {
  if (auto file = loc->findInstanceOf<FileLineColLoc>())
    return (file.getFilename().getValue() + ":" + Twine(file.getLine())).str();
  return "";
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// For each element of each operand:
/// ```
/// tritonSharedPrintBegin(x, y, z); tritonSharedPrintIndex(i, digits)...;
/// tritonSharedPrintText(prefix, size);
/// tritonSharedPrintInteger(value, bits, isSigned, hex)  or
/// tritonSharedPrintFloat(value)
/// ```
struct LowerPrint : OpRewritePattern<tts::PrintOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tts::PrintOp op,
                                PatternRewriter &rewriter) const override {
    if (programIds(op).empty())
      return rewriter.notifyMatchFailure(op, "unknown program ids");
    if (op.getArgs().empty()) {
      call(rewriter, op, "tritonSharedPrintBegin", programIds(op));
      call(rewriter, op, "tritonSharedPrintText",
           textConstant(rewriter, op, op.getPrefix()));
      call(rewriter, op, "tritonSharedPrintEnd", {});
    }
    for (auto [number, value] : llvm::enumerate(op.getArgs()))
      printOperand(rewriter, op, number, value);
    rewriter.eraseOp(op);
    return success();
  }

  static void printOperand(PatternRewriter &rewriter, tts::PrintOp op,
                           unsigned number, Value value) {
    std::string prefix = op.getPrefix().str();
    if (op.getArgs().size() > 1)
      prefix += "(operand " + std::to_string(number) + ") ";
    SmallVector<Value> text = textConstant(rewriter, op, prefix);
    forEachElementOf(
        rewriter, op.getLoc(), value, [&](Value element, ValueRange indices) {
          printElement(rewriter, op, number, element, indices, text);
        });
  }

  static void printElement(PatternRewriter &rewriter, tts::PrintOp op,
                           unsigned number, Value element, ValueRange indices,
                           ValueRange text) {
    Location loc = op.getLoc();
    call(rewriter, op, "tritonSharedPrintBegin", programIds(op));
    call(rewriter, op, "tritonSharedPrintIndices", {});
    auto tensor = dyn_cast<RankedTensorType>(op.getArgs()[number].getType());
    for (auto [dimension, index] : llvm::enumerate(indices)) {
      // As wide as the largest index, so that lines stand below each other.
      int64_t last = tensor.getDimSize(dimension) - 1;
      int64_t digits = std::to_string(std::max<int64_t>(last, 0)).size();
      call(rewriter, op, "tritonSharedPrintIndex",
           {arith::IndexCastOp::create(rewriter, loc, rewriter.getI64Type(),
                                       index),
            arith::ConstantIntOp::create(rewriter, loc, digits, 32)});
    }
    call(rewriter, op, "tritonSharedPrintText", text);
    Type type = element.getType();
    if (isa<FloatType>(type) && !op.getHex()) {
      call(rewriter, op, "tritonSharedPrintFloat",
           convertToDouble(rewriter, loc, element));
      return call(rewriter, op, "tritonSharedPrintEnd", {});
    }
    unsigned bits = type.getIntOrFloatBitWidth();
    int32_t kind = op.getIsSigned()[number];
    bool isAddress = kind == tts::PrintOp::kAddress;
    bool isSigned = kind != 0 && !isAddress && bits > 1;
    if (isa<FloatType>(type))
      element = arith::BitcastOp::create(
          rewriter, loc, rewriter.getIntegerType(bits), element);
    SmallVector<Value> operands = {
        convertToInt64(rewriter, loc, element, isSigned)};
    if (isAddress)
      bits = 0; // No zeros in front, as printf shows a pointer.
    for (int32_t flag : {static_cast<int32_t>(bits), int32_t(isSigned),
                         int32_t(op.getHex() || isAddress)})
      operands.push_back(arith::ConstantIntOp::create(rewriter, loc, flag, 32));
    call(rewriter, op, "tritonSharedPrintInteger", operands);
    call(rewriter, op, "tritonSharedPrintEnd", {});
  }

  static Value convertToDouble(OpBuilder &builder, Location loc, Value value) {
    Type type = builder.getF64Type();
    return value.getType() == type
               ? value
               : arith::ExtFOp::create(builder, loc, type, value);
  }

  static Value convertToInt64(OpBuilder &builder, Location loc, Value value,
                              bool isSigned) {
    Type type = builder.getI64Type();
    if (value.getType() == type)
      return value;
    if (value.getType().getIntOrFloatBitWidth() > 64)
      return arith::TruncIOp::create(builder, loc, type, value);
    return isSigned ? Value(arith::ExtSIOp::create(builder, loc, type, value))
                    : Value(arith::ExtUIOp::create(builder, loc, type, value));
  }
};

/// `tritonSharedAssertFailed(where, size, message, size, x, y, z)` for each
/// element that is false.
struct LowerAssert : OpRewritePattern<tts::AssertOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tts::AssertOp op,
                                PatternRewriter &rewriter) const override {
    if (programIds(op).empty())
      return rewriter.notifyMatchFailure(op, "unknown program ids");
    SmallVector<Value> operands =
        textConstant(rewriter, op, describeLocation(op.getLoc()));
    llvm::append_range(operands, textConstant(rewriter, op, op.getMessage()));
    llvm::append_range(operands, programIds(op));
    auto reportIfNot = [&](Value holds, auto report) {
      Value yes = arith::ConstantIntOp::create(rewriter, op.getLoc(), 1, 1);
      Value fails = arith::XOrIOp::create(rewriter, op.getLoc(), holds, yes);
      auto branch = scf::IfOp::create(rewriter, op.getLoc(), fails,
                                      /*withElseRegion=*/false);
      rewriter.setInsertionPointToStart(branch.thenBlock());
      report();
    };
    auto reportElements = [&] {
      forEachElementOf(rewriter, op.getLoc(), op.getCondition(),
                       [&](Value holds, ValueRange indices) {
                         reportIfNot(holds, [&] {
                           call(rewriter, op, "tritonSharedAssertFailed",
                                operands);
                         });
                       });
    };
    // Elements are looked at one by one only if one of them is false.
    if (isa<RankedTensorType>(op.getCondition().getType()))
      reportIfNot(conjoin(rewriter, op.getLoc(), op.getCondition()),
                  reportElements);
    else
      reportElements();
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// Whether all elements of `tile` are true. Conditions have no vectors,
  /// numbers do.
  static Value conjoin(OpBuilder &builder, Location loc, Value tile) {
    auto type = cast<RankedTensorType>(tile.getType());
    Type number = builder.getI32Type();
    Value empty =
        tensor::EmptyOp::create(builder, loc, type.getShape(), number);
    auto numbers = linalg::MapOp::create(
        builder, loc, tile, empty,
        [&](OpBuilder &inner, Location at, ValueRange one) {
          Value wide = arith::ExtSIOp::create(inner, at, number, one[0]);
          linalg::YieldOp::create(inner, at, wide);
        });
    Value start = tensor::FromElementsOp::create(
        builder, loc, RankedTensorType::get({}, number),
        arith::ConstantIntOp::create(builder, loc, number, -1).getResult());
    auto all = linalg::ReduceOp::create(
        builder, loc, numbers->getResult(0), start,
        llvm::to_vector(llvm::seq<int64_t>(type.getRank())),
        [](OpBuilder &inner, Location at, ValueRange both) {
          Value holds = arith::AndIOp::create(inner, at, both[0], both[1]);
          linalg::YieldOp::create(inner, at, holds);
        });
    Value bits =
        tensor::ExtractOp::create(builder, loc, all.getResult(0), ValueRange());
    return arith::TruncIOp::create(builder, loc, builder.getI1Type(), bits);
  }
};

} // namespace

SmallVector<Value> triton_shared::textConstant(OpBuilder &builder,
                                               Operation *user,
                                               StringRef text) {
  Operation *module = SymbolTable::getNearestSymbolTable(user);
  std::string name;
  for (unsigned i = 0;
       name.empty() || SymbolTable::lookupSymbolIn(module, name); ++i)
    name = "text." + std::to_string(i);
  Location loc = user->getLoc();
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&module->getRegion(0).front());
    auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), text.size());
    LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true,
                           LLVM::Linkage::Internal, name,
                           builder.getStringAttr(text));
  }
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  return {LLVM::AddressOfOp::create(builder, loc, pointer, name),
          arith::ConstantIntOp::create(builder, loc, text.size(), 64)};
}

func::FuncOp triton_shared::declareRuntimeFunction(OpBuilder &builder,
                                                   Operation *user,
                                                   StringRef name,
                                                   TypeRange operands,
                                                   TypeRange results) {
  Operation *module = SymbolTable::getNearestSymbolTable(user);
  if (auto known = dyn_cast_or_null<func::FuncOp>(
          SymbolTable::lookupSymbolIn(module, name)))
    return known;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&module->getRegion(0).front());
  auto function =
      func::FuncOp::create(builder, user->getLoc(), name,
                           builder.getFunctionType(operands, results));
  function.setPrivate();
  return function;
}

void triton_shared::populateMessages(RewritePatternSet &patterns) {
  patterns.add<LowerPrint, LowerAssert>(patterns.getContext());
}
