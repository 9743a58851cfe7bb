//===- KernelFacts.cpp - What a launcher must know ------------------------===//

#include "triton-shared/Driver/KernelFacts.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "triton-shared/Conversion/LinalgToCpu.h"
#include "triton-shared/Dialect/Cta/IR/Cta.h"
#include "triton-shared/Dialect/Structured/IR/KernelSignature.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::triton_shared;

/// The word for a parameter of a kernel.
static std::string describeParameter(Type type) {
  if (isa<UnrankedMemRefType, LLVM::LLVMPointerType>(type))
    return "ptr";
  std::string word;
  llvm::raw_string_ostream(word) << type;
  return word;
}

FunctionOpInterface triton_shared::findKernel(ModuleOp module) {
  for (auto kernels : module.getOps<gpu::GPUModuleOp>())
    for (auto function : kernels.getOps<gpu::GPUFuncOp>())
      if (function.isKernel())
        return function;
  for (auto function : module.getOps<FunctionOpInterface>()) {
    bool hasEntry =
        module.lookupSymbol((function.getName() + kEntrySuffix).str());
    if (!function.isExternal() && (function.isPublic() || hasEntry) &&
        !function.getName().ends_with(kEntrySuffix) &&
        tts::KernelSignature(function).hasProgram())
      return function;
  }
  return nullptr;
}

llvm::json::Object triton_shared::describeKernel(FunctionOpInterface kernel,
                                                 const CompileTarget &target) {
  llvm::json::Array args;
  for (Type type : tts::KernelSignature(kernel).getWrittenTypes())
    args.push_back(describeParameter(type));
  // Facts outlive the names of the module.
  llvm::json::Object object{{"name", kernel.getName().str()},
                            {"args", std::move(args)}};
  object["entry"] = target.isGpu() ? kernel.getName().str()
                                   : (kernel.getName() + kEntrySuffix).str();
  return object;
}

static llvm::json::Object describeNumber(tts::LaunchNumber number) {
  return llvm::json::Object{
      {number.isArgument ? "argument" : "constant", number.value}};
}

static llvm::json::Array describeNumbers(ArrayRef<tts::LaunchNumber> numbers) {
  llvm::json::Array described;
  for (tts::LaunchNumber number : numbers)
    described.push_back(describeNumber(number));
  return described;
}

/// What a launch makes a tensor map of.
static llvm::json::Object describeTensorMap(tts::TensorMapAttr map) {
  return llvm::json::Object{
      {"element", describeParameter(map.getElementType())},
      {"base", map.getBase()},
      {"sizes", describeNumbers(map.getSizes())},
      {"strides", describeNumbers(map.getStrides())},
      {"box", llvm::json::Array(map.getBox())},
      {"swizzle", map.getSwizzle()},
      {"is_nan_outside", describeNumber(map.getFillsWithNan())}};
}

void triton_shared::describeHidden(FunctionOpInterface kernel,
                                   llvm::json::Object &facts) {
  FunctionOpInterface launched = kernel;
  if (!isa<gpu::GPUFuncOp>(kernel))
    launched = SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(
        kernel,
        StringAttr::get(kernel.getContext(), kernel.getName() + kEntrySuffix));
  if (!launched)
    return;
  llvm::json::Array hidden;
  for (tts::HiddenParameter parameter :
       tts::KernelSignature(launched).describeHidden()) {
    llvm::json::Object facts{
        {"kind", tts::stringifyParameterKind(parameter.kind)},
        {"bytes", parameter.bytes},
        {"alignment", parameter.alignment}};
    if (parameter.map)
      facts["map"] = describeTensorMap(parameter.map);
    hidden.push_back(std::move(facts));
  }
  facts["hidden"] = std::move(hidden);
}

/// Launchers know the first three; others stand only in what somebody has
/// replaced, and are refused there.
static StringRef getWord(AffineExprKind kind) {
  switch (kind) {
  case AffineExprKind::Add:
    return "add";
  case AffineExprKind::Mul:
    return "multiply";
  case AffineExprKind::FloorDiv:
    return "divide";
  case AffineExprKind::CeilDiv:
    return "divide up";
  case AffineExprKind::Mod:
    return "remainder";
  default:
    return "dimension";
  }
}

/// Appends the steps of a machine with a stack that computes `expr`, of which
/// the first `written` symbols are arguments and the others sizes of the grid.
static void describeSteps(AffineExpr expr, unsigned written,
                          llvm::json::Array &steps) {
  auto append = [&](StringRef what, int64_t number) {
    steps.push_back(llvm::json::Array{what, number});
  };
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return append("constant", constant.getValue());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
    unsigned place = symbol.getPosition();
    return place < written ? append("argument", place)
                           : append("grid", place - written);
  }
  if (auto binary = dyn_cast<AffineBinaryOpExpr>(expr)) {
    describeSteps(binary.getLHS(), written, steps);
    describeSteps(binary.getRHS(), written, steps);
  }
  append(getWord(expr.getKind()), 0);
}

/// How far a launch comes, for what the kernel takes for granted of that.
static llvm::json::Array describeBounds(FunctionOpInterface kernel) {
  llvm::json::Array described;
  auto bounds = kernel->getAttrOfType<AffineMapAttr>(cta::kLaunchBounds);
  if (!bounds)
    return described;
  unsigned written = tts::KernelSignature(kernel).getNumWritten();
  for (AffineExpr bound : bounds.getValue().getResults()) {
    llvm::json::Array steps;
    describeSteps(bound, written, steps);
    described.push_back(std::move(steps));
  }
  return described;
}

void triton_shared::describeBlock(FunctionOpInterface kernel,
                                  const CompileTarget &target,
                                  llvm::json::Object &facts) {
  auto shared = kernel->getAttrOfType<IntegerAttr>(cta::kShared);
  if (!shared)
    return;
  facts.insert({"shared", shared.getInt()});
  facts.insert({"shared_limit", target.getGpu().getSharedBytes()});
  facts.insert({"num_warps", target.numWarps});
  facts.insert({"target", "cuda:" + target.cudaArch});
  facts.insert({"assumes_maps", kernel->hasAttr(cta::kAssumesMaps)});
  facts.insert({"launch_bounds", describeBounds(kernel)});
  // Threads of a program, and programs.
  facts.insert({"block", llvm::json::Array{cta::getNumThreads(kernel),
                                           cta::getNumPrograms(kernel)}});
}
