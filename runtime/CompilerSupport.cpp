//===- CompilerSupport.cpp - Functions that compiled code may call --------===//

#include "CompilerSupport.h"

#include "Guard.h"
#include "Messages.h"
#include "check/AccessChecks.h"

#include <cstring>
#include <dlfcn.h>

using namespace mlir::triton_shared;

// Helpers in libgcc; only their addresses are taken.
#define FOR_EACH_LIBGCC_HELPER(visit)                                          \
  visit(__divti3) visit(__modti3) visit(__udivti3) visit(__umodti3)            \
      visit(__multi3) visit(__fixsfti) visit(__fixdfti) visit(__fixunssfti)    \
          visit(__fixunsdfti) visit(__floattisf) visit(__floattidf)            \
              visit(__floatuntisf) visit(__floatuntidf) visit(__powisf2)       \
                  visit(__powidf2) visit(__extendhfsf2) visit(__truncsfhf2)    \
                      visit(__truncdfhf2)

#define DECLARE(name) extern "C" void name();
FOR_EACH_LIBGCC_HELPER(DECLARE)
#undef DECLARE

//===----------------------------------------------------------------------===//
// Functions of the C library that programs may spend all their time in
//===----------------------------------------------------------------------===//

/// The C library's own, even where the process has replaced them.
template <typename Function> static Function *findInLibC(const char *name) {
  static void *const library = dlopen("libc.so.6", RTLD_LAZY);
  return reinterpret_cast<Function *>(dlsym(library, name));
}

static void *copyMemory(void *to, const void *from, size_t bytes) {
  static const auto memcpy = findInLibC<decltype(std::memcpy)>("memcpy");
  memcpy(to, from, bytes);
  answerMissedCall();
  return to;
}

static void *moveMemory(void *to, const void *from, size_t bytes) {
  static const auto memmove = findInLibC<decltype(std::memmove)>("memmove");
  memmove(to, from, bytes);
  answerMissedCall();
  return to;
}

static void *fillMemory(void *memory, int byte, size_t bytes) {
  static const auto memset = findInLibC<decltype(std::memset)>("memset");
  memset(memory, byte, bytes);
  answerMissedCall();
  return memory;
}

/// Products that are computed bit by bit take long.
template <typename... Arguments>
static void multiplyAsTensorCore(Arguments... arguments) {
  tritonSharedTensorCoreDot(arguments...);
  answerMissedCall();
}

/// The function above, with the parameters of another one.
template <typename... Arguments>
static void *addressFor(void (*)(Arguments...)) {
  return reinterpret_cast<void *>(&multiplyAsTensorCore<Arguments...>);
}

llvm::ArrayRef<RuntimeSymbol> mlir::triton_shared::runtimeSymbols() {
#define ENTRY(name) {#name, reinterpret_cast<void *>(&name)}
#define HELPER(name) ENTRY(name),
  static const RuntimeSymbol symbols[] = {
      FOR_EACH_LIBGCC_HELPER(HELPER) ENTRY(__truncsfbf2),
      ENTRY(__truncdfbf2),
      {"malloc", reinterpret_cast<void *>(&allocateBuffer)},
      {"calloc", reinterpret_cast<void *>(&allocateZeros)},
      {"free", reinterpret_cast<void *>(&freeBuffer)},
      {"memcpy", reinterpret_cast<void *>(&copyMemory)},
      {"memmove", reinterpret_cast<void *>(&moveMemory)},
      {"memset", reinterpret_cast<void *>(&fillMemory)},
      ENTRY(tritonSharedPrintBegin),
      ENTRY(tritonSharedPrintIndices),
      ENTRY(tritonSharedPrintIndex),
      ENTRY(tritonSharedPrintText),
      ENTRY(tritonSharedPrintInteger),
      ENTRY(tritonSharedPrintFloat),
      {"tritonSharedPrintEnd", reinterpret_cast<void *>(&endLine)},
      {"tritonSharedAssertFailed", reinterpret_cast<void *>(&failAssertion)},
      {"tritonSharedYield", reinterpret_cast<void *>(&yield)},
      ENTRY(tritonSharedClockNanoseconds),
      ENTRY(tritonSharedProcessorNumber),
      ENTRY(tritonSharedProcessorCount),
      ENTRY(tritonSharedMayUseMatrixTiles),
      ENTRY(tritonSharedScratch),
      ENTRY(tritonSharedAddRowF32),
      ENTRY(tritonSharedAddRowF64),
      {"tritonSharedTensorCoreDot", addressFor(&tritonSharedTensorCoreDot)},
      {"tritonSharedCheckBegin", reinterpret_cast<void *>(&beginAccess)},
      {"tritonSharedCheckElement", reinterpret_cast<void *>(&nameElement)},
      {"tritonSharedCheckRow", reinterpret_cast<void *>(&nameRow)},
      {"tritonSharedCheckEnd", reinterpret_cast<void *>(&endAccess)},
      {"tritonSharedCheckFinish", reinterpret_cast<void *>(&finishAccess)},
      {"tritonSharedCheckWantsValues", reinterpret_cast<void *>(&wantsValues)},
      {"tritonSharedCheckValue", reinterpret_cast<void *>(&nameValue)},
      {"tritonSharedCheckValuesEnd", reinterpret_cast<void *>(&endValues)},
      {"tritonSharedCheckNoteBegin", reinterpret_cast<void *>(&beginNote)},
      {"tritonSharedCheckNote", reinterpret_cast<void *>(&nameCause)},
      {"tritonSharedCheckNoteEnd", reinterpret_cast<void *>(&endNote)},
      {"tritonSharedCheckBarrier", reinterpret_cast<void *>(&passBarrier)},
  };
#undef HELPER
#undef ENTRY
  return symbols;
}
