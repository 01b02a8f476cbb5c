// The text view's stall table.
#include <algorithm>
#include <numeric>

#include "view/format.h"
#include "view/section.h"
#include "view/table.h"

namespace gpusim::view {

namespace {

/// More columns than this do not fit the page beside the meanings.
constexpr std::size_t most_roles = 3;
constexpr std::size_t role_width = 10;

constexpr std::array<std::string_view, reason_count> meanings{
    "issuing",
    "ready, another warp was chosen",
    "fixed-latency result",
    "the pipe is taken",
    "data from shared memory",
    "data from global memory",
    "queue to shared memory full",
    "queue to L1 and global memory full",
    "other warps at bar.sync",
    "phase of an mbarrier",
    "copy engine full",
    "cold code",
};

std::vector<std::size_t> reasons_by_share(const StallCycles& cycles) {
  std::vector<std::size_t> order(reason_count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return cycles.by_reason[a] > cycles.by_reason[b]; });
  std::erase_if(order, [&](std::size_t reason) { return cycles.by_reason[reason] == 0; });
  return order;
}

std::string cell(const StallCycles& cycles, std::size_t reason) {
  return share(static_cast<double>(cycles.by_reason[reason]), static_cast<double>(cycles.total()));
}

}  // namespace

std::string stall_section(const KernelResult& kernel) {
  const StallCycles all = stalls(kernel);
  if (all.total() == 0) return "";
  // One role says the same as all of them.
  const std::size_t shown = kernel.roles.size() == 1 ? 0 : std::min(kernel.roles.size(), most_roles);

  Table table("lr" + std::string(shown, 'r') + "l");
  std::vector<std::string> heads{"reason", "all"};
  for (std::size_t i = 0; i < shown; ++i) heads.push_back(fitted(kernel.roles[i].role, role_width));
  heads.emplace_back("waiting for");
  table.row(heads);
  for (const std::size_t reason : reasons_by_share(all)) {
    std::vector<std::string> cells{std::string(reason_names[reason]), cell(all, reason)};
    for (std::size_t i = 0; i < shown; ++i) cells.push_back(cell(kernel.roles[i].stalls, reason));
    cells.emplace_back(meanings[reason]);
    table.row(cells);
  }
  std::vector<std::string> totals{"warp-cycles", grouped(all.total())};
  for (std::size_t i = 0; i < shown; ++i) totals.push_back(grouped(kernel.roles[i].stalls.total()));
  table.row(totals);

  std::string text =
      "\nWarp-cycles by reason (Nsight Compute: smsp__average_warps_issue_stalled_<reason>_per_issue_active)\n";
  text += table.text();
  if (kernel.roles.size() > most_roles && shown > 0)
    text += "  (" + grouped(static_cast<std::int64_t>(kernel.roles.size() - shown)) + " more roles in the JSON view)\n";
  return text;
}

}  // namespace gpusim::view
