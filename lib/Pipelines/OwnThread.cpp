//===- OwnThread.cpp - Room for recursion, and for what is made -----------===//

#include "triton-shared/Pipelines/OwnThread.h"

#include <pthread.h>

using namespace mlir::triton_shared;

/// Addresses, not memory: pages are taken as they are touched.
static constexpr size_t kStackBytes = 256 << 20;

static void *runWork(void *work) {
  (*static_cast<llvm::function_ref<void()> *>(work))();
  return nullptr;
}

void mlir::triton_shared::runOnOwnThread(llvm::function_ref<void()> work) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_t thread;
  bool started = pthread_attr_setstacksize(&attributes, kStackBytes) == 0 &&
                 pthread_create(&thread, &attributes, runWork, &work) == 0;
  pthread_attr_destroy(&attributes);
  if (started)
    pthread_join(thread, nullptr);
  else
    work(); // Address space is short: most kernels do with the caller's stack.
}
