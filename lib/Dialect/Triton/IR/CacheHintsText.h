//===- CacheHintsText.h - Two spellings of cache hints ---------*- C++ -*-===//
//
// Cache hints are words after the operands up to Triton 3.7, and an attribute
// from 3.8. Loads, stores and descriptor loads keep them in `cache` and `evict`
// whichever was read.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_DIALECT_TRITON_IR_CACHEHINTSTEXT_H
#define TRITON_SHARED_DIALECT_TRITON_IR_CACHEHINTSTEXT_H

#include "triton-shared/Dialect/Triton/IR/Triton.h"

namespace mlir::triton {

struct CacheHints {
  CacheModifier cache = CacheModifier::NONE;
  EvictionPolicy evict = EvictionPolicy::NORMAL;

  bool isDefault() const {
    return cache == CacheModifier::NONE && evict == EvictionPolicy::NORMAL;
  }
};

/// Parses hints in either spelling, and the attribute dictionary between or
/// after them.
ParseResult parseCacheHints(OpAsmParser &parser, OperationState &state);

/// Prints the hints in the dialect's vintage, with the attribute dictionary.
void printCacheHints(OpAsmPrinter &printer, Operation *op, CacheHints hints,
                     NamedAttrList attributes);

/// The hints of an access, wherever they are.
template <typename AccessOp> CacheHints getCacheHints(AccessOp op) {
  if (CachePolicyAttr both = op.getCachePolicyAttr())
    return {both.getCacheModifier(), both.getEvictionPolicy()};
  return {op.getCache(), op.getEvict()};
}

/// Only the generic form can have the hints twice.
template <typename AccessOp> LogicalResult verifyCacheHints(AccessOp op) {
  if (!op.getCachePolicyAttr() ||
      CacheHints{op.getCache(), op.getEvict()}.isDefault())
    return success();
  return op.emitOpError("has cache hints both in 'cachePolicy' and in 'cache' "
                        "or 'evict'");
}

} // namespace mlir::triton

#endif // TRITON_SHARED_DIALECT_TRITON_IR_CACHEHINTSTEXT_H
