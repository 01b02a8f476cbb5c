// Launches one after another as a source ran them, where L2 keeps a part of what the next one needs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpusim/profile.h"
#include "gpusim/schedule.h"

namespace gpusim::validate {

/// An L2 that can be full.
[[nodiscard]] bool has_bounded_l2(const Profile& profile);

/// What is left in L2 of so many bytes that are asked for over and over.
enum class Residence : std::uint8_t { all, part, nothing };

/// All or nothing far from what L2 holds; near it, no rule is as good as running the launches. Where the halves of L2
/// keep lines for each other, up to half of them are there twice. Without L2, or with one that has no end: all.
[[nodiscard]] Residence residence(std::int64_t bytes, const Profile& profile);

/// `launch` so often that L2 is as after many launches: three turns of `copies`, in which the buffers named `copied`
/// are other ones each time. The last of them are the launch that is timed.
[[nodiscard]] std::vector<Schedule> launches(const std::vector<Schedule>& launch, std::int64_t copies,
                                             const std::vector<std::string>& copied);

/// Bytes of all buffers of the kernels, those of equal name once.
[[nodiscard]] std::int64_t footprint(const std::vector<Schedule>& kernels);

/// The launch after others of its kind, each with arrays of its own, and as many as fill L2: what they wrote last makes
/// way for its lines. Of kernels so small that 64 of them do not fill it, 64.
[[nodiscard]] std::vector<Schedule> after_others(const std::vector<Schedule>& launch, const Profile& profile);

/// Of L2, what DRAM has yet to get when a launch begins after a kernel that overwrote all of it, in percent. Some of it
/// is written meanwhile, at DRAM's peak rate.
[[nodiscard]] int dirty_percent_after_clearing(const Profile& profile);

}  // namespace gpusim::validate
