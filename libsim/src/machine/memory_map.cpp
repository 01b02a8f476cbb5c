#include "machine/memory_map.h"

#include <algorithm>

namespace gpusim::machine {
namespace {

constexpr std::int64_t alignment = 512;
constexpr std::int64_t bytes_per_line = 128;
constexpr auto lines_per_slice = static_cast<std::int64_t>(fabric::AddressMap::lines_per_slice);

std::int64_t bits_of(std::int64_t rows) {
  std::int64_t bits = 0;
  while ((std::int64_t{1} << bits) < rows) ++bits;
  return bits;
}

/// A pseudo-random order of 2^bits rows: rounds of odd multiplication and folding, each a bijection.
std::int64_t shuffled(std::int64_t row, std::int64_t bits) {
  if (bits == 0) return row;
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  auto value = static_cast<std::uint64_t>(row);
  for (const std::uint64_t factor : {0x9E3779B97F4A7C15U, 0xBF58476D1CE4E5B9U, 0x94D049BB133111EBU}) {
    value = (value * factor) & mask;
    value ^= value >> ((bits + 1) / 2);
  }
  return static_cast<std::int64_t>(value);
}

}  // namespace

MemoryMap::MemoryMap(std::span<const Schedule> schedules, const RunOptions& options, fabric::AddressMap slices)
    : slices_(std::move(slices)) {
  std::vector<Problem> problems;
  for (const Schedule& schedule : schedules)
    for (const Buffer& buffer : schedule.buffers) {
      const auto known =
          std::find_if(regions_.begin(), regions_.end(), [&](const Region& r) { return r.name == buffer.name; });
      if (known == regions_.end()) {
        regions_.push_back({buffer.name, buffer, end_, options.l2});
        end_ += (extent(buffer) + alignment - 1) / alignment * alignment;
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

const MemoryMap::Region& MemoryMap::region_of(const std::string& name) const {
  const auto region = std::find_if(regions_.begin(), regions_.end(), [&](const Region& r) { return r.name == name; });
  if (region == regions_.end()) throw std::logic_error("no region for buffer " + name);
  return *region;
}

std::int64_t MemoryMap::used_bytes() const {
  std::int64_t used = end_;
  for (const Region& region : regions_) used -= (span_of(region.shape) - size_of(region.shape)).count();
  return used;
}

/// Bytes of address space: what lies between the lines of one slice included.
std::int64_t MemoryMap::extent(const Buffer& buffer) const {
  if (buffer.placement != Placement::one_slice) return span_of(buffer).count();
  const std::int64_t blocks = buffer.rows * buffer.layers / lines_per_slice + 1;
  return (blocks + 1) * slices_.block_lines() * bytes_per_line;  // it may begin within a block, which it leaves
}

std::function<std::int64_t(std::int64_t)> MemoryMap::row_address(const Region& region) const {
  const std::int64_t pitch = region.shape.pitch * size_of(region.shape.dtype);
  const std::int64_t address = region.address;
  switch (region.shape.placement) {
    case Placement::linear:
      return {};
    case Placement::shuffled:
      return [address, pitch, bits = bits_of(region.shape.rows)](std::int64_t row) {
        return address + shuffled(row, bits) * pitch;
      };
    case Placement::one_slice: {
      const std::int64_t first = (address / bytes_per_line / slices_.block_lines() + 1) * lines_per_slice;
      const auto slice = static_cast<std::size_t>(region.shape.slice % slices_.slices());
      return [map = &slices_, first, slice](std::int64_t row) {
        return static_cast<std::int64_t>(map->line_of(slice, static_cast<std::uint64_t>(first + row))) * bytes_per_line;
      };
    }
  }
  throw std::logic_error("a placement without addresses");
}

}  // namespace gpusim::machine
