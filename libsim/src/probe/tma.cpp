// tma: bulk copies of cold data, one in flight for each CTA; bulk stores.
#include <algorithm>
#include <charconv>

#include "gpusim/schedules/probes.h"
#include "probe/kind.h"
#include "probe/observers.h"
#include "sizes.h"

namespace gpusim::probe {

namespace {

std::string lack_tma(const Profile& profile, const Values&) {
  return profile.tma ? "" : "it has no tensor memory accelerator";
}

/// Extents "16x16" or "4x4x256", or none.
std::vector<std::int64_t> extents_of(std::string_view text) {
  std::vector<std::int64_t> extents;
  while (true) {
    std::int64_t extent = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (error != std::errc() || extent < 1 || extent > widest_box) return {};
    extents.push_back(extent);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty()) return extents;
    if (text.front() != 'x') return {};
    text.remove_prefix(1);
  }
}

void set_box(schedules::BulkLoop& loop, Values& values) {
  const std::string& box = values.text("box");
  if (box == "bulk1d" || box == "tensor1d") {
    loop.x = values.bytes("bytes") / word_bytes;
    loop.rank = box == "tensor1d" ? 1 : 0;
    if (loop.rank == 1 && loop.x > widest_box)
      refuse("bytes", "a box of a tensor map is at most " + std::to_string(widest_box) + " elements wide, " +
                          size_text(widest_box * word_bytes));
    return;
  }
  const std::vector<std::int64_t> extents = extents_of(box);
  if (extents.size() < 2 || extents.size() > 3)
    refuse("box", "'" + box + "' is neither bulk1d, tensor1d nor the extents of a box as 16x16 or 4x4x256");
  loop.x = extents[0];
  loop.y = extents[1];
  loop.z = extents.size() == 3 ? extents[2] : 1;
  loop.rank = static_cast<int>(extents.size());
  values.resolve("bytes", size_text(loop.x * loop.y * loop.z * word_bytes));
}

/// Places for the boxes of a CTA, of which all fill half of L2 at most: nothing is written back.
std::int64_t stored_boxes(const Bench& bench, std::int64_t bytes_of_all) {
  const std::int64_t places = bench.l2_bytes() / 2 / bytes_of_all;
  if (places < 1) refuse("ctas", "their boxes fill more than half of L2: " + size_text(bytes_of_all));
  return places;
}

Quantities measure_tma(const Bench& bench, Values& values) {
  constexpr std::int64_t enough_bytes = std::int64_t{48} << 20;
  schedules::BulkLoop loop;
  const bool stores = values.is("direction", "write");
  set_box(loop, values);
  if (stores && loop.rank != 2) refuse("box", "stores take a box of two dimensions, as 32x64");
  const std::int64_t ctas_per_sm = values.number("ctas");
  loop.ctas = ctas_per_sm * bench.sms();
  const std::int64_t bytes = loop.x * loop.y * loop.z * word_bytes;
  loop.trips = std::clamp<std::int64_t>(enough_bytes / (loop.ctas * bytes), 12, 48);
  if (stores) loop.stored_boxes = stored_boxes(bench, loop.ctas * bytes);
  const Schedule schedule = schedules::bulk_loop(loop);
  if (occupancy(schedule, bench.profile()).ctas < ctas_per_sm)
    refuse("ctas", std::to_string(ctas_per_sm) + " CTAs with a box of " + size_text(bytes) + " do not fit an SM");
  RateMeter meter(stores ? "UTMASTG" : "UTMALDG");
  (void)bench.run({schedule}, L2State::cold, &meter);
  const double copies = meter.while_all_issue();
  return {{"bandwidth", bench.gb_per_s(copies * static_cast<double>(bytes)), "GB/s"},
          {"round_trip", static_cast<double>(loop.ctas) / copies, "cycles"},
          {"per_sm", copies * static_cast<double>(bytes) / static_cast<double>(bench.sms()), "B/clk"}};
}

Curve tma_curve(const Profile&, const Curve& given) {
  if (given.contains("box")) return {};
  const auto direction = given.find("direction");
  if (direction != given.end() && direction->second == std::vector<std::string>{"write"})
    return {{"box", {"32x64", "32x128"}}};
  return {{"bytes", {"1KiB", "2KiB", "4KiB", "8KiB", "16KiB"}}, {"ctas", {"1", "2", "4"}}};
}

}  // namespace

Kind tma_kind() {
  return {"tma",
          "persistent CTAs on all SMs, each with one bulk copy of cold data in flight, or bulk stores into L2",
          "HPMLL/NVIDIA-Hopper-Benchmark TMA/Throughput (arXiv:2501.12084)",
          {size("bytes", "of a copy; a box's extents say it", "1KiB", 16, 1 << 18),
           number("ctas", "CTAs on each SM", "1", 1, 32),
           text("box",
                "bulk1d: consecutive bytes; tensor1d: through a tensor map; 16x16, 4x4x256: fp32 extents, "
                "contiguous first",
                "bulk1d"),
           word("direction", "copies from DRAM, or stores into L2", {"read", "write"})},
          {{"bandwidth", "GB/s"}, {"round_trip", "cycles"}, {"per_sm", "B/clk"}},
          lack_tma,
          measure_tma,
          tma_curve};
}

}  // namespace gpusim::probe
