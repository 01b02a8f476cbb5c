#pragma once

#include <cstdint>

#include "gpusim/spec/field.h"
#include "gpusim/units.h"

namespace gpusim {

/// The way from a sub-partition to the memory pipeline and back. An instruction's source registers are read some cycles
/// after its issue: until then they may not be overwritten (write after read), and its place in the queue is taken.
struct LsuSpec {
  Limited<std::int64_t> queue;
  Rate issue_per_clk;
  Rate accept_per_clk;
  Rate register_bytes_per_clk = Rate::unlimited();
  Rate writeback_bytes_per_clk = Rate::unlimited();
  Cycles load_read;
  Cycles store_read;
  Cycles copy_read;
  Cycles global_address_read;
  Cycles global_store_address_read;
  Cycles shared_store_address_read;
  Cycles global_uniform_saving;
  Cycles shared_uniform_saving;
  Cycles constant_read;
  Cycles constant_latency;
  Cycles constant_indexed_latency;

  template <class Visitor>
  static void fields(Visitor&& visit) {
    visit(Field{"queue", "Memory instructions a sub-partition may have waiting for the SM's load-store unit.", "", 1,
                4096},
          &LsuSpec::queue);
    visit(Field{"issue_per_clk", "Address generation of a sub-partition.", "instructions/clk"},
          &LsuSpec::issue_per_clk);
    visit(Field{"accept_per_clk", "Instructions the SM's load-store unit accepts.", "instructions/clk"},
          &LsuSpec::accept_per_clk);
    visit(
        Field{"register_bytes_per_clk",
              "Data between a sub-partition's registers and the memory pipeline, each way; wide loads and stores take "
              "longer by it.",
              "B/clk"},
        &LsuSpec::register_bytes_per_clk);
    visit(Field{"writeback_bytes_per_clk",
                "Data from the SM's load-store unit to its sub-partitions' registers: every lane's own, though all ask "
                "for one address.",
                "B/clk"},
          &LsuSpec::writeback_bytes_per_clk);
    visit(
        Field{"load_read", "Issue of a load to its address registers' being read, uniform address.", "cycles", 0, 1000},
        &LsuSpec::load_read);
    visit(Field{"store_read", "The same of a store, before the data's own transfer.", "cycles", 0, 1000},
          &LsuSpec::store_read);
    visit(Field{"copy_read", "The same of cp.async, addresses in lanes' registers.", "cycles", 0, 1000},
          &LsuSpec::copy_read);
    visit(Field{"global_address_read", "What 64-bit addresses in lanes' registers add to a global load's.", "cycles", 0,
                1000},
          &LsuSpec::global_address_read);
    visit(Field{"global_store_address_read", "The same for a global store.", "cycles", 0, 1000},
          &LsuSpec::global_store_address_read);
    visit(Field{"shared_store_address_read", "What addresses in lanes' registers add to a shared store's.", "cycles", 0,
                1000},
          &LsuSpec::shared_store_address_read);
    visit(Field{"global_uniform_saving", "How much sooner a global load with a uniform address is complete.", "cycles",
                0, 1000},
          &LsuSpec::global_uniform_saving);
    visit(Field{"shared_uniform_saving", "The same of a shared load.", "cycles", 0, 1000},
          &LsuSpec::shared_uniform_saving);
    visit(Field{"constant_read", "Issue of a constant load to its address' being read.", "cycles", 0, 1000},
          &LsuSpec::constant_read);
    visit(Field{"constant_latency", "Constant load to use, immediate address.", "cycles", 0, 1000},
          &LsuSpec::constant_latency);
    visit(Field{"constant_indexed_latency", "Constant load to use, address in a register.", "cycles", 0, 1000},
          &LsuSpec::constant_indexed_latency);
  }
};

}  // namespace gpusim
