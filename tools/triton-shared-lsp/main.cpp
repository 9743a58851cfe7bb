//===- main.cpp - The program triton-shared-lsp ---------------------------===//

#include "../ToolMains.h"

int main(int argc, char **argv) { return tritonSharedLspMain(argc, argv); }
