#include "sm/banks.h"

#include <algorithm>
#include <array>

#include "sizes.h"

namespace gpusim::sm {
namespace {

constexpr std::size_t most_known = 64;

/// Of lanes [first, end), which are served together.
BankCost cost_together(const SharedPlan& plan, const LanePlaces& lanes, std::size_t first, std::size_t end,
                       std::int64_t row0, std::int64_t column0) {
  std::vector<std::int64_t> words;
  for (std::size_t lane = first; lane < end; ++lane)
    for (std::int64_t element = 0; element < plan.vector; ++element) {
      const std::int64_t byte = (column0 + lanes.columns[lane] + element) * plan.element_bytes;
      const std::int64_t offset = swizzled_offset(row0 + lanes.rows[lane], byte, plan.pitch, plan.swizzle);
      words.push_back(offset / word_bytes);
      if (plan.element_bytes > word_bytes) words.push_back(offset / word_bytes + 1);
    }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  std::array<std::int64_t, bank_count> wanted{};
  for (const std::int64_t word : words)
    ++wanted[static_cast<std::size_t>((word % bank_count + bank_count) % bank_count)];
  BankCost cost;
  cost.wavefronts = *std::max_element(wanted.begin(), wanted.end());
  cost.ideal = (static_cast<std::int64_t>(words.size()) + bank_count - 1) / bank_count;
  cost.bytes = static_cast<std::int64_t>(end - first) * plan.vector * plan.element_bytes;
  return cost;
}

void add(BankCost& sum, const BankCost& cost) {
  sum.wavefronts += cost.wavefronts;
  sum.ideal += cost.ideal;
  sum.bytes += cost.bytes;
}

/// Every lane of [first, end) begins where the lane `distance` away does.
bool in_equal_pairs(const LanePlaces& lanes, std::size_t first, std::size_t end, std::size_t distance) {
  for (std::size_t lane = first; lane < end; ++lane) {
    const std::size_t other = first + ((lane - first) ^ distance);
    if (other < end && (lanes.rows[lane] != lanes.rows[other] || lanes.columns[lane] != lanes.columns[other]))
      return false;
  }
  return true;
}

BankCost instruction_cost(const SharedPlan& plan, const LanePlaces& lanes, std::int64_t row0, std::int64_t column0) {
  const std::size_t active = lanes.rows.size();
  const auto together = static_cast<std::size_t>(plan.together);
  const auto phase = static_cast<std::size_t>(lanes_of_a_pass(plan.vector * plan.element_bytes));
  BankCost sum;
  for (std::size_t first = 0; first < active;) {
    std::size_t count = std::min(phase, together);
    const std::size_t pair = std::min(first + 2 * count, active);
    // The two phases of a pair become one where neighbours share their places.
    if (2 * count <= together && first % (2 * count) == 0 &&
        (in_equal_pairs(lanes, first, pair, 1) || in_equal_pairs(lanes, first, pair, 2)))
      count *= 2;
    const std::size_t end = std::min(first + count, active);
    add(sum, cost_together(plan, lanes, first, end, row0, column0));
    first = end;
  }
  return sum;
}

}  // namespace

const RunCost& bank_cost(SharedPlan& plan, int warp, const Coordinates& at) {
  const auto index = static_cast<std::size_t>(warp - plan.first_warp);
  const std::int64_t row = plan.row(at);
  const std::int64_t column = plan.column(at);
  std::vector<SharedPlan::Known>& known = plan.known[index];
  for (const SharedPlan::Known& entry : known)
    if (entry.row == row && entry.column == column) return entry.cost;
  RunCost cost;
  for (const LanePlaces& lanes : plan.places[index]) add(cost.all, instruction_cost(plan, lanes, row, column));
  const auto count = std::max<std::int64_t>(std::ssize(plan.places[index]), 1);
  cost.instructions = count;
  cost.each = {cost.all.wavefronts / count, cost.all.ideal / count, cost.all.bytes / count};
  cost.even = cost.each.wavefronts * count == cost.all.wavefronts && cost.each.ideal * count == cost.all.ideal &&
              cost.each.bytes * count == cost.all.bytes;
  // Fragments repeat after a few places. A program that never does pays for each anew instead of filling memory.
  if (known.size() == most_known) known.pop_back();
  known.push_back({row, column, cost});
  return known.back().cost;
}

}  // namespace gpusim::sm
