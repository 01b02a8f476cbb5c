#include "estimate/cta_load.h"

#include <algorithm>

#include "estimate/load_meter.h"
#include "sizes.h"

namespace gpusim::estimate {
namespace {

constexpr double warps_of_group = 4;

Resource resource_of(Pipe pipe) {
  return static_cast<Resource>(static_cast<int>(Resource::fma) + static_cast<int>(pipe));
}

/// Adds up one CTA's operations.
class Adder {
 public:
  Adder(const Schedule& schedule, const Profile& profile, const Census& census, Costs& costs)
      : schedule_(schedule),
        has_l1_(profile.l1.has_value()),
        census_(census),
        costs_(costs),
        meter_(profile, costs.slice_rate(), costs.slice_write_rate()),
        neighbours_(schedule),
        wavefronts_(schedule) {}

  void add(const Occurrence& occurrence) {
    now_ = &occurrence;
    instructions_ = occurrence.warps * static_cast<double>(occurrence.operation.count);
    meter_.add_to(sum_.parts[static_cast<std::size_t>(occurrence.part)]);
    meter_.at_sub_partition(Resource::issue, costs_.issue(), instructions_);
    std::visit(*this, occurrence.operation.action);
  }
  [[nodiscard]] CtaLoad take() { return std::move(sum_); }

  void operator()(const Multiply& multiply) { at_pipe(resource_of(multiply.pipe)); }
  void operator()(const Scale&) { at_pipe(Resource::fma); }
  void operator()(const Arithmetic& arithmetic) { at_pipe(resource_of(arithmetic.pipe)); }
  void operator()(const Map& map) { at_pipe(resource_of(map.pipe)); }
  void operator()(const Reduce& reduce) { at_pipe(resource_of(reduce.pipe)); }
  void operator()(const Shuffle&) { between_lanes(); }
  void operator()(const TransposeMatrices&) { between_lanes(); }
  void operator()(const WarpgroupMultiply& multiply) {
    const double groups = instructions_ / warps_of_group;
    meter_.busy(Resource::tensor, cycles_of(costs_.arithmetic_pace(multiply), groups));
    meter_.busy(Resource::shared, cycles_of(costs_.operand_pace(multiply), groups));
  }
  void operator()(const LoadConstant&) { at_pipe(Resource::address); }
  void operator()(const LoadShared& load) {
    at_shared(load.from, load.how);
    if (!load.from.peer) write_back(filled_bytes(load, costs_.element_bytes(load.from)));
  }
  void operator()(const StoreShared& store) { at_shared(store.to); }
  void operator()(const LoadGlobal& load) {
    const Sectors sectors = at_l1(load.from, sum_.read);
    if (!load.bypass_l1) at_banks(sectors);
    write_back(std::int64_t{lanes_per_warp} * load.from.vector * costs_.element_bytes(load.from));
    read(sectors, load.from.buffer, load.bypass_l1 ? 1 : missing(sectors));
  }
  void operator()(const CopyAsync& copy) {
    const Sectors sectors = at_l1(copy.from, sum_.read, copy.through_l1);
    if (copy.through_l1) at_banks(sectors);
    read(sectors, copy.from.buffer, copy.through_l1 ? missing(sectors) : 1);
    wavefronts(copy.to);
  }
  void operator()(const StoreGlobal& store) { write(at_l1(store.to, sum_.stored)); }
  void operator()(const AtomicAdd& atomic) {
    const Sectors sectors = at_l1(atomic.to, sum_.stored);
    write(sectors);
    meter_.at_atomics(instructions_ * static_cast<double>(sectors.sectors));
  }
  void operator()(const BulkCopy& copy) {
    sum_.read.emplace_back(copy, buffer_of(copy.buffer), now_->over);
    const double given = at_engine(copy.rows * copy.planes, copy.columns, copy.buffer);
    const double brought = given * static_cast<double>(neighbours_.bringing(now_->operation, copy, now_->at));
    meter_.take_in(brought);
    meter_.receive(brought, given);
    meter_.send(0, given / line_bytes);
    count_read(given, copy.buffer);
    if (now_->part == Part::step) sum_.bulk_step_bytes += brought;
  }
  void operator()(const BulkStore& store) {
    sum_.stored.emplace_back(store, buffer_of(store.buffer), now_->over);
    const double bytes = at_engine(store.rows, store.columns, store.buffer);
    meter_.at_shared(bytes);
    meter_.send(bytes, bytes / line_bytes);
    meter_.write(bytes, bytes / line_bytes);
    if (store.reduce) meter_.at_atomics(bytes / sector_bytes);
  }
  void operator()(const CtaBarrier&) { sum_.meets_in_steps = sum_.meets_in_steps || now_->part == Part::step; }
  template <class Other>
  void operator()(const Other&) {}

 private:
  const Buffer& buffer_of(BufferId id) const { return schedule_.buffers.at(static_cast<std::size_t>(id.index())); }
  /// How often the CTA does the part.
  double times() const {
    return now_->part == Part::once ? 1 : now_->part == Part::item ? census_.items() : census_.steps();
  }

  void at_pipe(Resource resource) { meter_.at_sub_partition(resource, costs_.pace(now_->operation), instructions_); }
  void between_lanes() {
    at_lsu();
    meter_.at_shared(instructions_ * line_bytes);
    meter_.write_back(instructions_ * line_bytes);
  }
  void at_lsu() {
    at_pipe(Resource::address);
    meter_.at_lsu(instructions_);
  }
  void wavefronts(const SharedAccess& access, SharedRead how = SharedRead::lds) {
    const auto taken = static_cast<double>(wavefronts_.count(access, now_->at, how).taken);
    meter_.at_shared(instructions_ * taken * line_bytes);
  }
  void at_shared(const SharedAccess& access, SharedRead how = SharedRead::lds) {
    at_lsu();
    if (!access.peer) wavefronts(access, how);
  }
  /// Whole registers fill.
  void write_back(std::int64_t bytes) {
    const std::int64_t registers = (bytes + line_bytes - 1) / line_bytes;
    meter_.write_back(instructions_ * static_cast<double>(registers * line_bytes));
  }
  /// The bytes of its boxes.
  double at_engine(std::int64_t rows, std::int64_t columns, BufferId buffer) {
    const double all_rows = instructions_ * static_cast<double>(rows);
    const double bytes = all_rows * static_cast<double>(columns * size_of(buffer_of(buffer).dtype));
    meter_.at_engine(instructions_, all_rows, bytes);
    return bytes;
  }
  Sectors at_l1(const GlobalAccess& access, std::vector<Panel>& panels, bool keeps_data = true) {
    at_lsu();
    const Sectors sectors = sectors_of(access, buffer_of(access.buffer), now_->at);
    panels.emplace_back(access, buffer_of(access.buffer), now_->over, sectors);
    meter_.at_l1_tags(instructions_, sectors);
    if (keeps_data) meter_.at_l1_data(instructions_, sectors);
    return sectors;
  }
  /// L1's data lies in the banks that shared memory has.
  void at_banks(const Sectors& sectors) {
    if (has_l1_) meter_.at_shared(instructions_ * static_cast<double>(sectors.passes * line_bytes));
  }
  /// The share of loads through L1 that miss: what of a work item lies in one box is loaded once.
  double missing(const Sectors& sectors) const {
    if (!has_l1_) return 1;
    const double asked =
        times() / census_.items() * instructions_ * static_cast<double>(sectors.sectors) * sector_bytes;
    return asked > 0 ? std::min(1.0, sum_.read.back().bytes() / asked) : 0;
  }
  void read(const Sectors& sectors, BufferId buffer, double share) {
    const double lines = share * instructions_ * static_cast<double>(sectors.lines);
    const double bytes = share * instructions_ * static_cast<double>(sectors.sectors) * sector_bytes;
    meter_.miss(lines, costs_.nearest_latency());
    sum_.longer_from_dram[static_cast<std::size_t>(now_->part)] +=
        meter_.held(lines, costs_.global_latency(buffer) - costs_.nearest_latency());
    meter_.receive(bytes, meter_.of_slices(bytes, lines));
    meter_.send(0, lines);
    count_read(bytes, buffer);
  }
  void count_read(double bytes, BufferId buffer) {
    sum_.l2_read_bytes += times() * bytes;
    if (costs_.global_latency(buffer) != costs_.nearest_latency()) sum_.cold_read_bytes += times() * bytes;
  }
  void write(const Sectors& sectors) {
    const double lines = instructions_ * static_cast<double>(sectors.lines);
    const double bytes = instructions_ * static_cast<double>(sectors.sectors) * sector_bytes;
    meter_.miss(lines, costs_.nearest_latency());
    meter_.send(bytes, lines);
    meter_.write(bytes, lines);
  }

  const Schedule& schedule_;
  bool has_l1_;
  const Census& census_;
  Costs& costs_;
  CtaLoad sum_;
  LoadMeter meter_;
  Neighbours neighbours_;
  WavefrontCounter wavefronts_;
  const Occurrence* now_ = nullptr;
  double instructions_ = 0;  ///< of all its warps, each time the part happens
};

/// SMs of a group, of as many groups as even can be, that have CTAs.
double together(std::int64_t sms_of_group, std::int64_t busy_sms, const Profile& profile) {
  const double of_all = static_cast<double>(busy_sms) / static_cast<double>(profile.sm.count);
  return std::max(1.0, of_all * static_cast<double>(sms_of_group));
}

/// What several SMs share serves all of them in the time of one.
void share(CtaLoad& load, std::initializer_list<Resource> resources, double sms) {
  for (Load& part : load.parts)
    for (const Resource resource : resources) part[static_cast<std::size_t>(resource)] *= sms;
}

bool multiplies(const std::vector<Statement>& body) {
  return std::any_of(body.begin(), body.end(), [](const Statement& statement) {
    if (const auto* loop = std::get_if<Loop>(&statement)) return multiplies(loop->body);
    const Action& action = std::get<Operation>(statement).action;
    return std::holds_alternative<Multiply>(action) || std::holds_alternative<WarpgroupMultiply>(action);
  });
}

}  // namespace

std::string_view name(Resource resource) {
  constexpr std::array<std::string_view, resource_count> names{
      "sm.issue",         "sm.fma",           "sm.alu",          "sm.sfu",           "sm.tensor",
      "sm.address",       "sm.lsu",           "sm.shared",       "sm.l1_tags",       "sm.l1_data",
      "sm.lsu_writeback", "sm.miss_lines",    "sm.tma_begin",    "sm.tma_bytes",     "sm.tma_rows",
      "sm.tma_write",     "sm.port_in",       "sm.port_out",     "crossbar.tpc_in",  "crossbar.tpc_out",
      "crossbar.cpc_in",  "crossbar.cpc_out", "crossbar.gpc_in", "crossbar.gpc_out", "l2.slice",
      "l2.slice_write",   "l2.atomics"};
  return names[static_cast<std::size_t>(resource)];
}

CtaLoad cta_load(const Schedule& schedule, const Profile& profile, const Census& census, Costs& costs,
                 std::int64_t busy_sms) {
  Adder adder(schedule, profile, census, costs);
  census.for_each([&adder](const Occurrence& occurrence) { adder.add(occurrence); });
  CtaLoad load = adder.take();
  const SmSpec& sm = profile.sm;
  share(load, {Resource::tpc_in, Resource::tpc_out}, together(sm.sms_per_tpc, busy_sms, profile));
  share(load, {Resource::cpc_in, Resource::cpc_out},
        together(sm.sms_per_tpc * std::max<std::int64_t>(sm.tpcs_per_cpc, 1), busy_sms, profile));
  share(load, {Resource::gpc_in, Resource::gpc_out}, together((sm.count + sm.gpcs - 1) / sm.gpcs, busy_sms, profile));
  share(load, {Resource::l2_slice, Resource::l2_slice_write, Resource::l2_atomics}, static_cast<double>(busy_sms));

  for (const Role& role : schedule.roles)
    if (multiplies(role.program.body)) load.warps += role.warps;
  if (load.warps == 0) load.warps = warps_per_cta(schedule);
  return load;
}

}  // namespace gpusim::estimate
