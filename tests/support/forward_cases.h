// Matrix products of all kinds, drawn from a seed, to be simulated with and without skipping.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "gpusim/error.h"
#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "gpusim/schedules/gemm.h"

namespace gpusim::testing {

struct ForwardCase {
  std::string name;
  Profile profile;
  std::vector<Schedule> kernels;
  RunOptions options;
};

/// Draws cases one after another that fit their GPUs.
class ForwardCases {
 public:
  /// A case has between `least` and four times as many warp instructions, those of split products in two kernels.
  ForwardCases(std::uint64_t seed, std::int64_t least) : random_(seed), least_(least) {}

  ForwardCase next() {
    while (true) {
      try {
        ForwardCase drawn = draw();
        if (!drawn.kernels.empty()) return drawn;
      } catch (const InputError&) {
        continue;  // what was drawn does not fit the GPU
      }
    }
  }

 private:
  std::int64_t below(std::int64_t limit) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(limit));
  }
  template <class T>
  T one_of(std::initializer_list<T> values) {
    return values.begin()[below(std::ssize(values))];
  }
  bool chance(std::int64_t percent) { return below(100) < percent; }

  ForwardCase draw() {
    using schedules::GemmVariant;
    ForwardCase drawn;
    drawn.profile = load_profile(one_of({"volta", "turing", "ampere", "rtx3090", "ada", "l4", "hopper", "h200"}));
    schedules::GemmRequest request;
    schedules::GemmProblem problem;
    std::tie(problem.dtype, problem.accumulate) = schedules::default_dtypes(drawn.profile);
    request.variant =
        one_of({GemmVariant::naive, GemmVariant::coalesced, GemmVariant::simt, GemmVariant::simt, GemmVariant::tensor,
                GemmVariant::tensor, GemmVariant::async, GemmVariant::async, GemmVariant::async, GemmVariant::tma,
                GemmVariant::tma, GemmVariant::wgmma, GemmVariant::wgmma});
    const bool bulk = request.variant == GemmVariant::tma || request.variant == GemmVariant::wgmma;
    const bool direct = request.variant == GemmVariant::naive || request.variant == GemmVariant::coalesced;
    if (direct || request.variant == GemmVariant::simt) problem.dtype = problem.accumulate = DType::fp32;
    request.tile = direct
                       ? schedules::GemmTile{32, 32, 32}
                       : schedules::GemmTile{one_of({64, 128, 128}), one_of({64, 128, 128, 256}), one_of({32, 32, 64})};
    if (request.variant == GemmVariant::simt) request.tile.k = one_of({8, 16, 32});
    if (bulk && chance(50)) request.specialize = true;
    if (bulk && chance(30)) request.cluster = schedules::GemmShape{one_of({1, 2}), one_of({1, 2})};
    if (!direct && chance(30)) request.persistent = true;
    if (request.persistent && chance(30)) request.stream_k = true;
    if (!request.persistent && !direct && chance(20)) request.split_k = static_cast<int>(2 + below(3));
    if (chance(30)) request.order = one_of({TileOrder::column, TileOrder::grouped, TileOrder::hilbert});
    if (chance(20)) drawn.options.l2 = L2State::warm;
    size(problem, request.tile);
    drawn.kernels = schedules::gemm_kernels(problem, schedules::choose(drawn.profile, problem, request));
    drawn.name = drawn.profile.name + " " + drawn.kernels.front().name;
    if (request.persistent) drawn.name += request.stream_k ? " stream-k" : " persistent";
    if (drawn.kernels.front().cluster > 1) drawn.name += " cluster";
    if (drawn.options.l2 == L2State::warm) drawn.name += " warm";
    std::int64_t instructions = 0;
    for (const Schedule& schedule : drawn.kernels) {
      instructions += warp_instructions(schedule) * cta_count(schedule);
      if (!check(schedule, drawn.profile).empty()) drawn.kernels.clear();
    }
    if (instructions < least_ || instructions > 4 * least_) drawn.kernels.clear();
    return drawn;
  }

  /// Sides from a few tiles to many, ragged as often as not.
  void size(schedules::GemmProblem& problem, const schedules::GemmTile& tile) {
    const auto side = [&](std::int64_t step, std::int64_t most) {
      const std::int64_t whole = step * (1 + below(most));
      return chance(50) ? whole : std::max<std::int64_t>(whole - 8 * (1 + below(step / 8)), 8);
    };
    problem.m = side(tile.m, 48);
    problem.n = side(tile.n, 48);
    problem.k = side(tile.k, std::int64_t{1} << (5 + below(5)));
  }

  std::mt19937_64 random_;
  std::int64_t least_;
};

/// How a run with skipping differs from one without, in parts of the latter.
struct ForwardError {
  double cycles = 0;
  double traffic = 0;  ///< the worst of sectors read from L2, sectors written to it, and bytes read from device memory
};

inline ForwardError forward_error(const Result& exact, const Result& fast) {
  const auto relative = [](double is, double should, double least) {
    return (is > should ? is - should : should - is) / std::max(should, least);
  };
  Traffic should;
  Traffic is;
  for (const KernelResult& kernel : exact.kernels) {
    should.l2_read_sectors += kernel.traffic.l2_read_sectors;
    should.l2_write_sectors += kernel.traffic.l2_write_sectors;
    should.dram_read_bytes += kernel.traffic.dram_read_bytes;
  }
  for (const KernelResult& kernel : fast.kernels) {
    is.l2_read_sectors += kernel.traffic.l2_read_sectors;
    is.l2_write_sectors += kernel.traffic.l2_write_sectors;
    is.dram_read_bytes += kernel.traffic.dram_read_bytes;
  }
  ForwardError error;
  error.cycles = relative(static_cast<double>(cycles(fast).count()), static_cast<double>(cycles(exact).count()), 1);
  for (const auto& [a, b] :
       {std::pair{is.l2_read_sectors, should.l2_read_sectors}, std::pair{is.l2_write_sectors, should.l2_write_sectors},
        std::pair{is.dram_read_bytes / 32, should.dram_read_bytes / 32}})
    error.traffic = std::max(error.traffic, relative(static_cast<double>(a), static_cast<double>(b),
                                                     static_cast<double>(should.l2_read_sectors) / 100));
  return error;
}

}  // namespace gpusim::testing
