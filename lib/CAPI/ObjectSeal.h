//===- ObjectSeal.h - Objects that prove to be whole ------------*- C++ -*-===//
//
// A linker does not notice every damage, and code for another CPU links well.
// So objects end with a seal: a hash of their bytes and of this machine, or of
// the CPU they are for if this one cannot run them. ELF readers do not look
// beyond the section headers.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_LIB_CAPI_OBJECTSEAL_H
#define TRITON_SHARED_LIB_CAPI_OBJECTSEAL_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace mlir::triton_shared {

class CpuTarget;

/// `object`, made for `cpu`, with a seal behind it.
std::string sealObject(llvm::StringRef object, const CpuTarget &cpu);

/// The object behind whose bytes `sealed` has the right seal.
std::optional<llvm::StringRef> openSealedObject(llvm::StringRef sealed);

} // namespace mlir::triton_shared

#endif // TRITON_SHARED_LIB_CAPI_OBJECTSEAL_H
