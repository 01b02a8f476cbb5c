#pragma once

#include "gpusim/spec/field.h"
#include "gpusim/units.h"

namespace gpusim {

/// The crossbar between SMs and L2 slices. Head-of-line blocking inside it is not modelled.
struct CrossbarSpec {
  Rate sm_read_bytes_per_clk;
  Rate sm_write_bytes_per_clk;
  Bytes request_bytes{8};

  template <class Visitor>
  static void fields(Visitor&& visit) {
    visit(Field{"sm_read_bytes_per_clk", "Data an SM's port receives.", "B/clk"}, &CrossbarSpec::sm_read_bytes_per_clk);
    visit(Field{"sm_write_bytes_per_clk", "Data an SM's port sends: requests and stored data.", "B/clk"},
          &CrossbarSpec::sm_write_bytes_per_clk);
    visit(Field{"request_bytes", "What the request of one line takes of the port that sends it.", "bytes", 0, 4096},
          &CrossbarSpec::request_bytes);
  }
};

}  // namespace gpusim
