//===- RecordPasses.cpp - What each pass has done, as data ----------------===//

#include "triton-shared/Pipelines/RecordPasses.h"

#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

using namespace mlir;
using namespace mlir::triton_shared;

static Operation *findModule(Operation *op) {
  while (Operation *parent = op->getParentOp())
    op = parent;
  return op;
}

static std::string print(Operation *module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, OpPrintingFlags().printNameLocAsPrefix());
  return text;
}

static llvm::json::Object countOperations(Operation *module) {
  llvm::MapVector<StringRef, int64_t> counts;
  module->walk([&](Operation *op) {
    if (op != module)
      ++counts[op->getName().getStringRef()];
  });
  llvm::json::Object object;
  for (auto [name, count] : counts)
    object[name] = count;
  return object;
}

/// Belongs to a pass manager, and tells the records.
class PassRecords::Recorder : public PassInstrumentation {
public:
  explicit Recorder(PassRecords &records) : records(records) {}

  void runBeforePass(Pass *, Operation *) override {
    starts.push_back(Clock::now());
  }
  void runAfterPass(Pass *pass, Operation *op) override { end(pass, op); }
  void runAfterPassFailed(Pass *pass, Operation *op) override { end(pass, op); }

private:
  using Clock = std::chrono::steady_clock;

  void end(Pass *pass, Operation *op) {
    std::chrono::duration<double> taken = Clock::now() - starts.pop_back_val();
    // What only runs others has no word.
    if (!pass->getArgument().empty())
      records.add(pass->getArgument(), op, taken.count());
  }

  PassRecords &records;
  /// Passes may run others.
  SmallVector<Clock::time_point> starts;
};

PassRecords::PassRecords(ModuleOp module)
    : text(print(module)),
      start({{"text", text}, {"operations", countOperations(module)}}) {}

void PassRecords::attach(PassManager &manager) {
  manager.addInstrumentation(std::make_unique<Recorder>(*this));
}

void PassRecords::add(StringRef pass, Operation *op, double seconds) {
  Operation *module = findModule(op);
  std::string after = print(module);
  bool hasChanged = after != text;
  llvm::json::Object record{{"phase", ""},
                            {"pass", pass},
                            {"on", op->getName().getStringRef()},
                            {"seconds", seconds},
                            {"changed", hasChanged}};
  if (hasChanged) {
    text = std::move(after);
    record["text"] = text;
    record["operations"] = countOperations(module);
  }
  records.push_back(std::move(record));
}

void PassRecords::close(Phase phase) {
  for (; numClosed < records.size(); ++numClosed)
    (*records[numClosed].getAsObject())["phase"] = stringifyPhase(phase);
}

llvm::json::Object PassRecords::take() {
  start["passes"] = std::move(records);
  return std::move(start);
}
