#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "gpusim/spec/field.h"
#include "gpusim/units.h"

namespace gpusim {

/// When a warp may begin its next operation.
enum class IssueMode : std::uint8_t {
  scoreboard,  ///< when the registers it reads are there
  serial,  ///< textbook: when all it began before of another kind is complete (asynchronous copies, overhead excepted)
};
[[nodiscard]] constexpr std::array<std::string_view, 2> spec_names(IssueMode) { return {"scoreboard", "serial"}; }

/// Which of the ready warps of a sub-partition issues.
enum class SchedulerPolicy : std::uint8_t {
  gto,  ///< greedy then oldest: the last one again, else the oldest
  lrr,  ///< loose round robin: the next ready one in turn
};
[[nodiscard]] constexpr std::array<std::string_view, 2> spec_names(SchedulerPolicy) { return {"gto", "lrr"}; }

/// The streaming multiprocessor: how many, and what a CTA must fit into.
struct SmSpec {
  std::int64_t count = 1;
  std::int64_t sms_per_tpc = 1;
  std::int64_t gpcs = 1;
  std::int64_t tpcs_per_cpc = 0;
  std::int64_t sub_partitions = 4;
  IssueMode issue = IssueMode::scoreboard;
  SchedulerPolicy scheduler = SchedulerPolicy::gto;
  Rate issue_per_clk;
  Limited<std::int64_t> warps;
  Limited<std::int64_t> ctas;
  Limited<std::int64_t> registers;
  std::int64_t registers_per_thread = 255;
  std::int64_t register_granule = 256;
  Rate register_bank_operands_per_clk;

  template <class Visitor>
  static void fields(Visitor&& visit) {
    visit(Field{"count", "Streaming multiprocessors of the GPU.", "", 1, 4096}, &SmSpec::count);
    visit(Field{"sms_per_tpc", "SMs of a texture processing cluster (TPC); consecutive SM ids share one.", "", 1, 64},
          &SmSpec::sms_per_tpc);
    visit(Field{"gpcs", "Graphics processing clusters (GPCs); consecutive TPCs go to different ones.", "", 1, 256},
          &SmSpec::gpcs);
    visit(Field{"tpcs_per_cpc", "TPCs of a compute processing cluster (CPC) within a GPC; 0: the GPU has none.", "", 0,
                64},
          &SmSpec::tpcs_per_cpc);
    visit(Field{"sub_partitions", "Sub-partitions of an SM, each with a warp scheduler, issue port and pipes.", "", 1,
                16},
          &SmSpec::sub_partitions);
    visit(Field{"issue", "When a warp may begin its next operation."}, &SmSpec::issue);
    visit(Field{"scheduler", "Which ready warp issues."}, &SmSpec::scheduler);
    visit(Field{"issue_per_clk", "Instructions a sub-partition issues.", "instructions/clk"}, &SmSpec::issue_per_clk);
    visit(Field{"warps", "Resident warps an SM holds.", "", 1, 4096}, &SmSpec::warps);
    visit(Field{"ctas", "Resident CTAs an SM holds.", "", 1, 4096}, &SmSpec::ctas);
    visit(Field{"registers", "32-bit registers of an SM.", "", 1, 1 << 24}, &SmSpec::registers);
    visit(Field{"registers_per_thread", "Most registers a thread may have.", "", 1, 4096},
          &SmSpec::registers_per_thread);
    visit(Field{"register_granule", "Registers are given to a warp in multiples of this.", "", 1, 65536},
          &SmSpec::register_granule);
    visit(
        Field{"register_bank_operands_per_clk",
              "Operands of 32 bits a lane that each of a sub-partition's two register banks delivers.", "operands/clk"},
        &SmSpec::register_bank_operands_per_clk);
  }
};

}  // namespace gpusim
