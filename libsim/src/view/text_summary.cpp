// The text view's head: what ran, how fast, and what bounds it.
#include <algorithm>
#include <cmath>

#include "gpusim/estimate/power.h"
#include "gpusim/estimate/roofline.h"
#include "gpusim/profile_io.h"
#include "view/facts.h"
#include "view/format.h"
#include "view/section.h"
#include "view/table.h"

namespace gpusim::view {

namespace {

constexpr std::size_t label_width = 12;

/// A label and its text, wrapped beside it.
std::string labelled(std::string_view label, const std::vector<std::string>& words) {
  std::string lines = wrapped(words, label_width);
  lines.replace(0, label.size(), label);
  return lines;
}

std::vector<std::string> choice_words(const KernelResult& kernel) {
  std::vector<std::string> words;
  for (const auto& [key, value] : kernel.choices) words.push_back(key + "=" + value);
  return words;
}

/// What the user changed of the profile. Of many, as a file of one's own may have, the first.
std::vector<std::string> changed_words(const Profile& profile) {
  constexpr std::size_t most = 12;
  std::vector<std::string> words;
  for (const ProfileEntry& entry : entries(profile))
    if (entry.provenance.method == Method::user) words.push_back(entry.key + "=" + entry.value);
  if (words.size() <= most) return words;
  const std::size_t more = words.size() - most;
  words.resize(most);
  words.push_back("and " + std::to_string(more) + " more");
  return words;
}

std::string ending(const Result& result) {
  if (result.termination == Termination::completed)
    return exact(result) ? "exact: every cycle simulated" : "what repeats was skipped (--exact simulates it)";
  if (result.termination == Termination::max_ctas) return "the first CTAs alone; only what ran is counted";
  const std::string how = result.termination == Termination::max_cycles ? "at the cycle limit" : "on request";
  return "stopped " + how + "; only what ran by then is counted";
}

std::string beside_the_time(const Result& result) {
  Cycles launch, drain;
  std::int64_t kernel_launch_ns = 0;
  for (const KernelResult& kernel : result.kernels) {
    kernel_launch_ns += kernel.kernel_launch_ns;
    launch += kernel.launch;
    drain += kernel.drain;
  }
  const std::string by_the_host = kernel_launch_ns == 0 ? "" : grouped(kernel_launch_ns) + " ns and ";
  return "not counted: launch " + by_the_host + grouped(launch.count()) + ", drain " + grouped(drain.count()) +
         " cycles";
}

std::string beside_the_rate(const Result& result) {
  if (result.kernels.empty()) return "";
  const Work& work = main_work(result);
  const double peak = peak_tflops(result);
  std::string types = std::string(name(work.pipe)) + ", " + std::string(name(work.input));
  if (work.sparse) types += " 2:4 sparse";
  if (work.input != work.accumulate) types += " into " + std::string(name(work.accumulate));
  if (!std::isfinite(peak)) return "no peak: the profile's rate is unlimited (" + types + ")";
  if (peak == 0) return "no peak is known for " + types;
  return share(tflops(result), peak) + " of the peak of " + fixed(peak, 1) + " (" + types + ")";
}

/// How much of the run was simulated, and how alike was what stands for the rest.
void add_skipped(Table& table, const Result& result) {
  if (exact(result)) return;
  Skipped sum;
  std::int64_t k_tiles = 0;
  std::int64_t ctas = 0;
  for (const KernelResult& kernel : result.kernels) {
    k_tiles += kernel.k_tiles;
    ctas += kernel.ctas;
    sum.k_tiles += kernel.skipped.k_tiles;
    sum.ctas += kernel.skipped.ctas;
    sum.cycles += kernel.skipped.cycles;
    sum.spread_ppm = std::max(sum.spread_ppm, kernel.skipped.spread_ppm);
  }
  constexpr double ppm = 1e6;
  std::string what;
  if (k_tiles != 0) what += share(static_cast<double>(sum.k_tiles), static_cast<double>(k_tiles)) + " of k tiles, ";
  what += share(static_cast<double>(sum.ctas), static_cast<double>(ctas)) + " of CTAs; windows differ by " +
          percent(static_cast<double>(sum.spread_ppm) / ppm);
  table.row({"skipped", grouped(sum.cycles.count()), "cycles, " + what});
}

estimate::Roofline roofline_of(const Result& result) {
  estimate::Roofline sum;
  for (const KernelResult& kernel : result.kernels) {
    const auto line = estimate::roofline(kernel.work, kernel.compulsory_bytes, result.profile, result.clock_mhz);
    sum.compute_us += line.compute_us;
    sum.memory_us += line.memory_us;
    sum.us += line.us;
  }
  sum.bound = sum.compute_us >= sum.memory_us ? "compute" : "memory";
  return sum;
}

void add_roofline(Table& table, const Result& result) {
  const estimate::Roofline line = roofline_of(result);
  if (!std::isfinite(line.us) || line.us == 0) {
    table.row({"roofline", "-", "no limit to compare with"});
    return;
  }
  const bool whole = result.termination == Termination::completed;
  table.row({"roofline", duration(line.us),
             line.bound + " bound (compute " + duration(line.compute_us) + ", memory " + duration(line.memory_us) +
                 ")" + (whole ? ", " + share(line.us, time_us(result)) + " of it" : ", of the whole")});
}

/// What most warp-cycles outside issue were charged to.
void add_main_wait(Table& table, const Result& result) {
  StallCycles sum;
  for (const KernelResult& kernel : result.kernels) sum += stalls(kernel);
  if (sum.total() == 0) return;
  const auto first = sum.by_reason.begin() + 1;  // beyond `selected`
  const auto most = std::max_element(first, sum.by_reason.end());
  table.row(
      {"warps wait", std::string(reason_names[static_cast<std::size_t>(most - sum.by_reason.begin())]),
       "most of all, " + share(static_cast<double>(*most), static_cast<double>(sum.total())) + " of warp-cycles"});
}

void add_bound(Table& table, const Result& result) {
  const std::vector<const ServerRow*> servers = busiest_servers(result);
  if (servers.empty()) {
    table.row({"bound by", "latency", "no resource has a limit"});
    return;
  }
  const std::string busiest = fitted(servers.front()->name, 18);
  const double most = utilisation(*servers.front(), cycles(result));
  if (most >= bounding_utilisation) {
    table.row({"bound by", busiest, "busy " + percent(most) + " of the time"});
  } else {
    table.row({"bound by", "latency", "busiest: " + busiest + ", " + percent(most) + " of the time"});
  }
}

/// A clock that the board would not hold: who reads the time must know. What is run at the clock found from another run
/// may be a few per cent off.
void add_power(Table& table, const Result& result) {
  constexpr double rounding = 1.05;
  const auto drawn = estimate::power(result);
  if (!drawn || drawn->watts <= rounding * drawn->limit_watts) return;
  const std::int64_t held = estimate::clock_under_power(result, drawn->limit_watts);
  table.row({"power", fixed(drawn->watts, 0) + " W",
             "the board gives " + fixed(drawn->limit_watts, 0) + " W: in a long run " + grouped(held) + " MHz"});
}

}  // namespace

std::string title_section(const Result& result) {
  std::string lines = "gpusim " + result.version + "\n\n";
  for (const KernelResult& kernel : result.kernels) {
    lines += labelled("schedule", {fitted(kernel.schedule, page_width - label_width)});
    if (!kernel.choices.empty()) lines += labelled("", choice_words(kernel));
  }
  const Profile& profile = result.profile;
  const std::string& title = profile.title.empty() ? profile.name : profile.title;
  lines += labelled("gpu", {fitted(title, 48), "(" + fitted(profile.name, 24) + "),",
                            grouped(profile.sm.count) + " SMs,", "SM clock", grouped(result.clock_mhz) + " MHz"});
  const std::vector<std::string> changed = changed_words(profile);
  if (!changed.empty()) lines += labelled("changed", changed);
  std::vector<std::string> states;
  for (const auto& [buffer, state] : result.l2_before) states.push_back(buffer + "=" + state);
  if (result.l2_dirty_percent != 0)
    states.push_back("and " + std::to_string(result.l2_dirty_percent) + " % of L2 dirty with others' results");
  if (!states.empty()) lines += labelled("l2 before", states);
  if (result.code_before != "warm") lines += labelled("code", {result.code_before});
  return lines;
}

std::string speed_section(const Result& result) {
  Table table("lrl");
  table.row({"cycles", grouped(cycles(result).count()), ending(result)});
  add_skipped(table, result);
  table.row({"time", duration(time_us(result)), beside_the_time(result)});
  table.row({"TFLOPS", fixed(tflops(result), tflops(result) < 10 ? 3 : 1), beside_the_rate(result)});
  add_roofline(table, result);
  add_power(table, result);
  if (result.kernels.size() == 1) {
    if (const auto steady = steady_cycles_per_tile(result.kernels.front()))
      table.row({"k tile", fixed(*steady, 1), "cycles, mean over the last half of a CTA's tiles"});
  }
  add_bound(table, result);
  add_main_wait(table, result);
  return "\nSpeed\n" + table.text();
}

}  // namespace gpusim::view
