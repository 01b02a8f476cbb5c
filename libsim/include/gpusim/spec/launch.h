#pragma once

#include <cstdint>

#include "gpusim/spec/field.h"
#include "gpusim/units.h"

namespace gpusim {

/// Launching kernels and CTAs. CTA start and exit cross the border between SM and fabric: at least one cycle each.
struct LaunchSpec {
  Cycles cta_start{1};
  Cycles cta_exit{1};
  Rate ctas_per_clk;
  Rate warps_per_clk = Rate::unlimited();
  std::int64_t kernel_ns = 0;
  std::int64_t gap_ns = 0;
  std::int64_t graph_gap_ns = 0;
  std::int64_t trace_ns = 0;

  template <class Visitor>
  static void fields(Visitor&& visit) {
    visit(Field{"cta_start", "Dispatcher's decision to the CTA's first cycle.", "cycles", 1, 1'000'000},
          &LaunchSpec::cta_start);
    visit(Field{"cta_exit", "Last warp's exit to the dispatcher's knowing it.", "cycles", 1, 1'000'000},
          &LaunchSpec::cta_exit);
    visit(Field{"ctas_per_clk", "CTAs the dispatcher starts.", "CTAs/clk"}, &LaunchSpec::ctas_per_clk);
    visit(Field{"warps_per_clk", "Warps of a starting CTA that an SM sets up; the first begins at once.", "warps/clk"},
          &LaunchSpec::warps_per_clk);
    visit(Field{"kernel_ns", "Launch of a kernel to its first CTA's start; reported beside the cycles.", "ns"},
          &LaunchSpec::kernel_ns);
    visit(Field{"gap_ns", "End of a kernel to the start of the next of its stream; reported beside the cycles.", "ns"},
          &LaunchSpec::gap_ns);
    visit(Field{"graph_gap_ns", "The same between kernels of a CUDA graph.", "ns"}, &LaunchSpec::graph_gap_ns);
    visit(Field{"trace_ns", "What a kernel trace has of a kernel beside its cycles; reported in none of them.", "ns"},
          &LaunchSpec::trace_ns);
  }
};

}  // namespace gpusim
