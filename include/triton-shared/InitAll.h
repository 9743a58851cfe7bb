//===- InitAll.h - Everything at once, for tools and embedders --*- C++ -*-===//

#ifndef TRITON_SHARED_INITALL_H
#define TRITON_SHARED_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mlir::triton_shared {

/// The dialects of all phases with the external models that the passes use.
void registerAllDialects(DialectRegistry &registry);

/// All passes and pipelines of this project, and the upstream clean-up passes
/// that its pipelines are made of.
void registerAllPasses();

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_INITALL_H
