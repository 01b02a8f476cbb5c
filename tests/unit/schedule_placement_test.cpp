#include <doctest/doctest.h>

#include "support/probe_programs.h"

namespace gpusim::schedule_placement_test {

using namespace gpusim::literals;
using testing::Probe;

namespace {

Schedule scattered(Placement placement, Action action = CommitGroup{}) {
  Probe probe;
  (void)probe.token("x");
  Schedule schedule = probe.add(std::move(action)).schedule();
  schedule.buffers[0].placement = placement;
  return schedule;
}

std::string first_problem(const Schedule& schedule) {
  const std::vector<Problem> problems = check(schedule);
  return problems.empty() ? "" : problems.front().where + ": " + problems.front().what;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("rows are shuffled where there is a power of two of them") {
  Schedule schedule = scattered(Placement::shuffled);
  CHECK(first_problem(schedule).empty());
  schedule.buffers[0].rows = 65535;
  CHECK(first_problem(schedule) == "/buffers/0/placement: shuffled rows need a power of two of them, not 65535");
}

TEST_CASE("rows of one slice fit a line each, and take one") {
  Schedule schedule = scattered(Placement::one_slice);
  CHECK(first_problem(schedule).empty());
  schedule.buffers[0].columns = schedule.buffers[0].pitch = 4;
  CHECK(size_of(schedule.buffers[0]) == 65536 * 128_B);
  schedule.buffers[0].pitch = 36;
  CHECK(contains(first_problem(schedule), "take at most 128 bytes each, pitch included"));
  schedule.buffers[0].pitch = 4;
  schedule.buffers[0].slice = -1;
  CHECK(contains(first_problem(schedule), "/buffers/0/slice"));
}

TEST_CASE("layers side by side fit in the pitch of rows") {
  Schedule schedule = scattered(Placement::linear);
  Buffer& buffer = schedule.buffers[0];
  buffer.rows = 64;
  buffer.layers = 3;
  buffer.pitch = 4 * buffer.columns;
  buffer.layer_pitch = buffer.columns;
  CHECK(first_problem(schedule).empty());
  CHECK(contains(to_string(schedule), "pitch 128, layers 32 apart\n"));
  buffer.layers = 5;
  CHECK(first_problem(schedule) ==
        "/buffers/0/layer_pitch: 5 layers 32 elements apart are more than the 128 from one row to the next");
  buffer.layers = 3;
  buffer.layer_pitch = buffer.columns - 1;
  CHECK(contains(first_problem(schedule), "/buffers/0/layer_pitch: the pitch of layers is 31"));
  buffer.layer_pitch = buffer.columns + 1;
  CHECK(first_problem(schedule) == "/buffers/0/layer_pitch: layers must begin at multiples of 16 bytes");
}

TEST_CASE("an instruction may touch many scattered rows") {
  const LoadGlobal one_row{testing::one_line(along(Coordinate::repeat)), Token(0)};
  const LoadGlobal many_rows{testing::one_line(along(Coordinate::lane)), Token(0)};
  CHECK(first_problem(scattered(Placement::linear, many_rows)).empty());
  CHECK(first_problem(scattered(Placement::shuffled, one_row)).empty());
  CHECK(first_problem(scattered(Placement::shuffled, many_rows)).empty());
  CHECK(first_problem(scattered(Placement::one_slice, many_rows)).empty());
}

TEST_CASE("a bulk copy from scattered rows takes one of them") {
  CHECK(first_problem(scattered(Placement::shuffled, testing::bulk_lines(0, 1, testing::full()))).empty());
  CHECK(contains(first_problem(scattered(Placement::shuffled, testing::bulk_lines(0, 2, testing::full()))),
                 "a bulk copy takes one of them"));
}

TEST_CASE("a listing says where scattered rows lie and how CTAs are clustered") {
  Schedule schedule = scattered(Placement::shuffled);
  CHECK(contains(to_string(schedule), "pitch 32, rows shuffled\n"));
  schedule.buffers[0].placement = Placement::one_slice;
  schedule.buffers[0].slice = 3;
  schedule.grid_m = schedule.cluster = 4;
  CHECK(contains(to_string(schedule), "pitch 32, rows in L2 slice 3\n"));
  CHECK(contains(to_string(schedule), "numbered along rows, in clusters of 4\n"));
}

}  // namespace gpusim::schedule_placement_test
