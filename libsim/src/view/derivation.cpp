#include "gpusim/view/derivation.h"

#include <algorithm>

#include "view/facts.h"
#include "view/format.h"
#include "view/table.h"

namespace gpusim::view {

namespace {

std::string factor_text(const estimate::PathTerm& term) {
  const std::string each = grouped(term.each.count());
  return term.count == 1 ? each : grouped(term.count) + "*" + each;
}

/// "504 = 200 + 8*34 + 8*4", over several lines when it is long.
std::string equation(const estimate::CriticalPath& path) {
  std::vector<std::string> words;
  for (const estimate::PathTerm& term : path.cta) words.push_back((words.empty() ? "= " : "+ ") + factor_text(term));
  const std::string sum = "  " + grouped(path.cta_cycles.count()) + " ";
  if (words.empty()) words.emplace_back("= 0");
  std::string lines = wrapped(words, sum.size());
  return lines.replace(0, sum.size(), sum);
}

std::string term_table(const estimate::CriticalPath& path, const Profile& profile) {
  Table table("rrrlll");
  table.row({"count", "each", "cycles", "what", "profile field", "known by"});
  for (const estimate::PathTerm& term : path.cta) {
    table.row({grouped(term.count), grouped(term.each.count()), grouped((term.count * term.each).count()),
               fitted(term.what, 36), term.field, std::string(method_of(profile, term.field))});
  }
  table.row({"", "", grouped(path.cta_cycles.count()), "one CTA, nothing in its way"});
  return table.text();
}

std::string hand_over_text(const estimate::CriticalPath& path, const Profile& profile) {
  return "hand-over between waves: launch.cta_exit " + grouped(profile.launch.cta_exit.count()) +
         " + launch.cta_start " + grouped(profile.launch.cta_start.count()) + " = " + grouped(path.hand_over.count());
}

std::string totals(const Result& result, const estimate::CriticalPath& path) {
  const Cycles simulated = cycles(result);
  const Cycles difference = simulated - path.total;
  Table table("rl");
  if (path.waves > 1) {
    table.row({grouped((path.waves * path.cta_cycles).count()),
               grouped(path.waves) + " waves of " + grouped(path.cta_cycles.count())});
    table.row({grouped(((path.waves - 1) * path.hand_over).count()), grouped(path.waves - 1) + "*" +
                                                                         grouped(path.hand_over.count()) + ", " +
                                                                         hand_over_text(path, result.profile)});
  }
  table.row({grouped(path.total.count()), "closed form"});
  if (result.termination != Termination::completed) {
    table.row({grouped(simulated.count()), "simulated, of a part of the grid or of the time: not compared"});
    return "\n" + table.text();
  }
  table.row({grouped(simulated.count()), "simulated"});
  table.row({grouped(difference.count()),
             "difference, " + share(static_cast<double>(difference.count()), static_cast<double>(path.total.count())) +
                 " of the closed form"});
  return "\n" + table.text();
}

/// What the difference is made of, as far as counters say.
std::string contention(const Result& result, const KernelResult& kernel, Cycles difference) {
  if (difference.count() == 0 || result.termination != Termination::completed) return "";
  std::string text;
  if (difference < Cycles(0))
    text += "\n  Shorter than the closed form: data that other CTAs brought, or waves that overlap, came sooner.\n";
  else
    text +=
        "\n  The closed form follows one warp. The difference is what warps and CTAs take from each other: turns at "
        "pipes,\n"
        "  issue ports and banks (busiest servers), and queues on the way of reads (hops). They overlap, so they do "
        "not add up.\n";
  const std::string hops = hop_table(kernel);
  if (!hops.empty()) text += "\n  What contention added to reads, mean cycles by hop\n" + hops;

  Table table("lrr");
  table.row({"busiest", "busy", "waited"});
  const std::vector<const ServerRow*> servers = busiest_servers(result);
  for (std::size_t i = 0; i < std::min<std::size_t>(servers.size(), 5); ++i)
    table.row({fitted(servers[i]->name, name_width), percent(utilisation(*servers[i], cycles(result))),
               grouped(servers[i]->waited)});
  if (!servers.empty()) text += "\n" + table.text();
  return text;
}

}  // namespace

std::string derivation(const Result& result, const estimate::CriticalPath& path) {
  if (result.kernels.size() != 1) throw std::logic_error("a derivation is of a single schedule's result");
  const KernelResult& kernel = result.kernels.front();
  return "Derivation: the longest chain of latencies through one CTA\n" + equation(path) + "\n" +
         term_table(path, result.profile) + totals(result, path) +
         contention(result, kernel, cycles(result) - path.total);
}

}  // namespace gpusim::view
