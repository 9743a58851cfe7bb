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

/*===-- Words -------------------------------------------------------------===*/

/**
 * The phases from a source to code for a CPU or a GPU, in order, with a blank
 * between two: "ttir structured linalg memref llir obj".
 */
TRITON_SHARED_EXPORT TritonSharedString tritonSharedListPhases(bool forGpu);

/**
 * The options of code as JSON, a list of {"name": "num-warps", "device": "cpu"
 * or "gpu", "default": "4", "values": "a number", "help": text}.
 */
TRITON_SHARED_EXPORT TritonSharedString tritonSharedListTargetOptions(void);

/**
 * How tensor cores add up, as JSON: a list of the lines of TensorCores.def,
 * {"first": 90, "last": 90, "instruction": "wgmma", "operand": "f16", "sum":
 * "f32", "block": 16, "fraction": 25, "result": 23}.
 */
TRITON_SHARED_EXPORT TritonSharedString tritonSharedListTensorCores(void);

/*===-- Compiling ---------------------------------------------------------===*/

/** What one compilation left: artefacts by phase, diagnostics, metadata. */
typedef struct TritonSharedCompilation TritonSharedCompilation;

/**
 * Compiles TTIR (or any later MLIR phase), text or bytecode, to an object file.
 * Damaged input can crash MLIR's own parser, and with it this process: input
 * from strangers belongs into a process of its own.
 *
 * `options` are words as in the tool: "mode=reference to-phase=obj
 * dump-dir=/tmp/d". With "from=llvm-ir" the source is LLVM IR as phase llir
 * has it, and the one artefact is obj or ptx. Unknown words are an error. Never
 * returns null; ask `tritonSharedCompilationSucceeded`.
 */
TRITON_SHARED_EXPORT TritonSharedCompilation *
tritonSharedCompile(TritonSharedString source, TritonSharedString options);

TRITON_SHARED_EXPORT bool
tritonSharedCompilationSucceeded(const TritonSharedCompilation *compilation);

/**
 * The artefact of a phase: ttir, structured, linalg (MLIR text), llir
 * (optimised LLVM IR); for a CPU memref (MLIR text) and obj (an ELF object with
 * a checksum behind it); for a GPU cta, gpu (MLIR text), ptx (text) and cubin.
 * With "from=llvm-ir to-phase=s" it is `s`, assembly. With "explain=accesses"
 * nothing is compiled: the one artefact is `accesses`, a line of JSON per
 * access to memory and one per function. With "explain=cost
 * launch={n=5000 program.x=4}" it is `cost`, JSON with the "flops" and "bytes"
 * of one program (Analysis/LaunchCost.h); both may be null, and "why" then says
 * why. With "passes=a,b{c=d}" these passes run, and the one artefact is
 * `module`, what they leave. With "keep=changes", `changes` is the module after
 * every pass that has changed it; with "keep=times", `times` says how long
 * passes took. As JSON, with "keep=passes", `passes` is what each pass has done
 * (Pipelines/RecordPasses.h), with "keep=places", `places` is a list of the
 * phases' texts, each with the places of its operations (Driver/PlacedText.h)
 * and "explain=accesses" leaves such a text in `offsets`, with what values are
 * for. With "keep=lines", LLVM IR and code say from which lines they come.
 * Empty if the compilation did not get that far.
 */
TRITON_SHARED_EXPORT TritonSharedString tritonSharedCompilationGetArtefact(
    const TritonSharedCompilation *compilation, TritonSharedString phase);

/** The names of all artefacts that are not empty, with a blank between two. */
TRITON_SHARED_EXPORT TritonSharedString tritonSharedCompilationListArtefacts(
    const TritonSharedCompilation *compilation);

/** All diagnostics as text, `file:line:col: error: …` with their notes. */
TRITON_SHARED_EXPORT TritonSharedString tritonSharedCompilationGetDiagnostics(
    const TritonSharedCompilation *compilation);

/**
 * JSON: {"name": kernel name, "entry": symbol of the entry point in `obj`,
 * "args": ["ptr"|"i1"|"i8"|"i16"|"i32"|"i64"|"f16"|"bf16"|"f32"|"f64", …],
 * "hidden": [{"kind": "grid.x", "bytes": 4, "alignment": 4}, …]}. `args` are
 * the parameters of the `tt.func` in order. `hidden` are those that the entry
 * has behind them and that the launch fills in: grid.x, grid.y and grid.z are
 * the sizes of the grid; programs.first, programs.count and programs.running,
 * those of a CPU's range of programs; tensor_map, which has a "map" besides, a
 * CUtensorMap; tensor_maps.missing, which of these are not there. docs/gpu.md
 * has more about the last two. A launcher that does not know a kind must refuse
 * the kernel. Missing where only an early phase was made. For a GPU also
 * "target": "cuda:90a", "num_warps": of a program, "block": [threads of a
 * program, programs of a block], "shared" and "shared_limit": bytes of shared
 * memory that a block needs and may have, "ptxas_log": what ptxas said.
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

/** The tensor that an argument shows. */
typedef struct TritonSharedTensorView {
  /** Of an element; 0 if nothing is known of the argument's memory. */
  int64_t elementBytes;
  size_t rank;
  /** Sizes and strides of its dimensions, in elements. */
  const int64_t *shape, *strides;
} TritonSharedTensorView;

/** What is known and found in one launch of a kernel compiled with check=true.
 */
typedef struct TritonSharedCheckedLaunch TritonSharedCheckedLaunch;

/**
 * `views` has one entry for each entry of the kernel's "args" but the last.
 * With `findsRaces`, programs are compared with each other, which costs more
 * than bounds; the launch should then use one thread. With it, a read of the
 * eight bytes `unwritten`, aligned, is one of memory that nobody has written:
 * fill new memory with a random number. 0 if nobody has.
 */
TRITON_SHARED_EXPORT TritonSharedCheckedLaunch *
tritonSharedCheckedLaunchCreate(const TritonSharedTensorView *views,
                                size_t count, const uint32_t grid[3],
                                bool findsRaces, uint64_t unwritten);

/** The last argument of the kernel; valid as long as `launch`. */
TRITON_SHARED_EXPORT const void *
tritonSharedCheckedLaunchGetTable(const TritonSharedCheckedLaunch *launch);

/**
 * After the launch, what was found, as JSON (docs/check.md has its form).
 * Release it with `tritonSharedFree`.
 */
TRITON_SHARED_EXPORT char *
tritonSharedCheckedLaunchGetFindings(TritonSharedCheckedLaunch *launch);

TRITON_SHARED_EXPORT void
tritonSharedCheckedLaunchDestroy(TritonSharedCheckedLaunch *launch);

/**
 * An integer that has wrapped around is remembered where it is stored, for
 * launches that form addresses of it. Call this where those to come have
 * nothing to do with those before, or memory may have been released.
 */
TRITON_SHARED_EXPORT void tritonSharedCheckedLaunchesForget(void);

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
  /**
   * Run every program on a thread of its own, all at once: programs may wait
   * for each other. Without it, programs that may wait run side by side if they
   * are few, and start in order if they are many.
   */
  bool sideBySide;
  /**
   * If not null: called on the launching thread now and then while the grid
   * runs, first after 50 ms; true ends the launch. It may launch kernels.
   * Programs that run for longer are interrupted for it by SIGURG, which is
   * handled from the first such launch on, unless the process handles it.
   */
  bool (*isInterrupted)(void *context);
  void *context;
  /**
   * If not null, a crash in a program writes a line to the error output with
   * this name, the program, and the address as seen from the nearest of
   * `pointers`, which has for each argument its name, or null for what is no
   * pointer. The line is written in a handler of SIGSEGV, SIGBUS, SIGFPE and
   * SIGILL that the first such launch installs for good, and that then does
   * what would have happened without it.
   */
  const char *name;
  const char *const *pointers;
  size_t argumentCount;
} TritonSharedLaunch;

/**
 * Runs every program of the grid and returns when all are done. `args[i]`
 * points at the value of argument i (for a pointer: at a `void *`); the hidden
 * parameters are filled in here. Returns
 * false and fills `error` (release with `tritonSharedFree`) if a
 * `device_assert` failed or the launch was interrupted: no further program is
 * started, and running programs end soon, wherever they are.
 */
TRITON_SHARED_EXPORT bool
tritonSharedKernelLaunch(const TritonSharedKernel *kernel, void *const *args,
                         const TritonSharedLaunch *launch, char **error);

TRITON_SHARED_EXPORT void tritonSharedKernelDestroy(TritonSharedKernel *kernel);

TRITON_SHARED_EXPORT void tritonSharedFree(char *text);

/*===-- Running on an NVIDIA GPU ------------------------------------------===*/

/**
 * Opens the CUDA driver: the library at `path`, or libcuda.so.1 if that is
 * empty. Opens once; comes before all other functions of this part. Returns
 * false and fills `error` if there is no driver, or no GPU for it.
 */
TRITON_SHARED_EXPORT bool tritonSharedCudaOpen(TritonSharedString path,
                                               char **error);

TRITON_SHARED_EXPORT bool tritonSharedCudaCountDevices(int32_t *count,
                                                       char **error);

/** The GPU of the calling thread's current context; 0 if it has none. */
TRITON_SHARED_EXPORT int32_t tritonSharedCudaGetDevice(void);

/** Makes the primary context of a GPU current on the calling thread. */
TRITON_SHARED_EXPORT bool tritonSharedCudaSetDevice(int32_t device,
                                                    char **error);

typedef struct TritonSharedCudaDevice {
  char name[256];
  /** Compute capability, for example 9 and 0. */
  int32_t major, minor;
  int32_t multiprocessors;
  /** Threads of a warp, and of a block at most. */
  int32_t warpSize, maxThreads;
  /** Of a block, at most. */
  int32_t sharedBytes, registers;
  int32_t cacheBytes;
  int32_t clockKilohertz, memoryClockKilohertz, memoryBusBits;
} TritonSharedCudaDevice;

TRITON_SHARED_EXPORT bool
tritonSharedCudaDescribeDevice(int32_t device, TritonSharedCudaDevice *facts,
                               char **error);

/** A function of a cubin, loaded on one GPU. */
typedef struct TritonSharedCudaKernel TritonSharedCudaKernel;

/**
 * Loads `cubin` on `device` and finds `entry` in it, which is launched with
 * `sharedBytes` of dynamic shared memory. Returns null and fills `error`.
 */
TRITON_SHARED_EXPORT TritonSharedCudaKernel *
tritonSharedCudaKernelLoad(TritonSharedString cubin, TritonSharedString entry,
                           uint32_t sharedBytes, int32_t device, char **error);

typedef struct TritonSharedCudaKernelFacts {
  int32_t device;
  int32_t registers;
  /** Per thread: where registers are spilled to. */
  int32_t localBytes;
  /** Of a block of this kernel, at most. */
  int32_t maxThreads;
  /** The driver's `CUfunction`. */
  void *function;
} TritonSharedCudaKernelFacts;

TRITON_SHARED_EXPORT TritonSharedCudaKernelFacts
tritonSharedCudaKernelDescribe(const TritonSharedCudaKernel *kernel);

typedef struct TritonSharedCudaLaunch {
  uint32_t grid[3];
  /** Of a program: 32 times its warps. */
  uint32_t threads;
  /** Neighbours in x that share a block; 0 means 1. */
  uint32_t programs;
  /** The driver's `CUstream`; null is the default stream. */
  void *stream;
  /** All programs run at once, and may wait for each other. */
  bool cooperative;
  /** The grid may start while the one before it in the stream ends. */
  bool startsEarly;
} TritonSharedCudaLaunch;

/**
 * Puts a grid into the stream and returns. `args[i]` points at the value of
 * parameter i, in its natural C type: first those that the kernel's metadata
 * calls "args", then those that it calls "hidden". Whatever the current context
 * is, the grid runs on the kernel's GPU. An empty grid is done at once. Returns
 * false and fills `error` if it cannot be launched, or if a kernel before it
 * has failed.
 */
TRITON_SHARED_EXPORT bool tritonSharedCudaKernelLaunch(
    const TritonSharedCudaKernel *kernel, void *const *args,
    const TritonSharedCudaLaunch *launch, char **error);

/** These three: runtime/cuda/tensor_map.h. */
struct TritonSharedTensorMapRecipe;
struct TritonSharedMapValues;
struct TritonSharedTensorMap;

/**
 * Encodes what a launch of `kernel` passes for a hidden parameter of kind
 * tensor_map, of values that tritonSharedCheckMapValues takes. Returns false
 * and fills `error` if the driver refuses.
 */
TRITON_SHARED_EXPORT bool
tritonSharedCudaKernelEncode(const TritonSharedCudaKernel *kernel,
                             const struct TritonSharedTensorMapRecipe *recipe,
                             const struct TritonSharedMapValues *values,
                             struct TritonSharedTensorMap *map, char **error);

TRITON_SHARED_EXPORT void
tritonSharedCudaKernelDestroy(TritonSharedCudaKernel *kernel);

#ifdef __cplusplus
}
#endif

#endif /* TRITON_SHARED_CAPI_TRITONSHARED_H */
