// What an SM needs to know of the profile, with rates in SM cycles and latencies split. Built by machine/configure.h.
#pragma once

#include <array>
#include <cstdint>

#include "gpusim/program.h"
#include "gpusim/spec/sm.h"
#include "gpusim/units.h"
#include "messages.h"

namespace gpusim::sm {

struct SmConfig {
  int sub_partitions = 4;
  IssueMode issue = IssueMode::scoreboard;
  SchedulerPolicy scheduler = SchedulerPolicy::gto;
  Rate issue_rate;  ///< instructions, of a sub-partition
  std::array<Rate, pipe_count>
      pipes;  ///< of a sub-partition: warp instructions; tensor: parts of a cycle (machine/rates.h)

  Limited<std::int64_t> queue;  ///< memory instructions a sub-partition may have waiting, shared and global each
  Rate address_rate;            ///< instructions, of a sub-partition
  Rate accept_rate;             ///< instructions, of the SM
  Rate data_rate;               ///< wavefronts of the banks
  Rate tag_rate;                ///< lines
  Rate l1_rate;                 ///< bytes of global accesses

  Cycles shared_latency;
  Cycles store_latency;

  bool has_l1 = false;
  std::int64_t l1_ways = 4;
  Cycles l1_latency;
  Limited<std::int64_t> miss_lines;

  Cycles copy_overhead;  ///< cp.async
  Rate bulk_rate;        ///< copies
  Rate bulk_bytes_rate;
  Limited<std::int64_t> bulk_queue;
  Cycles bulk_overhead;

  Cycles barrier_latency;
  Cycles barrier_per_warp;
  Cycles mbarrier_latency;

  Rate port_in_rate;    ///< bytes
  Rate port_out_rate;   ///< bytes
  Bytes request_bytes;  ///< of a line's request, on the way out
  BorderLatency border;
  int burst = max_burst;  ///< lines a request may have
};

}  // namespace gpusim::sm
