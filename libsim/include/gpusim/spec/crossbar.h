#pragma once

#include "gpusim/spec/field.h"
#include "gpusim/units.h"

namespace gpusim {

/// The crossbar between SMs and L2 slices: a port for each SM, and one that the SMs of a TPC, CPC and GPC share.
/// Head-of- line blocking inside it is not modelled.
struct CrossbarSpec {
  Rate sm_read_bytes_per_clk;
  Rate sm_write_bytes_per_clk;
  Rate tpc_read_bytes_per_clk = Rate::unlimited();
  Rate tpc_write_bytes_per_clk = Rate::unlimited();
  Rate cpc_read_bytes_per_clk = Rate::unlimited();
  Rate cpc_write_bytes_per_clk = Rate::unlimited();
  Rate gpc_read_bytes_per_clk = Rate::unlimited();
  Rate gpc_write_bytes_per_clk = Rate::unlimited();
  Bytes request_bytes{8};
  std::int64_t coalescer_lines = 0;
  std::int64_t coalescer_reads = 1;

  template <class Visitor>
  static void fields(Visitor&& visit) {
    visit(Field{"sm_read_bytes_per_clk", "Data an SM's port receives.", "B/clk"}, &CrossbarSpec::sm_read_bytes_per_clk);
    visit(Field{"sm_write_bytes_per_clk", "Data an SM's port sends: requests and stored data.", "B/clk"},
          &CrossbarSpec::sm_write_bytes_per_clk);
    visit(Field{"tpc_read_bytes_per_clk", "Data the port of a TPC's SMs receives.", "B/clk"},
          &CrossbarSpec::tpc_read_bytes_per_clk);
    visit(Field{"tpc_write_bytes_per_clk", "Data it sends.", "B/clk"}, &CrossbarSpec::tpc_write_bytes_per_clk);
    visit(Field{"cpc_read_bytes_per_clk", "Data the port of a CPC's SMs receives.", "B/clk"},
          &CrossbarSpec::cpc_read_bytes_per_clk);
    visit(Field{"cpc_write_bytes_per_clk", "Data it sends.", "B/clk"}, &CrossbarSpec::cpc_write_bytes_per_clk);
    visit(Field{"gpc_read_bytes_per_clk", "Data the port of a GPC's SMs receives.", "B/clk"},
          &CrossbarSpec::gpc_read_bytes_per_clk);
    visit(Field{"gpc_write_bytes_per_clk", "Data it sends.", "B/clk"}, &CrossbarSpec::gpc_write_bytes_per_clk);
    visit(Field{"request_bytes", "What the request of one line takes of the port that sends it.", "bytes", 0, 4096},
          &CrossbarSpec::request_bytes);
    visit(
        Field{"coalescer_lines", "Lines on their way to a GPC that its L2 request coalescer remembers; 0: it has none.",
              "lines", 0, 65536},
        &CrossbarSpec::coalescer_lines);
    visit(Field{"coalescer_reads", "Reads of such a line by the GPC's SMs that it answers with one.", "reads", 1, 1024},
          &CrossbarSpec::coalescer_reads);
  }
};

}  // namespace gpusim
