// Launches one after another as a source ran them, where L2 keeps a part of what the next one needs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpusim/profile.h"
#include "gpusim/schedule.h"

namespace gpusim::validate {

/// What is left in L2 of so many bytes that are asked for over and over.
enum class Residence : std::uint8_t { all, part, nothing };

/// All or nothing far from what L2 holds; near it, no rule is as good as running the launches. Where the halves of L2
/// keep lines for each other, up to half of them are there twice. Without L2, or with one that has no end: all.
[[nodiscard]] Residence residence(std::int64_t bytes, const Profile& profile);

/// `launch` so often that L2 is as after many launches: three turns of `copies`, in which the buffers named `copied`
/// are other ones each time. The last of them are the launch that is timed.
[[nodiscard]] std::vector<Schedule> launches(const std::vector<Schedule>& launch, std::int64_t copies,
                                             const std::vector<std::string>& copied);

}  // namespace gpusim::validate
