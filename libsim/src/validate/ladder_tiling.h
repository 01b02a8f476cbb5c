// Problems and tilings as ladder files have them: members by their C++ names, shapes as "64x32".
#pragma once

#include <nlohmann/json.hpp>

#include "gpusim/schedules/gemm.h"

namespace gpusim::validate {

/// Sets the members that `json` names. Throws std::invalid_argument, which says what is wrong, for others.
void set_problem(schedules::GemmProblem& problem, const nlohmann::json& json);
void set_tiling(schedules::GemmTiling& tiling, const nlohmann::json& json);

}  // namespace gpusim::validate
