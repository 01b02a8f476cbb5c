#pragma once

#include <cstdint>

#include "gpusim/spec/field.h"
#include "gpusim/units.h"

namespace gpusim {

/// cp.async: 4 to 16 bytes a lane from global to shared memory, past the registers.
struct AsyncCopySpec {
  Cycles overhead;

  template <class Visitor>
  static void fields(Visitor&& visit) {
    visit(Field{"overhead", "Cycles from the data's arrival at the SM to the group's completion, beyond a load's.",
                "cycles", 0, 100'000},
          &AsyncCopySpec::overhead);
  }
};

/// The tensor memory accelerator: one instruction copies a box, completing on an mbarrier.
struct TmaSpec {
  Rate copies_per_clk;
  Rate bytes_per_clk;
  Limited<std::int64_t> queue;
  Limited<std::int64_t> stored_lines;
  Cycles overhead;
  Rate copy_bytes_per_clk = Rate::unlimited();
  Rate rows_per_clk = Rate::unlimited();
  Rate write_bytes_per_clk = Rate::unlimited();
  Cycles tensor_overhead;
  Cycles dimension_overhead;

  template <class Visitor>
  static void fields(Visitor&& visit) {
    visit(Field{"copies_per_clk", "Bulk copies an SM's engine begins.", "copies/clk"}, &TmaSpec::copies_per_clk);
    visit(Field{"bytes_per_clk", "Bytes an SM's engine asks for.", "B/clk"}, &TmaSpec::bytes_per_clk);
    visit(Field{"queue", "Bulk copies an SM's engine may hold.", "", 1, 4096}, &TmaSpec::queue);
    visit(Field{"stored_lines", "Lines of bulk stores an SM's engine may have on their way.", "", 16},
          &TmaSpec::stored_lines);
    visit(Field{"overhead", "Fixed cost of a bulk copy beyond a load's latency.", "cycles", 0, 100'000},
          &TmaSpec::overhead);
    visit(Field{"copy_bytes_per_clk",
                "Bytes the engine asks for of one copy without a tensor map; several in flight add up.", "B/clk"},
          &TmaSpec::copy_bytes_per_clk);
    visit(Field{"rows_per_clk", "Rows of a box an SM's engine walks, however short.", "rows/clk"},
          &TmaSpec::rows_per_clk);
    visit(Field{"write_bytes_per_clk",
                "Bytes of bulk copies that shared memory takes in, beside what else its banks serve.", "B/clk"},
          &TmaSpec::write_bytes_per_clk);
    visit(Field{"tensor_overhead", "What a copy described by a tensor map takes beyond a plain bulk copy.", "cycles", 0,
                100'000},
          &TmaSpec::tensor_overhead);
    visit(Field{"dimension_overhead", "What each dimension of the tensor map beyond the first adds.", "cycles", 0,
                100'000},
          &TmaSpec::dimension_overhead);
  }
};

}  // namespace gpusim
