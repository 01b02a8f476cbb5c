#include "gpusim/view/text.h"

#include <doctest/doctest.h>

#include <sstream>
#include <string>

#include "gpusim/profile_io.h"
#include "support/sample_result.h"

namespace gpusim::view_text_test {

namespace {

bool has(const std::string& page, const std::string& text) { return page.find(text) != std::string::npos; }

/// The line that begins with `label`, or "".
std::string line_of(const std::string& page, const std::string& label) {
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find_first_not_of(' ');
    if (first != std::string::npos && line.compare(first, label.size(), label) == 0) return line;
  }
  return "";
}

}  // namespace

TEST_CASE("the page says what ran on what") {
  const std::string page = view::text(testing::sample_result());
  CHECK(has(page, "gpusim 1.2.3"));
  CHECK(has(page, "tile=128x128x32 stages=2"));
  CHECK(has(page, "A machine of latencies (by-hand), 8 SMs, SM clock 500 MHz"));
  CHECK(has(page, "A=cold B=warm"));
}

TEST_CASE("the page names what the user changed of the profile, of much the first") {
  Result result = testing::sample_result();
  const auto give_all = [&](Method method) {
    for (const ProfileEntry& entry : entries(result.profile)) result.profile.provenance[entry.key].method = method;
  };
  give_all(Method::vendor);
  CHECK(line_of(view::text(result), "changed").empty());
  result.profile.provenance["sm.count"] = {Method::user, "set to 8"};
  CHECK(line_of(view::text(result), "changed") == "changed     sm.count=8");
  give_all(Method::user);
  const std::string page = view::text(result);
  CHECK(has(page, "changed     clock.boost_mhz=1000 "));
  CHECK(has(page, " sm.registers=unlimited\n            and "));
}

TEST_CASE("speed stands beside peak and roofline") {
  const std::string page = view::text(testing::sample_result());
  CHECK(has(line_of(page, "cycles"), "1,000"));
  CHECK(has(line_of(page, "TFLOPS"), "75.0 % of the peak of 1.0"));
  CHECK(has(line_of(page, "roofline"), "compute bound"));
  CHECK(has(line_of(page, "k tile"), "125.0"));
}

TEST_CASE("multiply-adds that pad tiles are told where they are many") {
  Result result = testing::sample_result();
  CHECK(line_of(view::text(result), "useful").empty());  // how many there are is not known
  const double useful = result.kernels[0].work.flops / 2;
  result.kernels[0].multiply_adds = useful / 0.96;
  CHECK(line_of(view::text(result), "useful").empty());
  result.kernels[0].multiply_adds = useful * 128;
  CHECK(has(line_of(view::text(result), "useful"), "0.8 %  of multiply-adds; the others pad tiles"));
}

TEST_CASE("what was skipped is said, with how alike the stretches were that stand for it") {
  Result result = testing::sample_result();
  CHECK(has(line_of(view::text(result), "cycles"), "every cycle simulated"));
  result.kernels[0].k_tiles = 100;
  result.kernels[0].ctas = 8;
  result.kernels[0].skipped = {60, 2, Cycles(500), 2, 12'000};
  CHECK_FALSE(has(line_of(view::text(result), "cycles"), "every cycle simulated"));
  CHECK(has(line_of(view::text(result), "skipped"),
            "500  cycles, 60.0 % of k tiles, 25.0 % of CTAs; windows differ by 1.2 %"));
}

TEST_CASE("the busiest server bounds the run when it is busy enough, latency when none is") {
  Result result = testing::sample_result();
  CHECK(has(line_of(view::text(result), "bound by"), "sm.tensor  busy 80.0 %"));
  result.servers[0].busy = 800;
  result.servers[3].busy = 200;
  CHECK(has(line_of(view::text(result), "bound by"), "latency"));
  CHECK(has(line_of(view::text(result), "bound by"), "busiest: l2.slice, 25.0 %"));
}

TEST_CASE("an unlimited peak is said, not printed as a number") {
  Result result = testing::sample_result();
  result.profile.tensor.modes[0].peak_fma_per_clk = Rate::unlimited();
  const std::string page = view::text(result);
  CHECK(has(line_of(page, "TFLOPS"), "unlimited"));
  CHECK_FALSE(has(page, "inf"));
  CHECK_FALSE(has(page, "nan"));
}

TEST_CASE("what is written to L2 stands beside what its slices can write, or all that they can") {
  Result result = testing::sample_result();
  result.kernels[0].traffic.l2_write_sectors = 500;  // 16 bytes a cycle
  result.profile.l2->slices = 1;
  result.profile.l2->slice_bytes_per_clk = Rate::per_cycle(64);
  CHECK(has(line_of(view::text(result), "L2 writes"), " 25.0 %"));
  result.profile.l2->slice_write_bytes_per_clk = Rate::per_cycle(32);
  CHECK(has(line_of(view::text(result), "L2 writes"), " 50.0 %"));
  result.profile.l2->slice_bytes_per_clk = Rate::unlimited();
  CHECK(has(line_of(view::text(result), "L2 writes"), " 50.0 %"));
}

TEST_CASE("stalls are shares of a role's warp-cycles, the largest first") {
  const std::string page = view::text(testing::sample_result());
  CHECK(line_of(page, "long_scoreboard").find("60.0 %    80.0 %     0.0 %") != std::string::npos);
  CHECK(line_of(page, "mbarrier").find("22.5 %     0.0 %    90.0 %") != std::string::npos);
  CHECK(page.find("\n  long_scoreboard") < page.find("\n  mbarrier"));
  CHECK_FALSE(has(page, "tma_throttle"));
}

TEST_CASE("monitoring figures are shares of the whole GPU") {
  const std::string page = view::text(testing::sample_result());
  CHECK(has(line_of(page, "SM active"), "75.0 %"));    // 6000 of 8 * 1000
  CHECK(has(line_of(page, "SM occupancy"), "1.6 %"));  // 4000 of 8 * 1000 * 32
  CHECK(has(line_of(page, "tensor active"), "80.0 %"));
}

TEST_CASE("traffic has bandwidths, shares of the peak, and hit rates") {
  const std::string page = view::text(testing::sample_result());
  CHECK(has(line_of(page, "L2 reads"), "25.0 %"));
  CHECK(has(line_of(page, "DRAM reads"), "16.00 kB"));
  CHECK(has(line_of(page, "DRAM reads"), "8.0"));     // 16 kB in 2 us
  CHECK(has(line_of(page, "DRAM reads"), "80.0 %"));  // of 10 GB/s
}

TEST_CASE("what a coalescer answers is no read of L2, and what is sent for stands apart") {
  Result result = testing::sample_result();
  const std::string before = view::text(result);
  CHECK_FALSE(has(before, "coalesced"));
  CHECK_FALSE(has(before, "of them far"));
  Traffic& traffic = result.kernels[0].traffic;
  traffic.l2_coalesced_sectors = 200;
  traffic.l2_far_sectors = 100;
  const std::string page = view::text(result);
  CHECK(has(line_of(page, "L2 reads"), "25.60 kB"));
  CHECK(has(line_of(page, "L2 reads"), "6.2 %"));  // 250 - 200 of 1000 - 200 sectors
  CHECK(has(line_of(page, "of them far"), "3.20 kB"));
  CHECK(has(line_of(page, "coalesced"), "6.40 kB"));
}

TEST_CASE("bank conflicts are the wavefronts beyond the ideal") {
  CHECK(
      has(view::text(testing::sample_result()), "200 wavefronts of shared memory, 25.0 % of them for bank conflicts"));
}

TEST_CASE("receipts are means over reads") {
  const std::string page = view::text(testing::sample_result());
  CHECK(has(page, "Reads from beyond the SM: 10"));
  CHECK(has(line_of(page, "l2  "), "200.0     50.0"));
  CHECK(has(line_of(page, "dram  "), "90.0      0.0"));
}

TEST_CASE("a run that stopped early says so") {
  Result result = testing::sample_result();
  result.termination = Termination::max_cycles;
  result.kernels[0].ctas_done = 4;
  const std::string page = view::text(result);
  CHECK(has(page, "stopped at the cycle limit"));
  CHECK(has(line_of(page, "CTAs"), "4 done"));
}

TEST_CASE("no line is longer than a hundred columns, however long the names") {
  Result result = testing::sample_result();
  result.profile.title = std::string(300, 't');
  result.profile.name = std::string(300, 'n');
  KernelResult& kernel = result.kernels[0];
  kernel.schedule = std::string(300, 's');
  kernel.choices.emplace_back("key", std::string(300, 'v'));
  kernel.roles[0].role = std::string(300, 'r');
  kernel.roles.resize(9, kernel.roles[1]);
  kernel.cycles = Cycles(std::int64_t{1} << 50);
  result.servers[0].name = std::string(300, 'n');
  result.pools[0].name = std::string(300, 'p');
  std::istringstream lines(view::text(result));
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    CHECK(line.size() <= 100);
  }
}

TEST_CASE("several kernels have a section each") {
  Result result = testing::sample_result();
  result.kernels.push_back(result.kernels[0]);
  result.kernels[1].schedule = "second";
  const std::string page = view::text(result);
  CHECK(has(page, "== gemm =="));
  CHECK(has(page, "== second =="));
}

TEST_CASE("a result without kernels is a page, not a crash") { CHECK(has(view::text(Result{}), "gpusim")); }

}  // namespace gpusim::view_text_test
