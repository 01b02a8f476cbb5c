// Sizes that every GPU described here has: of warps, of what memory moves in, of shared memory's banks.
#pragma once

#include <cstdint>

namespace gpusim {

inline constexpr int lanes_per_warp = 32;
inline constexpr int most_cta_threads = 1024;
inline constexpr int warps_per_group = 4;  ///< which multiply together: wgmma
inline constexpr int wgmma_rows = 64;      ///< of C, computed by a group's instruction
inline constexpr int wgmma_k_bytes = 32;   ///< of A and B
/// Of a thread, R0 to R254: instructions have eight bits for a register, and one number says zero.
inline constexpr int most_registers = 255;

inline constexpr std::int64_t line_bytes = 128;
inline constexpr std::int64_t sector_bytes = 32;
inline constexpr std::int64_t chunk_bytes = 16;  ///< of what caches know to be valid; the widest access of a lane
inline constexpr std::int64_t word_bytes = 4;    ///< of a register, and of a bank

inline constexpr std::int64_t lines_a_block = 16;  ///< of each L2 slice, of a block of memory dealt to slices
inline constexpr std::int64_t piece_bytes = 4096;  ///< that lie in one of L2's two partitions

inline constexpr std::int64_t bank_groups = 4;  ///< of a channel of DRAM, where its banks make them
inline constexpr std::int64_t bank_count = 32;  ///< of shared memory
inline constexpr int widest_box = 256;          ///< elements of a tensor map's box, along each dimension

}  // namespace gpusim
