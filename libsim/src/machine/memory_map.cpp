#include "machine/memory_map.h"

#include <algorithm>

namespace gpusim::machine {
namespace {

constexpr std::int64_t alignment = 512;

}  // namespace

MemoryMap::MemoryMap(std::span<const Schedule> schedules, const RunOptions& options) {
  std::vector<Problem> problems;
  for (const Schedule& schedule : schedules)
    for (const Buffer& buffer : schedule.buffers) {
      const auto known =
          std::find_if(regions_.begin(), regions_.end(), [&](const Region& r) { return r.name == buffer.name; });
      if (known == regions_.end()) {
        regions_.push_back({buffer.name, buffer, end_, options.l2});
        end_ += (size_of(buffer).count() + alignment - 1) / alignment * alignment;
      } else if (!(known->shape == buffer)) {
        problems.push_back(
            {schedule.name, "buffer " + buffer.name + " has another shape or type in an earlier schedule of the run"});
      }
    }
  for (const auto& [name, state] : options.l2_by_buffer) {
    const auto region = std::find_if(regions_.begin(), regions_.end(),
                                     [&, &wanted = name](const Region& r) { return r.name == wanted; });
    if (region != regions_.end()) {
      region->before = state;
      continue;
    }
    std::string names;
    for (const Region& r : regions_) names += (names.empty() ? "" : ", ") + r.name;
    problems.push_back({"l2", "no buffer is called " + name + "; there are " + names});
  }
  if (!problems.empty()) throw ScheduleError(std::move(problems));
}

std::int64_t MemoryMap::address_of(const std::string& name) const {
  const auto region = std::find_if(regions_.begin(), regions_.end(), [&](const Region& r) { return r.name == name; });
  if (region == regions_.end()) throw std::logic_error("no region for buffer " + name);
  return region->address;
}

}  // namespace gpusim::machine
