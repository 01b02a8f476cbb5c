#include "validate/anchor_measure.h"

#include <stdexcept>
#include <tuple>

#include "gpusim/gpu.h"
#include "gpusim/schedules/gemm.h"

namespace gpusim::validate {

namespace {

std::int64_t number(const ProbePoint& point, const std::string& key) {
  const auto found = point.parameters.find(key);
  if (found == point.parameters.end()) throw std::logic_error("an anchor's matmul has no '" + key + "'");
  return std::stoll(found->second);
}

ProbeReading measure_matmul(const Profile& profile, const ProbePoint& point) {
  const auto variant = schedules::gemm_variant_named(point.parameters.at("schedule"));
  if (!variant) throw std::logic_error("an anchor's matmul has an unknown schedule");
  schedules::GemmProblem problem{number(point, "m"), number(point, "n"), number(point, "k")};
  if (*variant == schedules::GemmVariant::simt) {
    problem.dtype = DType::fp32;
  } else {
    std::tie(problem.dtype, problem.accumulate) = schedules::default_dtypes(profile);
  }
  schedules::GemmRequest request;
  const int tile = static_cast<int>(number(point, "tile"));
  request.tile = {tile, tile, schedules::GemmTile{}.k};
  request.variant = variant;
  if (point.parameters.contains("stages")) request.stages = static_cast<int>(number(point, "stages"));

  RunOptions options;
  options.l2 = L2State::warm;
  options.clock_mhz = point.clock_mhz;
  options.exact = true;
  const Schedule schedule = schedules::gemm(problem, schedules::choose(profile, problem, request));
  const Result result = Gpu(profile).run(schedule, options);
  return {point, {{"cycles", static_cast<double>(cycles(result).count()), "cycles"}}};
}

}  // namespace

ProbeReading measure_anchor(const Profile& profile, const ProbePoint& point) {
  return point.kind == "matmul" ? measure_matmul(profile, point) : measure(profile, point);
}

}  // namespace gpusim::validate
