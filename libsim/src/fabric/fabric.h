// The other side of the border: everything all SMs share. CTA dispatcher, clusters, crossbar ports, L2 slices, DRAM
// channels.
//
// Messages are handled in the order (arrival, SM, kind, sequence), so nothing depends on when or in which batches the
// SMs handed them over. A read is looked at twice: when it comes, and when its data leaves L2 and takes the ports. What
// a multicast copy reads leaves L2 once.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/event_queue.h"
#include "fabric/clusters.h"
#include "fabric/config.h"
#include "fabric/dispatcher.h"
#include "fabric/grid_barrier.h"
#include "fabric/memory_side.h"
#include "fabric/ports.h"
#include "messages.h"

namespace gpusim::fabric {

class Fabric {
 public:
  explicit Fabric(const FabricConfig& config);

  /// A kernel begins at `now`.
  void begin(const Grid& grid, Cycle now);

  void receive(const Request& request) { receive(request, requests_, Pending::Kind::request); }
  void receive(const ClusterArrival& arrival) { receive(arrival, arrivals_, Pending::Kind::arrival); }
  void receive(const PeerArrival& arrival) { receive(arrival, peer_arrivals_, Pending::Kind::peer_arrival); }
  void receive(const CtaExit& exit) { receive(exit, exits_, Pending::Kind::exit); }

  [[nodiscard]] Cycle next() const { return inbox_.next(); }
  void run_until(Cycle end);

  /// Messages for SMs since they were last cleared.
  struct Outbox {
    std::vector<Reply> replies;
    std::vector<Delivery> deliveries;
    std::vector<CtaStart> starts;
    std::vector<ClusterRelease> releases;
  };
  Outbox& outbox() { return outbox_; }

  [[nodiscard]] bool kernel_done() const { return dispatcher_.done() == dispatcher_.ctas(); }
  [[nodiscard]] Cycle first_start() const { return first_start_; }
  [[nodiscard]] Cycle last_exit() const { return last_exit_; }
  [[nodiscard]] Cycle last_store() const { return last_store_; }

  Dispatcher& dispatcher() { return dispatcher_; }
  MemorySide& memory() { return memory_; }
  Clusters& clusters() { return clusters_; }
  SharedPorts& ports_in() { return ports_in_; }
  SharedPorts& ports_out() { return ports_out_; }

 private:
  struct Pending {
    enum class Kind : std::uint8_t { departure, request, arrival, peer_arrival, exit };
    std::int32_t sm = 0;
    Kind kind = Kind::request;
    std::uint32_t sequence = 0;
    std::uint32_t index = 0;

    /// Kinds are collected apart, so an exit comes after the requests of its SM in the same cycle.
    [[nodiscard]] bool operator<(const Pending& other) const {
      if (sm != other.sm) return sm < other.sm;
      return kind != other.kind ? kind < other.kind : sequence < other.sequence;
    }
  };
  /// A read's data about to leave L2.
  struct Departure {
    Reply reply;
    std::int32_t shared_bytes = 0;  ///< that have passed the GPC's port for another SM
    std::uint16_t ranks = 0;        ///< of a multicast
    Completion completes;
  };
  /// Messages of one kind that wait for their cycle; places are used again.
  template <class Message>
  struct Waiting {
    std::vector<Message> messages;
    std::vector<std::uint32_t> free;
  };
  template <class Message>
  void receive(const Message& message, Waiting<Message>& waiting, Pending::Kind kind) {
    hold(message.arrives, message.sm, keep(message, waiting), kind);
  }
  template <class Message>
  std::uint32_t keep(const Message& message, Waiting<Message>& waiting) {
    if (waiting.free.empty()) {
      waiting.messages.push_back(message);
      return static_cast<std::uint32_t>(waiting.messages.size() - 1);
    }
    const std::uint32_t index = waiting.free.back();
    waiting.free.pop_back();
    assign(waiting.messages[index], message);
    return index;
  }
  template <class Message>
  static void assign(Message& place, const Message& message) {
    place = message;
  }
  static void assign(Request& place, const Request& request) { place.copy(request); }
  void hold(Cycle at, std::int32_t sm, std::uint32_t index, Pending::Kind kind) {
    inbox_.push(at, {sm, kind, sequence_[static_cast<std::size_t>(sm)]++, index});
  }

  /// A message of this batch is handled soon: a departure, or a request's head and most of its lines. (Always inlined:
  /// gcc takes a function that only prefetches for one without effect, and drops the call.)
  [[gnu::always_inline]] void look_ahead(const Pending& pending) const {
    if (pending.kind == Pending::Kind::departure) __builtin_prefetch(&departures_.messages[pending.index]);
    if (pending.kind != Pending::Kind::request) return;
    const Request& request = requests_.messages[pending.index];
    __builtin_prefetch(&request);
    __builtin_prefetch(&request.lines.front());
    __builtin_prefetch(&request.lines.back());
  }
  void handle(const Pending& pending, Cycle now);
  void handle(const Request& request, Cycle now);
  void handle(const ClusterArrival& arrival, Cycle now);
  void handle(const PeerArrival& arrival, Cycle now);
  void handle(const CtaExit& exit, Cycle now);
  void store(const Request& request, Cycle now, Cycles waited);
  void count_cta(const Request& request, Cycle now, Cycles waited);
  void answer(const GridBarrier::Release& release);
  void depart(const Departure& departure, Cycle now);
  void multicast(const Departure& departure, Cycle now);
  [[nodiscard]] static Reply through_ports(const Reply& reply, SharedPorts::Passage passage);
  void send_starts();

  FabricConfig config_;
  Dispatcher dispatcher_;
  MemorySide memory_;
  Clusters clusters_;
  GridBarrier grid_barrier_;
  SharedPorts ports_in_;
  SharedPorts ports_out_;
  core::EventQueue<Pending> inbox_;
  std::vector<std::uint32_t> sequence_;  ///< next, by SM
  std::vector<Pending> batch_;           ///< scratch
  Waiting<Request> requests_;
  Waiting<ClusterArrival> arrivals_;
  Waiting<CtaExit> exits_;
  Waiting<PeerArrival> peer_arrivals_;
  Waiting<Departure> departures_;
  std::vector<Assignment> assignments_;
  Outbox outbox_;
  std::vector<std::pair<std::int64_t, std::int32_t>> waiting_ctas_;  ///< CTAs at cluster barriers, and their SMs
  Cycle first_start_;
  Cycle last_exit_;
  Cycle last_store_;
};

}  // namespace gpusim::fabric
