//===- TargetFlags.h - Options of a target on command lines -----*- C++ -*-===//
//
// What a declaration of LLVM's command line takes besides a name, for
// expansions of TargetOptions.def.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_TARGET_TARGETFLAGS_H
#define TRITON_SHARED_TARGET_TARGETFLAGS_H

#include "triton-shared/Target/CompileTarget.h"
#include "llvm/Support/CommandLine.h"

namespace mlir::triton_shared {

/// The values of an option: numbers and choices have those of their type.
template <typename Type> struct TargetOptionValues {
  template <typename Option> void apply(Option &) const {}
};

template <> struct TargetOptionValues<CpuMode> : llvm::cl::ValuesClass {
  TargetOptionValues()
      : ValuesClass({clEnumValN(CpuMode::Reference, "reference",
                                "plain loops: the oracle"),
                     clEnumValN(CpuMode::Fast, "fast", "vectors")}) {}
};

template <> struct TargetOptionValues<SpecializeWarps> : llvm::cl::ValuesClass {
  TargetOptionValues()
      : ValuesClass({clEnumValN(SpecializeWarps::Auto, "auto",
                                "where it should be faster, or is asked for"),
                     clEnumValN(SpecializeWarps::Always, "always",
                                "wherever it is possible"),
                     clEnumValN(SpecializeWarps::Never, "never", "nowhere")}) {}
};

template <> struct TargetOptionValues<PointerMaps> : llvm::cl::ValuesClass {
  TargetOptionValues()
      : ValuesClass(
            {clEnumValN(PointerMaps::Guarded, "guarded",
                        "nothing: the kernel asks for them"),
             clEnumValN(PointerMaps::Assumed, "assumed",
                        "there are all, if nothing else is asked for"),
             clEnumValN(PointerMaps::Never, "never", "there are none")}) {}
};

template <>
struct TargetOptionValues<OnlineSoftmaxMode> : llvm::cl::ValuesClass {
  TargetOptionValues()
      : ValuesClass(
            {clEnumValN(OnlineSoftmaxMode::Exact, "exact", "whenever it grows"),
             clEnumValN(OnlineSoftmaxMode::Deferred, "deferred",
                        "when it has grown by 2^8"),
             clEnumValN(OnlineSoftmaxMode::Speculative, "speculative",
                        "when powers have turned out to be too large")}) {}
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_TARGET_TARGETFLAGS_H
