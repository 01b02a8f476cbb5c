#include "machine/tile_stretch.h"

#include <algorithm>

#include "machine/agreement.h"
#include "machine/ledger.h"
#include "sizes.h"

namespace gpusim::machine {
namespace {

Reads reads_between(const KernelResult& from, const KernelResult& to) {
  const auto of = [&](std::int64_t Traffic::*count) { return to.traffic.*count - from.traffic.*count; };
  const std::int64_t asked = of(&Traffic::l2_read_sectors);
  return {asked, asked - of(&Traffic::l2_hit_sectors), of(&Traffic::dram_read_bytes) / sector_bytes};
}

}  // namespace

TileStretch& TileStretch::operator+=(const TileStretch& other) {
  cycles += other.cycles;
  tiles += other.tiles;
  instructions += other.instructions;
  for (std::size_t i = 0; i < reads.size(); ++i) reads[i] += other.reads[i];
  return *this;
}

std::int64_t instructions_of(const KernelResult& kernel) {
  std::int64_t sum = 0;
  for (const RoleRow& role : kernel.roles) sum += role.instructions;
  return sum;
}

TileStretch stretch_between(const KernelResult& from, const KernelResult& to, std::int64_t cycles, std::int64_t tiles) {
  return {cycles, tiles, instructions_of(to) - instructions_of(from), reads_between(from, to)};
}

bool alike(const TileStretch& a, const TileStretch& b, std::int64_t of_cycles_ppm) {
  constexpr std::int64_t precision = 1000;
  if (difference_ppm(Share{precision, a.tiles}(a.cycles), Share{precision, b.tiles}(b.cycles)) > of_cycles_ppm)
    return false;
  Reads scaled = b.reads;
  for (std::int64_t& count : scaled) count = Share{a.instructions, std::max<std::int64_t>(b.instructions, 1)}(count);
  return alike(a.reads, scaled, traffic_tolerance_ppm);
}

}  // namespace gpusim::machine
