//===- IrLines.cpp - LLVM IR as text, and where it comes from -------------===//

#include "triton-shared/Target/IrLines.h"

#include "llvm/IR/AssemblyAnnotationWriter.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FormattedStream.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// Is asked before each instruction is printed, and writes nothing itself.
class LineRecorder : public llvm::AssemblyAnnotationWriter {
public:
  explicit LineRecorder(std::vector<IrLine> &lines) : lines(lines) {}

  void emitInstructionAnnot(const llvm::Instruction *instruction,
                            llvm::formatted_raw_ostream &stream) override {
    const llvm::DILocation *place = instruction->getDebugLoc();
    // Line 0 says that there is none.
    if (!place || place->getLine() == 0)
      return;
    IrLine &line = lines.emplace_back();
    line.line = stream.getLine() + 1;
    line.opcode = instruction->getOpcodeName();
    for (; place; place = place->getInlinedAt()) {
      llvm::SmallString<128> file(place->getFilename());
      if (!llvm::sys::path::is_absolute(file)) {
        file = place->getDirectory();
        llvm::sys::path::append(file, place->getFilename());
      }
      line.places.push_back(
          {file.str().str(), place->getLine(), place->getColumn()});
    }
  }

private:
  std::vector<IrLine> &lines;
};

} // namespace

std::vector<IrLine> triton_shared::printWithLines(const llvm::Module &module,
                                                  std::string &text) {
  std::vector<IrLine> lines;
  LineRecorder recorder(lines);
  llvm::raw_string_ostream stream(text);
  module.print(stream, &recorder);
  return lines;
}
