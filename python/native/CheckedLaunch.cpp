//===- CheckedLaunch.cpp - Launches whose accesses are checked ------------===//

#include "CheckedLaunch.h"

#include "Launcher.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace triton_shared_python;

namespace {

/// Bytes of an element, sizes, strides.
using View = std::optional<
    std::tuple<int64_t, std::vector<int64_t>, std::vector<int64_t>>>;

class CheckedLaunch {
public:
  CheckedLaunch(const std::vector<View> &tensors,
                const std::tuple<uint32_t, uint32_t, uint32_t> &grid,
                bool findsRaces, uint64_t unwritten) {
    std::vector<TritonSharedTensorView> views;
    for (const View &tensor : tensors) {
      TritonSharedTensorView &view = views.emplace_back();
      view = {};
      if (!tensor)
        continue;
      const auto &[bytes, shape, strides] = *tensor;
      if (shape.size() != strides.size())
        throw nb::value_error("a tensor has as many strides as sizes");
      view = {bytes, shape.size(), shape.data(), strides.data()};
    }
    auto [x, y, z] = grid;
    const uint32_t sizes[] = {x, y, z};
    handle = tritonSharedCheckedLaunchCreate(views.data(), views.size(), sizes,
                                             findsRaces, unwritten);
  }
  ~CheckedLaunch() { tritonSharedCheckedLaunchDestroy(handle); }
  CheckedLaunch(const CheckedLaunch &) = delete;
  CheckedLaunch &operator=(const CheckedLaunch &) = delete;

  uintptr_t getTable() const {
    return reinterpret_cast<uintptr_t>(
        tritonSharedCheckedLaunchGetTable(handle));
  }
  std::string getFindings() const {
    return takeText(tritonSharedCheckedLaunchGetFindings(handle));
  }

private:
  TritonSharedCheckedLaunch *handle;
};

} // namespace

void triton_shared_python::defineCheckedLaunch(nb::module_ &module) {
  nb::class_<CheckedLaunch>(module, "CheckedLaunch")
      .def(nb::init<const std::vector<View> &,
                    const std::tuple<uint32_t, uint32_t, uint32_t> &, bool,
                    uint64_t>(),
           nb::arg("views"), nb::arg("grid"), nb::arg("finds_races"),
           nb::arg("unwritten"))
      .def_prop_ro("table", &CheckedLaunch::getTable)
      .def_prop_ro("findings", &CheckedLaunch::getFindings);
  module.def("forget_checked_launches", &tritonSharedCheckedLaunchesForget);
}
