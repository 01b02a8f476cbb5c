// Shared-memory banks: how many passes an access takes.
//
// 32 banks of 4 bytes serve one word each a pass; lanes that want the same word share it. Lanes that are served
// together (a warp's; with ldmatrix, the eight rows of a matrix) take as many wavefronts as the most wanted bank has
// distinct words. Of 8 bytes a lane half a warp is served together, of 16 bytes a quarter, whatever the others ask for:
// a word that two quarters want is read twice. Only two neighbouring halves or quarters in which every lane shares its
// place with the next lane, or with the next but one, are served as one.
#pragma once

#include <cstdint>
#include <vector>

#include "gpusim/program.h"
#include "sm/base.h"

namespace gpusim::sm {

/// Cost of accesses.
struct BankCost {
  std::int64_t wavefronts = 0;
  std::int64_t ideal = 0;  ///< wavefronts without conflicts: distinct words / 32, rounded up, per instruction
  std::int64_t bytes = 0;  ///< asked for by active lanes
};

/// Cost of one operation's accesses: all instructions of one warp's run.
struct RunCost {
  BankCost all;
  std::int64_t instructions = 1;
  BankCost each;      ///< rounded down
  bool even = false;  ///< `all` is as many times `each`

  /// Of `count` of them, when `before` have been paid for.
  [[nodiscard]] BankCost part(std::int64_t before, std::int64_t count) const {
    if (count == instructions) return all;
    if (even) return {each.wavefronts * count, each.ideal * count, each.bytes * count};
    const auto share = [&](std::int64_t whole) {
      return whole * (before + count) / instructions - whole * before / instructions;
    };
    return {share(all.wavefronts), share(all.ideal), share(all.bytes)};
  }
};

/// Lanes of an instruction that are served together.
[[nodiscard]] constexpr int lanes_together(SharedRead how) { return how == SharedRead::lds ? 32 : 8; }

/// Lanes that ask for as many bytes as the banks give in a pass.
[[nodiscard]] constexpr std::int64_t lanes_of_a_pass(std::int64_t bytes_a_lane) {
  constexpr std::int64_t lanes = 32;
  constexpr std::int64_t word = 4;
  if (bytes_a_lane <= word) return lanes;
  return bytes_a_lane < lanes * word ? lanes * word / bytes_a_lane : 1;
}

/// Where the active lanes of one instruction begin, relative to the base.
struct LanePlaces {
  std::vector<std::int32_t> rows;
  std::vector<std::int32_t> columns;
};

/// A shared access of a program. Costs depend on the base row and column only, and are worked out once for each pair.
struct SharedPlan {
  Base row;
  Base column;
  std::int64_t pitch = 0;    ///< bytes
  std::int64_t swizzle = 0;  ///< bytes
  std::int64_t element_bytes = 0;
  std::int64_t vector = 1;
  int first_warp = 0;
  int together = lanes_together(SharedRead::lds);
  std::vector<std::vector<LanePlaces>> places;  ///< [warp - first_warp][repeat]

  struct Known {
    std::int64_t row;
    std::int64_t column;
    RunCost cost;
  };
  std::vector<std::vector<Known>> known;  ///< [warp - first_warp]
};

/// The cost for `warp` at these coordinates.
const RunCost& bank_cost(SharedPlan& plan, int warp, const Coordinates& at);

}  // namespace gpusim::sm
