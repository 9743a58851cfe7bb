//===- ElementPlaces.h - Where the elements of a thread lie -----*- C++ -*-===//
//
// Each thread computes the address of its first element once; the others lie at
// constant or scalar distances.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_CONVERSION_CTATOGPU_ELEMENTPLACES_H
#define TRITON_SHARED_LIB_CONVERSION_CTATOGPU_ELEMENTPLACES_H

#include "mlir/Transforms/DialectConversion.h"
#include "triton-shared/Analysis/AccessWidth.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"

namespace mlir::triton_shared {

/// The conjunction; null stands for true.
Value createAnd(OpBuilder &builder, Location loc, Value a, Value b);

/// The address of an element in global memory.
Value createElementPointer(OpBuilder &builder, Location loc, Value base,
                           Value offset, Type elementType);

/// Where the elements of one thread lie, and which of them take part.
struct ElementPlaces {
  /// Null where another element's is enough.
  SmallVector<Value> pointers;
  /// Null for true; empty if all are.
  SmallVector<Value> predicates;
  /// So many leading registers are neighbours in memory, and so on in groups.
  unsigned width = 1;
  /// The elements of a group all take part or none does.
  bool isUniform = true;

  Value getPredicate(unsigned reg) const {
    return predicates.empty() ? nullptr : predicates[reg];
  }
};

/// An access by dimensions, with the values that stand for its operands now.
struct StridedAccess {
  bool isWrite = false;
  Value base, offset;
  SmallVector<tts::DimensionAccess> dimensions;
  /// Of gathered dimensions: the registers of the indices, and their layout.
  SmallVector<SmallVector<Value>> indices;
  SmallVector<cta::LinearLayout> indexLayouts;
  Type elementType;
};

StridedAccess remapAccess(tts::AccessOpInterface op,
                          ConversionPatternRewriter &rewriter);

/// Adds the registers of a mask (null: true), and that only one of the threads
/// that hold the same acts (null: any does).
void restrictTo(ElementPlaces &places, Value mask, Value isHolder,
                OpBuilder &builder, Location loc);

/// Computes the places of what a thread holds under `layout`.
ElementPlaces placeStrided(OpBuilder &builder, Location loc,
                           const StridedAccess &access,
                           const AccessWidth &width,
                           const cta::LinearLayout &layout);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CONVERSION_CTATOGPU_ELEMENTPLACES_H
