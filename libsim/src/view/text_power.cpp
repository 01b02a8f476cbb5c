// The text view's account of power.
#include "gpusim/estimate/power.h"
#include "view/format.h"
#include "view/section.h"
#include "view/table.h"

namespace gpusim::view {

std::string power_section(const Result& result) {
  const auto drawn = estimate::power(result);
  if (!drawn) return "";
  Table table("lrrl");
  const std::string limit = fixed(drawn->limit_watts, 0) + " W";
  const std::int64_t clock = estimate::clock_under_power(result, drawn->limit_watts);
  table.row({"at " + grouped(drawn->clock_mhz) + " MHz", fixed(drawn->watts, 0) + " W",
             share(drawn->watts, drawn->limit_watts), "of the board's limit of " + limit});
  table.row(
      {"under it", grouped(clock) + " MHz", "",
       clock == estimate::highest_clock(result) ? "nothing is held back" : "where the board settles in a long run"});
  for (const estimate::EnergyTerm& term : drawn->terms) {
    if (term.watts == 0) continue;
    table.row({std::string(term.name), fixed(term.watts, 1) + " W", share(term.watts, drawn->watts),
               fixed(term.millijoules, 3) + " mJ"});
  }
  return "\nPower\n" + table.text();
}

}  // namespace gpusim::view
