//===- LlvmMessages.cpp - What LLVM says while it makes code --------------===//

#include "LlvmMessages.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::triton_shared;

LlvmMessages::LlvmMessages(llvm::LLVMContext &context) {
  context.setDiagnosticHandlerCallBack(
      [](const llvm::DiagnosticInfo *diagnostic, void *self) {
        if (diagnostic->getSeverity() != llvm::DS_Error)
          return;
        std::string text;
        llvm::raw_string_ostream stream(text);
        llvm::DiagnosticPrinterRawOStream printer(stream);
        diagnostic->print(printer);
        static_cast<LlvmMessages *>(self)->errors.push_back(std::move(text));
      },
      this);
}

std::string LlvmMessages::describe() const { return llvm::join(errors, "; "); }
