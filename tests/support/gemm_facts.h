// What a product is refused with, and how often an operation is in a program.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gpusim/error.h"
#include "gpusim/profile_io.h"
#include "gpusim/program.h"
#include "gpusim/schedules/gemm.h"

namespace gpusim::testing {

/// Where and why a product is refused, of the first problem; "" when it is not.
inline std::string refusal(const schedules::GemmProblem& problem, const schedules::GemmTiling& tiling) {
  try {
    static_cast<void>(schedules::gemm(problem, tiling));
  } catch (const ScheduleError& error) {
    return error.problems().front().where + ": " + error.problems().front().what;
  }
  return "";
}

/// Why nothing is chosen for a GPU; "" when something is.
inline std::string refusal(std::string_view gpu, const schedules::GemmProblem& problem,
                           const schedules::GemmRequest& request) {
  try {
    static_cast<void>(schedules::choose(load_profile(gpu), problem, request));
  } catch (const ScheduleError& error) {
    return error.what();
  }
  return "";
}

/// How often an action of that name happens to a warp, in a program without guards that matter.
inline std::int64_t count_of(const std::vector<Statement>& body, std::string_view action) {
  std::int64_t count = 0;
  for (const Statement& statement : body) {
    if (const auto* loop = std::get_if<Loop>(&statement))
      count += loop->trips * count_of(loop->body, action);
    else if (const auto& operation = std::get<Operation>(statement); name(operation.action) == action)
      count += operation.count;
  }
  return count;
}

/// A role's loop over k tiles, directly in its program.
inline const Loop& tile_loop(const Role& role) {
  for (const Statement& statement : role.program.body)
    if (const auto* const loop = std::get_if<Loop>(&statement); loop != nullptr && loop->steps_tiles) return *loop;
  throw std::logic_error("no loop steps tiles");
}

}  // namespace gpusim::testing
