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

#include <atomic>
#include <mutex>

using namespace llvm;
using namespace mlir::triton_shared;

namespace {

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
            .setObjectLinkingLayerCreator([](orc::ExecutionSession &session) {
              return std::make_unique<orc::ObjectLinkingLayer>(session);
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
    if (!address)
      return createStringError(toString(address.takeError()) + reports);
    function = address->toPtr<KernelEntry>();
    return Error::success();
  }

  KernelEntry entry() const override { return function; }
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
