//===- triton-shared-lsp.cpp - The language server for editors ------------===//
//
// MLIR's server with the dialects of this project, in a process of its own, and
// before it a proxy that adds what this project knows.
//
//===----------------------------------------------------------------------===//

#include "../ToolMains.h"
#include "Proxy.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "triton-shared/InitAll.h"
#include "triton-shared/Pipelines/Phases.h"

#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace mlir::triton_shared;

static int serve(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  return failed(mlir::MlirLspServerMain(argc, argv, registry));
}

/// MLIR's server as another process, with its standard input and output.
static pid_t start(char **argv, std::FILE *&input, std::FILE *&output) {
  int to[2], from[2];
  if (pipe(to) || pipe(from))
    return -1;
  pid_t child = fork();
  if (child == 0) {
    dup2(to[0], STDIN_FILENO);
    dup2(from[1], STDOUT_FILENO);
    for (int end : {to[0], to[1], from[0], from[1]})
      close(end);
    _exit(serve(1, argv));
  }
  close(to[0]);
  close(from[1]);
  input = fdopen(to[1], "w");
  output = fdopen(from[0], "r");
  return child;
}

int tritonSharedLspMain(int argc, char **argv) {
  bool isTest = argc == 2 && llvm::StringRef(argv[1]) == "--lit-test";
  // Help, and what is for MLIR's server alone.
  if (argc > 1 && !isTest)
    return serve(argc, argv);
  std::FILE *toServer = nullptr, *fromServer = nullptr;
  pid_t child = start(argv, toServer, fromServer);
  if (child < 0)
    return 1;
  registerExplainAccessesPipeline();
  MessageReader editorIn(stdin, isTest ? MessageStyle::Delimited
                                       : MessageStyle::Sized);
  MessageReader serverIn(fromServer, MessageStyle::Sized);
  MessageWriter editorOut(stdout, isTest), serverOut(toServer, false);
  Proxy proxy(editorOut, serverOut);
  std::thread answers([&] {
    while (std::optional<llvm::json::Value> message = serverIn.read())
      proxy.fromServer(std::move(*message));
  });
  while (std::optional<llvm::json::Value> message = editorIn.read())
    if (!proxy.fromEditor(std::move(*message)))
      break;
  std::fclose(toServer);
  answers.join();
  std::fclose(fromServer);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
