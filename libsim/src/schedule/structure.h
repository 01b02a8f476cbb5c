// What is wrong with a schedule on any GPU. check(schedule) is the sum of these.
#pragma once

#include <string>
#include <vector>

#include "gpusim/schedule.h"

namespace gpusim::schedule {

/// Sizes beyond these are a mistake or an attack; nothing in the project needs more.
inline constexpr std::int64_t most_things = 64;  ///< buffers, tiles, barriers
inline constexpr std::int64_t most_roles = 16;
inline constexpr std::int64_t most_cluster = 16;                          ///< CTAs
inline constexpr std::int64_t most_warps = 64;                            ///< of a CTA
inline constexpr std::int64_t most_tokens = 128;                          ///< of a program
inline constexpr std::int64_t most_reads = 4;                             ///< tokens of one Arithmetic
inline constexpr std::int64_t most_registers = 4096;                      ///< a thread
inline constexpr std::int64_t most_extent = (std::int64_t{1} << 31) - 1;  ///< rows, grid, trips
inline constexpr std::int64_t most_columns = std::int64_t{1} << 40;       ///< a long array is one row
inline constexpr std::int64_t most_tiles = std::int64_t{1} << 47;         ///< of a grid, and their k tiles dealt singly
inline constexpr std::int64_t most_walkers = 1 << 16;                     ///< CTAs that walk tiles
inline constexpr std::int64_t most_buffer_bytes = std::int64_t{1} << 47;
inline constexpr std::int64_t most_shared_bytes = std::int64_t{1} << 24;
inline constexpr std::int64_t most_tile_extent = 1 << 16;
inline constexpr std::int64_t most_stages = 1024;
inline constexpr std::int64_t most_slots = 4096;
inline constexpr std::int64_t most_count = 1 << 24;       ///< instructions of an operation
inline constexpr std::int64_t most_idle_trips = 1 << 16;  ///< of a loop that may issue nothing
inline constexpr std::int64_t most_places = 1 << 17;      ///< memory instructions of all warps, loops once
inline constexpr double most_instructions = 0x1p48;       ///< a warp executes
inline constexpr std::int64_t most_expected = 1 << 24;    ///< bytes of one BarrierArrive
inline constexpr std::int64_t most_address = std::int64_t{1} << 47;
inline constexpr std::size_t most_loops = 3;    ///< nested
inline constexpr std::int64_t most_turns = 64;  ///< in which roles take items

/// Buffers, tiles, barriers, roles and grid.
[[nodiscard]] std::vector<Problem> resource_problems(const Schedule& schedule);
/// Every operation of every role; presumes sound resources.
[[nodiscard]] std::vector<Problem> program_problems(const Schedule& schedule);

}  // namespace gpusim::schedule
