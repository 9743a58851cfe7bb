//===- CheckedLaunch.h - Launches whose accesses are checked ----*- C++ -*-===//

#ifndef TRITON_SHARED_PYTHON_CHECKEDLAUNCH_H
#define TRITON_SHARED_PYTHON_CHECKEDLAUNCH_H

#include <nanobind/nanobind.h>

namespace triton_shared_python {

/// Adds the class `CheckedLaunch` to the module.
void defineCheckedLaunch(nanobind::module_ &module);

} // namespace triton_shared_python

#endif // TRITON_SHARED_PYTHON_CHECKEDLAUNCH_H
