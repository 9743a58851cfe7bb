//===- Check.cpp - Checked launches through the C interface ---------------===//

#include "../../runtime/check/CheckedLaunch.h"
#include "triton-shared/CAPI/TritonShared.h"

#include <cstring>

using namespace mlir::triton_shared;

struct TritonSharedCheckedLaunch {
  TritonSharedCheckedLaunch(std::vector<TensorView> views,
                            std::array<uint32_t, 3> grid, bool findsRaces,
                            uint64_t unwritten)
      : launch(std::move(views), grid, findsRaces, unwritten) {}

  CheckedLaunch launch;
};

TritonSharedCheckedLaunch *
tritonSharedCheckedLaunchCreate(const TritonSharedTensorView *views,
                                size_t count, const uint32_t grid[3],
                                bool findsRaces, uint64_t unwritten) {
  std::vector<TensorView> known;
  for (size_t i = 0; i < count; ++i) {
    const TritonSharedTensorView &view = views[i];
    known.push_back(view.elementBytes
                        ? TensorView(view.elementBytes,
                                     {view.shape, view.shape + view.rank},
                                     {view.strides, view.strides + view.rank})
                        : TensorView());
  }
  return new TritonSharedCheckedLaunch(
      std::move(known), {grid[0], grid[1], grid[2]}, findsRaces, unwritten);
}

const void *
tritonSharedCheckedLaunchGetTable(const TritonSharedCheckedLaunch *launch) {
  return launch->launch.getTable();
}

char *tritonSharedCheckedLaunchGetFindings(TritonSharedCheckedLaunch *launch) {
  return strdup(launch->launch.getFindings().c_str());
}

void tritonSharedCheckedLaunchDestroy(TritonSharedCheckedLaunch *launch) {
  delete launch;
}

void tritonSharedCheckedLaunchesForget() { WrappedMemory::get().clear(); }
