//===- TritonTensorsToLinalg.h - tt on tensors to linalg --------*- C++ -*-===//
//
// One populate function per topic, each defined in the file of that name under
// lib/Conversion/TritonTensorsToLinalg. An embedding backend that runs one big
// conversion calls these instead of the pass.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_CONVERSION_TRITONTENSORSTOLINALG_H
#define TRITON_SHARED_CONVERSION_TRITONTENSORSTOLINALG_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class ConversionTarget;
class RewritePatternSet;
class TypeConverter;
} // namespace mlir

namespace mlir::triton_shared {

#define GEN_PASS_DECL_TRITONTENSORSTOLINALG
#include "triton-shared/Conversion/Passes.h.inc"

/// A pointer `!tt.ptr<T>` becomes `memref<*xT>`, in a memory space if it is in
/// neither global nor constant memory; other types stay what they are.
void addPointerConversion(TypeConverter &types);

/// Functions, grid, pointers and barriers. `types` must outlive `target`.
void populateTritonTensorsToLinalgProgram(
    const TypeConverter &types, RewritePatternSet &patterns,
    ConversionTarget &target, const TritonTensorsToLinalgOptions &options);

/// arith and math on tensors; the element-wise ops that only `tt` has.
void populateTritonTensorsToLinalgElementwise(RewritePatternSet &patterns,
                                              ConversionTarget &target);
/// Splat, broadcast, reshape and all else that only moves elements.
void populateTritonTensorsToLinalgViews(RewritePatternSet &patterns,
                                        ConversionTarget &target);
/// Conversions between number formats.
void populateTritonTensorsToLinalgCasts(RewritePatternSet &patterns,
                                        ConversionTarget &target);
/// tt.print and tt.assert.
void populateTritonTensorsToLinalgMessages(RewritePatternSet &patterns,
                                           ConversionTarget &target);
/// tt.assert as `cf.assert`, instead of what the function above makes of it.
void populateTritonTensorsToLinalgAssertsToCf(RewritePatternSet &patterns);
/// Calls of libdevice functions.
void populateTritonTensorsToLinalgExtern(RewritePatternSet &patterns,
                                         ConversionTarget &target);

/// Inline assembly that has a portable meaning; with `keepsAssembly`, what has
/// none stays assembly.
void populateTritonTensorsToLinalgInlineAssembly(RewritePatternSet &patterns,
                                                 ConversionTarget &target,
                                                 bool keepsAssembly);

void populateTritonTensorsToLinalgDot(RewritePatternSet &patterns,
                                      ConversionTarget &target);
void populateTritonTensorsToLinalgDotScaled(RewritePatternSet &patterns,
                                            ConversionTarget &target);
void populateTritonTensorsToLinalgReduce(RewritePatternSet &patterns,
                                         ConversionTarget &target);
void populateTritonTensorsToLinalgScan(RewritePatternSet &patterns,
                                       ConversionTarget &target);
void populateTritonTensorsToLinalgHistogram(RewritePatternSet &patterns,
                                            ConversionTarget &target);
void populateTritonTensorsToLinalgGather(RewritePatternSet &patterns,
                                         ConversionTarget &target);
void populateTritonTensorsToLinalgMapElementwise(RewritePatternSet &patterns,
                                                 ConversionTarget &target);
void populateTritonTensorsToLinalgJoinSplit(RewritePatternSet &patterns,
                                            ConversionTarget &target);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_CONVERSION_TRITONTENSORSTOLINALG_H
