#include "sm/banks.h"

#include <algorithm>
#include <array>

namespace gpusim::sm {
namespace {

constexpr std::int64_t bank_count = 32;
constexpr std::int64_t word_bytes = 4;
constexpr std::size_t most_known = 64;

BankCost instruction_cost(const SharedPlan& plan, const LanePlaces& lanes, std::int64_t row0, std::int64_t column0) {
  std::vector<std::int64_t> words;
  for (std::size_t lane = 0; lane < lanes.rows.size(); ++lane)
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
  cost.bytes = static_cast<std::int64_t>(lanes.rows.size()) * plan.vector * plan.element_bytes;
  return cost;
}

}  // namespace

const BankCost& bank_cost(SharedPlan& plan, int warp, const Coordinates& at) {
  const auto index = static_cast<std::size_t>(warp - plan.first_warp);
  const std::int64_t row = plan.row(at);
  const std::int64_t column = plan.column(at);
  std::vector<SharedPlan::Known>& known = plan.known[index];
  for (const SharedPlan::Known& entry : known)
    if (entry.row == row && entry.column == column) return entry.cost;
  BankCost sum;
  for (const LanePlaces& lanes : plan.places[index]) {
    const BankCost cost = instruction_cost(plan, lanes, row, column);
    sum.wavefronts += cost.wavefronts;
    sum.ideal += cost.ideal;
    sum.bytes += cost.bytes;
  }
  // Fragments repeat after a few places. A program that never does pays for each anew instead of filling memory.
  if (known.size() == most_known) known.pop_back();
  known.push_back({row, column, sum});
  return known.back().cost;
}

}  // namespace gpusim::sm
