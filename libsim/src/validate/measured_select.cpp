// Which rows of a table are compared: by GPU, tier and sample.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "gpusim/dtype.h"
#include "gpusim/measured.h"
#include "gpusim/profile_io.h"
#include "validate/gemm_protocol.h"

namespace gpusim::validate {
namespace {

/// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014): the same on any machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
    return mixed ^ (mixed >> 31);
  }

  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(next() % limit); }

 private:
  std::uint64_t state_;
};

/// What a GPU's name means.
struct Meaning {
  std::string name;  ///< the profile's; or the GPU's own where it is out of scope
  bool out_of_scope = false;
};

class Names {
 public:
  const Meaning& of(const std::string& name) {
    const auto found = meanings_.find(name);
    return found != meanings_.end() ? found->second : meanings_.emplace(name, meaning(name)).first->second;
  }

 private:
  static Meaning meaning(const std::string& name) {
    if (const auto gpu = find_out_of_scope(name)) return {gpu->name, true};
    return {load_profile(name).name, false};
  }

  std::map<std::string, Meaning> meanings_;
};

using GroupKey = std::tuple<std::string, std::string, std::optional<DType>, std::string>;

GroupKey group_of(const MeasuredRow& row) { return {row.gpu, row.kernel, dtype_named(row.dtype), row.dtype}; }

/// `count` of the rows: those of a GPU, kernel and type together, shuffled within, then every so-manyth of all.
std::vector<std::size_t> sample(const MeasuredRows& table, const std::vector<std::size_t>& rows, std::size_t count,
                                std::uint64_t seed) {
  if (count >= rows.size()) return rows;
  std::map<GroupKey, std::vector<std::size_t>> groups;
  for (const std::size_t row : rows) groups[group_of(*table.rows[row])].push_back(row);
  Random random(seed);
  std::vector<std::size_t> order;
  for (auto& [key, group] : groups) {
    for (std::size_t left = group.size(); left > 1; --left) std::swap(group[left - 1], group[random.below(left)]);
    order.insert(order.end(), group.begin(), group.end());
  }
  const std::size_t first = random.below(order.size());
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < count; ++i) chosen.push_back(order[(first + i * order.size() / count) % order.size()]);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace

SelectedRows select(const MeasuredRows& table, const RowSelection& selection) {
  Names names;
  std::set<std::string> wanted;
  for (const std::string& gpu : selection.gpus) wanted.insert(names.of(gpu).name);

  SelectedRows selected;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const MeasuredRow& row = *table.rows[i];
    if (!selection.tier.empty() && row.tier != selection.tier) continue;
    // Where its source says which GPU it was, a row is found by that name as well.
    const Meaning& gpu = names.of(row.gpu);
    const Meaning& measured = names.of(std::string(profile_name(row.gpu, row.source)));
    if (wanted.empty() || wanted.contains(gpu.name) || wanted.contains(measured.name))
      (gpu.out_of_scope ? selected.out_of_scope : selected.rows).push_back(i);
  }
  if (selection.sample) selected.rows = sample(table, selected.rows, *selection.sample, selection.seed);
  return selected;
}

}  // namespace gpusim::validate
