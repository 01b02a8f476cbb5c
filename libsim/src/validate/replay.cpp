#include "validate/replay.h"

#include <algorithm>
#include <map>

namespace gpusim::validate {
namespace {

constexpr std::int64_t turns = 3;

/// Fitted: how long L2 writes to DRAM what a kernel left that overwrote it, before the next one's first reads come. An
/// event lies between the two. On 54 kernels and 52 products timed by do_bench and its like, on V100, A100, RTX 3090
/// and H100: 19.6 and 19.5 % off with 0, 11.2 and 16.1 with 5, 9.8 and 14.3 with 8, 10.7 and 13.3 with 11 us.
constexpr std::int64_t written_after_clearing_ns = 8000;

/// Shares of the capacity, in percent. Runs over and over through more and more bytes (L40S; A100 and H100, whose L2
/// has two halves) find all of them up to the one, and nothing from the other on.
struct Shares {
  std::int64_t all, nothing;
};
constexpr Shares of_one_part{93, 115};
constexpr Shares of_halves{60, 95};

void rename(Schedule& kernel, const std::string& suffix) {
  for (Buffer& buffer : kernel.buffers) buffer.name += suffix;
}

}  // namespace

bool has_bounded_l2(const Profile& profile) { return profile.l2 && !profile.l2->capacity.is_unlimited(); }

Residence residence(std::int64_t bytes, const Profile& profile) {
  if (!has_bounded_l2(profile)) return Residence::all;
  constexpr std::int64_t percent_of_one = 100;
  const Shares shares = profile.l2->partitions > 1 ? of_halves : of_one_part;
  const std::int64_t capacity = profile.l2->capacity.value().count();
  if (bytes * percent_of_one <= capacity * shares.all) return Residence::all;
  return bytes * percent_of_one < capacity * shares.nothing ? Residence::part : Residence::nothing;
}

std::vector<Schedule> launches(const std::vector<Schedule>& launch, std::int64_t copies,
                               const std::vector<std::string>& copied) {
  std::vector<Schedule> all;
  for (std::int64_t i = 0; i < turns * copies; ++i)
    for (Schedule kernel : launch) {
      for (Buffer& buffer : kernel.buffers)
        if (std::find(copied.begin(), copied.end(), buffer.name) != copied.end())
          buffer.name += "." + std::to_string(i % copies);
      all.push_back(std::move(kernel));
    }
  return all;
}

std::int64_t footprint(const std::vector<Schedule>& kernels) {
  std::map<std::string, Bytes> sizes;
  for (const Schedule& kernel : kernels)
    for (const Buffer& buffer : kernel.buffers) sizes.insert_or_assign(buffer.name, size_of(buffer));
  Bytes sum;
  for (const auto& [name, size] : sizes) sum += size;
  return sum.count();
}

std::vector<Schedule> after_others(const std::vector<Schedule>& launch, const Profile& profile) {
  if (!has_bounded_l2(profile)) return launch;
  constexpr std::int64_t most = 64;
  const std::int64_t bytes = std::max<std::int64_t>(footprint(launch), 1);
  const std::int64_t others = std::min((profile.l2->capacity.value().count() + bytes - 1) / bytes, most);
  std::vector<Schedule> all;
  for (std::int64_t i = 0; i < others; ++i)
    for (Schedule kernel : launch) {
      rename(kernel, "." + std::to_string(i));
      all.push_back(std::move(kernel));
    }
  all.insert(all.end(), launch.begin(), launch.end());
  return all;
}

int dirty_percent_after_clearing(const Profile& profile) {
  const Rate dram = profile.dram.bandwidth_gb_per_s;
  if (!has_bounded_l2(profile) || dram.is_unlimited()) return 0;
  constexpr std::int64_t whole = 100;
  const std::int64_t capacity = profile.l2->capacity.value().count();
  const std::int64_t written = written_after_clearing_ns * dram.amount() / dram.period();
  return static_cast<int>(std::max<std::int64_t>(capacity - written, 0) * whole / capacity);
}

}  // namespace gpusim::validate
