//===- Messages.cpp - Messages of the language server protocol ------------===//

#include "Messages.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::triton_shared;

std::optional<std::string> MessageReader::readLine() {
  std::string line;
  for (int letter = std::fgetc(file); letter != EOF;
       letter = std::fgetc(file)) {
    line += static_cast<char>(letter);
    if (letter == '\n')
      return line;
  }
  if (line.empty())
    return std::nullopt;
  return line;
}

std::optional<std::string> MessageReader::readSized() {
  size_t size = 0;
  while (std::optional<std::string> line = readLine()) {
    StringRef header = StringRef(*line).trim();
    if (header.empty() && size != 0)
      break;
    if (header.consume_front_insensitive("content-length:"))
      header.trim().getAsInteger(10, size);
  }
  std::string text(size, ' ');
  if (size == 0 || std::fread(text.data(), 1, size, file) != size)
    return std::nullopt;
  return text;
}

std::optional<std::string> MessageReader::readDelimited() {
  std::string text;
  while (std::optional<std::string> line = readLine()) {
    StringRef bare = StringRef(*line).trim();
    if (bare == "// -----")
      break;
    if (!bare.starts_with("//"))
      text += *line;
  }
  if (StringRef(text).trim().empty())
    return std::nullopt;
  return text;
}

std::optional<llvm::json::Value> MessageReader::read() {
  while (std::optional<std::string> text =
             style == MessageStyle::Sized ? readSized() : readDelimited()) {
    if (llvm::Expected<llvm::json::Value> value = llvm::json::parse(*text))
      return std::move(*value);
    else
      llvm::consumeError(value.takeError());
  }
  return std::nullopt;
}

void MessageWriter::write(const llvm::json::Value &message) {
  std::string text = isPretty ? llvm::formatv("{0:2}\n", message).str()
                              : llvm::formatv("{0}", message).str();
  std::lock_guard<std::mutex> lock(mutex);
  std::fprintf(file, "Content-Length: %zu\r\n\r\n", text.size());
  std::fwrite(text.data(), 1, text.size(), file);
  std::fflush(file);
}
