#include "probe/bench.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

namespace gpusim::probe {

namespace {

constexpr std::int64_t most_cta_warps = 32;
constexpr std::int64_t endless = std::numeric_limits<std::int64_t>::max();

}  // namespace

Bench::Bench(const Profile& profile, std::optional<std::int64_t> clock_mhz, std::function<bool()> stop)
    : gpu_(profile), clock_mhz_(clock_mhz.value_or(profile.clock.boost_mhz)), stop_(std::move(stop)) {}

Result Bench::run(const std::vector<Schedule>& schedules, L2State l2, Observer* observer) const {
  RunOptions options;
  if (stop_) {
    if (stop_()) throw Stopped();  // runs may be too short to ask
    options.stop = [this](const Progress&) { return stop_(); };
  }
  options.l2 = l2;
  options.clock_mhz = clock_mhz_;
  options.exact = true;  // what is measured may be a single access
  const std::span<Observer* const> observers(&observer, observer == nullptr ? 0 : 1);
  Result result = gpu_.run(schedules, options, observers);
  if (result.termination == Termination::stopped) throw Stopped();
  return result;
}

double Bench::cycles(const Schedule& schedule, L2State l2) const {
  const Result result = run({schedule}, l2);
  return static_cast<double>((result.kernels.back().cycles + result.kernels.back().drain).count());
}

double Bench::tflops(double fma_per_cycle_and_sm) const {
  return 2 * fma_per_cycle_and_sm * static_cast<double>(sms()) * static_cast<double>(clock_mhz_) / 1e6;
}

std::int64_t Bench::warps() const { return profile().sm.warps.value_or(2 * most_cta_warps); }

int Bench::warps_of_largest_cta() const { return static_cast<int>(std::min(most_cta_warps, warps())); }

std::int64_t Bench::shared_bytes_for(std::int64_t ctas) const {
  constexpr std::int64_t granule = 128;
  const SharedSpec& shared = profile().shared;
  if (shared.capacity.is_unlimited()) return 0;
  const std::int64_t share = shared.capacity.value().count() / ctas - shared.reserved_per_cta.count();
  const std::int64_t most = shared.per_cta.is_unlimited() ? share : shared.per_cta.value().count();
  return std::min(share, most) / granule * granule;
}

std::int64_t Bench::l1_bytes() const {
  if (!profile().l1) return 0;
  return profile().l1->capacity.value_or(Bytes(endless)).count();
}

std::int64_t Bench::l2_bytes() const {
  if (!profile().l2) return 0;
  return profile().l2->capacity.value_or(Bytes(endless)).count();
}

void refuse(const std::string& parameter, const std::string& what) { throw ScheduleError({Problem{parameter, what}}); }

}  // namespace gpusim::probe
