//===- Loader.cpp - Object files linked into this process -----------------===//
//
// One LLJIT for the process; every kernel is a JITDylib of its own, linked by
// JITLink, that sees the C library, libm and the symbols of the runtime.
//
//===----------------------------------------------------------------------===//

#include "Loader.h"

#include "CompilerSupport.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/TargetSelect.h"

#include <algorithm>
#include <atomic>
#include <dlfcn.h>
#include <link.h>
#include <mutex>

using namespace llvm;
using namespace mlir::triton_shared;

namespace {

/// Remembers where the code of objects lies.
class CodeRanges : public orc::ObjectLinkingLayer::Plugin {
public:
  /// The code that was linked into `dylib` since the last call.
  CodeRange take(orc::JITDylib &dylib) {
    std::lock_guard<std::mutex> lock(mutex);
    CodeRange range = ranges.lookup(&dylib);
    ranges.erase(&dylib);
    return range;
  }

  void modifyPassConfig(orc::MaterializationResponsibility &responsibility,
                        jitlink::LinkGraph &,
                        jitlink::PassConfiguration &config) override {
    orc::JITDylib &dylib = responsibility.getTargetJITDylib();
    config.PostFixupPasses.push_back([&](jitlink::LinkGraph &graph) {
      record(dylib, graph);
      return Error::success();
    });
  }

  Error notifyFailed(orc::MaterializationResponsibility &) override {
    return Error::success();
  }
  Error notifyRemovingResources(orc::JITDylib &, orc::ResourceKey) override {
    return Error::success();
  }
  void notifyTransferringResources(orc::JITDylib &, orc::ResourceKey,
                                   orc::ResourceKey) override {}

private:
  void record(orc::JITDylib &dylib, jitlink::LinkGraph &graph) {
    CodeRange range = {UINTPTR_MAX, 0};
    for (jitlink::Section &section : graph.sections()) {
      if ((section.getMemProt() & orc::MemProt::Exec) == orc::MemProt::None)
        continue;
      for (jitlink::Block *block : section.blocks()) {
        orc::ExecutorAddrRange place = block->getRange();
        range.begin = std::min<uintptr_t>(range.begin, place.Start.getValue());
        range.end = std::max<uintptr_t>(range.end, place.End.getValue());
      }
    }
    std::lock_guard<std::mutex> lock(mutex);
    ranges[&dylib] = range;
  }

  std::mutex mutex;
  DenseMap<orc::JITDylib *, CodeRange> ranges;
};

/// Where the code of the C library's libm lies.
CodeRange findLibM() {
  auto *library = static_cast<link_map *>(dlopen("libm.so.6", RTLD_LAZY));
  if (!library)
    return {};
  struct Search {
    uintptr_t base;
    CodeRange found;
  } search = {library->l_addr, {}};
  auto visit = [](dl_phdr_info *info, size_t, void *argument) {
    auto &search = *static_cast<Search *>(argument);
    if (info->dlpi_addr != search.base)
      return 0;
    for (size_t i = 0; i < info->dlpi_phnum; ++i) {
      const ElfW(Phdr) &segment = info->dlpi_phdr[i];
      uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
      if (segment.p_type == PT_LOAD && segment.p_flags & PF_X)
        search.found = {begin, begin + segment.p_memsz};
    }
    return 1;
  };
  dl_iterate_phdr(visit, &search);
  return search.found;
}

/// The linker of this process.
class Linker {
public:
  /// Made at first use and never destroyed: kernels may outlive static objects.
  static Expected<Linker *> get() {
    static std::mutex mutex;
    static Linker *linker = nullptr;
    std::lock_guard<std::mutex> lock(mutex);
    if (!linker) {
      auto created = std::make_unique<Linker>();
      if (Error error = created->create())
        return std::move(error);
      linker = created.release();
    }
    return linker;
  }

  orc::LLJIT &jit() { return *lljit; }

  CodeRange libm() const { return rangeOfLibM; }
  CodeRange takeCode(orc::JITDylib &dylib) { return codeRanges->take(dylib); }

  Expected<orc::JITDylib *> createDylib() {
    Expected<orc::JITDylib &> dylib =
        lljit->createJITDylib("kernel." + std::to_string(count++));
    if (!dylib)
      return dylib.takeError();
    dylib->addToLinkOrder(*symbols);
    return &*dylib;
  }

  /// What went wrong while linking, said since the last call.
  std::string takeReports() {
    std::lock_guard<std::mutex> lock(reportMutex);
    return std::exchange(reports, "");
  }

private:
  Error create() {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    Expected<std::unique_ptr<orc::LLJIT>> created =
        orc::LLJITBuilder()
            .setLinkProcessSymbolsByDefault(false)
            .setPlatformSetUp(orc::setUpInactivePlatform)
            .setObjectLinkingLayerCreator([&](orc::ExecutionSession &session) {
              auto layer = std::make_unique<orc::ObjectLinkingLayer>(session);
              layer->addPlugin(codeRanges);
              return layer;
            })
            .create();
    if (!created)
      return created.takeError();
    lljit = std::move(*created);
    lljit->getExecutionSession().setErrorReporter([this](Error error) {
      std::lock_guard<std::mutex> lock(reportMutex);
      reports += "; " + toString(std::move(error));
    });
    return defineSymbols();
  }

  Error defineSymbols() {
    Expected<orc::JITDylib &> dylib = lljit->createJITDylib("runtime");
    if (!dylib)
      return dylib.takeError();
    symbols = &*dylib;
    orc::SymbolMap map;
    for (const RuntimeSymbol &symbol : runtimeSymbols())
      map[lljit->mangleAndIntern(symbol.name)] = {
          orc::ExecutorAddr::fromPtr(symbol.address), JITSymbolFlags::Exported};
    if (Error error = symbols->define(orc::absoluteSymbols(std::move(map))))
      return error;
    // The C library's own functions, even where the process has replaced them.
    char prefix = lljit->getDataLayout().getGlobalPrefix();
    for (const char *library : {"libm.so.6", "libc.so.6"}) {
      auto generator =
          orc::DynamicLibrarySearchGenerator::Load(library, prefix);
      if (!generator)
        return generator.takeError();
      symbols->addGenerator(std::move(*generator));
    }
    return Error::success();
  }

  std::unique_ptr<orc::LLJIT> lljit;
  orc::JITDylib *symbols = nullptr;
  CodeRange rangeOfLibM = findLibM();
  std::shared_ptr<CodeRanges> codeRanges = std::make_shared<CodeRanges>();
  std::atomic<uint64_t> count{0};
  std::mutex reportMutex;
  std::string reports;
};

class LinkedObject : public LoadedObject {
public:
  LinkedObject(Linker &linker, orc::JITDylib &dylib)
      : linker(linker), dylib(dylib) {}

  ~LinkedObject() override {
    consumeError(linker.jit().getExecutionSession().removeJITDylib(dylib));
  }

  Error link(StringRef object, StringRef entry) {
    Expected<bool> found = callsYield({object, entry});
    if (!found)
      return found.takeError();
    waits = *found;
    if (Error error = linker.jit().addObjectFile(
            dylib, MemoryBuffer::getMemBufferCopy(object, entry)))
      return error;
    Expected<orc::ExecutorAddr> address = linker.jit().lookup(dylib, entry);
    std::string reports = linker.takeReports();
    compiled = {linker.takeCode(dylib), linker.libm()};
    if (!address)
      return createStringError(toString(address.takeError()) + reports);
    function = address->toPtr<KernelEntry>();
    return Error::success();
  }

  KernelEntry entry() const override { return function; }
  const CompiledCode &code() const override { return compiled; }
  bool mayWait() const override { return waits; }

private:
  /// Whether the object needs `tritonSharedYield`.
  static Expected<bool> callsYield(MemoryBufferRef object) {
    auto file = object::ObjectFile::createObjectFile(object);
    if (!file)
      return file.takeError();
    for (const object::SymbolRef &symbol : (*file)->symbols()) {
      Expected<StringRef> name = symbol.getName();
      if (!name)
        return name.takeError();
      if (*name == "tritonSharedYield")
        return true;
    }
    return false;
  }

  Linker &linker;
  orc::JITDylib &dylib;
  KernelEntry function = nullptr;
  CompiledCode compiled;
  bool waits = false;
};

} // namespace

Expected<std::unique_ptr<LoadedObject>>
mlir::triton_shared::loadObject(StringRef object, StringRef entry) {
  Expected<Linker *> linker = Linker::get();
  if (!linker)
    return linker.takeError();
  Expected<orc::JITDylib *> dylib = (*linker)->createDylib();
  if (!dylib)
    return dylib.takeError();
  auto linked = std::make_unique<LinkedObject>(**linker, **dylib);
  if (Error error = linked->link(object, entry))
    return std::move(error);
  return linked;
}
