//===- main.cpp - The program triton-shared-opt ---------------------------===//

#include "../ToolMains.h"

int main(int argc, char **argv) { return tritonSharedOptMain(argc, argv); }
