// L2 slices and DRAM channels: serves the lines of requests.
//
// Each line takes its own place at its slice, and on a miss at its channel. Reads fetch whole sectors; writes go to L2
// chunk by chunk without fetching, and are written back when their line is evicted (a sector written in part is read
// first). A channel serves in the order requests come.
#pragma once

#include <cstdint>
#include <vector>

#include "core/server.h"
#include "fabric/address_map.h"
#include "fabric/config.h"
#include "fabric/l2_tags.h"
#include "gpusim/receipt.h"
#include "messages.h"

namespace gpusim::fabric {

struct MemoryCounters {
  std::int64_t read_sectors = 0;
  std::int64_t hit_sectors = 0;
  std::int64_t write_sectors = 0;
  std::int64_t dram_read_bytes = 0;
  std::int64_t dram_write_bytes = 0;
};

class MemorySide {
 public:
  explicit MemorySide(const FabricConfig& config);

  struct Served {
    Cycle first;  ///< the first line's data leaves the slice
    Cycle last;   ///< the last one's
    std::int64_t sectors = 0;
    HopTime l2;  ///< of the last line
    HopTime dram;
  };
  Served read(const Request& request, Cycle at);
  /// When the last line is in L2.
  Cycle write(const Request& request, Cycle at);

  /// L2 has been given the whole line before the run.
  void touch(std::uint64_t line);

  /// Counts since the last call.
  MemoryCounters take_counters();
  std::vector<core::Server>& slices() { return slices_; }
  std::vector<core::Server>& channels() { return channels_; }

 private:
  struct LineTime {
    Cycle ready;
    HopTime l2;
    HopTime dram;
  };
  LineTime read_line(const LineChunks& line, AddressMap::Place place, Cycle at);
  Cycle write_line(const LineChunks& line, Cycle at);
  void write_back(std::size_t slice, const L2Line& line, Cycle at);

  FabricConfig config_;
  AddressMap map_;
  L2Tags tags_;
  std::vector<core::Server> slices_;
  std::vector<core::Server> channels_;
  MemoryCounters counters_;
};

}  // namespace gpusim::fabric
