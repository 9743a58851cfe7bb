//===- AddLLVMDebugInfo.cpp - Functions get a scope for their lines -------===//

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "triton-shared/Transforms/Passes.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/Path.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_ADDLLVMDEBUGINFO
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

struct AddLLVMDebugInfo
    : triton_shared::impl::AddLLVMDebugInfoBase<AddLLVMDebugInfo> {
  void runOnOperation() override {
    getOperation().walk([&](FunctionOpInterface function) {
      if (function->getLoc()
              ->findInstanceOf<FusedLocWith<LLVM::DISubprogramAttr>>())
        return;
      if (auto place = function->getLoc()->findInstanceOf<FileLineColLoc>())
        addScope(function, place);
    });
  }

private:
  static void addScope(FunctionOpInterface function, FileLineColLoc place) {
    MLIRContext *context = function.getContext();
    auto distinct = [&] {
      return DistinctAttr::create(UnitAttr::get(context));
    };
    StringRef path = place.getFilename();
    auto file = LLVM::DIFileAttr::get(context, llvm::sys::path::filename(path),
                                      llvm::sys::path::parent_path(path));
    auto unit = LLVM::DICompileUnitAttr::get(
        distinct(), llvm::dwarf::DW_LANG_C, file,
        StringAttr::get(context, "triton-shared"), /*isOptimized=*/true,
        LLVM::DIEmissionKind::LineTablesOnly);
    auto flags = LLVM::DISubprogramFlags::Optimized;
    // What is declared only has no unit.
    if (!function.isExternal())
      flags = flags | LLVM::DISubprogramFlags::Definition;
    auto scope = LLVM::DISubprogramAttr::get(
        context, function.isExternal() ? DistinctAttr() : distinct(),
        function.isExternal() ? LLVM::DICompileUnitAttr() : unit, file,
        function.getNameAttr(), function.getNameAttr(), file, place.getLine(),
        place.getLine(), flags,
        LLVM::DISubroutineTypeAttr::get(context, /*types=*/{}),
        /*retainedNodes=*/{}, /*annotations=*/{});
    function->setLoc(FusedLoc::get(context, {function->getLoc()}, scope));
  }
};

} // namespace
