#include "kernel_options.h"

namespace app {

using gpusim::schedules::RowMeeting;
using gpusim::schedules::RowPlace;
using gpusim::schedules::RowTiling;
using gpusim::schedules::StreamTiling;

OptionGroup stream_option_group() {
  return {"How it is shared out",
          {{"vector", "N", "elements a lane moves at a time (default: 16 bytes)"},
           {"threads", "N", "of a CTA (default 256)"},
           {"unroll", "N", "accesses to each array a thread has on the way at a time (default 1)"},
           {"ctas", "N", "that stride over the arrays in a loop (default: one pass, as many as are needed)"},
           {"registers", "N", "a thread (default: an estimate)"}}};
}

StreamTiling read_stream_tiling(const Options& options, Problems& problems) {
  StreamTiling tiling;
  tiling.vector = small_number_option(options, "vector", {}, problems).value_or(tiling.vector);
  tiling.threads = small_number_option(options, "threads", {}, problems).value_or(tiling.threads);
  tiling.unroll = small_number_option(options, "unroll", {}, problems).value_or(tiling.unroll);
  tiling.ctas = number_option(options, "ctas", {}, problems).value_or(tiling.ctas);
  tiling.registers = small_number_option(options, "registers", {}, problems).value_or(tiling.registers);
  return tiling;
}

std::vector<Remedy> stream_remedies(const std::vector<std::string>& sizes) {
  std::vector<Remedy> remedies;
  for (const char* const option : {"registers", "unroll", "vector", "threads"})
    remedies.push_back({"schedule.registers", option, {}});
  for (const std::string& size : sizes) remedies.push_back({"schedule.buffers", size, {}});
  return remedies;
}

OptionGroup row_option_group() {
  return {
      "How it is shared out",
      {{"place", "PLACE", "of a row between passes: registers, shared or memory (default: the first that holds it)"},
       {"vector", "N", "elements a lane moves at a time (default: 16 bytes)"},
       {"threads", "N", "that share a row (default: as many as have an access of it each, 32 to 1024)"},
       {"rows-per-cta", "N", "rows side by side (default 1)"},
       {"unroll", "N", "shared, memory: accesses a thread has on the way at a time (default 4)"},
       {"registers", "N", "a thread (default: an estimate)"},
       {"reserved", "BYTES", "of shared memory a CTA asks for beside what it uses: L1 has the less (default 0)"},
       {"rest-vector", "N", "memory: elements a lane moves at a time of what whole trips leave over (default: as all)"},
       {"meeting", "WAY", meeting_help}}};
}

OptionGroup row_instructions_group(std::vector<OptionSpec> more) {
  std::vector<OptionSpec> options{{"begin-instructions", "N", "before the first load (default: an estimate)"},
                                  {"load-instructions", "N", "beside each load (default 0)"},
                                  {"store-instructions", "N", "beside each store (default 0)"},
                                  {"meet-instructions", "N", "each time a row's threads meet (default 0)"}};
  options.insert(options.end(), more.begin(), more.end());
  return {"Warp instructions beside what is worked out", std::move(options)};
}

void read_row_instructions(const Options& options, gpusim::schedules::RowInstructions& beside, Problems& problems) {
  beside.begin = small_number_option(options, "begin-instructions", instruction_range, problems).value_or(beside.begin);
  beside.load = small_number_option(options, "load-instructions", instruction_range, problems).value_or(beside.load);
  beside.store = small_number_option(options, "store-instructions", instruction_range, problems).value_or(beside.store);
  beside.meet = small_number_option(options, "meet-instructions", instruction_range, problems).value_or(beside.meet);
}

void read_row_tiling(const Options& options, RowTiling& tiling, Problems& problems) {
  tiling.place = word_option<RowPlace>(options, "place", "place", problems).value_or(tiling.place);
  tiling.vector = small_number_option(options, "vector", {}, problems).value_or(tiling.vector);
  tiling.threads = small_number_option(options, "threads", {}, problems).value_or(tiling.threads);
  tiling.reserved = small_number_option(options, "reserved", {}, problems).value_or(tiling.reserved);
  tiling.rows_per_cta = small_number_option(options, "rows-per-cta", {}, problems).value_or(tiling.rows_per_cta);
  tiling.unroll = small_number_option(options, "unroll", {}, problems).value_or(tiling.unroll);
  tiling.registers = small_number_option(options, "registers", {}, problems).value_or(tiling.registers);
  tiling.rest_vector = small_number_option(options, "rest-vector", {}, problems).value_or(tiling.rest_vector);
  tiling.meeting = word_option<RowMeeting>(options, "meeting", "meeting", problems).value_or(tiling.meeting);
  read_row_instructions(options, tiling.beside, problems);
}

std::vector<Remedy> row_remedies() {
  return {{"schedule.shared", "reserved", {}},
          {"schedule.shared", "rows-per-cta", {}},
          {"schedule.shared", "place", {"registers", "memory"}},
          {"schedule.registers", "registers", {}},
          {"schedule.registers", "rows-per-cta", {}},
          {"schedule.registers", "threads", {"512", "256", "128", "64", "32"}},
          {"schedule.registers", "place", {"shared", "memory"}},
          {"place", "threads", {"64", "128", "256", "512", "1024"}},
          {"place", "place", {"shared", "memory"}},
          {"schedule.buffers", "rows", {}},
          {"schedule.buffers", "columns", {}}};
}

}  // namespace app
