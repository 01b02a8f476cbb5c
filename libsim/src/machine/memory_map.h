// Where the buffers of a run lie in global memory, and what L2 holds of them before.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fabric/address_map.h"
#include "gpusim/run_options.h"
#include "gpusim/schedule.h"

namespace gpusim::machine {

class MemoryMap {
 public:
  /// Places each buffer once: equal names are the same memory. `slices` is how addresses are spread. Throws
  /// ScheduleError when buffers of one name differ in shape or `options` name a buffer no schedule has.
  MemoryMap(std::span<const Schedule> schedules, const RunOptions& options,
            fabric::AddressMap slices = fabric::AddressMap(1, 1));

  struct Region {
    std::string name;
    Buffer shape;
    std::int64_t address = 0;  ///< a multiple of 512
    L2State before = L2State::cold;
  };
  /// In order of first appearance.
  [[nodiscard]] const std::vector<Region>& regions() const { return regions_; }
  [[nodiscard]] std::int64_t address_of(const std::string& name) const { return region_of(name).address; }
  /// Where a row begins, for a buffer whose rows do not lie a pitch apart; else empty. Such a buffer has one layer.
  /// The function needs the map.
  [[nodiscard]] std::function<std::int64_t(std::int64_t)> row_address(const std::string& name) const {
    return row_address(region_of(name));
  }
  [[nodiscard]] std::function<std::int64_t(std::int64_t)> row_address(const Region& region) const;
  [[nodiscard]] std::int64_t bytes() const { return end_; }
  /// Of them those that the buffers take, without what lies between their rows.
  [[nodiscard]] std::int64_t used_bytes() const;

 private:
  [[nodiscard]] const Region& region_of(const std::string& name) const;
  [[nodiscard]] std::int64_t extent(const Buffer& buffer) const;

  fabric::AddressMap slices_;
  std::vector<Region> regions_;
  std::int64_t end_ = 0;
};

}  // namespace gpusim::machine
