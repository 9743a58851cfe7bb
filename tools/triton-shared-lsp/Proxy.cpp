//===- Proxy.cpp - Between an editor and MLIR's language server -----------===//

#include "Proxy.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::triton_shared;
using llvm::json::Array;
using llvm::json::Object;
using Json = llvm::json::Value;

static constexpr llvm::StringLiteral kCommand = "triton-shared.showPhase";
/// What the numbers of our own questions to the editor begin with.
static constexpr llvm::StringLiteral kOwn = "triton-shared-";
static constexpr llvm::StringLiteral kSource = "triton-shared";

/// Phases that a text can be shown in, and what they are made for.
static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> kPhases[] =
    {{"structured", ""},
     {"linalg", ""},
     {"memref", ""},
     {"llir", ""},
     {"cta", "target=cuda:90"},
     {"gpu", "target=cuda:90"}};

static std::string textOf(const Json &value) {
  return llvm::formatv("{0}", value).str();
}

static Object describe(TextPlace begin, unsigned length = 1) {
  return Object{
      {"start", Object{{"line", begin.line}, {"character", begin.column}}},
      {"end",
       Object{{"line", begin.line}, {"character", begin.column + length}}}};
}

static std::string uriOf(const Object &params) {
  const Object *document = params.getObject("textDocument");
  const Object &holder = document ? *document : params;
  return holder.getString("uri").value_or("").str();
}

//===----------------------------------------------------------------------===//
// From the editor
//===----------------------------------------------------------------------===//

bool Proxy::fromEditor(Json message) {
  Object *object = message.getAsObject();
  if (!object)
    return true;
  std::string method = object->getString("method").value_or("").str();
  Object empty;
  const Object *params = object->getObject("params");
  if (!params)
    params = &empty;
  if (method.empty()) {
    const Json *id = object->get("id");
    // An answer to a question of ours is nothing for the server.
    if (id && id->getAsString().value_or("").starts_with(kOwn))
      return true;
  }
  if (method == "workspace/executeCommand" &&
      params->getString("command") == StringRef(kCommand)) {
    const Array *arguments = params->getArray("arguments");
    showPhase(*object, arguments ? *arguments : Array());
    return true;
  }
  noteText(method, *params);
  noteQuestion(method, *object, *params);
  server.write(message);
  return method != "exit";
}

void Proxy::noteText(StringRef method, const Object &params) {
  std::lock_guard<std::mutex> lock(mutex);
  std::string uri = uriOf(params);
  if (method == "textDocument/didClose") {
    documents.erase(uri);
  } else if (method == "textDocument/didOpen") {
    const Object *document = params.getObject("textDocument");
    if (document)
      documents[uri] = {document->getString("text").value_or("").str(), {}};
  } else if (method == "textDocument/didChange") {
    const Array *changes = params.getArray("contentChanges");
    const Object *last =
        changes && !changes->empty() ? changes->back().getAsObject() : nullptr;
    // Texts come whole: `initialize` has asked for that.
    if (last)
      documents[uri] = {last->getString("text").value_or("").str(), {}};
  }
}

void Proxy::noteQuestion(StringRef method, const Object &message,
                         const Object &params) {
  const Json *id = message.get("id");
  if (!id || (method != "initialize" && method != "textDocument/hover" &&
              method != "textDocument/codeAction"))
    return;
  std::lock_guard<std::mutex> lock(mutex);
  Question question{method.str(), uriOf(params), 0};
  if (const Object *position = params.getObject("position"))
    question.line = position->getInteger("line").value_or(0);
  if (const Object *capabilities = params.getObject("capabilities"))
    if (const Object *window = capabilities->getObject("window"))
      if (const Object *show = window->getObject("showDocument"))
        showsDocuments = show->getBoolean("support").value_or(false);
  questions[textOf(*id)] = std::move(question);
}

//===----------------------------------------------------------------------===//
// From the server
//===----------------------------------------------------------------------===//

void Proxy::fromServer(Json message) {
  Object *object = message.getAsObject();
  if (!object)
    return;
  {
    std::lock_guard<std::mutex> lock(mutex);
    Object *params = object->getObject("params");
    if (params && object->getString("method") ==
                      StringRef("textDocument/publishDiagnostics"))
      addDiagnostics(*params);
    const Json *id = object->get("id");
    if (id && object->get("result")) {
      auto found = questions.find(textOf(*id));
      if (found != questions.end()) {
        addToAnswer(found->second, *object);
        questions.erase(found);
      }
    }
  }
  editor.write(message);
}

const std::vector<AccessRemark> &Proxy::remarksOf(StringRef uri) {
  Document &document = documents[uri];
  if (!document.remarks)
    document.remarks = remarkAccesses(document.text);
  return *document.remarks;
}

void Proxy::addDiagnostics(Object &params) {
  Array *diagnostics = params.getArray("diagnostics");
  if (!diagnostics)
    return;
  std::string uri = uriOf(params);
  // A text with errors cannot be analysed: until it is right, nothing is said.
  for (const Json &one : *diagnostics)
    if (one.getAsObject() && one.getAsObject()->getInteger("severity") == 1) {
      documents[uri].remarks.emplace();
      return;
    }
  for (const AccessRemark &remark : remarksOf(uri)) {
    if (remark.notes.empty())
      continue;
    Array related;
    std::string message = remark.message;
    for (const auto &[place, note] : remark.notes) {
      message += "\n" + note;
      Object where{{"uri", uri}, {"range", describe(place)}};
      related.push_back(
          Object{{"location", std::move(where)}, {"message", note}});
    }
    diagnostics->push_back(Object{{"range", describe(remark.place, 7)},
                                  {"severity", 2},
                                  {"source", kSource},
                                  {"message", message},
                                  {"relatedInformation", std::move(related)}});
  }
}

void Proxy::addToAnswer(const Question &question, Object &message) {
  if (question.method == "textDocument/hover")
    return addHover(question, message);
  if (question.method == "initialize") {
    Object *result = message.getObject("result");
    Object *capabilities = result ? result->getObject("capabilities") : nullptr;
    if (!capabilities)
      return;
    (*capabilities)["executeCommandProvider"] =
        Object{{"commands", Array{kCommand}}};
    (*capabilities)["codeActionProvider"] = true;
    if (Object *sync = capabilities->getObject("textDocumentSync"))
      (*sync)["change"] = 1;
    return;
  }
  Array actions;
  if (Array *known = message.getArray("result"))
    actions = std::move(*known);
  for (const auto &[phase, words] : kPhases) {
    std::string title = ("Show phase '" + phase + "'").str();
    Object command{{"title", title},
                   {"command", kCommand},
                   {"arguments", Array{question.uri, phase, words}}};
    actions.push_back(Object{
        {"title", title}, {"kind", "source"}, {"command", std::move(command)}});
  }
  message["result"] = std::move(actions);
}

void Proxy::addHover(const Question &question, Object &message) {
  std::string told;
  for (const AccessRemark &remark : remarksOf(question.uri)) {
    if (remark.place.line != question.line)
      continue;
    told += (told.empty() ? "" : "\n\n") + remark.message;
    for (const auto &[place, note] : remark.notes)
      told += llvm::formatv("\n\n- line {0}: {1}", place.line + 1, note).str();
  }
  if (told.empty())
    return;
  Object *result = message.getObject("result");
  Object *contents = result ? result->getObject("contents") : nullptr;
  if (contents) {
    std::string known = contents->getString("value").value_or("").str();
    (*contents)["value"] = known + "\n***\n" + told;
  } else {
    message["result"] =
        Object{{"contents", Object{{"kind", "markdown"}, {"value", told}}}};
  }
}

//===----------------------------------------------------------------------===//
// A later phase
//===----------------------------------------------------------------------===//

void Proxy::answer(const Json &id, Json result) {
  editor.write(
      Object{{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}});
}

void Proxy::refuse(const Json &id, StringRef why) {
  constexpr int kRequestFailed = -32803;
  editor.write(
      Object{{"jsonrpc", "2.0"},
             {"id", id},
             {"error", Object{{"code", kRequestFailed}, {"message", why}}}});
}

void Proxy::showPhase(const Object &message, const Array &arguments) {
  const Json *id = message.get("id");
  if (!id)
    return;
  auto word = [&](size_t at) {
    return at < arguments.size() ? arguments[at].getAsString().value_or("")
                                 : StringRef();
  };
  std::string text;
  {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = documents.find(word(0));
    if (found == documents.end())
      return refuse(*id, "the file is not open");
    text = found->second.text;
  }
  std::string result;
  if (!runToPhase(text, word(1), word(2), result))
    return refuse(*id, result);
  SmallString<128> path;
  if (llvm::sys::fs::createUniqueDirectory("triton-shared", path))
    return refuse(*id, "there is no place for a temporary file");
  StringRef ending = word(1) == "llir" ? ".ll" : ".mlir";
  llvm::sys::path::append(path, llvm::sys::path::stem(word(0)) + "." + word(1) +
                                    ending);
  std::error_code error;
  llvm::raw_fd_ostream(path, error) << result;
  if (error)
    return refuse(*id, error.message());
  answer(*id, path.str());
  if (showsDocuments)
    editor.write(Object{{"jsonrpc", "2.0"},
                        {"id", (kOwn + word(1)).str()},
                        {"method", "window/showDocument"},
                        {"params", Object{{"uri", ("file://" + path).str()},
                                          {"takeFocus", true}}}});
}
