//===- Messages.h - Messages of the language server protocol ----*- C++ -*-===//
//
// JSON values behind a header with their size, as editors send them; or, for
// tests, one after the other with `// -----` between.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_TOOLS_TRITON_SHARED_LSP_MESSAGES_H
#define TRITON_SHARED_TOOLS_TRITON_SHARED_LSP_MESSAGES_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/JSON.h"

#include <cstdio>
#include <mutex>
#include <optional>

namespace mlir::triton_shared {

enum class MessageStyle { Sized, Delimited };

/// Reads messages until the other side closes.
class MessageReader {
public:
  MessageReader(std::FILE *file, MessageStyle style)
      : file(file), style(style) {}

  /// Nothing at the end. What is no JSON is passed over.
  std::optional<llvm::json::Value> read();

private:
  std::optional<std::string> readLine();
  std::optional<std::string> readSized();
  std::optional<std::string> readDelimited();

  std::FILE *file;
  MessageStyle style;
};

/// Writes messages, one after the other though several threads call it.
class MessageWriter {
public:
  MessageWriter(std::FILE *file, bool isPretty)
      : file(file), isPretty(isPretty) {}

  void write(const llvm::json::Value &message);

private:
  std::FILE *file;
  bool isPretty;
  std::mutex mutex;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_TOOLS_TRITON_SHARED_LSP_MESSAGES_H
