// What an SM needs to know of the profile, with rates in SM cycles and latencies split. Built by machine/configure.h.
#pragma once

#include <array>
#include <cstdint>

#include "gpusim/program.h"
#include "gpusim/spec/sm.h"
#include "gpusim/units.h"
#include "messages.h"

namespace gpusim::sm {

/// From an instruction's turn at the load-store unit to the reading of its source registers, and what a uniform address
/// saves of a load's latency.
struct ReadLatency {
  Cycles load;
  Cycles store;
  Cycles copy;
  Cycles global_address;
  Cycles global_store_address;
  Cycles shared_store_address;
  Cycles global_uniform;
  Cycles shared_uniform;
  Cycles constant;
};

struct SmConfig {
  int sub_partitions = 4;
  IssueMode issue = IssueMode::scoreboard;
  SchedulerPolicy scheduler = SchedulerPolicy::gto;
  Rate issue_rate;  ///< instructions, of a sub-partition
  std::array<Rate, pipe_count>
      pipes;  ///< of a sub-partition: warp instructions; tensor: parts of a cycle (machine/rates.h)

  Rate register_bank_rate;  ///< operands, of each bank

  Cycles mma_reissue;
  Cycles wgmma_interval;

  Limited<std::int64_t> queue;  ///< memory instructions a sub-partition may have waiting, shared and global each
  Rate address_rate;            ///< instructions, of a sub-partition
  Rate accept_rate;             ///< instructions, of the SM
  Rate data_rate;               ///< wavefronts of the banks
  Rate bulk_write_rate;         ///< wavefronts of bulk copies into shared memory
  Rate l1_rate;                 ///< bytes of global accesses
  int tag_banks = 0;            ///< 0: lookups cost nothing
  Rate writeback_rate;          ///< registers of a warp, of the SM
  Rate register_rate;           ///< bytes between a sub-partition's registers and the memory pipeline
  ReadLatency read;

  Cycles shared_latency;
  Cycles store_latency;
  Cycles conflict_latency;  ///< of each wavefront beyond the fewest possible

  bool has_l1 = false;
  std::int64_t l1_ways = 4;
  Cycles l1_latency;
  Limited<std::int64_t> miss_lines;

  Cycles copy_overhead;  ///< cp.async
  Rate bulk_rate;        ///< copies
  Rate bulk_bytes_rate;
  Rate bulk_copy_rate;  ///< bytes of one copy
  Rate bulk_rows_rate;
  Limited<std::int64_t> bulk_queue;
  Limited<std::int64_t> bulk_stored_lines;
  Cycles bulk_overhead;
  Cycles bulk_tensor_overhead;
  Cycles bulk_dimension_overhead;

  Rate warp_start_rate;  ///< warps of a starting CTA
  Cycles own_latency;    ///< own shared memory through the cluster's window

  Cycles barrier_latency;
  Cycles barrier_per_warp;
  Cycles mbarrier_latency;
  Cycles code_latency;                 ///< of a new run of code
  Rate code_rate = Rate::unlimited();  ///< bytes of code

  Cycles fence;  ///< membar.gl, when all stores have been acknowledged

  Rate port_in_rate;    ///< bytes
  Rate port_out_rate;   ///< bytes
  Bytes request_bytes;  ///< of a line's request, on the way out
  BorderLatency border;
  int burst = max_burst;  ///< lines a request may have
};

}  // namespace gpusim::sm
