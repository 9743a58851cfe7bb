//===- RecordPasses.h - What each pass has done, as data --------*- C++ -*-===//

#ifndef TRITON_SHARED_PIPELINES_RECORDPASSES_H
#define TRITON_SHARED_PIPELINES_RECORDPASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "triton-shared/Pipelines/Phases.h"
#include "llvm/Support/JSON.h"

namespace mlir::triton_shared {

/// Records of the passes of one compilation, in the order in which they ran:
/// {"phase": to which they lead, "pass", "on": the operation that it ran on,
/// "seconds", "changed"} and, if it has changed the module's text, "text" and
/// "operations", how many there are of each kind. Costs a print after each
/// pass. For a context without threads.
class PassRecords {
public:
  /// What there is before the first pass.
  explicit PassRecords(ModuleOp module);

  /// Has the passes of `manager` recorded. The records outlive it.
  void attach(PassManager &manager);

  /// Says which phase the passes since the last call have led to.
  void close(Phase phase);

  /// {"text": before the first pass, "operations", "passes": the records}.
  llvm::json::Object take();

private:
  class Recorder;

  void add(StringRef pass, Operation *op, double seconds);

  std::string text;
  llvm::json::Object start;
  llvm::json::Array records;
  size_t numClosed = 0;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_PIPELINES_RECORDPASSES_H
