// Law: CTAs that were skipped have asked for as much as those that were not.
#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "gpusim/profile_io.h"
#include "gpusim/schedules/copy.h"

#include "support/forward_runs.h"
#include "support/mixed_runs.h"

namespace gpusim::fast_forward_counts_test {

using namespace gpusim::testing;

namespace {

/// CTAs that are half done whenever one looks; two kernels, one after the other.
MixedRun copies() {
  const Schedule copy = schedules::copy({.elements = std::int64_t{1} << 25});
  return {"copies", load_profile("v100-sxm2"), {copy, copy}, {}};
}

MixedRun waves() { return run_of("waves", {"t4", {.m = 8192, .n = 4096, .k = 128}, {.variant = GemmVariant::tensor}}); }

/// Lanes store halves of sectors, so that L2 is written twice what it keeps.
MixedRun halves_of_sectors() {
  return run_of("halves of sectors", {"rtx3060",
                                      {.m = 8192, .n = 4096, .k = 128},
                                      {.tile = {128, 128, 32}, .variant = GemmVariant::async},
                                      L2State::cold,
                                      {"l2.capacity=1536KiB"}});
}

double ratio(std::int64_t a, std::int64_t b) { return static_cast<double>(a) / static_cast<double>(b); }

std::int64_t work_of(const Result& result, std::string_view server) {
  for (const ServerRow& row : result.servers)
    if (row.name == server) return row.work;
  return 0;
}

}  // namespace

TEST_CASE("what instructions ask for, and reads and writes of L2, are those of an exact run [long]") {
  for (const MixedRun& run : {copies(), waves(), halves_of_sectors()}) {
    CAPTURE(run.name);
    const Result fast_run = run.run();
    const Result whole_run = exactly(run).run();
    const KernelResult& fast = fast_run.kernels.back();
    REQUIRE(fast.skipped.ctas > 0);
    const Traffic& whole = whole_run.kernels.back().traffic;
    for (const auto count :
         {&Traffic::global_load_bytes, &Traffic::global_store_bytes, &Traffic::shared_load_bytes,
          &Traffic::shared_store_bytes, &Traffic::shared_ideal_wavefronts, &Traffic::l2_write_sectors})
      CHECK(fast.traffic.*count == whole.*count);
    CHECK(ratio(fast.traffic.l2_read_sectors, whole.l2_read_sectors) == doctest::Approx(1).epsilon(0.003));
    CHECK(ratio(fast.traffic.dram_read_bytes, whole.dram_read_bytes) == doctest::Approx(1).epsilon(0.05));
    CHECK(ratio(fast.traffic.dram_write_bytes, whole.dram_write_bytes) == doctest::Approx(1).epsilon(0.05));
    for (const char* const server : {"sm.issue", "sm.address", "crossbar.gpc_in", "l2.slice"}) {
      CAPTURE(std::string(server));
      CHECK(ratio(work_of(fast_run, server), work_of(whole_run, server)) == doctest::Approx(1).epsilon(0.003));
    }
  }
}

}  // namespace gpusim::fast_forward_counts_test
