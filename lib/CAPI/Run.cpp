//===- Run.cpp - Loading and launching through the C interface ------------===//

#include "../../runtime/Grid.h"
#include "../../runtime/Loader.h"
#include "ObjectSeal.h"
#include "triton-shared/CAPI/TritonShared.h"

#include <cstdlib>
#include <cstring>
#include <memory>

using namespace mlir::triton_shared;

struct TritonSharedKernel {
  std::unique_ptr<LoadedObject> object;
};

/// A copy that `tritonSharedFree` releases.
static char *copyText(const std::string &text) {
  char *copy = static_cast<char *>(std::malloc(text.size() + 1));
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

TritonSharedKernel *tritonSharedKernelLoad(TritonSharedString object,
                                           TritonSharedString entry,
                                           char **error) {
  auto fail = [&](const std::string &reason) {
    if (error)
      *error = copyText("cannot load the object of the kernel: " + reason);
    return nullptr;
  };
  std::optional<llvm::StringRef> whole =
      openSealedObject({object.data, object.size});
  if (!whole)
    return fail("it is damaged, or was not made by this library for this "
                "machine");
  llvm::Expected<std::unique_ptr<LoadedObject>> loaded =
      loadObject(*whole, {entry.data, entry.size});
  if (!loaded)
    return fail(llvm::toString(loaded.takeError()));
  return new TritonSharedKernel{std::move(*loaded)};
}

static GridOrder convertOrder(TritonSharedGridOrder order) {
  switch (order) {
  case TritonSharedGridOrderForward:
    return GridOrder::Forward;
  case TritonSharedGridOrderReverse:
    return GridOrder::Reverse;
  case TritonSharedGridOrderRandom:
    return GridOrder::Random;
  }
  return GridOrder::Forward;
}

bool tritonSharedKernelLaunch(const TritonSharedKernel *kernel,
                              void *const *args,
                              const TritonSharedLaunch *launch, char **error) {
  Residency residency = launch->sideBySide          ? Residency::Required
                        : kernel->object->mayWait() ? Residency::Preferred
                                                    : Residency::Any;
  KernelDescription description{launch->name, launch->pointers,
                                launch->argumentCount};
  GridLaunch grid{launch->grid[0],
                  launch->grid[1],
                  launch->grid[2],
                  launch->threads,
                  convertOrder(launch->order),
                  launch->seed,
                  residency,
                  launch->name ? &description : nullptr,
                  launch->isInterrupted,
                  launch->context};
  LaunchFailure failure;
  runGrid(*kernel->object, args, grid, failure);
  if (!failure.happened())
    return true;
  if (error)
    *error = copyText(failure.message());
  return false;
}

void tritonSharedKernelDestroy(TritonSharedKernel *kernel) { delete kernel; }

void tritonSharedFree(char *text) { std::free(text); }
