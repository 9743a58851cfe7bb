//===- LaunchBounds.cpp - How far a launch comes --------------------------===//

#include "LaunchBounds.h"

#include <algorithm>
#include <nanobind/stl/string.h>
#include <string>

namespace nb = nanobind;
using namespace triton_shared_python;

LaunchBounds::Step LaunchBounds::parseStep(nb::handle step) {
  auto word = nb::cast<std::string>(step[0]);
  if (word == "constant")
    return {Step::Kind::Constant,
            {-1, nb::cast<int64_t>(step[1]), 0, false, ""}};
  if (word == "argument")
    return {Step::Kind::Argument,
            {nb::cast<int>(step[1]), 0, nb::cast<unsigned>(step[2]),
             nb::cast<bool>(step[3]), ""}};
  if (word == "grid" && nb::cast<unsigned>(step[1]) < 3)
    return {Step::Kind::Grid, {}, nb::cast<unsigned>(step[1])};
  if (word == "add")
    return {Step::Kind::Add};
  if (word == "multiply")
    return {Step::Kind::Multiply};
  if (word == "divide")
    return {Step::Kind::Divide};
  throw nb::value_error(("unknown step '" + word + "' of a bound").c_str());
}

LaunchBounds::LaunchBounds(nb::sequence plans) {
  for (nb::handle plan : plans) {
    Bound &bound = bounds.emplace_back();
    int depth = 0;
    for (nb::handle step : plan) {
      bound.push_back(parseStep(step));
      bool isOperand = bound.back().kind <= Step::Kind::Grid;
      if (!isOperand && depth < 2)
        throw nb::value_error("a step of a bound has no operands");
      depth += isOperand ? 1 : -1;
    }
    if (depth != 1)
      throw nb::value_error("a bound is one number");
  }
}

/// False if the result is no number of 64 bits.
bool LaunchBounds::apply(Step::Kind kind, std::vector<int64_t> &stack) {
  int64_t rhs = stack.back();
  stack.pop_back();
  int64_t &lhs = stack.back();
  switch (kind) {
  case Step::Kind::Add:
    return !__builtin_add_overflow(lhs, rhs, &lhs);
  case Step::Kind::Multiply:
    return !__builtin_mul_overflow(lhs, rhs, &lhs);
  default:
    if (rhs <= 0)
      return false;
    lhs = lhs >= 0 ? lhs / rhs : -((rhs - 1 - lhs) / rhs);
    return true;
  }
}

std::optional<int64_t> LaunchBounds::compute(const Bound &bound,
                                             void *const *arguments,
                                             const uint32_t *grid) {
  // A launch allocates nothing.
  static thread_local std::vector<int64_t> stack;
  stack.clear();
  for (const Step &step : bound)
    switch (step.kind) {
    case Step::Kind::Constant:
      stack.push_back(step.number.constant);
      break;
    case Step::Kind::Argument:
      stack.push_back(tritonSharedReadNumber(&step.number, arguments));
      if (stack.back() < 0)
        return std::nullopt;
      break;
    case Step::Kind::Grid:
      stack.push_back(grid[step.axis]);
      break;
    default:
      if (!apply(step.kind, stack))
        return std::nullopt;
    }
  return stack.back();
}

bool LaunchBounds::hold(void *const *arguments, const uint32_t *grid) const {
  return std::all_of(bounds.begin(), bounds.end(), [&](const Bound &bound) {
    std::optional<int64_t> most = compute(bound, arguments, grid);
    return most && *most >= 0 && *most < tritonSharedMostOfLaunch;
  });
}
