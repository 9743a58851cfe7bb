//===- TritonTypes.cpp - Pointers and descriptors -------------------------===//
//
// Text, verifiers and derived types of the two types of the dialect.
//
//===----------------------------------------------------------------------===//

#include "triton-shared/Dialect/Triton/IR/Triton.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
namespace tt = mlir::triton;

#define GET_TYPEDEF_CLASSES
#include "triton-shared/Dialect/Triton/IR/TritonTypes.cpp.inc"

void tt::TritonDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "triton-shared/Dialect/Triton/IR/TritonTypes.cpp.inc"
      >();
}

static tt::TritonDialect &getTriton(MLIRContext *context) {
  return *context->getLoadedDialect<tt::TritonDialect>();
}

//===----------------------------------------------------------------------===//
// PointerType
//===----------------------------------------------------------------------===//

namespace {
/// The address spaces that Triton has a word or a default for.
enum AddressSpace : int { Descriptor = 0, Global = 1, Constant = 4 };
} // namespace

/// Parses the address space: an integer or a word in quotes.
static ParseResult parseAddressSpace(AsmParser &parser, int &space) {
  SMLoc loc = parser.getCurrentLocation();
  std::string word;
  if (failed(parser.parseOptionalString(&word)))
    return parser.parseInteger(space);

  std::optional<int> known = llvm::StringSwitch<std::optional<int>>(word)
                                 .Case("global", Global)
                                 .Case("descriptor", Descriptor)
                                 .Case("constant", Constant)
                                 .Default(std::nullopt);
  if (!known)
    return parser.emitError(loc)
           << "unknown address space \"" << word
           << "\"; known are \"global\", \"constant\" and \"descriptor\"";
  space = *known;
  getTriton(parser.getContext()).noteParsedVintage(tt::TextVintage::From38);
  return success();
}

Type tt::PointerType::parse(AsmParser &parser) {
  Type pointee;
  int space = Global;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseType(pointee))
    return {};
  if (succeeded(parser.parseOptionalComma()) &&
      parseAddressSpace(parser, space))
    return {};
  if (parser.parseGreater())
    return {};
  if (isa<RankedTensorType>(pointee))
    getTriton(parser.getContext()).noteParsedVintage(TextVintage::Before38);
  return parser.getChecked<PointerType>(loc, parser.getContext(), pointee,
                                        space);
}

void tt::PointerType::print(AsmPrinter &printer) const {
  printer << "<" << getPointeeType();
  bool words = getTriton(getContext()).getTextVintage() == TextVintage::From38;
  if (getAddressSpace() == Constant && words)
    printer << ", \"constant\"";
  else if (getAddressSpace() == Descriptor && words)
    printer << ", \"descriptor\"";
  else if (getAddressSpace() != Global)
    printer << ", " << getAddressSpace();
  printer << ">";
}

LogicalResult
tt::PointerType::verify(function_ref<InFlightDiagnostic()> emitError,
                        Type pointee, int addressSpace) {
  if (addressSpace < 0)
    return emitError() << "the address space of a pointer is " << addressSpace
                       << ", which is negative";
  Type element = getElementTypeOrSelf(pointee);
  if (isa<UnrankedTensorType, VectorType, MemRefType>(pointee) ||
      !isa<IntegerType, FloatType, PointerType>(element))
    return emitError() << "a pointer can not point to " << pointee
                       << "; it points to a number, a pointer or a block";
  return success();
}

//===----------------------------------------------------------------------===//
// TensorDescType
//===----------------------------------------------------------------------===//

Type tt::TensorDescType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess())
    return {};

  TritonDialect &dialect = getTriton(parser.getContext());
  RankedTensorType block;
  Type type;
  OptionalParseResult parsed = parser.parseOptionalType(type);
  if (parsed.has_value()) {
    if (failed(*parsed))
      return {};
    block = dyn_cast<RankedTensorType>(type);
    if (!block) {
      parser.emitError(loc) << "a descriptor has blocks, but got " << type;
      return {};
    }
    dialect.noteParsedVintage(TextVintage::Before38);
  } else {
    SmallVector<int64_t> shape;
    if (parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
        parser.parseType(type))
      return {};
    if (!RankedTensorType::isValidElementType(type)) {
      parser.emitError(loc)
          << "a descriptor can not have elements of type " << type;
      return {};
    }
    block = RankedTensorType::get(shape, type);
    dialect.noteParsedVintage(TextVintage::From38);
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<TensorDescType>(loc, parser.getContext(), block);
}

void tt::TensorDescType::print(AsmPrinter &printer) const {
  RankedTensorType block = getBlockType();
  if (getTriton(getContext()).getTextVintage() == TextVintage::Before38 ||
      block.getEncoding()) {
    printer << "<" << block << ">";
    return;
  }
  printer << "<";
  printer.printDimensionList(block.getShape());
  printer << "x" << block.getElementType() << ">";
}

LogicalResult
tt::TensorDescType::verify(function_ref<InFlightDiagnostic()> emitError,
                           RankedTensorType block) {
  if (!block.hasStaticShape() || block.getRank() == 0)
    return emitError() << "the block of a descriptor needs one or more static "
                          "dimensions, but is "
                       << block;
  if (!isa<IntegerType, FloatType>(block.getElementType()))
    return emitError() << "a descriptor can not have elements of type "
                       << block.getElementType();
  return success();
}

RankedTensorType tt::TensorDescType::getSignlessBlockType() const {
  RankedTensorType block = getBlockType();
  auto element = dyn_cast<IntegerType>(block.getElementType());
  if (!element || element.isSignless())
    return block;
  return block.clone(IntegerType::get(getContext(), element.getWidth()));
}

//===----------------------------------------------------------------------===//
// Derived types
//===----------------------------------------------------------------------===//

Type tt::getPointeeType(Type type) {
  if (auto block = dyn_cast<RankedTensorType>(type)) {
    auto pointer = dyn_cast<PointerType>(block.getElementType());
    if (!pointer || !TensorType::isValidElementType(pointer.getPointeeType()))
      return type;
    return block.clone(pointer.getPointeeType());
  }
  if (auto pointer = dyn_cast<PointerType>(type))
    return pointer.getPointeeType();
  return type;
}

Type tt::getMaskType(Type type) {
  Type i1 = IntegerType::get(type.getContext(), 1);
  auto block = dyn_cast<RankedTensorType>(getPointeeType(type));
  return block ? Type(block.clone(i1)) : i1;
}

Type tt::getElementPointerType(Type type) {
  auto pointer = dyn_cast<PointerType>(type);
  if (!isTensorPointerType(type))
    return type;
  return PointerType::get(getElementTypeOrSelf(pointer.getPointeeType()),
                          pointer.getAddressSpace());
}

bool tt::isTensorPointerType(Type type) {
  auto pointer = dyn_cast<PointerType>(type);
  return pointer && isa<RankedTensorType>(pointer.getPointeeType());
}
