//===- Topics.h - The topics of cta-to-gpu ----------------------*- C++ -*-===//

#ifndef TRITON_SHARED_LIB_CONVERSION_CTATOGPU_TOPICS_H
#define TRITON_SHARED_LIB_CONVERSION_CTATOGPU_TOPICS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/DialectConversion.h"
#include "triton-shared/Analysis/AccessWidth.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"

namespace mlir::triton_shared {

/// Tiles become vectors of what one thread holds, bases global addresses.
void addThreadConversion(TypeConverter &types);

void populateCtaToGpuElementwise(const TypeConverter &types,
                                 RewritePatternSet &patterns);
/// Quotients and remainders of 64-bit integers.
void populateCtaToGpuDivisions(const TypeConverter &types,
                               RewritePatternSet &patterns);
void populateCtaToGpuFloat8(const TypeConverter &types,
                            RewritePatternSet &patterns);
/// Spells out conversions of 8-bit floats for GPUs that have none.
void expandFloat8(ModuleOp module);
void populateCtaToGpuFloat4(const TypeConverter &types,
                            RewritePatternSet &patterns);
/// Bytes to floats of 16 bits.
void populateCtaToGpuInteger8(const TypeConverter &types,
                              RewritePatternSet &patterns);
void populateCtaToGpuShapes(const TypeConverter &types,
                            RewritePatternSet &patterns);
void populateCtaToGpuExchange(const TypeConverter &types,
                              RewritePatternSet &patterns);
void populateCtaToGpuReduce(const TypeConverter &types,
                            RewritePatternSet &patterns);
void populateCtaToGpuBuffers(const TypeConverter &types,
                             RewritePatternSet &patterns);
void populateCtaToGpuBoxes(const TypeConverter &types,
                           RewritePatternSet &patterns);
void populateCtaToGpuTensorMaps(const TypeConverter &types,
                                RewritePatternSet &patterns);
/// Makes the tensor maps that kernels of `module` ask for.
void makeTensorMaps(ModuleOp module);
/// Lets ptxas know that scalars of kernels with `wgmma` or TMA are the same in
/// all threads of a warp.
void shareUniformScalars(ModuleOp module);
/// Says whether `op` waits for the program's threads alone.
bool isBarrierOfProgram(Operation *op);
void populateCtaToGpuAllTurns(const TypeConverter &types,
                              RewritePatternSet &patterns);
void populateCtaToGpuSpecialize(const TypeConverter &types,
                                RewritePatternSet &patterns);
/// For each product that threads compute, how many of them its loop has.
using ThreadProducts = DenseMap<Operation *, int64_t>;
ThreadProducts countThreadProducts(Operation *root);
void populateCtaToGpuDot(const TypeConverter &types,
                         const ThreadProducts &products,
                         RewritePatternSet &patterns);
void populateCtaToGpuMatrixDot(const TypeConverter &types,
                               RewritePatternSet &patterns);
void populateCtaToGpuWarpgroupDot(const TypeConverter &types,
                                  RewritePatternSet &patterns);
void populateCtaToGpuScan(const TypeConverter &types,
                          RewritePatternSet &patterns);
void populateCtaToGpuHistogram(const TypeConverter &types,
                               RewritePatternSet &patterns);
void populateCtaToGpuAtomics(const TypeConverter &types,
                             RewritePatternSet &patterns);
void populateCtaToGpuMachineRegisters(const TypeConverter &types,
                                      RewritePatternSet &patterns);
void populateCtaToGpuMessages(const TypeConverter &types,
                              RewritePatternSet &patterns);
/// A comparison whose result is the same for `count` neighbours along `dim`,
/// from a multiple of `count` on.
struct SharedComparison {
  unsigned dim;
  int64_t count;
};
using SharedComparisons = DenseMap<Operation *, SharedComparison>;
/// What neighbours share of `op`; `solver` has run `DivisibilityAnalysis`.
std::optional<SharedComparison>
findSharedComparison(const DataFlowSolver &solver, arith::CmpIOp op);
void populateCtaToGpuComparisons(const TypeConverter &types,
                                 const SharedComparisons &comparisons,
                                 RewritePatternSet &patterns);
/// The width of each access of a block.
using AccessWidths = DenseMap<Operation *, AccessWidth>;
void populateCtaToGpuAccesses(const TypeConverter &types,
                              const AccessWidths &widths,
                              RewritePatternSet &patterns);
/// Updates of neighbours at once; the others are those of
/// `populateCtaToGpuAtomics`.
void populateCtaToGpuVectorUpdates(const TypeConverter &types,
                                   const AccessWidths &widths,
                                   RewritePatternSet &patterns);
void populateCtaToGpuCopies(const TypeConverter &types,
                            const AccessWidths &widths,
                            RewritePatternSet &patterns);

/// Lets checks of the compiler's own end a launch by `trap` in kernels with
/// `wgmma`: where there is a call, ptxas waits for each product.
void markTraps(ModuleOp module);

/// Makes each kernel of `module` a `gpu.func` whose program ids are those of
/// its block.
void outlineKernels(ModuleOp module);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CONVERSION_CTATOGPU_TOPICS_H
