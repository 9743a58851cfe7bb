//===- Version.cpp - Which build of the library this is -------------------===//
//
// The build id is made of the linker's hash of the library's contents and of
// the CPU that code is made for, so that it changes with what a cache may hold.
//
//===----------------------------------------------------------------------===//

#include "triton-shared/CAPI/TritonShared.h"
#include "triton-shared/Target/CpuTarget.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"

#include <cstring>
#include <link.h>
#include <string>

using namespace mlir::triton_shared;

namespace {

/// The library that holds an address, and the build id found in it.
struct Search {
  ElfW(Addr) address;
  std::string buildId;
};

bool contains(const dl_phdr_info &library, ElfW(Addr) address) {
  for (int i = 0; i < library.dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = library.dlpi_phdr[i];
    ElfW(Addr) begin = library.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && address >= begin &&
        address < begin + segment.p_memsz)
      return true;
  }
  return false;
}

/// The id of NT_GNU_BUILD_ID among the notes of a segment; empty if absent.
std::string findBuildId(const uint8_t *notes, size_t size) {
  const uint8_t *end = notes + size;
  while (notes + sizeof(ElfW(Nhdr)) <= end) {
    ElfW(Nhdr) header;
    std::memcpy(&header, notes, sizeof header);
    const uint8_t *name = notes + sizeof header;
    const uint8_t *text = name + llvm::alignTo(header.n_namesz, 4);
    if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == 4 &&
        std::memcmp(name, "GNU", 4) == 0)
      return llvm::toHex(llvm::ArrayRef(text, header.n_descsz),
                         /*LowerCase=*/true);
    notes = text + llvm::alignTo(header.n_descsz, 4);
  }
  return "";
}

int visitLibrary(dl_phdr_info *library, size_t, void *data) {
  auto *search = static_cast<Search *>(data);
  if (!contains(*library, search->address))
    return 0;
  for (int i = 0; i < library->dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = library->dlpi_phdr[i];
    if (segment.p_type == PT_NOTE && search->buildId.empty())
      search->buildId = findBuildId(reinterpret_cast<const uint8_t *>(
                                        library->dlpi_addr + segment.p_vaddr),
                                    segment.p_memsz);
  }
  return 1;
}

std::string describeVersion() {
  Search search;
  search.address = reinterpret_cast<ElfW(Addr)>(&tritonSharedVersion);
  dl_iterate_phdr(visitLibrary, &search);
  uint64_t id =
      llvm::xxh3_64bits(search.buildId + CpuTarget::getHost().describe());
  return TRITON_SHARED_VERSION "+llvm" LLVM_VERSION_STRING "." +
         llvm::utohexstr(id, /*LowerCase=*/true, /*Width=*/16);
}

} // namespace

TritonSharedString tritonSharedVersion() {
  static const std::string version = describeVersion();
  return {version.data(), version.size()};
}
