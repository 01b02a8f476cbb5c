#include "machine/machine.h"

#include <algorithm>

#include "gpusim/profile_io.h"
#include "gpusim/version.h"
#include "machine/collect.h"
#include "machine/compulsory.h"
#include "machine/lower.h"

namespace gpusim::machine {
namespace {

constexpr std::int64_t turns_between_questions = 256;
constexpr std::size_t waits_named = 16;

Configuration tuned(const Profile& profile, std::int64_t clock_mhz, const Tuning& tuning) {
  Configuration configuration = configure(profile, clock_mhz);
  configuration.sm.burst = tuning.burst;
  configuration.fabric.descending = tuning.descending;
  if (!tuning.window) return configuration;
  for (Crossing* const crossing : {&configuration.crossing, &configuration.cluster_crossing})
    *crossing = {std::min(crossing->to_fabric, *tuning.window), std::min(crossing->to_sms, *tuning.window)};
  return configuration;
}

/// Never is never later.
Cycle later(Cycle at, Cycles by) { return at == Cycle::never() ? at : at + by; }

}  // namespace

std::int64_t clock_of(const Profile& profile, const RunOptions& options) {
  return options.clock_mhz.value_or(profile.clock.boost_mhz);
}

Machine::Machine(const Profile& profile, const RunOptions& options, std::span<Observer* const> observers,
                 const Tuning& tuning)
    : profile_(profile),
      options_(options),
      skips_from_(tuning.skips_from),
      clock_mhz_(clock_of(profile, options)),
      configuration_(tuned(profile, clock_mhz_, tuning)),
      fabric_(configuration_.fabric),
      observers_(observers) {
  for (std::int64_t id = 0; id < profile.sm.count; ++id)
    sms_.push_back(std::make_unique<sm::Sm>(configuration_.sm, SmId(id), observers));
  due_.assign(sms_.size(), Cycle::never());
}

/// Which kernels find their code in the caches.
std::vector<bool> Machine::find_their_code(std::span<const Schedule> schedules, const MemoryMap& memory) const {
  std::vector<bool> found(schedules.size(), options_.code == CodeState::warm);
  if (options_.code != CodeState::repeated) return found;
  std::vector<sm::Kernel> kernels;
  for (const Schedule& schedule : schedules) kernels.push_back(lower(schedule, profile_, memory));
  for (std::size_t i = 0; i < kernels.size(); ++i)
    found[i] = sm::have_same_instructions(kernels[i], i == 0 ? kernels.back() : kernels[i - 1]);
  return found;
}

Result Machine::run(std::span<const Schedule> schedules) {
  const fabric::FabricConfig& fabric = configuration_.fabric;
  const MemoryMap memory(
      schedules, options_,
      fabric::AddressMap(fabric.slices, fabric.channels, fabric.topology.partitions, fabric.stripe_lines));
  Result result;
  result.version = version();
  result.profile = profile_;
  result.profile_digest = digest(profile_);
  result.clock_mhz = clock_mhz_;
  result.max_cycles = options_.max_cycles;
  result.max_ctas = options_.max_ctas;
  for (const MemoryMap::Region& region : memory.regions())
    if (profile_.l2) result.l2_before.emplace_back(region.name, name(region.before));
  result.l2_dirty_percent = options_.l2_dirty_percent;
  if (profile_.code && options_.code != CodeState::warm) result.code_before = name(options_.code);
  for (const Schedule& schedule : schedules) ctas_in_all_ += ctas_of(schedule);
  fill_l2(memory);
  warm_l2(memory);
  const std::vector<bool> finds_code = find_their_code(schedules, memory);
  const std::vector<Bytes> compulsory = compulsory_bytes(schedules, memory, profile_);
  for (std::size_t i = 0; i < schedules.size() && termination_ == Termination::completed; ++i) {
    result.kernels.push_back(run_kernel(schedules[i], memory, KernelId(static_cast<std::int64_t>(i)), finds_code[i]));
    result.kernels.back().compulsory_bytes = compulsory[i];
  }
  const auto has_more = [&](const Schedule& schedule) { return ctas_of(schedule) < cta_count(schedule); };
  if (termination_ == Termination::completed && std::any_of(schedules.begin(), schedules.end(), has_more))
    termination_ = Termination::max_ctas;
  result.termination = termination_;
  collect_servers(sms_, fabric_, configuration_, result);
  collect_pools(sms_, fabric_, result);
  ledger_.complete(result);
  result.digest = digest_counts(result);
  return result;
}

namespace {

/// CTAs need not have as much to do, nor have those that did not end done nothing. Of a large grid some clusters are
/// looked at, whole: their CTAs differ by what they bring for the others.
double share_done(const Schedule& schedule, const KernelResult& result) {
  constexpr std::int64_t most_counted = 1024;
  std::int64_t done = 0;
  for (const RoleRow& role : result.roles) done += role.instructions;
  const std::int64_t clusters = cta_count(schedule) / schedule.cluster;
  const std::int64_t counted = std::min(clusters, most_counted);
  std::int64_t instructions = 0;
  for (std::int64_t i = 0; i < counted * schedule.cluster; ++i) {
    const std::int64_t cluster = (2 * (i / schedule.cluster) + 1) * clusters / (2 * counted);
    const CtaId cta(cluster * schedule.cluster + i % schedule.cluster);
    int first_warp = 0;
    for (const Role& role : schedule.roles) {
      for (int warp = first_warp; warp < first_warp + role.warps; ++warp)
        instructions += instruction_count(schedule, role.program, cta, warp);
      first_warp += role.warps;
    }
  }
  const double all = static_cast<double>(instructions) * static_cast<double>(clusters) / static_cast<double>(counted);
  return all > 0 ? std::min(static_cast<double>(done) / all, 1.0) : 1;
}

}  // namespace

/// As many as are run: whole clusters.
std::int64_t Machine::ctas_of(const Schedule& schedule) const {
  const std::int64_t all = cta_count(schedule);
  if (!options_.max_ctas || *options_.max_ctas >= all) return all;
  return (*options_.max_ctas + schedule.cluster - 1) / schedule.cluster * schedule.cluster;
}

KernelResult Machine::run_kernel(const Schedule& schedule, const MemoryMap& memory, KernelId id, bool finds_code) {
  sm::Kernel kernel = lower(schedule, profile_, memory);
  Rows earlier = count_rows(sms_, fabric_, configuration_);
  ledger_.complete(earlier);
  for (const auto& sm : sms_) sm->begin(kernel, id, !finds_code);
  fabric_.begin({ctas_of(schedule), kernel.cta_slots, schedule.cluster}, now_);
  crossing_ = schedule.cluster > 1 ? configuration_.cluster_crossing : configuration_.crossing;
  ledger_.begin_kernel();
  skipped_before_ = skipped_;
  fast_forward_.reset();
  if (!options_.exact && worth_skipping(schedule, skips_from_))
    fast_forward_.emplace(Simulation{profile_, schedule, id, kernel, sms_, fabric_, configuration_, observers_, ledger_,
                                     skipped_, std::move(earlier)},
                          now_);
  deliver();
  termination_ = advance();
  const Cycle ended = termination_ == Termination::completed ? fabric_.last_exit() : stopped_at_;
  if (fast_forward_ && termination_ == Termination::completed) fast_forward_->finish(ended);
  fast_forward_.reset();
  if (termination_ == Termination::completed && !fabric_.kernel_done()) throw_deadlock();

  KernelResult result = collect_kernel(schedule, kernel, profile_, sms_, fabric_, now_, ended);
  ledger_.complete(result);
  if (result.ctas_done < result.ctas) result.work_share = share_done(schedule, result);
  result.cycles += skipped_ - skipped_before_;
  ctas_before_ += result.ctas_done;
  now_ = std::max(fabric_.last_exit() + configuration_.sm.border.cta_exit,
                  fabric_.last_store() + configuration_.sm.border.reply);
  return result;
}

Cycle Machine::next_of_sms() const { return *std::min_element(due_.begin(), due_.end()); }

/// Each side in turn runs to where it may hear of something new. SMs hear nothing before the fabric's next event has
/// crossed over to them, nor before something of their own has crossed over and back; the fabric likewise. Neither
/// goes past where both have to be: where skipping looks, at the end of a run that is cut off, and where one is
/// stopped.
Termination Machine::advance() {
  const Cycles there_and_back = crossing_.to_fabric + crossing_.to_sms;
  Cycle reached;
  Cycle stop_at = Cycle::never();
  while (true) {
    const Cycle of_sms = next_of_sms();
    const Cycle at = std::min(fabric_.next(), of_sms);
    // Whoever asks in a kernel's last turn is not given the next kernel.
    if (at == Cycle::never() && stop_at != Cycle::never()) return stop(last_of(stop_at), Termination::stopped);
    if (at == Cycle::never()) return Termination::completed;
    while (fast_forward_ && stop_at == Cycle::never() && at >= fast_forward_->due()) fast_forward_->look(limit());
    if (at > limit()) return stop(limit(), Termination::max_cycles);
    if (at >= stop_at) return stop(stop_at, Termination::stopped);
    if (stop_at == Cycle::never() && asked_to_stop(at)) stop_at = std::max(at, reached);
    // What happens in the very last cycle still counts.
    Cycle meeting = std::min(stop_at, later(limit(), Cycles(1)));
    if (fast_forward_ && stop_at == Cycle::never()) meeting = std::min(meeting, fast_forward_->due());
    const Cycle sms_end = std::min({meeting, later(fabric_.next(), crossing_.to_sms), later(of_sms, there_and_back)});
    run_sms(sms_end);
    const Cycle fabric_end =
        std::min({meeting, later(next_of_sms(), crossing_.to_fabric), later(fabric_.next(), there_and_back)});
    fabric_.run_until(fabric_end);
    deliver();
    reached = std::max({reached, sms_end, fabric_end});
  }
}

/// Of a kernel that was over before `stop_at`, its end.
Cycle Machine::last_of(Cycle stop_at) const { return fabric_.kernel_done() ? fabric_.last_exit() : stop_at; }

/// The last cycle to simulate.
Cycle Machine::limit() const {
  if (!options_.max_cycles || *options_.max_cycles >= Cycle::never() - fabric_.first_start()) return Cycle::never();
  return fabric_.first_start() + *options_.max_cycles - (skipped_ - skipped_before_);
}

Termination Machine::stop(Cycle at, Termination why) {
  stopped_at_ = at;
  for (const auto& sm : sms_) sm->abandon(at);
  return why;
}

/// Lets the SMs run, and hands over to the fabric what they send.
void Machine::run_sms(Cycle end) {
  for (std::size_t id = 0; id < sms_.size(); ++id) {
    if (due_[id] >= end) continue;
    sm::Sm& sm = *sms_[id];
    sm.run_until(end);
    due_[id] = sm.next();
    for (const Request* request : sm.requests()) fabric_.receive(*request);
    for (const ClusterArrival& arrival : sm.arrivals()) fabric_.receive(arrival);
    for (const PeerArrival& arrival : sm.peer_arrivals()) fabric_.receive(arrival);
    for (const CtaExit& exit : sm.exits()) {
      if (fast_forward_) fast_forward_->note(exit);
      fabric_.receive(exit);
    }
    sm.requests().clear();
    sm.arrivals().clear();
    sm.peer_arrivals().clear();
    sm.exits().clear();
  }
}

/// What the fabric has for the SMs.
void Machine::deliver() {
  const auto hand_over = [&](auto& messages) {
    for (const auto& message : messages) {
      const auto sm = static_cast<std::size_t>(message.sm);
      sms_[sm]->receive(message);
      due_[sm] = std::min(due_[sm], message.arrives);
    }
    messages.clear();
  };
  fabric::Fabric::Outbox& outbox = fabric_.outbox();
  for (const Reply& reply : outbox.replies) sms_[static_cast<std::size_t>(reply.sm)]->look_ahead(reply);
  hand_over(outbox.replies);
  hand_over(outbox.deliveries);
  hand_over(outbox.releases);
  hand_over(outbox.starts);
}

bool Machine::asked_to_stop(Cycle at) {
  if (!options_.stop || ++turns_ % turns_between_questions != 0) return false;
  return options_.stop({at + skipped_, ctas_before_ + fabric_.dispatcher().done(), ctas_in_all_});
}

void Machine::throw_deadlock() const {
  std::vector<std::string> waits;
  for (const auto& sm : sms_) sm->describe_waits(waits, waits_named);
  throw DeadlockError(std::move(waits));
}

}  // namespace gpusim::machine
