//===- AffineIndexInterface.h - Index arithmetic of others ------*- C++ -*-===//

#ifndef TRITON_SHARED_ANALYSIS_AFFINEINDEXINTERFACE_H
#define TRITON_SHARED_ANALYSIS_AFFINEINDEXINTERFACE_H

#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/SmallVector.h"

#include "triton-shared/Analysis/AffineIndexInterface.h.inc"

#endif // TRITON_SHARED_ANALYSIS_AFFINEINDEXINTERFACE_H
