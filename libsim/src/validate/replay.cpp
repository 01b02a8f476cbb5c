#include "validate/replay.h"

#include <algorithm>

namespace gpusim::validate {
namespace {

constexpr std::int64_t turns = 3;

/// Shares of the capacity, in percent. Runs over and over through more and more bytes (L40S; A100 and H100, whose L2
/// has two halves) find all of them up to the one, and nothing from the other on.
struct Shares {
  std::int64_t all, nothing;
};
constexpr Shares of_one_part{93, 115};
constexpr Shares of_halves{60, 95};

}  // namespace

Residence residence(std::int64_t bytes, const Profile& profile) {
  if (!profile.l2 || profile.l2->capacity.is_unlimited()) return Residence::all;
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

}  // namespace gpusim::validate
