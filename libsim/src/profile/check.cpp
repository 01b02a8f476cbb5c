// What no field can say alone.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

#include "gpusim/profile_io.h"
#include "profile/value_text.h"
#include "sizes.h"

namespace gpusim {
namespace profile_detail {
namespace {

bool is_power_of_two(std::int64_t number) { return std::has_single_bit(static_cast<std::uint64_t>(number)); }

class Checker {
 public:
  explicit Checker(const Profile& profile) : profile_(profile) {}

  std::vector<Problem> run() && {
    check_sm();
    check_shared();
    if (profile_.l1) check_l1(*profile_.l1);
    if (profile_.l2) check_l2(*profile_.l2);
    check_dram();
    check_tensor();
    if (profile_.power) check_power(*profile_.power);
    return std::move(problems_);
  }

 private:
  void refuse(std::string key, std::string what) { problems_.push_back({std::move(key), std::move(what)}); }

  void check_sm() {
    const SmSpec& sm = profile_.sm;
    if (!sm.warps.admits(sm.sub_partitions)) {
      refuse("sm.warps", "fewer warps than the " + to_text(sm.sub_partitions) + " sub-partitions");
    }
    if (!sm.registers.admits(sm.register_granule)) {
      refuse("sm.register_granule", "more than the " + to_text(sm.registers) + " registers of an SM");
    }
    if (!sm.registers.admits(sm.registers_per_thread * lanes_per_warp)) {
      refuse("sm.registers_per_thread",
             "a warp of such threads needs more than the " + to_text(sm.registers) + " registers of an SM");
    }
  }

  void check_shared() {
    const SharedSpec& shared = profile_.shared;
    if (!shared.per_cta.is_unlimited() && !shared.capacity.admits(shared.per_cta.value() + shared.reserved_per_cta)) {
      refuse("shared.per_cta", to_text(shared.per_cta) + " and the " + to_text(shared.reserved_per_cta) +
                                   " the system takes are more than an SM's " + to_text(shared.capacity));
    }
  }

  void check_l1(const L1Spec& l1) {
    if (l1.capacity.is_unlimited()) return;
    const Limited<Bytes>& shared = profile_.shared.capacity;
    if (shared.is_unlimited() || shared.value() > l1.capacity.value()) {
      refuse("shared.capacity", to_text(shared) + ", but it is a part of l1.capacity, " + to_text(l1.capacity));
    }
    if (!l1.capacity.admits(Bytes(l1.ways * line_bytes))) {
      refuse("l1.ways", "the lines of one set need more than l1.capacity, " + to_text(l1.capacity));
    }
  }

  void check_l2(const L2Spec& l2) {
    if (!l2.capacity.admits(Bytes(l2.slices * l2.ways * line_bytes))) {
      refuse("l2.ways", "one set in each of " + to_text(l2.slices) + " slices needs more than l2.capacity, " +
                            to_text(l2.capacity));
    }
    if (!is_power_of_two(l2.fetch_bytes.count())) {
      refuse("l2.fetch_bytes", to_text(l2.fetch_bytes) + " are no sector, two of them, or a line: 32, 64 or 128 bytes");
    }
    const std::int64_t stripe = l2.stripe_bytes.count();
    if (stripe != 0 && (stripe < line_bytes || !is_power_of_two(stripe))) {
      refuse("l2.stripe_bytes", to_text(l2.stripe_bytes) + " are no power of two from a line's 128 bytes on, nor 0");
    }
    if (l2.slices % l2.partitions != 0) {
      refuse("l2.partitions", "the " + to_text(l2.slices) + " slices cannot be shared out evenly");
    }
    const std::int64_t channels = profile_.dram.channels;
    if (channels > l2.slices && channels % l2.slices != 0) {
      refuse("dram.channels", "more than the " + to_text(l2.slices) + " L2 slices, and no multiple of them");
    }
  }

  void check_dram() {
    const DramSpec& dram = profile_.dram;
    if (!is_power_of_two(dram.interleaved_groups)) {
      refuse("dram.interleaved_groups",
             to_text(dram.interleaved_groups) + " do not take turns in four groups; 1, 2 and 4 do");
    } else if (dram.interleaved_groups < bank_groups && dram.banks % bank_groups != 0) {
      refuse("dram.interleaved_groups", to_text(dram.banks) + " banks make no four groups; 4 would do");
    }
    if (dram.refresh_interval_ns > 0 && dram.refresh_ns >= dram.refresh_interval_ns) {
      refuse("dram.refresh_ns", "leaves no time before the next, " + to_text(dram.refresh_interval_ns) + " ns later");
    }
  }

  void check_tensor() {
    const auto same = [](const TensorModeSpec& a, const TensorModeSpec& b) {
      return a.input == b.input && a.accumulate == b.accumulate && a.sparse == b.sparse && a.m == b.m && a.n == b.n &&
             a.k == b.k;
    };
    const auto& modes = profile_.tensor.modes;
    for (std::size_t i = 0; i < modes.size(); ++i) {
      const std::string key = "tensor.modes." + std::to_string(i);
      const TensorModeSpec& mode = modes[i];
      if (mode.fma_per_clk.per_cycle() > mode.peak_fma_per_clk.per_cycle()) {
        refuse(key + ".fma_per_clk", "more than peak_fma_per_clk, " + to_text(mode.peak_fma_per_clk));
      }
      if (std::any_of(modes.data(), &mode, [&](const TensorModeSpec& other) { return same(mode, other); })) {
        refuse(key, to_text(mode.input) + ", " + to_text(mode.accumulate) + " is given twice in this shape");
      }
    }
  }

  void check_power(const PowerSpec& power) {
    if (power.static_w >= power.limit_w)
      refuse("power.static_w", "leaves nothing of power.limit_w, " + to_text(power.limit_w) + " W");
    if (power.max_mhz != 0 && power.max_mhz < profile_.clock.boost_mhz)
      refuse("power.max_mhz",
             "below clock.boost_mhz, " + to_text(profile_.clock.boost_mhz) + " MHz; 0 is the same clock");
    if (power.floor_mhz > power.voltage_mhz)
      refuse("power.floor_mhz", "above power.voltage_mhz, " + to_text(power.voltage_mhz) + " MHz");
  }

  const Profile& profile_;
  std::vector<Problem> problems_;
};

}  // namespace
}  // namespace profile_detail

std::vector<Problem> check(const Profile& profile) { return profile_detail::Checker(profile).run(); }

}  // namespace gpusim
