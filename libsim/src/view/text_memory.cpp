// The text view's memory traffic and receipts.
#include <algorithm>

#include "view/facts.h"
#include "view/format.h"
#include "view/section.h"
#include "view/table.h"

namespace gpusim::view {

namespace {

constexpr double sector_size = 32;

class TrafficTable {
 public:
  TrafficTable(const Result& result, const KernelResult& kernel)
      : clock_ghz_(static_cast<double>(result.clock_mhz) / 1e3), cycles_(static_cast<double>(kernel.cycles.count())) {}

  /// `peak` in bytes a cycle; 0: none to compare with.
  void add(std::string_view label, double bytes, double peak, std::string hits, std::string_view metric) {
    if (bytes == 0) return;
    if (table_.empty()) table_.row({"", "bytes", "GB/s", "of peak", "hits", "Nsight Compute metric"});
    const double rate = cycles_ > 0 ? bytes / cycles_ : 0;
    table_.row({std::string(label), byte_count(bytes), fixed(rate * clock_ghz_, 1), peak > 0 ? share(rate, peak) : "",
                std::move(hits), std::string(metric)});
  }
  /// Empty when nothing moved.
  [[nodiscard]] std::string text() const { return table_.empty() ? "" : "\nMemory traffic\n" + table_.text(); }

 private:
  Table table_{"lrrrrl"};
  double clock_ghz_;
  double cycles_;
};

/// Bytes a cycle of `servers` servers; 0 when unlimited.
double peak_of(const Rate& rate, std::int64_t servers) {
  return rate.is_unlimited() ? 0 : rate.per_cycle() * static_cast<double>(servers);
}

/// Bytes a cycle that stores through the banks and bulk copies beside them can write; 0 where either has no limit.
double shared_write_peak(const Profile& profile) {
  const double banks = peak_of(profile.shared.bytes_per_clk, profile.sm.count);
  if (!profile.tma) return banks;
  const double bulk = peak_of(profile.tma->write_bytes_per_clk, profile.sm.count);
  return banks == 0 || bulk == 0 ? 0 : banks + bulk;
}

/// Written bytes are some of a slice's, and may have a rate of their own within it.
double l2_write_peak(const Result& result, double l2_peak) {
  if (!result.profile.l2) return 0;
  const L2Spec& l2 = *result.profile.l2;
  const double writes = peak_of(slice_write_rate(l2, result.clock_mhz), l2.slices);
  return writes == 0 || l2_peak == 0 ? std::max(writes, l2_peak) : std::min(writes, l2_peak);
}

double dram_peak(const Result& result) {
  const Rate& rate = result.profile.dram.bandwidth_gb_per_s;
  if (rate.is_unlimited() || result.clock_mhz == 0) return 0;
  return rate.per_cycle() * 1e3 / static_cast<double>(result.clock_mhz);
}

std::string hit_rate(std::int64_t hits, std::int64_t reads) {
  return reads == 0 ? "" : share(static_cast<double>(hits), static_cast<double>(reads));
}

/// Reads that come to the slices, those that ask for them in the other partition, and those that a coalescer answers.
void add_reads(TrafficTable& table, const Traffic& traffic, const Profile& profile, double peak) {
  const auto bytes = [](std::int64_t sectors) { return static_cast<double>(sectors) * sector_size; };
  const std::int64_t coalesced = traffic.l2_coalesced_sectors;
  const std::int64_t asked = traffic.l2_read_sectors - coalesced;
  table.add(profile.l2 ? "L2 reads" : "reads", bytes(asked), peak, hit_rate(traffic.l2_hit_sectors - coalesced, asked),
            profile.l2 ? "lts__t_sector_op_read_hit_rate.pct" : "");
  table.add("of them far", bytes(traffic.l2_far_sectors), 0, "", "");
  table.add("coalesced", bytes(coalesced), 0, "", "");
}

std::string conflicts(const Traffic& traffic) {
  if (traffic.shared_wavefronts == 0) return "";
  const auto extra = static_cast<double>(traffic.shared_wavefronts - traffic.shared_ideal_wavefronts);
  return "  " + grouped(traffic.shared_wavefronts) + " wavefronts of shared memory, " +
         share(extra, static_cast<double>(traffic.shared_wavefronts)) + " of them for bank conflicts\n";
}

}  // namespace

std::string traffic_section(const Result& result, const KernelResult& kernel) {
  const Traffic& traffic = kernel.traffic;
  const Profile& profile = result.profile;
  const double shared_peak = peak_of(profile.shared.bytes_per_clk, profile.sm.count);
  const double store_peak = shared_write_peak(profile);
  const double l1_peak = profile.l1 ? peak_of(profile.l1->bytes_per_clk, profile.sm.count) : 0;
  const double l2_peak = profile.l2 ? peak_of(slice_rate(*profile.l2, result.clock_mhz), profile.l2->slices) : 0;

  TrafficTable table(result, kernel);
  const auto sectors = [](std::int64_t count) { return static_cast<double>(count) * sector_size; };
  const auto bytes = [](std::int64_t count) { return static_cast<double>(count); };
  table.add("shared loads", bytes(traffic.shared_load_bytes), shared_peak, "",
            "smsp__sass_data_bytes_mem_shared_op_ld.sum");
  table.add("shared stores", bytes(traffic.shared_store_bytes), store_peak, "",
            "smsp__sass_data_bytes_mem_shared_op_st.sum");
  table.add("asked by loads", bytes(traffic.global_load_bytes), 0, "", "smsp__sass_data_bytes_mem_global_op_ld.sum");
  table.add("asked by stores", bytes(traffic.global_store_bytes), 0, "", "smsp__sass_data_bytes_mem_global_op_st.sum");
  table.add("L1 reads", sectors(traffic.l1_read_sectors), l1_peak,
            hit_rate(traffic.l1_hit_sectors, traffic.l1_read_sectors), "l1tex__t_sector_hit_rate.pct");
  add_reads(table, traffic, profile, l2_peak);
  table.add(profile.l2 ? "L2 writes" : "writes", sectors(traffic.l2_write_sectors), l2_write_peak(result, l2_peak), "",
            profile.l2 ? "lts__t_sectors_op_write.sum" : "");
  table.add("DRAM reads", bytes(traffic.dram_read_bytes), dram_peak(result), "", "dram__bytes_read.sum");
  table.add("DRAM writes", bytes(traffic.dram_write_bytes), dram_peak(result), "", "dram__bytes_write.sum");
  return table.text() + conflicts(traffic);
}

std::string receipt_section(const KernelResult& kernel) {
  const std::int64_t reads = read_count(kernel);
  if (reads == 0) return "";
  return "\nReads from beyond the SM: " + grouped(reads) + "; mean cycles by hop\n" + hop_table(kernel);
}

}  // namespace gpusim::view
