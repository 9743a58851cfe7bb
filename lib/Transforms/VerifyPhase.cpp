//===- VerifyPhase.cpp - The contract at the end of each phase ------------===//

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"
#include "triton-shared/Dialect/Structured/IR/Structured.h"
#include "triton-shared/Dialect/Triton/IR/Triton.h"
#include "triton-shared/Transforms/Passes.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_VERIFYPHASE
#define GEN_PASS_DEF_VERIFYTRITONCHECKPOINT
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;
namespace tt = mlir::triton;

namespace {

/// Says what is wrong with an operation in some phase; empty if nothing is.
using Check = StringRef (*)(Operation *);

bool isTriton(Operation *op) {
  return isa_and_nonnull<tt::TritonDialect, tt::gpu::TritonGPUDialect>(
      op->getDialect());
}

/// True for a block of pointers, a block pointer or a descriptor.
bool isComputedPointer(Type type) {
  if (auto pointer = dyn_cast<tt::PointerType>(type))
    return isa<RankedTensorType>(pointer.getPointeeType());
  if (isa<tt::TensorDescType>(type))
    return true;
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa<tt::PointerType>(tensor.getElementType());
}

bool isTritonType(Type type) {
  return isa<tt::PointerType, tt::TensorDescType>(getElementTypeOrSelf(type));
}

bool anyType(Operation *op, llvm::function_ref<bool(Type)> holds) {
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (llvm::any_of(block.getArgumentTypes(), holds))
        return true;
  return llvm::any_of(op->getOperandTypes(), holds) ||
         llvm::any_of(op->getResultTypes(), holds);
}

StringRef checkTriton(Operation *op) {
  if (isa<tt::CallOp>(op))
    return "is a call that was not inlined";
  auto function = dyn_cast<tt::FuncOp>(op);
  if (function && !function.isExternal() && !function.getBody().hasOneBlock())
    return "has unstructured control flow left";
  return "";
}

/// Notes of checks (`triton-check-values`) are there before accesses are.
StringRef checkTtir(Operation *op) {
  if (isa_and_nonnull<tts::TTSDialect>(op->getDialect()) &&
      !isa<tts::NoteOp>(op))
    return "is of a later phase";
  return checkTriton(op);
}

StringRef checkStructured(Operation *op) {
  if (StringRef problem = checkTriton(op); !problem.empty())
    return problem;
  if (isa<tt::LoadOp, tt::StoreOp, tt::AddPtrOp, tt::AtomicRMWOp,
          tt::AtomicCASOp, tt::DescriptorLoadOp, tt::DescriptorStoreOp,
          tt::DescriptorGatherOp, tt::DescriptorScatterOp,
          tt::DescriptorReduceOp>(op))
    return "is an access that was not turned into a 'tts' operation";
  if (anyType(op, isComputedPointer))
    return "holds a pointer that was not taken apart";
  return "";
}

StringRef checkLinalg(Operation *op) {
  if (isTriton(op))
    return "has no lowering to linalg";
  if (anyType(op, isTritonType))
    return "holds a Triton pointer";
  return "";
}

StringRef checkMemRef(Operation *op) {
  if (StringRef problem = checkLinalg(op); !problem.empty())
    return problem;
  if (isa_and_nonnull<tts::TTSDialect>(op->getDialect()))
    return "was not lowered to memory and loops";
  return "";
}

bool isTensorWithoutLayout(Type type) {
  return isa<RankedTensorType>(type) && !cta::getLayoutAttr(type);
}

/// True if some layout is one of another number of warps than the kernel has.
bool hasOtherWarps(Operation *op) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  std::optional<int64_t> warps =
      function ? cta::getNumWarps(function) : std::nullopt;
  return warps && anyType(op, [&](Type type) {
           cta::LayoutAttr layout = cta::getLayoutAttr(type);
           return layout && layout.getLayout().getNumWarps() != *warps;
         });
}

StringRef checkCta(Operation *op) {
  if (StringRef problem = checkLinalg(op); !problem.empty())
    return problem;
  if (anyType(op, isTensorWithoutLayout))
    return "holds a tile without a layout";
  if (hasOtherWarps(op))
    return "holds a tile on another number of warps than its kernel has";
  return "";
}

StringRef checkGpu(Operation *op) {
  if (isa_and_nonnull<cta::CTADialect, tts::TTSDialect>(op->getDialect()))
    return "was not distributed to threads";
  if (anyType(op, llvm::IsaPred<RankedTensorType>))
    return "holds a tile";
  return "";
}

StringRef checkLlvm(Operation *op) {
  if (isa<UnrealizedConversionCastOp>(op))
    return "was not converted to the LLVM dialect";
  return "";
}

/// What a phase may hold.
struct Contract {
  StringRef phase;
  /// All dialects of which operations may be there.
  SmallVector<StringRef> dialects;
  /// What else is wrong with an operation.
  Check check;
};

ArrayRef<Contract> getContracts() {
  static const Contract contracts[] = {
      {"ttir",
       {"arith", "builtin", "cf", "gpu", "llvm", "math", "scf", "tt", "ttg",
        "tts", "ub"},
       checkTtir},
      {"structured",
       {"arith", "builtin", "cf", "gpu", "llvm", "math", "memref", "scf",
        "tensor", "tt", "ttg", "tts", "ub"},
       checkStructured},
      {"linalg",
       {"arith", "bufferization", "builtin", "func", "gpu", "linalg", "llvm",
        "math", "memref", "scf", "tensor", "tts", "ub"},
       checkLinalg},
      {"memref",
       {"affine", "arith", "bufferization", "builtin", "cf", "func", "gpu",
        "linalg", "llvm", "math", "memref", "scf", "tensor", "ub"},
       checkMemRef},
      {"cta",
       {"arith", "builtin", "cta", "func", "gpu", "llvm", "math", "memref",
        "nvvm", "scf", "tts", "ub"},
       checkCta},
      {"gpu",
       {"arith", "builtin", "gpu", "llvm", "math", "nvvm", "scf", "ub",
        "vector"},
       checkGpu},
      {"llir", {"builtin", "gpu", "llvm", "nvvm"}, checkLlvm},
  };
  return contracts;
}

const Contract *findContract(StringRef phase) {
  const auto *found =
      llvm::find_if(getContracts(), [&](const Contract &contract) {
        return contract.phase == phase;
      });
  return found == getContracts().end() ? nullptr : found;
}

/// True for a dialect that no phase knows: of who embeds this project and adds
/// operations to the language.
bool isOfOthers(StringRef dialect) {
  return llvm::none_of(getContracts(), [&](const Contract &contract) {
    return llvm::is_contained(contract.dialects, dialect);
  });
}

bool isForeign(Operation *op, const Contract &contract) {
  StringRef dialect = op->getName().getDialectNamespace();
  if (llvm::is_contained(contract.dialects, dialect))
    return false;
  // It stays until the conversion that it has brought along.
  bool isLanguage = contract.phase == "ttir" || contract.phase == "structured";
  return !isLanguage || !isOfOthers(dialect);
}

struct VerifyPhase : triton_shared::impl::VerifyPhaseBase<VerifyPhase> {
  using VerifyPhaseBase::VerifyPhaseBase;

  void runOnOperation() override {
    const Contract *contract = findContract(phase);
    if (!contract) {
      InFlightDiagnostic error = getOperation().emitError("unknown value '");
      error << phase << "' of option 'phase'; use one of ";
      llvm::interleaveComma(getContracts(), error, [&](const Contract &known) {
        error << known.phase;
      });
      return signalPassFailure();
    }
    WalkResult walk = getOperation().walk([&](Operation *op) {
      StringRef problem = contract->check(op);
      if (problem.empty() && isForeign(op, *contract))
        problem = "is of a dialect that has no place here";
      if (problem.empty())
        return WalkResult::advance();
      InFlightDiagnostic diagnostic = op->emitOpError(problem);
      diagnostic.attachNote() << "phase '" << phase << "' may not hold this";
      diagnostic.attachNote()
          << "docs/supported-ops.md lists what is supported; "
          << "please report a kernel that should be";
      return WalkResult::interrupt();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};

struct VerifyTritonCheckpoint
    : triton_shared::impl::VerifyTritonCheckpointBase<VerifyTritonCheckpoint> {
  void runOnOperation() override {
    // A function is named before what is in it.
    WalkResult walk =
        getOperation().walk<WalkOrder::PreOrder>([](Operation *op) {
          bool isOurs = isa_and_nonnull<tts::TTSDialect, cta::CTADialect>(
              op->getDialect());
          if (!isTriton(op) && !isOurs && !anyType(op, isTritonType))
            return WalkResult::advance();
          InFlightDiagnostic error =
              op->emitOpError("is left of Triton or triton-shared");
          error.attachNote() << "what reads this next knows neither dialect";
          error.attachNote()
              << "--triton-to-linalg-experimental leaves none, or "
                 "says why";
          return WalkResult::interrupt();
        });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
