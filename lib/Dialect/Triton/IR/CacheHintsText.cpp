//===- CacheHintsText.cpp - Two spellings of cache hints -----------------===//

#include "CacheHintsText.h"

using namespace mlir;
namespace tt = mlir::triton;

/// Parses the word of an enum after `name =`, if `name` comes next.
template <typename Enum>
static OptionalParseResult
parseHint(OpAsmParser &parser, StringRef name,
          std::optional<Enum> (*symbolize)(StringRef), Enum &value) {
  if (failed(parser.parseOptionalKeyword(name)))
    return std::nullopt;
  StringRef word;
  if (parser.parseEqual())
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&word))
    return failure();
  std::optional<Enum> known = symbolize(word);
  if (!known)
    return parser.emitError(loc)
           << "unknown value '" << word << "' of '" << name << "'";
  value = *known;
  return success();
}

/// Parses the words of Triton up to 3.7, in any order.
static ParseResult parseWords(OpAsmParser &parser, tt::CacheHints &hints,
                              bool &any) {
  while (true) {
    OptionalParseResult cache = parseHint<tt::CacheModifier>(
        parser, "cacheModifier", tt::symbolizeCacheModifier, hints.cache);
    if (cache.has_value() && failed(*cache))
      return failure();
    OptionalParseResult evict = parseHint<tt::EvictionPolicy>(
        parser, "evictionPolicy", tt::symbolizeEvictionPolicy, hints.evict);
    if (evict.has_value() && failed(*evict))
      return failure();
    if (!cache.has_value() && !evict.has_value())
      return success();
    any = true;
  }
}

ParseResult tt::parseCacheHints(OpAsmParser &parser, OperationState &state) {
  auto &dialect = *parser.getContext()->getLoadedDialect<TritonDialect>();
  CacheHints hints;
  bool words = false;
  SMLoc loc = parser.getCurrentLocation();
  if (parseWords(parser, hints, words) ||
      parser.parseOptionalAttrDict(state.attributes) ||
      failed(state.name.verifyInherentAttrs(state.attributes, [&] {
        return parser.emitError(loc) << "'" << state.name << "' op ";
      })))
    return failure();
  if (words)
    dialect.noteParsedVintage(TextVintage::Before38);

  if (Attribute attribute = state.attributes.erase("cachePolicy")) {
    if (words)
      return parser.emitError(loc) << "cache hints are given twice";
    auto both = cast<CachePolicyAttr>(attribute);
    hints = {both.getCacheModifier(), both.getEvictionPolicy()};
    dialect.noteParsedVintage(TextVintage::From38);
  }

  MLIRContext *context = parser.getContext();
  if (hints.cache != CacheModifier::NONE)
    state.addAttribute("cache", CacheModifierAttr::get(context, hints.cache));
  if (hints.evict != EvictionPolicy::NORMAL)
    state.addAttribute("evict", EvictionPolicyAttr::get(context, hints.evict));
  return success();
}

void tt::printCacheHints(OpAsmPrinter &printer, Operation *op, CacheHints hints,
                         NamedAttrList attributes) {
  MLIRContext *context = op->getContext();
  TextVintage vintage =
      context->getLoadedDialect<TritonDialect>()->getTextVintage();
  if (vintage == TextVintage::Before38) {
    if (hints.cache != CacheModifier::NONE)
      printer << " cacheModifier = " << stringifyCacheModifier(hints.cache);
    if (hints.evict != EvictionPolicy::NORMAL)
      printer << " evictionPolicy = " << stringifyEvictionPolicy(hints.evict);
  } else if (!hints.isDefault()) {
    attributes.append("cachePolicy",
                      CachePolicyAttr::get(context, hints.cache, hints.evict));
  }
  printer.printOptionalAttrDict(attributes.getDictionary(context).getValue());
}
