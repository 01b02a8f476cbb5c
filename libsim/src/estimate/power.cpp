#include "gpusim/estimate/power.h"

#include <algorithm>
#include <cmath>

#include "clocks.h"
#include "sizes.h"

namespace gpusim::estimate {
namespace {

constexpr double percent_of_one = 100;
constexpr double wavefront_size = 128;
constexpr double reference_bits = 16;  ///< of a tensor core's operand
constexpr double fj_a_mj = 1e12;
constexpr double pj_a_mj = 1e9;

/// What the events of a run take of the chip at `voltage_mhz`, and of the memory.
struct EventEnergy {
  std::vector<EnergyTerm> chip;  ///< without watts
  double dram_mj = 0;
};

const ServerRow* row_named(const Result& result, std::string_view name) {
  const auto found = std::find_if(result.servers.begin(), result.servers.end(),
                                  [name](const ServerRow& row) { return row.name == name; });
  return found == result.servers.end() ? nullptr : &*found;
}

/// Of what was done. Sparse tensor cores do those with what is stored.
double multiply_adds(const KernelResult& kernel) {
  if (kernel.work.pipe != Pipe::tensor) return 0;
  return kernel.work.flops / (kernel.work.sparse ? 4 : 2) * kernel.work_share;
}

/// Of an operation's energy on 16-bit operands.
double operand_share(DType input, const PowerSpec& spec) {
  if (input == DType::fp8) return static_cast<double>(spec.tensor_fp8_percent) / percent_of_one;
  return static_cast<double>(size_of(input)) * 8 / reference_bits;
}

EventEnergy event_energy(const Result& result, const PowerSpec& spec) {
  double active = 0, instructions = 0, products = 0, l2_sectors = 0, dram = 0;
  for (const KernelResult& kernel : result.kernels) {
    const Traffic& traffic = kernel.traffic;
    active += static_cast<double>(kernel.sm_active_cycles);
    for (const RoleRow& role : kernel.roles) instructions += static_cast<double>(role.instructions);
    products += multiply_adds(kernel) * operand_share(kernel.work.input, spec);
    // Reads that are coalesced cost as much as others, and those that are sent for no more: they were not measured
    // apart.
    l2_sectors += static_cast<double>(traffic.l2_read_sectors + traffic.l2_write_sectors);
    dram += static_cast<double>(traffic.dram_read_bytes + traffic.dram_write_bytes);
  }
  const ServerRow* const fma = row_named(result, "sm.fma");
  const double fmas = fma == nullptr ? 0 : static_cast<double>(fma->work);
  double shared = 0;
  for (const char* const way : {"sm.shared", "sm.tma_write"})
    if (const ServerRow* const row = row_named(result, way)) shared += static_cast<double>(row->work) * wavefront_size;

  const double scale = static_cast<double>(spec.scale_percent) / percent_of_one;
  const auto term = [scale](std::string_view name, double events, std::int64_t energy, double unit) {
    return EnergyTerm{name, scale * events * static_cast<double>(energy) / unit, 0};
  };
  return {{term("clocks", active, spec.sm_cycle_pj, pj_a_mj),
           term("instructions", instructions, spec.instruction_pj, pj_a_mj), term("fma", fmas, spec.fma_pj, pj_a_mj),
           term("tensor", products, spec.tensor_fma_fj, fj_a_mj), term("shared", shared, spec.shared_byte_fj, fj_a_mj),
           term("l2", l2_sectors * sector_bytes, spec.l2_byte_fj, fj_a_mj)},
          dram * static_cast<double>(spec.dram_byte_fj) / fj_a_mj};
}

/// Of that at `voltage_mhz`.
double voltage(const PowerSpec& spec, double clock_mhz) {
  const double floor = static_cast<double>(spec.floor_voltage_percent) / percent_of_one;
  const auto floor_mhz = static_cast<double>(spec.floor_mhz);
  const auto full_mhz = static_cast<double>(spec.voltage_mhz);
  if (full_mhz <= floor_mhz) return 1;
  return floor + (1 - floor) * std::max(clock_mhz - floor_mhz, 0.0) / (full_mhz - floor_mhz);
}

class PowerAtClock {
 public:
  PowerAtClock(const Result& result, const PowerSpec& spec)
      : spec_(spec), energy_(event_energy(result, spec)), measured_mhz_(static_cast<double>(result.clock_mhz)) {
    for (const KernelResult& kernel : result.kernels)
      cycles_ += static_cast<double>((kernel.launch + kernel.cycles + kernel.drain).count());
    if (const ServerRow* const dram = row_named(result, "dram.channel"))
      dram_us_ = utilisation(*dram, gpusim::cycles(result)) * cycles_ / measured_mhz_;
  }

  [[nodiscard]] bool did_anything() const { return cycles_ > 0 && measured_mhz_ > 0; }

  [[nodiscard]] PowerEstimate at(std::int64_t clock_mhz) const {
    const auto clock = static_cast<double>(clock_mhz);
    PowerEstimate estimate;
    estimate.clock_mhz = clock_mhz;
    estimate.us = std::max(cycles_ / clock, dram_us_);
    estimate.limit_watts = static_cast<double>(spec_.limit_w);
    const double volts = voltage(spec_, clock);
    constexpr double mj_a_watt_us = 1e-3;
    estimate.terms.push_back({"static", static_cast<double>(spec_.static_w) * estimate.us * mj_a_watt_us, 0});
    for (EnergyTerm term : energy_.chip) {
      term.millijoules *= volts * volts;
      // SMs that wait for DRAM are clocked meanwhile.
      if (term.name == "clocks") term.millijoules *= estimate.us * clock / cycles_;
      estimate.terms.push_back(term);
    }
    estimate.terms.push_back({"dram", energy_.dram_mj, 0});
    for (EnergyTerm& term : estimate.terms) {
      term.watts = term.millijoules / mj_a_watt_us / estimate.us;
      estimate.watts += term.watts;
    }
    return estimate;
  }

 private:
  const PowerSpec& spec_;
  EventEnergy energy_;
  double measured_mhz_;
  double cycles_ = 0;   ///< of all kernels
  double dram_us_ = 0;  ///< that its channels were busy
};

void require_watts(double watts) {
  if (!(watts > 0)) throw ScheduleError({Problem{"watts", "must be a number above 0"}});  // what is no number is not
}

/// The highest clock at which no more than `watts` are drawn; 1 when there is none. Power never falls as the clock
/// rises.
template <class WattsAt>
std::int64_t highest_within(std::int64_t highest, double watts, const WattsAt& watts_at) {
  if (watts_at(highest) <= watts) return highest;
  std::int64_t within = 1;
  std::int64_t beyond = highest;
  while (beyond - within > 1) {
    const std::int64_t middle = (within + beyond) / 2;
    (watts_at(middle) <= watts ? within : beyond) = middle;
  }
  return within;
}

}  // namespace

std::int64_t highest_clock(const Profile& profile) {
  return profile.power && profile.power->max_mhz != 0 ? profile.power->max_mhz : profile.clock.boost_mhz;
}

std::int64_t highest_clock(const Result& result) {
  const std::int64_t highest = highest_clock(result.profile);
  const bool on_tensor_cores = std::any_of(result.kernels.begin(), result.kernels.end(),
                                           [](const KernelResult& each) { return each.work.pipe == Pipe::tensor; });
  if (!on_tensor_cores || !result.profile.power || result.profile.power->tensor_max_mhz == 0) return highest;
  return std::min(highest, result.profile.power->tensor_max_mhz);
}

std::optional<PowerEstimate> power(const Result& result, std::int64_t clock_mhz) {
  require_clock(clock_mhz);
  if (!result.profile.power) return std::nullopt;
  const PowerAtClock power(result, *result.profile.power);
  if (!power.did_anything()) return std::nullopt;
  return power.at(clock_mhz);
}

std::optional<PowerEstimate> power(const Result& result) {
  if (result.clock_mhz == 0) return std::nullopt;  // of no run
  return power(result, result.clock_mhz);
}

double time_ratio(const Result& result, std::int64_t clock_mhz) {
  const auto here = power(result);
  const auto there = power(result, clock_mhz);
  return here && there ? there->us / here->us : 1;
}

std::int64_t clock_under_power(const Result& result, double watts) {
  require_watts(watts);
  const std::int64_t highest = highest_clock(result);
  if (!result.profile.power) return highest;
  const PowerAtClock power(result, *result.profile.power);
  if (!power.did_anything()) return highest;
  return highest_within(highest, watts, [&](std::int64_t clock) { return power.at(clock).watts; });
}

LoopUnderPower loop_under_power(const Result& begun, const Result& longer, double times, double watts) {
  require_watts(watts);
  const std::int64_t highest = highest_clock(longer);
  if (!power(begun) || !power(longer)) return {highest, 1};
  const PowerAtClock of_begun(begun, *longer.profile.power);
  const PowerAtClock of_longer(longer, *longer.profile.power);
  struct Drawn {
    double us, watt_us;
  };
  const auto drawn_at = [&](std::int64_t clock) {
    const PowerEstimate less = of_begun.at(clock);
    const PowerEstimate more = of_longer.at(clock);
    if (more.us <= less.us) return Drawn{more.us, more.watts * more.us};
    return Drawn{less.us + times * (more.us - less.us),
                 less.watts * less.us + times * (more.watts * more.us - less.watts * less.us)};
  };
  const std::int64_t clock = highest_within(highest, watts, [&](std::int64_t at) {
    const Drawn drawn = drawn_at(at);
    return drawn.watt_us / drawn.us;
  });
  return {clock, drawn_at(clock).us / drawn_at(longer.clock_mhz).us};
}

double allowed_watts(const PowerSpec& power, double busy_us) {
  constexpr double us_a_ms = 1e3;
  const double extra = static_cast<double>(power.burst_percent) / percent_of_one - 1;
  const double left = std::exp(-busy_us / us_a_ms / static_cast<double>(power.reaction_ms));
  return static_cast<double>(power.limit_w) * (1 + extra * left);
}

}  // namespace gpusim::estimate
