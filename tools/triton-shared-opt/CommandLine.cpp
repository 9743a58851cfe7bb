//===- CommandLine.cpp - Words that LLVM would misread --------------------===//

#include "CommandLine.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// A pass of another triton-shared that is not here, and what to do.
struct ForeignPass {
  StringLiteral name, instead;
};

constexpr ForeignPass kForeignPasses[] = {
    {"triton-ptr-to-ptr",
     "no pointer is left to convert: --triton-to-structured makes offsets of "
     "them, --triton-arith-to-linalg memrefs"},
};

constexpr StringLiteral kPassPlugin = "load-pass-plugin";
constexpr StringLiteral kDialectPlugin = "load-dialect-plugin";
constexpr StringLiteral kPrintOp = "mlir-print-op-on-diagnostic";

/// An option with the word behind its sign; empty if that is the next one.
struct Option {
  explicit Option(StringRef word) {
    if (word.consume_front("-")) {
      word.consume_front("-");
      std::tie(name, value) = word.split('=');
    }
  }

  StringRef name, value;
};

LogicalResult checkPlugin(StringRef option, StringRef path) {
  std::string reason;
  if (option == kPassPlugin) {
    if (auto plugin = PassPlugin::load(path.str()))
      return success();
    else
      reason = toString(plugin.takeError());
  } else {
    if (auto plugin = DialectPlugin::load(path.str()))
      return success();
    else
      reason = toString(plugin.takeError());
  }
  llvm::errs() << "triton-shared-opt: error: --" << option << ": " << reason
               << "\ntriton-shared-opt: note: docs/add-a-pass.md shows how a "
                  "plugin is built\n";
  return failure();
}

/// Whether a pipeline such as `builtin.module(a,func.func(b{c}))` has a pass.
bool hasPass(StringRef pipeline, StringRef name) {
  for (StringRef rest = pipeline; !rest.empty();) {
    size_t end = rest.find_first_of("(){},; ");
    if (rest.take_front(end) == name)
      return true;
    rest = rest.drop_front(std::min(end, rest.size() - 1) + 1);
  }
  return false;
}

LogicalResult checkPasses(const Option &option) {
  for (const ForeignPass &pass : kForeignPasses) {
    bool isInPipeline =
        option.name == "pass-pipeline" && hasPass(option.value, pass.name);
    if (option.name != pass.name && !isInPipeline)
      continue;
    llvm::errs() << "triton-shared-opt: error: '" << pass.name
                 << "' is a pass of another triton-shared that is not here\n"
                 << "triton-shared-opt: note: " << pass.instead << "\n";
    return failure();
  }
  return success();
}

} // namespace

LogicalResult triton_shared::checkCommandLine(ArrayRef<const char *> words) {
  for (size_t i = 1; i < words.size(); ++i) {
    Option option(words[i]);
    if (failed(checkPasses(option)))
      return failure();
    if (option.name != kPassPlugin && option.name != kDialectPlugin)
      continue;
    StringRef path = option.value;
    if (path.empty() && i + 1 < words.size())
      path = words[++i];
    if (failed(checkPlugin(option.name, path)))
      return failure();
  }
  return success();
}

SmallVector<char *> triton_shared::withOwnDefaults(ArrayRef<char *> words) {
  static char noDumps[] = "--mlir-print-op-on-diagnostic=false";
  SmallVector<char *> result(words);
  bool isSaid = llvm::any_of(
      words, [](StringRef word) { return Option(word).name == kPrintOp; });
  if (!isSaid)
    result.insert(result.begin() + 1, noDumps);
  return result;
}
