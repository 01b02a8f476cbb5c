// Law: what is asked for is delivered, level by level, and memory gives at least what must come from it.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "support/mixed_runs.h"
#include "support/streams.h"

namespace gpusim::conservation_test {

using namespace gpusim::testing;

namespace {

constexpr std::int64_t sector = sector_bytes;

Traffic all_traffic(const Result& result) {
  Traffic sum;
  for (const KernelResult& kernel : result.kernels) {
    sum.l2_read_sectors += kernel.traffic.l2_read_sectors;
    sum.l2_delivered_sectors += kernel.traffic.l2_delivered_sectors;
    sum.dram_read_bytes += kernel.traffic.dram_read_bytes;
  }
  return sum;
}

/// Bytes of the columns of a buffer, row by row, in whole sectors: what reading each element once must bring.
std::int64_t bytes_read_once(const Buffer& buffer) {
  const std::int64_t row = buffer.columns * size_of(buffer.dtype);
  return buffer.rows * ((row + sector - 1) / sector * sector);
}

/// Distinct bytes that A and B hold, padding within a row's last sector included; what rows share counts once.
std::int64_t compulsory(const Schedule& schedule) {
  std::int64_t bytes = 0;
  for (const Buffer& buffer : schedule.buffers)
    if (buffer.name != "C") bytes += std::min(bytes_read_once(buffer), size_of(buffer).count());
  return bytes;
}

std::vector<MixedRun> cold_products() {
  std::vector<MixedRun> runs;
  for (MixedRun& run : gemm_runs())
    if (run.options.l2 == L2State::cold) runs.push_back(std::move(run));
  return runs;
}

}  // namespace

TEST_CASE("every sector asked of L2 is delivered") {
  for (const MixedRun& run : mixed_runs()) {
    CAPTURE(run.name);
    for (const KernelResult& kernel : run.run().kernels) {
      CHECK(kernel.traffic.l2_read_sectors == kernel.traffic.l2_delivered_sectors);
      CHECK(kernel.traffic.l2_read_sectors > 0);
    }
  }
}

TEST_CASE("what L1 does not have is asked of L2, and nothing else is, where all loads go through L1") {
  for (const MixedRun& run :
       {run_of("volta", {"volta", {.m = 192, .n = 160, .k = 96}, {.variant = GemmVariant::tensor}}),
        run_of("turing", {"turing", {.m = 130, .n = 70, .k = 50}, {.variant = GemmVariant::tensor}}),
        run_of("ada simt beta",
               {"ada", {.m = 100, .n = 90, .k = 64, .dtype = DType::fp32, .beta = 1}, {.variant = GemmVariant::simt}}),
        stream("ampere", false, 1, L2State::cold)}) {
    CAPTURE(run.name);
    const Traffic traffic = run.run().kernels.at(0).traffic;
    CHECK(traffic.l1_read_sectors > 0);
    CHECK(traffic.l1_read_sectors - traffic.l1_hit_sectors == traffic.l2_read_sectors);
  }
}

TEST_CASE("what L2 does not have comes from DRAM, sector by sector") {
  for (const MixedRun& run : mixed_runs()) {
    CAPTURE(run.name);
    if (!run.profile.l2) continue;
    for (const KernelResult& kernel : run.run().kernels) {
      const Traffic& traffic = kernel.traffic;
      const std::int64_t missed = (traffic.l2_read_sectors - traffic.l2_hit_sectors) * sector;
      CHECK(traffic.dram_read_bytes >= missed);
      // Beyond that only sectors written in part are read, each to be written back.
      CHECK(traffic.dram_read_bytes - missed <= traffic.dram_write_bytes);
    }
  }
}

TEST_CASE(
    "only GPUs with coalescers coalesce reads, only those of two partitions send for them, and never one as both") {
  bool coalesced = false, sent = false;
  for (const MixedRun& run : mixed_runs()) {
    CAPTURE(run.name);
    const bool has_coalescers = run.profile.crossbar.coalescer_lines > 0;
    const bool has_partitions = run.profile.l2 && run.profile.l2->partitions > 1;
    for (const KernelResult& kernel : run.run().kernels) {
      const Traffic& traffic = kernel.traffic;
      CHECK((has_coalescers || traffic.l2_coalesced_sectors == 0));
      CHECK((has_partitions || traffic.l2_far_sectors == 0));
      CHECK(traffic.l2_coalesced_sectors <= traffic.l2_hit_sectors);
      CHECK(traffic.l2_coalesced_sectors + traffic.l2_far_sectors <= traffic.l2_read_sectors);
      coalesced |= traffic.l2_coalesced_sectors > 0;
      sent |= traffic.l2_far_sectors > 0;
    }
  }
  CHECK(coalesced);
  CHECK(sent);
}

TEST_CASE("without L2 all sectors come from DRAM") {
  const MixedRun run =
      run_of("2020", {"textbook-2020", {.m = 64, .n = 64, .k = 64, .dtype = DType::fp32}, {.tile = {32, 32, 32}}});
  const Traffic traffic = run.run().kernels.at(0).traffic;
  CHECK(traffic.dram_read_bytes == traffic.l2_read_sectors * sector);
  CHECK(traffic.dram_write_bytes == traffic.l2_write_sectors * sector);
}

TEST_CASE("a cold product reads at least each element of A and B from DRAM, and with L2 to spare at most once") {
  for (const MixedRun& run : cold_products()) {
    CAPTURE(run.name);
    const Schedule& schedule = run.schedules.front();
    const Traffic traffic = all_traffic(run.run());
    CHECK(traffic.dram_read_bytes >= compulsory(schedule));
    if (!run.profile.l2 || run.name == "ada small L2") continue;
    std::int64_t whole = 0;
    for (const Buffer& buffer : schedule.buffers) whole += size_of(buffer).count() + sector;
    CHECK(traffic.dram_read_bytes <= whole);
  }
}

TEST_CASE("a warm product that fits L2 reads nothing from DRAM") {
  for (MixedRun run : gemm_runs()) {
    CAPTURE(run.name);
    if (!run.profile.l2 || run.name == "ada small L2") continue;
    run.options.l2 = L2State::warm;
    CHECK(all_traffic(run.run()).dram_read_bytes == 0);
  }
}

TEST_CASE("one buffer warm and the others cold reads the others") {
  MixedRun run = run_of("hopper", {"hopper", {.m = 256, .n = 256, .k = 256}});
  run.options.l2_by_buffer["A"] = L2State::warm;
  const std::int64_t b = 256 * 256 * 2;
  CHECK(all_traffic(run.run()).dram_read_bytes == b);
}

TEST_CASE("a product asks for each tile of A and B once a CTA, and shared memory receives the same bytes") {
  for (const schedules::GemmVariant variant :
       {GemmVariant::simt, GemmVariant::tensor, GemmVariant::async, GemmVariant::tma})
    for (const bool specialize : {false, true}) {
      if (specialize && variant != GemmVariant::tma) continue;
      CAPTURE(name(variant));
      constexpr std::int64_t m = 256, n = 384, k = 96, tile_m = 128, tile_n = 64, tile_k = 32;
      constexpr std::int64_t ctas = (m / tile_m) * (n / tile_n);
      constexpr std::int64_t bytes = ctas * (k / tile_k) * (tile_m + tile_n) * tile_k * 2;
      const MixedRun run =
          run_of("hopper", {"hopper",
                            {.m = m, .n = n, .k = k},
                            {.tile = {tile_m, tile_n, tile_k}, .variant = variant, .specialize = specialize}});
      const Traffic traffic = run.run().kernels.at(0).traffic;
      CHECK(traffic.global_load_bytes == bytes);
      CHECK(traffic.shared_store_bytes == bytes);
      CHECK(traffic.global_store_bytes == m * n * 2);
      // An mma's rows are stored 16 bytes at a time: each half of a sector by itself.
      const std::int64_t stored_apart = variant == GemmVariant::simt ? sector : sector / 2;
      CHECK(traffic.l2_write_sectors * stored_apart == m * n * 2);
    }
}

TEST_CASE("a ragged product stores exactly its own elements") {
  for (const auto& size : {std::pair<std::int64_t, std::int64_t>{100, 136}, {1, 8}, {129, 40}}) {
    const std::int64_t m = size.first, n = size.second;
    CAPTURE(m);
    CAPTURE(n);
    const MixedRun run = run_of("ampere", {"ampere", {.m = m, .n = n, .k = 40}});
    CHECK(run.run().kernels.at(0).traffic.global_store_bytes == m * n * 2);
  }
}

TEST_CASE("banks are never faster than without conflicts") {
  for (const MixedRun& run : mixed_runs()) {
    CAPTURE(run.name);
    for (const KernelResult& kernel : run.run().kernels)
      CHECK(kernel.traffic.shared_wavefronts >= kernel.traffic.shared_ideal_wavefronts);
  }
}

}  // namespace gpusim::conservation_test
