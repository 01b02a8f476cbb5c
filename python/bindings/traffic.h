// The counts of Traffic, one list for attributes and sums.
#pragma once

#include <array>
#include <cstdint>

#include "gpusim/result.h"

namespace bindings {

struct TrafficCount {
  const char* name;
  std::int64_t gpusim::Traffic::*pointer;
  const char* doc;
};

inline constexpr std::array traffic_counts{
    TrafficCount{"global_load_bytes", &gpusim::Traffic::global_load_bytes,
                 "Distinct bytes the programs' loads and copies ask for, instruction by instruction."},
    TrafficCount{"global_store_bytes", &gpusim::Traffic::global_store_bytes, "Bytes stored to global memory."},
    TrafficCount{"shared_load_bytes", &gpusim::Traffic::shared_load_bytes, "Bytes loaded from shared memory."},
    TrafficCount{"shared_store_bytes", &gpusim::Traffic::shared_store_bytes,
                 "Bytes stored to shared memory, including what copies write."},
    TrafficCount{"l1_read_sectors", &gpusim::Traffic::l1_read_sectors, "32-byte sectors looked up by loads."},
    TrafficCount{"l1_hit_sectors", &gpusim::Traffic::l1_hit_sectors, "Of these, found."},
    TrafficCount{"l2_read_sectors", &gpusim::Traffic::l2_read_sectors,
                 "Sectors asked of L2 (of DRAM where there is no L2)."},
    TrafficCount{"l2_hit_sectors", &gpusim::Traffic::l2_hit_sectors, "Of these, found or already on their way."},
    TrafficCount{"l2_coalesced_sectors", &gpusim::Traffic::l2_coalesced_sectors,
                 "Of these, answered by a GPC's request coalescer: no slice was asked."},
    TrafficCount{"l2_far_sectors", &gpusim::Traffic::l2_far_sectors,
                 "Of those asked for, sent for to the other partition of L2: looked up in both."},
    TrafficCount{"l2_delivered_sectors", &gpusim::Traffic::l2_delivered_sectors, "Sectors that reached an SM."},
    TrafficCount{"l2_write_sectors", &gpusim::Traffic::l2_write_sectors, "Sectors written to L2."},
    TrafficCount{"dram_read_bytes", &gpusim::Traffic::dram_read_bytes, "Bytes read from DRAM."},
    TrafficCount{"dram_write_bytes", &gpusim::Traffic::dram_write_bytes,
                 "Bytes written back to DRAM during the run; what stays dirty in L2 is not."},
    TrafficCount{"shared_wavefronts", &gpusim::Traffic::shared_wavefronts,
                 "Passes over the banks of shared memory, and of bulk copies beside them."},
    TrafficCount{"shared_ideal_wavefronts", &gpusim::Traffic::shared_ideal_wavefronts,
                 "Passes there would be without bank conflicts."},
};
static_assert(sizeof(gpusim::Traffic) == traffic_counts.size() * sizeof(std::int64_t), "a count is missing");

}  // namespace bindings
