//===- CompilerSupport.cpp - Functions that compiled code may call --------===//

#include "CompilerSupport.h"

#include "Guard.h"
#include "Messages.h"
#include "Scratch.h"

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

/// A bf16 comes back in the low bits of the register of a float.
static float returnBFloat16(uint32_t bits) {
  float result;
  std::memcpy(&result, &bits, sizeof result);
  return result;
}

/// Rounds to bf16, ties to even; newer libgcc than Debian's has this.
static float truncateFloat(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return returnBFloat16(bits >> 16 | 0x40);
  return returnBFloat16((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/// The same from double, with one rounding: a float that is not exact gets an
/// odd last bit, which keeps ties apart.
static float truncateDouble(double value) {
  float near = static_cast<float>(value);
  if (near != value && near == near) {
    uint32_t bits;
    std::memcpy(&bits, &near, sizeof bits);
    bool isFarther = (near > value) == (near > 0);
    bits = (isFarther ? bits - 1 : bits) | 1;
    std::memcpy(&near, &bits, sizeof near);
  }
  return truncateFloat(near);
}

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

llvm::ArrayRef<RuntimeSymbol> mlir::triton_shared::runtimeSymbols() {
#define ENTRY(name) {#name, reinterpret_cast<void *>(&name)}
#define HELPER(name) ENTRY(name),
  static const RuntimeSymbol symbols[] = {
      FOR_EACH_LIBGCC_HELPER(HELPER){"__truncsfbf2",
                                     reinterpret_cast<void *>(&truncateFloat)},
      {"__truncdfbf2", reinterpret_cast<void *>(&truncateDouble)},
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
      ENTRY(tritonSharedPrintEnd),
      ENTRY(tritonSharedAssertFailed),
      ENTRY(tritonSharedClockNanoseconds),
      ENTRY(tritonSharedProcessorNumber),
      ENTRY(tritonSharedProcessorCount),
      ENTRY(tritonSharedYield),
      ENTRY(tritonSharedScratch),
  };
#undef HELPER
#undef ENTRY
  return symbols;
}
