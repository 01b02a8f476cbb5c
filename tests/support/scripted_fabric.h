// The other side of the border as a script: one SM runs one CTA against a memory that answers every request after a
// time of its own choosing, without queues.
#pragma once

#include <functional>
#include <stdexcept>
#include <vector>

#include "machine/configure.h"
#include "machine/lower.h"
#include "machine/memory_map.h"
#include "sm/sm.h"
#include "support/run_log.h"

namespace gpusim::testing {

class ScriptedFabric {
 public:
  /// Cycles from a request's arrival at the fabric to its last data's leaving it.
  using Answer = std::function<Cycles(const Request&)>;

  ScriptedFabric(const Profile& profile, const Schedule& schedule, Answer answer)
      : configuration_(machine::configure(profile, profile.clock.boost_mhz)),
        memory_(std::span(&schedule, 1), {}),
        kernel_(machine::lower(schedule, profile, memory_)),
        observers_{&log},
        sm_(configuration_.sm, SmId(0), observers_),
        answer_(std::move(answer)) {}

  RunLog log;
  std::vector<Request> requests;  ///< all that were sent, in order

  [[nodiscard]] const BorderLatency& border() const { return configuration_.sm.border; }
  [[nodiscard]] const sm::Counters& counters() const { return sm_.counters(); }
  sm::Sm& sm() { return sm_; }

  /// First cycle to last warp's exit of the CTA. Throws std::runtime_error when it never exits.
  Cycles run() {
    const Cycle start(100);
    sm_.begin(kernel_, KernelId(0));
    sm_.receive(CtaStart{start, 0});
    while (sm_.next() != Cycle::never()) {
      sm_.run_until(sm_.next() + std::min(configuration_.crossing.to_fabric, configuration_.crossing.to_sms));
      for (const Request* request : sm_.requests()) {
        requests.push_back(*request);
        sm_.receive(reply_to(*request));
      }
      sm_.requests().clear();
    }
    if (sm_.exits().empty()) throw std::runtime_error("the CTA did not exit");
    return sm_.exits().front().exited - start;
  }

 private:
  [[nodiscard]] Reply reply_to(const Request& request) const {
    Reply reply;
    reply.handle = request.handle;
    reply.l2.latency = answer_(request);
    reply.arrives = reply.last = request.arrives + reply.l2.latency + border().reply;
    for (std::int32_t i = 0; returns_data(request.kind) && i < request.count; ++i) {
      const auto chunks = static_cast<unsigned>(request.lines[static_cast<std::size_t>(i)].chunks);
      reply.bytes += static_cast<std::int32_t>(count_bits(sectors_of(chunks)) * sector_bytes);
    }
    return reply;
  }

  machine::Configuration configuration_;
  machine::MemoryMap memory_;
  sm::Kernel kernel_;
  std::vector<Observer*> observers_;
  sm::Sm sm_;
  Answer answer_;
};

/// A memory that always takes `latency`.
[[nodiscard]] inline ScriptedFabric::Answer always(Cycles latency) {
  return [latency](const Request&) { return latency; };
}

}  // namespace gpusim::testing
