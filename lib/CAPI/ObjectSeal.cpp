//===- ObjectSeal.cpp - Objects that prove to be whole --------------------===//

#include "ObjectSeal.h"

#include "triton-shared/Target/ObjectWriter.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir::triton_shared;

/// Sixteen hexadecimal digits.
static std::string sealOf(llvm::StringRef object) {
  static const uint64_t host = llvm::xxh3_64bits(describeHost());
  return llvm::utohexstr(llvm::xxh3_64bits(object) ^ host, /*LowerCase=*/true,
                         /*Width=*/16);
}

std::string mlir::triton_shared::sealObject(llvm::StringRef object) {
  return object.str() + sealOf(object);
}

std::optional<llvm::StringRef>
mlir::triton_shared::openSealedObject(llvm::StringRef sealed) {
  constexpr size_t sealSize = 16;
  if (sealed.size() < sealSize)
    return std::nullopt;
  llvm::StringRef object = sealed.drop_back(sealSize);
  if (sealed.take_back(sealSize) != sealOf(object))
    return std::nullopt;
  return object;
}
