#include "estimate/load_meter.h"

#include <algorithm>

namespace gpusim::estimate {

void LoadMeter::at_sub_partition(Resource resource, const Pace& pace, double instructions) {
  busy(resource, cycles_of(pace, instructions) / static_cast<double>(profile_.sm.sub_partitions));
}

void LoadMeter::at_lsu(double instructions) {
  busy(Resource::lsu, cycles_of(profile_.lsu.accept_per_clk, instructions));
}

void LoadMeter::at_shared(double bytes) { busy(Resource::shared, cycles_of(profile_.shared.bytes_per_clk, bytes)); }

void LoadMeter::take_in(double bytes) {
  if (profile_.tma) busy(Resource::tma_write, cycles_of(profile_.tma->write_bytes_per_clk, bytes));
}

void LoadMeter::write_back(double bytes) {
  busy(Resource::lsu_writeback, cycles_of(profile_.lsu.writeback_bytes_per_clk, bytes));
}

void LoadMeter::at_l1_tags(double instructions, const Sectors& sectors) {
  if (!profile_.l1 || profile_.l1->tag_banks.is_unlimited()) return;
  const auto banks = static_cast<double>(profile_.l1->tag_banks.value());
  busy(Resource::l1_tags, instructions * std::max(1.0, static_cast<double>(sectors.lines) / banks));
}

void LoadMeter::at_l1_data(double instructions, const Sectors& sectors) {
  if (!profile_.l1 || profile_.l1->bytes_per_clk.is_unlimited()) return;
  const double bytes = cycles_of(profile_.l1->bytes_per_clk, static_cast<double>(sectors.bytes));
  busy(Resource::l1_data, instructions * std::max(bytes, static_cast<double>(sectors.passes)));
}

void LoadMeter::at_engine(double copies, double rows, double bytes) {
  if (!profile_.tma) return;
  busy(Resource::tma_begin, cycles_of(profile_.tma->copies_per_clk, copies));
  busy(Resource::tma_bytes, cycles_of(profile_.tma->bytes_per_clk, bytes));
  busy(Resource::tma_rows, cycles_of(profile_.tma->rows_per_clk, rows));
}

double LoadMeter::held(double lines, Cycles latency) const {
  if (!profile_.l1 || profile_.l1->miss_lines.is_unlimited()) return 0;
  return lines * static_cast<double>(latency.count()) / static_cast<double>(profile_.l1->miss_lines.value());
}

void LoadMeter::receive(double bytes, double given) {
  const CrossbarSpec& crossbar = profile_.crossbar;
  busy(Resource::port_in, cycles_of(crossbar.sm_read_bytes_per_clk, bytes));
  busy(Resource::tpc_in, cycles_of(crossbar.tpc_read_bytes_per_clk, bytes));
  busy(Resource::cpc_in, cycles_of(crossbar.cpc_read_bytes_per_clk, bytes));
  busy(Resource::gpc_in, cycles_of(crossbar.gpc_read_bytes_per_clk, bytes));
  at_slices(Resource::l2_slice, slice_, given);
}

void LoadMeter::send(double bytes, double lines) {
  const CrossbarSpec& crossbar = profile_.crossbar;
  const double sent = bytes + lines * static_cast<double>(crossbar.request_bytes.count());
  busy(Resource::port_out, cycles_of(crossbar.sm_write_bytes_per_clk, sent));
  busy(Resource::tpc_out, cycles_of(crossbar.tpc_write_bytes_per_clk, sent));
  busy(Resource::cpc_out, cycles_of(crossbar.cpc_write_bytes_per_clk, sent));
  busy(Resource::gpc_out, cycles_of(crossbar.gpc_write_bytes_per_clk, sent));
}

double LoadMeter::of_slices(double bytes, double lines) const {
  return profile_.l2 ? std::max(bytes, lines * static_cast<double>(profile_.l2->slice_request_bytes.count())) : bytes;
}

void LoadMeter::write(double bytes, double lines) {
  at_slices(Resource::l2_slice, slice_, of_slices(bytes, lines));
  at_slices(Resource::l2_slice_write, slice_write_, bytes);
}

void LoadMeter::at_slices(Resource resource, const Rate& slice, double bytes) {
  if (profile_.l2) busy(resource, cycles_of(slice * profile_.l2->slices, bytes));
}

void LoadMeter::at_atomics(double sectors) {
  if (profile_.l2) busy(Resource::l2_atomics, cycles_of(profile_.l2->atomics_per_clk * profile_.l2->slices, sectors));
}

}  // namespace gpusim::estimate
