// The text view's account of power.
#include "gpusim/estimate/power.h"
#include "view/format.h"
#include "view/section.h"
#include "view/table.h"

namespace gpusim::view {

namespace {

/// Why the board gives this clock under its limit.
std::string reason_of(const Result& result, std::int64_t clock) {
  const std::int64_t highest = estimate::highest_clock(result);
  if (clock < highest) return "where the board settles in a long run";
  if (highest < estimate::highest_clock(result.profile)) return "the most with tensor cores (power.tensor_max_mhz)";
  return highest < result.clock_mhz ? "the most that the board gives" : "nothing is held back";
}

}  // namespace

std::string power_section(const Result& result) {
  const auto drawn = estimate::power(result);
  if (!drawn) return "";
  Table table("lrrl");
  const std::string limit = fixed(drawn->limit_watts, 0) + " W";
  const std::int64_t clock = estimate::clock_under_power(result, drawn->limit_watts);
  table.row({"at " + grouped(drawn->clock_mhz) + " MHz", fixed(drawn->watts, 0) + " W",
             share(drawn->watts, drawn->limit_watts), "of the board's limit of " + limit});
  table.row({"under it", grouped(clock) + " MHz", "", reason_of(result, clock)});
  for (const estimate::EnergyTerm& term : drawn->terms) {
    if (term.watts == 0) continue;
    table.row({std::string(term.name), fixed(term.watts, 1) + " W", share(term.watts, drawn->watts),
               fixed(term.millijoules, 3) + " mJ"});
  }
  return "\nPower\n" + table.text();
}

}  // namespace gpusim::view
