#include "validate/gemm_wave_run.h"

#include <utility>

#include "gpusim/estimate/power.h"
#include "gpusim/view/bound.h"
#include "validate/timed_run.h"

namespace gpusim::validate {
namespace {

class WaveRun {
 public:
  WaveRun(const GemmWave& wave, const schedules::GemmTiling& tiling, const Gpu& gpu, RunOptions options)
      : wave_(wave), tiling_(tiling), gpu_(gpu), options_(std::move(options)) {
    options_.code = CodeState::warm;  // the first wave alone meets cold code
  }

  /// From now on.
  void set_clock(std::int64_t mhz) { options_.clock_mhz = mhz; }

  [[nodiscard]] std::int64_t clock_under_power(const std::function<double(double us)>& watts) const {
    const Result wave = run(wave_.typical_part(), wave_.ctas);
    return estimate::clock_under_power(wave, watts(wave_.typical_whole(time_us(wave))));
  }

  WaveOutcome outcome() {
    longest_ = {};
    const double of_ctas = wave_.whole([this](const schedules::GemmProblem& part, std::int64_t ctas) {
      Result result = run(part, ctas);
      const Cycles cycles = result.kernels.front().cycles;
      if (longest_.kernels.empty() || cycles > longest_.kernels.front().cycles) longest_ = std::move(result);
      return cycles;
    });
    const KernelResult& kernel = longest_.kernels.front();
    const double cycles = static_cast<double>((kernel.launch + kernel.drain).count()) + of_ctas;
    return {cycles / static_cast<double>(longest_.clock_mhz), longest_.clock_mhz, view::bound(longest_)};
  }
  /// Which draws what the whole does.
  [[nodiscard]] const Result& longest() const { return longest_; }

 private:
  [[nodiscard]] Result run(const schedules::GemmProblem& part, std::int64_t ctas) const {
    RunOptions options = options_;
    options.max_ctas = ctas;
    options.l2_dirty_percent = 0;  // the first waves have that written
    return gpu_.run(gemm_kernels(part, tiling_), options);
  }

  const GemmWave& wave_;
  const schedules::GemmTiling& tiling_;
  const Gpu& gpu_;
  RunOptions options_;
  Result longest_;
};

}  // namespace

WaveOutcome run_waves(const GemmWave& wave, const schedules::GemmTiling& tiling, const Gpu& gpu, RunOptions options,
                      const std::function<double(double us)>& watts) {
  WaveRun run(wave, tiling, gpu, std::move(options));
  if (!watts) return run.outcome();
  run.set_clock(run.clock_under_power(watts));
  WaveOutcome outcome = run.outcome();
  const auto clock_of = [&](const WaveOutcome& each) {
    return estimate::clock_under_power(run.longest(), watts(each.us));
  };
  const auto run_at = [&](std::int64_t clock_mhz) {
    run.set_clock(clock_mhz);
    return run.outcome();
  };
  const std::int64_t clock = settle_clock(outcome, clock_of, run_at);
  outcome.us *= estimate::time_ratio(run.longest(), clock);
  outcome.clock_mhz = clock;
  return outcome;
}

std::int64_t clock_of_waves(const GemmWave& wave, const schedules::GemmTiling& tiling, const Gpu& gpu,
                            RunOptions options, const std::function<double(double us)>& watts) {
  return WaveRun(wave, tiling, gpu, std::move(options)).clock_under_power(watts);
}

}  // namespace gpusim::validate
