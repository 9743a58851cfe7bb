//===- Proxy.h - Between an editor and MLIR's language server ---*- C++ -*-===//
//
// MLIR's server knows syntax. What goes through here is passed on, and what
// this project knows is added: why an access is a gather, as a warning and
// where the mouse rests, and actions that show what becomes of the text.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_TOOLS_TRITON_SHARED_LSP_PROXY_H
#define TRITON_SHARED_TOOLS_TRITON_SHARED_LSP_PROXY_H

#include "AccessRemarks.h"
#include "Messages.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::triton_shared {

class Proxy {
public:
  /// `editor` and `server` write to these two.
  Proxy(MessageWriter &editor, MessageWriter &server)
      : editor(editor), server(server) {}

  /// Passes on a message of the editor; false if it was the last.
  bool fromEditor(llvm::json::Value message);
  /// Passes on a message of the server.
  void fromServer(llvm::json::Value message);

private:
  struct Document {
    std::string text;
    std::optional<std::vector<AccessRemark>> remarks;
  };
  /// A question of the editor whose answer gets something added.
  struct Question {
    std::string method;
    std::string uri;
    unsigned line;
  };

  void noteText(StringRef method, const llvm::json::Object &params);
  void noteQuestion(StringRef method, const llvm::json::Object &message,
                    const llvm::json::Object &params);
  const std::vector<AccessRemark> &remarksOf(StringRef uri);
  void addDiagnostics(llvm::json::Object &params);
  void addToAnswer(const Question &question, llvm::json::Object &message);
  void addHover(const Question &question, llvm::json::Object &message);
  void showPhase(const llvm::json::Object &message,
                 const llvm::json::Array &arguments);
  void answer(const llvm::json::Value &id, llvm::json::Value result);
  void refuse(const llvm::json::Value &id, StringRef why);

  MessageWriter &editor;
  MessageWriter &server;
  std::mutex mutex;
  llvm::StringMap<Document> documents;
  llvm::StringMap<Question> questions;
  bool showsDocuments = false;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_TOOLS_TRITON_SHARED_LSP_PROXY_H
