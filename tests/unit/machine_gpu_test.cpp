// What a Gpu refuses before anything runs.
#include <doctest/doctest.h>

#include <string>

#include "gpusim/gpu.h"
#include "support/probe_machine.h"
#include "support/probe_programs.h"

namespace gpusim::machine_gpu_test {

using namespace gpusim::testing;

namespace {

Schedule one_instruction() { return Probe().add(Arithmetic{}).schedule(); }

std::string refusal(const Schedule& schedule, const RunOptions& options) {
  try {
    (void)Gpu(probe_machine()).run(schedule, options);
  } catch (const ScheduleError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a profile with problems makes no Gpu") {
  Profile profile = probe_machine();
  profile.sm.sub_partitions = 4;
  profile.sm.warps = 2;
  CHECK_THROWS_AS(Gpu{profile}, ProfileError);
}

TEST_CASE("a schedule with problems is not run") {
  Schedule schedule = one_instruction();
  schedule.roles.clear();
  CHECK(refusal(schedule, {}).find("role") != std::string::npos);
}

TEST_CASE("a run needs a schedule") {
  CHECK_THROWS_AS((void)Gpu(probe_machine()).run(std::span<const Schedule>()), ScheduleError);
}

TEST_CASE("options that make no sense are refused, all at once") {
  RunOptions options;
  options.clock_mhz = 0;
  options.max_cycles = Cycles(0);
  options.max_ctas = 0;
  const std::string message = refusal(one_instruction(), options);
  CHECK(message.find("clock") != std::string::npos);
  CHECK(message.find("max_cycles") != std::string::npos);
  CHECK(message.find("max_ctas") != std::string::npos);
  options = {};
  options.clock_mhz = 100'001;
  CHECK(refusal(one_instruction(), options).find("a clock is 1 to 100000 MHz") != std::string::npos);
}

TEST_CASE("the result says what was simulated") {
  Profile profile = probe_machine();
  profile.clock.boost_mhz = 1234;
  const Schedule schedule = one_instruction();
  const Result result = Gpu(profile).run(schedule);
  CHECK(result.clock_mhz == 1234);
  CHECK(result.profile.name == "probe");
  CHECK(result.termination == Termination::completed);
  CHECK(result.kernels.at(0).schedule_digest == digest(schedule));
  CHECK(result.l2_before == std::vector<std::pair<std::string, std::string>>{{"data", "cold"}});
}

TEST_CASE("launch is the first CTA's way to its SM, and drain the last store's way to L2") {
  const Profile profile = probe_machine();
  Probe probe;
  probe.add(StoreGlobal{one_line(0), probe.token("x")});
  const KernelResult kernel = Gpu(profile).run(probe.schedule()).kernels.at(0);
  CHECK(kernel.launch == profile.launch.cta_start);
  CHECK(kernel.cycles == Cycles(1));
  const Cycles crossing = profile.l2->latency * 2 / 5;
  CHECK(kernel.drain == crossing - kernel.cycles);
}

}  // namespace gpusim::machine_gpu_test
