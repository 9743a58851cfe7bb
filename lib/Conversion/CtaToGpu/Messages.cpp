//===- Messages.cpp - Prints and assertions of a kernel -------------------===//
//
// CUDA gives kernels a `vprintf` and an `__assertfail`; the driver passes on
// what they are told. Each element is printed by one of the threads that hold
// it.
//
//===----------------------------------------------------------------------===//

#include "Threads.h"
#include "Topics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

//===----------------------------------------------------------------------===//
// What the module declares
//===----------------------------------------------------------------------===//

/// `text` as a C string of the module: its address.
Value createText(OpBuilder &builder, Operation *user, StringRef text) {
  auto module = user->getParentOfType<gpu::GPUModuleOp>();
  std::string name;
  for (unsigned i = 0; name.empty() || module.lookupSymbol(name); ++i)
    name = "text_" + std::to_string(i);
  Location loc = user->getLoc();
  std::string terminated = text.str() + '\0';
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    auto type =
        LLVM::LLVMArrayType::get(builder.getI8Type(), terminated.size());
    LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true,
                           LLVM::Linkage::Internal, name,
                           builder.getStringAttr(terminated));
  }
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  return LLVM::AddressOfOp::create(builder, loc, pointer, name);
}

LLVM::LLVMFuncOp declare(OpBuilder &builder, Operation *user, StringRef name,
                         Type result, ArrayRef<Type> operands) {
  auto module = user->getParentOfType<gpu::GPUModuleOp>();
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(module.getBody());
  return LLVM::LLVMFuncOp::create(
      builder, user->getLoc(), name,
      LLVM::LLVMFunctionType::get(result, operands));
}

/// True in one of the threads that hold the same elements of `value`; of a
/// scalar, in the first thread. Null for all threads.
Value createIsSpeaker(OpBuilder &builder, Location loc, Type type) {
  if (cta::LayoutAttr layout = cta::getLayoutAttr(type))
    return createIsFirstHolder(builder, loc, layout.getLayout());
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                               createThreadId(builder, loc),
                               createI32(builder, loc, 0));
}

//===----------------------------------------------------------------------===//
// Prints
//===----------------------------------------------------------------------===//

/// A text with `%` as `vprintf` takes it.
std::string escapeFormat(StringRef text) {
  std::string escaped;
  for (char c : text)
    escaped += c == '%' ? "%%" : std::string(1, c);
  return escaped;
}

/// One `vprintf` after another with the same format.
class Printer {
public:
  Printer(tts::PrintOp op, OpBuilder &builder, StringRef format,
          ArrayRef<Type> types)
      : builder(builder), loc(op.getLoc()),
        pointer(LLVM::LLVMPointerType::get(builder.getContext())),
        callee(declare(builder, op, "vprintf", builder.getI32Type(),
                       {pointer, pointer})),
        format(createText(builder, op, format)),
        arguments(
            LLVM::LLVMStructType::getLiteral(builder.getContext(), types)) {
    // A place on the stack belongs to the function, not to a loop in it.
    OpBuilder::InsertionGuard guard(builder);
    auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
    builder.setInsertionPointToStart(&kernel.getBody().front());
    buffer = LLVM::AllocaOp::create(builder, loc, pointer, arguments,
                                    createI32(builder, loc, 1));
  }

  void print(ValueRange values) {
    for (auto [number, value] : llvm::enumerate(values)) {
      Value place = LLVM::GEPOp::create(
          builder, loc, pointer, arguments, buffer,
          ArrayRef<LLVM::GEPArg>{0, static_cast<int32_t>(number)});
      LLVM::StoreOp::create(builder, loc, value, place);
    }
    LLVM::CallOp::create(builder, loc, callee, ValueRange{format, buffer});
  }

private:
  OpBuilder &builder;
  Location loc;
  LLVM::LLVMPointerType pointer;
  LLVM::LLVMFuncOp callee;
  Value format;
  LLVM::LLVMStructType arguments;
  Value buffer;
};

/// How an element is shown.
struct Shown {
  Shown(Type type, bool isSignedArgument, bool hex) {
    bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
    isFloat = isa<FloatType>(type) && !hex;
    isSigned = isSignedArgument && bits > 1 && !hex;
    if (isFloat)
      format = "%f";
    else if (hex)
      format = "0x%0" + std::to_string((bits + 3) / 4) + "llx";
    else
      format = isSigned ? "%lld" : "%llu";
  }

  /// The element as the 64 bits that `format` reads.
  Value convert(OpBuilder &builder, Location loc, Value element) const {
    Type i64 = builder.getI64Type(), f64 = builder.getF64Type();
    Type type = element.getType();
    if (isFloat) {
      if (bits < 32)
        element =
            arith::ExtFOp::create(builder, loc, builder.getF32Type(), element);
      return element.getType() == f64
                 ? element
                 : arith::ExtFOp::create(builder, loc, f64, element);
    }
    if (type.isIndex())
      return arith::IndexCastOp::create(builder, loc, i64, element);
    if (isa<FloatType>(type))
      element = arith::BitcastOp::create(builder, loc,
                                         builder.getIntegerType(bits), element);
    if (bits > 64)
      return arith::TruncIOp::create(builder, loc, i64, element);
    if (bits == 64)
      return element;
    return isSigned ? Value(arith::ExtSIOp::create(builder, loc, i64, element))
                    : Value(arith::ExtUIOp::create(builder, loc, i64, element));
  }

  unsigned bits;
  bool isFloat, isSigned;
  std::string format;
};

/// `pid (x, y, z) idx (i, j) prefix value` for each element.
struct ConvertPrint : OpConversionPattern<tts::PrintOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tts::PrintOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    // Threads hold them as integers.
    for (Type type : op.getArgs().getTypes())
      if (isa<FloatType>(getElementTypeOrSelf(type)) && !op.getHex() &&
          getElementTypeOrSelf(type).getIntOrFloatBitWidth() == 8)
        return rewriter.notifyMatchFailure(op, "prints floats of 8 bits");
    if (op.getArgs().empty())
      printText(op, rewriter);
    for (unsigned number = 0; number < op.getArgs().size(); ++number)
      printOperand(op, number, adaptor.getArgs()[number], rewriter);
    rewriter.eraseOp(op);
    return success();
  }

private:
  static SmallVector<Value> createProgramIds(OpBuilder &builder, Location loc) {
    Type i32 = builder.getI32Type();
    return {NVVM::BlockIdXOp::create(builder, loc, i32),
            NVVM::BlockIdYOp::create(builder, loc, i32),
            NVVM::BlockIdZOp::create(builder, loc, i32)};
  }

  /// Runs `body` where `condition` (null for true) holds.
  static void createIf(OpBuilder &builder, Location loc, Value condition,
                       llvm::function_ref<void()> body) {
    OpBuilder::InsertionGuard guard(builder);
    if (condition) {
      auto branch = scf::IfOp::create(builder, loc, condition,
                                      /*withElseRegion=*/false);
      builder.setInsertionPointToStart(branch.thenBlock());
    }
    body();
  }

  static void printText(tts::PrintOp op, OpBuilder &builder) {
    Location loc = op.getLoc();
    Printer printer(op, builder,
                    "pid (%d, %d, %d)" + escapeFormat(op.getPrefix()) + "\n",
                    SmallVector<Type>(3, builder.getI32Type()));
    createIf(builder, loc, createIsSpeaker(builder, loc, builder.getI32Type()),
             [&] { printer.print(createProgramIds(builder, loc)); });
  }

  static void printOperand(tts::PrintOp op, unsigned number, Value converted,
                           OpBuilder &builder) {
    Location loc = op.getLoc();
    Type type = op.getArgs()[number].getType();
    Shown shown(getElementTypeOrSelf(type), op.getIsSigned()[number] != 0,
                op.getHex());
    cta::LinearLayout layout;
    if (cta::LayoutAttr attr = cta::getLayoutAttr(type))
      layout = attr.getLayout();

    std::string format = "pid (%d, %d, %d) idx (";
    for (unsigned dim = 0; dim < layout.getRank(); ++dim)
      format += dim ? ", %d" : "%d";
    format += ")" + escapeFormat(op.getPrefix());
    if (op.getArgs().size() > 1)
      format += "(operand " + std::to_string(number) + ") ";
    format += shown.format + "\n";
    SmallVector<Type> types(3 + layout.getRank(), builder.getI32Type());
    types.push_back(shown.isFloat ? Type(builder.getF64Type())
                                  : Type(builder.getI64Type()));

    Printer printer(op, builder, format, types);
    createIf(builder, loc, createIsSpeaker(builder, loc, type), [&] {
      SmallVector<Value> elements = {converted};
      if (isa<VectorType>(converted.getType()))
        elements = unpackRegisters(builder, loc, converted);
      ElementCoordinates coordinates(builder, loc, layout);
      for (unsigned reg = 0; reg < elements.size(); ++reg) {
        SmallVector<Value> values = createProgramIds(builder, loc);
        for (unsigned dim = 0; dim < layout.getRank(); ++dim)
          values.push_back(coordinates.get(reg, dim));
        values.push_back(shown.convert(builder, loc, elements[reg]));
        printer.print(values);
      }
    });
  }
};

//===----------------------------------------------------------------------===//
// Assertions
//===----------------------------------------------------------------------===//

/// Marks assertions that end the launch without a word.
constexpr StringRef kTraps = "cta.traps";

/// `__assertfail(message, file, line, function, 1)` in threads that hold an
/// element which is false; `trap` where there must be no call.
struct ConvertAssert : OpConversionPattern<tts::AssertOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tts::AssertOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value condition = adaptor.getCondition();
    SmallVector<Value> elements = {condition};
    if (isa<VectorType>(condition.getType()))
      elements = unpackRegisters(rewriter, loc, condition);
    Value all = elements.front();
    for (Value element : ArrayRef(elements).drop_front())
      all = arith::AndIOp::create(rewriter, loc, all, element);
    Value fails = arith::XOrIOp::create(
        rewriter, loc, all, arith::ConstantIntOp::create(rewriter, loc, 1, 1));
    auto branch =
        scf::IfOp::create(rewriter, loc, fails, /*withElseRegion=*/false);
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(branch.thenBlock());
      if (op->hasAttr(kTraps))
        LLVM::Trap::create(rewriter, loc);
      else
        createFailure(op, rewriter);
    }
    // What comes next may be an access that the assertion is there to prevent:
    // no thread goes on before all have looked at what is their own.
    if (isa<VectorType>(condition.getType()))
      createBarrier(rewriter, loc);
    rewriter.eraseOp(op);
    return success();
  }

private:
  static void createFailure(tts::AssertOp op, OpBuilder &builder) {
    Location loc = op.getLoc();
    auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
    StringRef file = "unknown";
    int64_t line = 0;
    if (auto place = loc->findInstanceOf<FileLineColLoc>()) {
      file = place.getFilename().getValue();
      line = place.getLine();
    }
    auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
    Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
    LLVM::LLVMFuncOp callee =
        declare(builder, op, "__assertfail",
                LLVM::LLVMVoidType::get(builder.getContext()),
                {pointer, pointer, i32, pointer, i64});
    SmallVector<Value> operands = {
        createText(builder, op, op.getMessage()), createText(builder, op, file),
        createI32(builder, loc, line),
        createText(builder, op, kernel.getName()),
        createI64(builder, loc, /*bytes per character=*/1)};
    LLVM::CallOp::create(builder, loc, callee, operands);
  }
};

} // namespace

void triton_shared::markTraps(ModuleOp module) {
  auto unit = UnitAttr::get(module.getContext());
  for (auto function : module.getOps<func::FuncOp>()) {
    WalkResult hasWgmma = function.walk([](cta::DotOp dot) {
      return dot.getWgmma() ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (hasWgmma.wasInterrupted())
      function.walk([&](tts::AssertOp op) {
        if (op->removeDiscardableAttr(tts::kOwnCheck))
          op->setDiscardableAttr(kTraps, unit);
      });
  }
}

void triton_shared::populateCtaToGpuMessages(const TypeConverter &types,
                                             RewritePatternSet &patterns) {
  patterns.add<ConvertPrint, ConvertAssert>(types, patterns.getContext());
}
