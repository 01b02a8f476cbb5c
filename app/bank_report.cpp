#include "bank_report.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "columns.h"

namespace app {

namespace {

using gpusim::BankConflicts;
using gpusim::BankPhase;

constexpr int bank_count = 32;

/// Lanes of a phase by bank.
std::array<std::vector<int>, bank_count> lanes_by_bank(const BankConflicts& conflicts, int first, int end) {
  std::array<std::vector<int>, bank_count> lanes;
  for (const gpusim::LaneBanks& lane : conflicts.lanes) {
    if (lane.lane < first || lane.lane >= end) continue;
    for (int i = 0; i < lane.banks; ++i)
      lanes[static_cast<std::size_t>((lane.bank + i) % bank_count)].push_back(lane.lane);
  }
  return lanes;
}

int end_of(const BankConflicts& conflicts, std::size_t phase) {
  return phase + 1 < conflicts.phases.size() ? conflicts.phases[phase + 1].first_lane : bank_count;
}

std::string range(int first, int last) {
  return first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
}

std::string listed(const std::vector<int>& lanes) {
  std::string text;
  for (const int lane : lanes) text += fmt::format("{}{}", text.empty() ? "" : " ", lane);
  return text;
}

/// Neighbouring banks of the same lanes in one line.
void add_phase(const BankConflicts& conflicts, std::size_t index, std::vector<std::vector<std::string>>& rows) {
  const BankPhase& phase = conflicts.phases[index];
  const int end = end_of(conflicts, index);
  const auto lanes = lanes_by_bank(conflicts, phase.first_lane, end);
  bool first = true;
  for (std::size_t bank = 0; bank < lanes.size();) {
    std::size_t next = bank + 1;
    while (next < lanes.size() && lanes[next] == lanes[bank]) ++next;
    if (!lanes[bank].empty()) {
      rows.push_back({first ? range(phase.first_lane, end - 1) : "", first ? fmt::format("{}", phase.wavefronts) : "",
                      first ? fmt::format("{}", phase.least) : "",
                      range(static_cast<int>(bank), static_cast<int>(next) - 1), listed(lanes[bank])});
      first = false;
    }
    bank = next;
  }
}

std::string arrangement(const gpusim::SharedTile& tile) {
  const std::string pitch = fmt::format("rows {} bytes apart", tile.pitch.count());
  const auto width = static_cast<int>(tile.swizzle);
  return width == 0 ? pitch : fmt::format("{}, swizzle of {} bytes", pitch, width);
}

}  // namespace

std::string bank_table(const BankAccess& access, const BankConflicts& conflicts) {
  const gpusim::SharedTile& tile = access.tile;
  std::string text = fmt::format("{} of a {}x{} tile of {}, {}\n", access.instruction, tile.rows, tile.columns,
                                 gpusim::name(tile.dtype), arrangement(tile));
  const double degree = gpusim::conflict_degree(conflicts);
  text += fmt::format("  {} wavefronts, {} at the least: {}\n\n", conflicts.wavefronts, conflicts.least,
                      conflicts.wavefronts == conflicts.least ? "no conflicts" : fmt::format("degree {:.4g}", degree));
  std::vector<std::vector<std::string>> rows{{"lanes", "wavefronts", "least", "banks", "which lanes hit"}};
  for (std::size_t i = 0; i < conflicts.phases.size(); ++i) add_phase(conflicts, i, rows);
  return text + columns(rows);
}

std::string bank_json(const BankAccess& access, const BankConflicts& conflicts) {
  using Json = nlohmann::ordered_json;
  const gpusim::SharedTile& tile = access.tile;
  Json json{{"layout",
             {{"rows", tile.rows},
              {"columns", tile.columns},
              {"dtype", gpusim::name(tile.dtype)},
              {"pitch", tile.pitch.count()},
              {"swizzle", static_cast<int>(tile.swizzle)}}},
            {"access", access.instruction},
            {"wavefronts", conflicts.wavefronts},
            {"least", conflicts.least},
            {"degree", gpusim::conflict_degree(conflicts)},
            {"bytes", conflicts.bytes},
            {"phases", Json::array()}};
  for (std::size_t i = 0; i < conflicts.phases.size(); ++i) {
    const BankPhase& phase = conflicts.phases[i];
    Json banks = Json::array();
    for (const std::vector<int>& lanes : lanes_by_bank(conflicts, phase.first_lane, end_of(conflicts, i)))
      banks.push_back(lanes);
    json["phases"].push_back({{"first_lane", phase.first_lane},
                              {"lanes", phase.lanes},
                              {"wavefronts", phase.wavefronts},
                              {"least", phase.least},
                              {"lanes_by_bank", std::move(banks)}});
  }
  return json.dump(2) + "\n";
}

}  // namespace app
