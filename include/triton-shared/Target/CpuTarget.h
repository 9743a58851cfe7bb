//===- CpuTarget.h - A CPU that code is made for ----------------*- C++ -*-===//

#ifndef TRITON_SHARED_TARGET_CPUTARGET_H
#define TRITON_SHARED_TARGET_CPUTARGET_H

#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Triple.h"

#include <optional>
#include <string>

namespace mlir::triton_shared {

/// Makes LLVM's back end for this machine known; again, it does nothing.
void initializeCpuBackEnd();

/// A CPU and what it has, of which fast code depends.
class CpuTarget {
public:
  /// `name` is `host` or LLVM's word for an x86-64 or AArch64 CPU (`znver4`,
  /// `x86-64-v3`, `neoverse-v1`). `features` are added or taken away, in LLVM's
  /// syntax: `+avx512bf16,-fma`. Nothing if there is no such CPU, or a feature
  /// is unknown or one that no such CPU can lack; `problem` then says so.
  static std::optional<CpuTarget> get(llvm::StringRef name,
                                      llvm::StringRef features = "",
                                      std::string *problem = nullptr);
  /// This machine's, which is looked at once.
  static const CpuTarget &getHost();

  const llvm::Triple &getTriple() const { return triple; }
  llvm::StringRef getName() const { return name; }
  /// All features, in LLVM's syntax and a fixed order.
  std::string getFeatures() const;
  bool has(llvm::StringRef feature) const { return features.lookup(feature); }
  /// All of the above in one line.
  std::string describe() const;
  /// True if this CPU has everything that code for `other` may use.
  bool canRun(const CpuTarget &other) const;

  unsigned getVectorBytes() const;
  unsigned getVectorRegisters() const;
  /// Bytes of the vectors by which memory is read and written the fastest.
  unsigned getStreamBytes() const;
  /// Multiplies and adds floats in one operation.
  bool hasFma() const;
  /// Multiplies floats by powers of two in one operation.
  bool hasScale() const;
  /// Adds the products of pairs of bf16, or of i16, to one f32 or i32.
  bool hasBf16Pairs() const;
  bool hasInt16Pairs() const;
  /// Multiplies matrices of bf16, or of bytes, in registers of their own, which
  /// the system may have to allow first.
  bool hasBf16Tiles() const;
  bool hasInt8Tiles() const;
  /// Products of fewer rows are as fast by vectors, measured on Sapphire
  /// Rapids.
  static constexpr int64_t kLeastTileRows = 4;

private:
  /// Adds or takes away features; says what is wrong with one, or nothing.
  std::string change(llvm::StringRef changes);
  bool isX86() const { return triple.isX86(); }

  llvm::Triple triple;
  std::string name;
  llvm::StringMap<bool> features;
};

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_TARGET_CPUTARGET_H
