// CLBlast's SGEMM tilings as Kernel Tuner measured them (AutoTuningAssociation/benchmark_hub), simulated.
//
// CLBlast's matrices are column-major: its product is ours of the transposes, its m is our n. With STRM = STRN = 0 a
// thread's elements are neighbours, and work items are numbered along CLBlast's m first.
//
// 4096^3 takes minutes to simulate. CTAs are alike and time grows linearly with k, so one wave is simulated at two
// values of k, and the difference scaled: by k, and by the CTAs that the busiest SM gets.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <regex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "gpusim/gpu.h"
#include "gpusim/schedules/gemm.h"

namespace gpusim::testing {

struct TunedGemm {
  int mwg = 0, nwg = 0, kwg = 0;
  int mdimc = 0, ndimc = 0;
  int mwi = 0, nwi = 0;
  int kwi = 0, vwm = 0, vwn = 0;
  bool sa = false, sb = false;
};

/// From "cta_tile=128x64x32 threads=16x8 thread_tile=8x8 KWI=2 vecM=4 vecN=2 smemA=1 smemB=0 ..."
inline TunedGemm tuned_gemm(const std::string& notes) {
  static const std::regex pattern(
      R"(cta_tile=(\d+)x(\d+)x(\d+) threads=(\d+)x(\d+) thread_tile=(\d+)x(\d+) KWI=(\d+) vecM=(\d+) vecN=(\d+) smemA=(\d) smemB=(\d).*)");
  std::smatch found;
  if (!std::regex_match(notes, found, pattern)) throw std::runtime_error("not a tiling: " + notes);
  std::array<int, 12> number{};
  for (std::size_t i = 0; i < number.size(); ++i) number[i] = std::stoi(found[i + 1]);
  return {number[0], number[1], number[2], number[3], number[4],       number[5],
          number[6], number[7], number[8], number[9], number[10] != 0, number[11] != 0};
}

/// k elements whose fragments are loaded ahead of their products: KWI at least; the compiler unrolls a loop of known
/// length further, and loads ahead what registers allow.
inline int unrolled(const TunedGemm& tuned) {
  constexpr int registers = 32;
  int k = tuned.kwi;
  while (2 * k <= tuned.kwg && 2 * k * (tuned.mwi + tuned.nwi) <= registers) k *= 2;
  return k;
}

inline schedules::GemmTiling tiling_of(const TunedGemm& tuned) {
  constexpr int lanes = 32;
  constexpr int widest = 4;  // elements of an instruction; CLBlast's vectors of 8 are two
  const int along_m = std::min(tuned.mdimc, lanes);
  schedules::GemmTiling tiling;
  tiling.variant = schedules::GemmVariant::simt;
  tiling.tile = {tuned.nwg, tuned.mwg, tuned.kwg};
  tiling.stages = 1;
  tiling.thread_tile = {tuned.nwi, tuned.mwi};
  tiling.warp_tile = {lanes / along_m * tuned.nwi, along_m * tuned.mwi};
  tiling.order_m = tiling.order_n = schedules::ElementOrder::contiguous;
  tiling.fragment_k = unrolled(tuned);
  tiling.read_a = std::min(tuned.vwn, widest);
  tiling.read_b = std::min(tuned.vwm, widest);
  tiling.stage_a = tuned.sb;
  tiling.stage_b = tuned.sa;
  if (tiling.stage_a) tiling.vector_a = tiling.read_a, tiling.shared_a = schedules::SharedLayout::plain;
  if (tiling.stage_b) tiling.vector_b = tiling.read_b, tiling.shared_b = schedules::SharedLayout::plain;
  return tiling;
}

/// Microseconds of size^3.
inline double simulated_us(const Gpu& gpu, const TunedGemm& tuned, std::int64_t size) {
  const schedules::GemmTiling tiling = tiling_of(tuned);
  schedules::GemmProblem problem;
  problem.dtype = problem.accumulate = DType::fp32;
  problem.layout = schedules::GemmLayout::tn;
  problem.m = tiling.tile.m;
  problem.n = tiling.tile.n;
  problem.k = tiling.tile.k;
  const std::int64_t sms = gpu.profile().sm.count;
  const std::int64_t resident = occupancy(schedules::gemm(problem, tiling), gpu.profile()).ctas;
  // The wave's tiles lie as the first of the whole product do, as nearly as they are a rectangle.
  const std::int64_t wave = sms * resident;
  std::int64_t rows = 1;
  for (std::int64_t r = 1; r * r <= wave; ++r)
    if (wave % r == 0) rows = r;
  problem.m *= rows;
  problem.n *= wave / rows;
  constexpr std::array<std::int64_t, 2> k_tiles{1, 4};
  std::array<std::int64_t, 2> cycles{};
  for (std::size_t i = 0; i < 2; ++i) {
    problem.k = k_tiles[i] * tiling.tile.k;
    cycles[i] = gpu.run(schedules::gemm(problem, tiling)).kernels.front().cycles.count();
  }
  const double per_k =
      static_cast<double>(cycles[1] - cycles[0]) / static_cast<double>((k_tiles[1] - k_tiles[0]) * tiling.tile.k);
  const std::int64_t ctas = (size / tiling.tile.m) * (size / tiling.tile.n);
  const std::int64_t busiest = (ctas + sms - 1) / sms;
  return per_k * static_cast<double>(size) * static_cast<double>(busiest) / static_cast<double>(resident) /
         static_cast<double>(gpu.profile().clock.boost_mhz);
}

/// Kendall's tau-b needs ties; times have none: (agreeing pairs - disagreeing pairs) / pairs.
inline double kendall_tau(const std::vector<double>& a, const std::vector<double>& b) {
  std::int64_t sum = 0;
  std::int64_t pairs = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const double product = (a[i] - a[j]) * (b[i] - b[j]);
      sum += product > 0 ? 1 : product < 0 ? -1 : 0;
      ++pairs;
    }
  return pairs == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(pairs);
}

}  // namespace gpusim::testing
