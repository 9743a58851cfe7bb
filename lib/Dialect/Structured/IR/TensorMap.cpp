//===- TensorMap.cpp - Recipes of tensor maps -----------------------------===//
//
// How the attribute is written, and what the copy engine asks of it: what is
// wrong with constants is known here, the rest when a launch knows the numbers.
//
//===----------------------------------------------------------------------===//

#include "TensorMap.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tts;

static constexpr unsigned kMaxRank = 5;
static constexpr int64_t kMaxSize = int64_t(1) << 32;
static constexpr int64_t kMaxStrideBytes = (int64_t(1) << 40) - 1;
static constexpr int64_t kMaxBox = 256;
/// What rows of boxes, and strides, are multiples of.
static constexpr int64_t kGranule = 16;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static void print(AsmPrinter &printer, LaunchNumber number) {
  printer << (number.isArgument ? "arg " : "") << number.value;
}

static void print(AsmPrinter &printer, StringRef name,
                  ArrayRef<LaunchNumber> numbers) {
  printer << ", " << name << " = [";
  llvm::interleaveComma(numbers, printer,
                        [&](LaunchNumber number) { ::print(printer, number); });
  printer << "]";
}

void TensorMapAttr::print(AsmPrinter &printer) const {
  printer << "<" << getElementType() << ", base = arg " << getBase();
  ::print(printer, "sizes", getSizes());
  ::print(printer, "strides", getStrides());
  printer << ", box = [";
  llvm::interleaveComma(getBox(), printer);
  printer << "], swizzle = " << getSwizzle() << ", outside = ";
  if (getFillsWithNan().isArgument)
    ::print(printer, getFillsWithNan());
  else
    printer << (getFillsWithNan().value ? "nan" : "zeros");
  printer << ">";
}

static ParseResult parse(AsmParser &parser, LaunchNumber &number) {
  number.isArgument = succeeded(parser.parseOptionalKeyword("arg"));
  llvm::SMLoc place = parser.getCurrentLocation();
  if (parser.parseInteger(number.value))
    return failure();
  if (number.isArgument && number.value < 0)
    return parser.emitError(place, "parameters are counted from 0");
  return success();
}

template <typename Element, typename Parse>
static ParseResult parseList(AsmParser &parser, StringRef name,
                             SmallVectorImpl<Element> &list, Parse parse) {
  if (parser.parseComma() || parser.parseKeyword(name) || parser.parseEqual())
    return failure();
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parse(parser, list.emplace_back());
  });
}

static ParseResult parseOutside(AsmParser &parser, LaunchNumber &isNan) {
  if (parser.parseComma() || parser.parseKeyword("outside") ||
      parser.parseEqual())
    return failure();
  llvm::SMLoc place = parser.getCurrentLocation();
  StringRef word;
  if (parser.parseKeyword(&word))
    return failure();
  isNan = LaunchNumber::constant(word == "nan");
  if (word == "zeros" || word == "nan")
    return success();
  if (word != "arg")
    return parser.emitError(place, "outside of the tensor are 'zeros', 'nan' "
                                   "or what a parameter says, not '")
           << word << "'";
  isNan.isArgument = true;
  return parser.parseInteger(isNan.value);
}

Attribute TensorMapAttr::parse(AsmParser &parser, Type) {
  Type element;
  LaunchNumber base, isNan;
  SmallVector<LaunchNumber> sizes, strides;
  SmallVector<int64_t> box;
  unsigned swizzle;
  llvm::SMLoc place = parser.getCurrentLocation();
  auto parseInteger = [](AsmParser &parser, int64_t &value) {
    return parser.parseInteger(value);
  };
  if (parser.parseLess() || parser.parseType(element) || parser.parseComma() ||
      parser.parseKeyword("base") || parser.parseEqual() ||
      ::parse(parser, base) || parseList(parser, "sizes", sizes, ::parse) ||
      parseList(parser, "strides", strides, ::parse) ||
      parseList(parser, "box", box, parseInteger) || parser.parseComma() ||
      parser.parseKeyword("swizzle") || parser.parseEqual() ||
      parser.parseInteger(swizzle) || parseOutside(parser, isNan) ||
      parser.parseGreater())
    return {};
  auto emitError = [&] { return parser.emitError(place); };
  if (!base.isArgument) {
    emitError() << "the base is a parameter: 'arg' and its number";
    return {};
  }
  return getChecked(
      emitError, parser.getContext(), element,
      static_cast<unsigned>(base.value), ArrayRef<LaunchNumber>(sizes),
      ArrayRef<LaunchNumber>(strides), ArrayRef<int64_t>(box), swizzle, isNan);
}

//===----------------------------------------------------------------------===//
// The recipe
//===----------------------------------------------------------------------===//

static bool isElement(Type type) {
  if (!type.isIntOrFloat())
    return false;
  unsigned bits = type.getIntOrFloatBitWidth();
  if (isa<FloatType>(type) && bits > 8)
    return type.isF16() || type.isBF16() || type.isF32() || type.isF64();
  return llvm::is_contained({8, 16, 32, 64}, bits);
}

using EmitError = function_ref<InFlightDiagnostic()>;

static LogicalResult verifyBox(EmitError emitError, int64_t elementBytes,
                               ArrayRef<int64_t> box, unsigned swizzle) {
  for (int64_t size : box)
    if (size < 1 || size > kMaxBox)
      return emitError() << "a box of " << size << " elements along a "
                         << "dimension; 1 to " << kMaxBox << " are copied";
  int64_t row = box.back() * elementBytes;
  if (row % kGranule)
    return emitError() << "rows of the box have " << row
                       << " bytes, no multiple of " << kGranule;
  if (!llvm::is_contained({0, 32, 64, 128}, swizzle))
    return emitError() << "a swizzle of " << swizzle
                       << " bytes; there are those of 0, 32, 64 and 128";
  if (swizzle && row != swizzle)
    return emitError() << "rows of the box have " << row
                       << " bytes, not the swizzle's " << swizzle;
  return success();
}

static LogicalResult verifyTensor(EmitError emitError, int64_t elementBytes,
                                  ArrayRef<LaunchNumber> sizes,
                                  ArrayRef<LaunchNumber> strides) {
  for (LaunchNumber size : sizes)
    if (!size.isArgument && (size.value < 1 || size.value > kMaxSize))
      return emitError() << "a size of " << size.value << "; sizes are 1 to 2^"
                         << llvm::Log2_64(kMaxSize);
  if (!(strides.back() == LaunchNumber::constant(1)))
    return emitError() << "the last stride is not the constant 1";
  for (LaunchNumber stride : strides.drop_back()) {
    if (stride.isArgument)
      continue;
    if (stride.value < 0 || stride.value > kMaxStrideBytes / elementBytes ||
        stride.value * elementBytes % kGranule)
      return emitError() << "a stride of " << stride.value << " elements; "
                         << "strides are multiples of " << kGranule
                         << " bytes, below 2^40";
  }
  return success();
}

LogicalResult TensorMapAttr::verify(EmitError emitError, Type elementType,
                                    unsigned, ArrayRef<LaunchNumber> sizes,
                                    ArrayRef<LaunchNumber> strides,
                                    ArrayRef<int64_t> box, unsigned swizzle,
                                    LaunchNumber fillsWithNan) {
  if (!isElement(elementType))
    return emitError() << "no tensor map has elements of type " << elementType;
  if (sizes.empty() || sizes.size() > kMaxRank)
    return emitError() << sizes.size() << " dimensions; a tensor map has 1 to "
                       << kMaxRank;
  if (sizes.size() != strides.size() || sizes.size() != box.size())
    return emitError() << sizes.size() << " sizes, " << strides.size()
                       << " strides and a box of " << box.size()
                       << " dimensions do not go together";
  int64_t bits = elementType.getIntOrFloatBitWidth();
  // Whether a parameter asks for NaN is known when a launch has it.
  if (!(fillsWithNan == LaunchNumber::constant(0)) &&
      (!isa<FloatType>(elementType) || (bits == 8 && !fillsWithNan.isArgument)))
    return emitError() << "elements of type " << elementType
                       << " are filled with zeros only";
  if (failed(verifyTensor(emitError, bits / 8, sizes, strides)))
    return failure();
  return verifyBox(emitError, bits / 8, box, swizzle);
}

//===----------------------------------------------------------------------===//
// Its place
//===----------------------------------------------------------------------===//

LogicalResult tts::verifyTensorMap(FunctionOpInterface function, unsigned index,
                                   KernelSignature signature,
                                   TensorMapAttr map) {
  auto emitError = [&] {
    return function->emitOpError("cannot have the tensor map of argument ")
           << index << ": ";
  };
  auto pointer =
      dyn_cast<LLVM::LLVMPointerType>(function.getArgumentTypes()[index]);
  if (!pointer || pointer.getAddressSpace())
    return emitError() << "it has to be an '!llvm.ptr'";
  ArrayRef<Type> written = signature.getWrittenTypes();
  auto isThere = [&](int64_t number) {
    return number < static_cast<int64_t>(written.size());
  };
  if (!isThere(map.getBase()) ||
      !(isAccessBase(written[map.getBase()]) ||
        isa<LLVM::LLVMPointerType>(written[map.getBase()])))
    return emitError() << "its base, parameter " << map.getBase()
                       << ", is no written pointer";
  for (LaunchNumber number :
       llvm::concat<const LaunchNumber>(map.getSizes(), map.getStrides()))
    if (number.isArgument &&
        (!isThere(number.value) || !written[number.value].isSignlessInteger()))
      return emitError() << "a size or stride, parameter " << number.value
                         << ", is no written integer";
  LaunchNumber isNan = map.getFillsWithNan();
  if (isNan.isArgument &&
      (!isThere(isNan.value) || !written[isNan.value].isSignlessInteger(1)))
    return emitError() << "what is outside, parameter " << isNan.value
                       << ", is no written i1";
  return success();
}
