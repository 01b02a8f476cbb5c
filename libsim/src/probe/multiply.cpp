// mma: warp-synchronous multiplies. wgmma: those of a warp group.
#include <algorithm>
#include <charconv>

#include "gpusim/schedules/probes.h"
#include "probe/kind.h"
#include "probe/observers.h"

namespace gpusim::probe {

namespace {

constexpr std::size_t warm_trips = 8;

std::vector<std::string> type_names() { return {"fp16", "bf16", "tf32", "fp8", "int8", "int4", "b1", "fp64"}; }

DType dtype_of(const Values& values, std::string_view name) { return dtype_named(values.text(name)).value(); }

std::string shape_text(std::int64_t m, std::int64_t n, std::int64_t k) {
  return "m" + std::to_string(m) + "n" + std::to_string(n) + "k" + std::to_string(k);
}

std::string shape_text(const TensorModeSpec& mode) { return shape_text(mode.m, mode.n, mode.k); }

/// The first mode that the values fit, or nullptr.
const TensorModeSpec* mode_for(const Profile& profile, const Values& values) {
  for (const TensorModeSpec& mode : profile.tensor.modes) {
    const bool fits = mode.input == dtype_of(values, "input") &&
                      (values.is_automatic("accumulate") || mode.accumulate == dtype_of(values, "accumulate")) &&
                      mode.sparse == values.is("sparse", "yes") &&
                      (values.is_automatic("shape") || shape_text(mode) == values.text("shape"));
    if (fits) return &mode;
  }
  return nullptr;
}

std::string lack_mma(const Profile& profile, const Values& values) {
  if (mode_for(profile, values) != nullptr) return "";
  const std::string accumulate =
      values.is_automatic("accumulate") ? "" : " with " + values.text("accumulate") + " accumulation";
  const std::string shape = values.is_automatic("shape") ? "" : " of shape " + values.text("shape");
  return "its tensor cores have no " + std::string(values.is("sparse", "yes") ? "sparse " : "") + values.text("input") +
         " mode" + accumulate + shape;
}

Quantities measure_mma(const Bench& bench, Values& values) {
  const TensorModeSpec& mode = *mode_for(bench.profile(), values);
  values.resolve("accumulate", std::string(name(mode.accumulate)));
  values.resolve("shape", shape_text(mode));
  schedules::MultiplyLoop loop;
  loop.input = mode.input;
  loop.accumulate = mode.accumulate;
  loop.shape = {static_cast<int>(mode.m), static_cast<int>(mode.n), static_cast<int>(mode.k)};
  loop.sparse = mode.sparse;
  loop.warps = static_cast<int>(values.number("warps"));
  loop.ilp = static_cast<int>(values.number("ilp"));
  if (loop.warps > bench.warps()) refuse("warps", "an SM holds " + std::to_string(bench.warps()));
  // Of all warps: those that queue for a tensor core do not take turns here.
  const double cycles = bench.cycles_per_trip(schedules::multiply_loop, loop);
  const auto fma = static_cast<double>(mode.m * mode.n * mode.k * loop.warps * loop.ilp) / cycles;
  return {{"cycles", cycles, "cycles"}, {"fma_per_clk", fma, "FMA/clk"}, {"tflops", bench.tflops(fma), "TFLOPS"}};
}

Curve mma_curve(const Profile&, const Curve&) {
  return {{"warps", {"1", "2", "4", "8", "16"}}, {"ilp", {"1", "2", "3", "4"}}};
}

const TensorModeSpec* group_mode(const Profile& profile, const Values& values) {
  return tensor_mode(profile, dtype_of(values, "input"), dtype_of(values, "accumulate"));
}

std::string lack_wgmma(const Profile& profile, const Values& values) {
  if (!profile.tensor.wgmma) return "its tensor cores have no warp-group multiplies (wgmma)";
  if (group_mode(profile, values) == nullptr)
    return "its tensor cores have no " + values.text("input") + " mode with " + values.text("accumulate") +
           " accumulation";
  return "";
}

Quantities measure_wgmma(const Bench& bench, Values& values) {
  constexpr int batch = 8;
  schedules::WarpgroupLoop loop;
  loop.input = dtype_of(values, "input");
  loop.accumulate = dtype_of(values, "accumulate");
  loop.n = static_cast<int>(values.number("n"));
  loop.a_shared = values.is("a", "shared");
  Stopwatch one("WGMMA");
  (void)bench.run({schedules::warpgroup_loop(loop)}, L2State::cold, &one);

  loop.batch = batch;
  loop.pending = 1;
  Stopwatch many("WGMMA");
  (void)bench.run({schedules::warpgroup_loop(loop)}, L2State::cold, &many);
  const double cycles = many.per_lap(warm_trips) / batch;
  const int k = 32 / size_of(loop.input);
  const double fma = static_cast<double>(64 * loop.n * k) / cycles;
  return {{"latency", one.per_lap(warm_trips), "cycles"},
          {"cycles", cycles, "cycles"},
          {"fma_per_clk", fma, "FMA/clk"},
          {"tflops", bench.tflops(fma), "TFLOPS"}};
}

Curve wgmma_curve(const Profile&, const Curve&) {
  return {{"n", {"8", "16", "32", "64", "128", "256"}}, {"a", {"shared", "registers"}}};
}

}  // namespace

Kind mma_kind() {
  return {"mma",
          "mma.sync in a loop: cycles of a trip of `ilp` multiplies a warp, and the SM's rate",
          "arXiv:2206.02874 (Sun et al.)",
          {word("input", "type of A and B", type_names()),
           text("accumulate", "type of C; auto: of the first mode there is", "auto"),
           text("shape", "as m16n8k16; auto: of the first mode there is", "auto"),
           word("sparse", "2:4 sparse A", {"no", "yes"}), number("warps", "of the SM", "1", 1, 64),
           number("ilp", "independent accumulators of a warp", "1", 1, 32)},
          {{"cycles", "cycles"}, {"fma_per_clk", "FMA/clk"}, {"tflops", "TFLOPS"}},
          lack_mma,
          measure_mma,
          mma_curve};
}

Kind wgmma_kind() {
  return {"wgmma",
          "wgmma m64nNk of one warp group: alone and waited for, and one after another",
          "arXiv:2501.12084 (Luo et al.), wgmma tables",
          {number("n", "columns, a multiple of 8", "128", 8, 256), word("a", "where A is", {"shared", "registers"}),
           word("input", "type of A and B", {"fp16", "bf16", "tf32", "fp8", "int8"}),
           word("accumulate", "type of C", {"fp32", "fp16", "int32"})},
          {{"latency", "cycles"}, {"cycles", "cycles"}, {"fma_per_clk", "FMA/clk"}, {"tflops", "TFLOPS"}},
          lack_wgmma,
          measure_wgmma,
          wgmma_curve};
}

}  // namespace gpusim::probe
