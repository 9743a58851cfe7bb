//===- main.cpp - The program triton-shared-reduce ------------------------===//

#include "../ToolMains.h"

int main(int argc, char **argv) { return tritonSharedReduceMain(argc, argv); }
