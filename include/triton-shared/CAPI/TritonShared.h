/*===- TritonShared.h - The library as plain C --------------------*- C -*-===*\
|*                                                                            *|
|* Everything that Python, ahead-of-time tools and other languages need:      *|
|* compile TTIR text to the artefacts of every phase, load an object, launch  *|
|* a grid. No MLIR or LLVM type crosses this border, no exception does, and   *|
|* all functions may be called from several threads at once.                  *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef TRITON_SHARED_CAPI_TRITONSHARED_H
#define TRITON_SHARED_CAPI_TRITONSHARED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRITON_SHARED_EXPORT __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/** Bytes that somebody else owns; not terminated by a zero. */
typedef struct TritonSharedString {
  const char *data;
  size_t size;
} TritonSharedString;

/**
 * Version and an id of this build on this CPU, for example
 * "0.1.0+llvm22.1.8.3f2a90c1d4e5f607". Part of every cache key.
 */
TRITON_SHARED_EXPORT TritonSharedString tritonSharedVersion(void);

/*===-- Compiling ---------------------------------------------------------===*/

/** What one compilation left: artefacts by phase, diagnostics, metadata. */
typedef struct TritonSharedCompilation TritonSharedCompilation;

/**
 * Compiles TTIR text (or the text of any later MLIR phase) to an object file.
 *
 * `options` are words as in the tool: "mode=reference to-phase=obj
 * dump-dir=/tmp/d". Unknown words are an error. Never returns null; ask
 * `tritonSharedCompilationSucceeded`.
 */
TRITON_SHARED_EXPORT TritonSharedCompilation *
tritonSharedCompile(TritonSharedString source, TritonSharedString options);

TRITON_SHARED_EXPORT bool
tritonSharedCompilationSucceeded(const TritonSharedCompilation *compilation);

/**
 * The artefact of a phase: ttir, structured, linalg, memref (MLIR text), llir
 * (optimised LLVM IR) or obj (an ELF object with a checksum behind it). Empty
 * if the compilation did not get that far.
 */
TRITON_SHARED_EXPORT TritonSharedString tritonSharedCompilationGetArtefact(
    const TritonSharedCompilation *compilation, TritonSharedString phase);

/** All diagnostics as text, `file:line:col: error: …` with their notes. */
TRITON_SHARED_EXPORT TritonSharedString tritonSharedCompilationGetDiagnostics(
    const TritonSharedCompilation *compilation);

/**
 * JSON: {"name": kernel name, "entry": symbol of the entry point in `obj`,
 * "args": ["ptr"|"i1"|"i8"|"i16"|"i32"|"i64"|"f16"|"bf16"|"f32"|"f64", …]}.
 * `args` are the parameters of the `tt.func` in order, without the grid.
 */
TRITON_SHARED_EXPORT TritonSharedString
tritonSharedCompilationGetMetadata(const TritonSharedCompilation *compilation);

TRITON_SHARED_EXPORT void
tritonSharedCompilationDestroy(TritonSharedCompilation *compilation);

/*===-- Running -----------------------------------------------------------===*/

/** An object file, linked into this process. */
typedef struct TritonSharedKernel TritonSharedKernel;

/**
 * Links `object` into the process and finds `entry` in it. Returns null and
 * fills `error` (release with `tritonSharedFree`) if it is damaged, not made
 * for this machine, or lacks the symbol.
 */
TRITON_SHARED_EXPORT TritonSharedKernel *
tritonSharedKernelLoad(TritonSharedString object, TritonSharedString entry,
                       char **error);

typedef enum TritonSharedGridOrder {
  TritonSharedGridOrderForward = 0,
  TritonSharedGridOrderReverse = 1,
  TritonSharedGridOrderRandom = 2,
} TritonSharedGridOrder;

typedef struct TritonSharedLaunch {
  uint32_t grid[3];
  /** Threads to use at most; 0 is one per core. */
  uint32_t threads;
  TritonSharedGridOrder order;
  /** Seed of `TritonSharedGridOrderRandom`. */
  uint64_t seed;
} TritonSharedLaunch;

/**
 * Runs every program of the grid and returns when all are done. `args[i]`
 * points at the value of argument i (for a pointer: at a `void *`). Returns
 * false and fills `error` (release with `tritonSharedFree`) if a
 * `device_assert` failed: its program ends at once, other threads finish their
 * current range of programs (256 at most), and no further range is started.
 */
TRITON_SHARED_EXPORT bool
tritonSharedKernelLaunch(const TritonSharedKernel *kernel, void *const *args,
                         const TritonSharedLaunch *launch, char **error);

TRITON_SHARED_EXPORT void tritonSharedKernelDestroy(TritonSharedKernel *kernel);

TRITON_SHARED_EXPORT void tritonSharedFree(char *text);

#ifdef __cplusplus
}
#endif

#endif /* TRITON_SHARED_CAPI_TRITONSHARED_H */
