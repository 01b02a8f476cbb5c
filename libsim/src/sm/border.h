// The SM's side of the border: miss registers, ports, and the requests in flight.
//
// Requests leave in the order they were made. One that finds no miss register waits here, and the ones behind it too;
// the load-store unit's queues fill up and the warps stop, which is the back-pressure. A reply's data comes in through
// the input port; when it is through, everyone who waits for those lines is told.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "core/pool.h"
#include "core/server.h"
#include "gpusim/receipt.h"
#include "messages.h"
#include "sm/config.h"
#include "sm/counters.h"
#include "sm/transaction.h"

namespace gpusim::sm {

/// Memory that lines of a request are for, and the sectors it is in.
struct Extent {
  std::int64_t bytes = 0;
  std::int64_t sectors = 0;
};
[[nodiscard]] Extent extent_of(std::span<const LineChunks> lines);

/// A request on its way. Of hundreds none is in the host's cache when it comes back: what is looked at then lies
/// together, the receipt behind it, and the lines, most of them long gone, at the end.
struct alignas(64) InFlight {
  Cycle arrives;                    ///< the reply's first line at the input port
  Cycle last;                       ///< its last line, when the port is idle
  std::int32_t reply_bytes = 0;     ///< through the port
  std::int32_t bytes = 0;           ///< of memory it is for
  std::int32_t sectors = 0;         ///< they are in
  std::int32_t transaction = 0;     ///< told when it is complete
  std::int16_t places = 0;          ///< miss registers held
  std::int16_t sub_partition = -1;  ///< whose queue place is left when this is sent; -1: none
  bool fills_l1 = false;
  bool is_bulk_copy = false;
  bool brings_data = false;          ///< returns_data() of its kind, which lies far from here
  bool holds_stored_lines = false;   ///< of a bulk store: places at the engine
  std::vector<std::int32_t> joined;  ///< transactions told then, too
  Receipt receipt;
  Cycle ready_to_send;
  Request request;

  /// Calls visit(id) for all of them.
  template <class Visit>
  void for_each_transaction(Visit&& visit) const {
    visit(transaction);
    for (const std::int32_t id : joined) visit(id);
  }
};

class Border {
 public:
  Border(const SmConfig& config, std::int32_t sm);

  /// A transaction without requests yet.
  std::int32_t open(const Owner& owner);
  [[nodiscard]] Transaction& transaction(std::int32_t id) { return transactions_[static_cast<std::size_t>(id)]; }
  void close(std::int32_t id) { free_transactions_.push_back(id); }

  struct Terms {
    Cycle issued;  ///< the instruction's issue: the receipt's start
    Cycle at;      ///< when the request is ready to leave
    RequestKind kind = RequestKind::read;
    bool fills_l1 = false;
    bool waits = false;  ///< takes no miss registers, and leaves when depart() says
    std::uint16_t ranks = 0;
    Completion completes;
  };
  /// Makes one request of at most `burst` lines, `extent` in all, for `transaction`; it leaves at once or waits its
  /// turn. Its handle.
  std::uint32_t request(std::int32_t transaction, std::span<const LineChunks> lines, const Extent& extent,
                        const Terms& terms);
  /// Makes a request for `bytes` of another SM's shared memory, which leaves at once.
  void request_peer(std::int32_t transaction, std::int32_t peer, std::int64_t bytes, const Terms& terms);
  /// A request that waits leaves.
  void depart(std::uint32_t handle, Cycle now) { send(handle, now); }
  /// A message without data for another SM leaves at `at`: when it is half way.
  Cycle send_to_peer(Cycle at);
  /// `transaction` also waits for the request called `handle`.
  void join(std::uint32_t handle, std::int32_t transaction);

  /// Requests that wait for miss registers.
  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }
  /// The place of sub-partition `sub` is left when the last waiting request is sent.
  void leave_queue_after_last(std::int32_t sub) {
    in_flight_[waiting_.back()].sub_partition = static_cast<std::int16_t>(sub);
  }

  [[nodiscard]] InFlight& in_flight(std::uint32_t handle) { return in_flight_[handle]; }
  /// The request's reply will soon be looked at.
  [[gnu::always_inline]] void prefetch_for_reply(std::uint32_t handle) const {
    __builtin_prefetch(&in_flight_[handle]);
  }
  /// The request will soon be sent.
  [[gnu::always_inline]] void prefetch_for_sending(std::uint32_t handle) const {
    __builtin_prefetch(&in_flight_[handle].request);
  }
  /// A reply is on its way here.
  void expect(const Reply& reply);
  /// The reply's data enters the port when it arrives: when the last of it is through.
  Cycle take_port(std::uint32_t handle);
  /// The same for data that nobody here asked for.
  Cycle take_port(const Delivery& delivery);
  /// The request is complete: counts its receipt, gives back what it held, and sends what waited. Sub-partitions whose
  /// queue moved are appended to `moved`.
  void complete(std::uint32_t handle, Cycle now, Counters& counters, std::vector<std::int32_t>& moved);
  /// After complete() and the telling, the handle is free again.
  void forget(std::uint32_t handle) { free_handles_.push_back(handle); }

  /// Messages for the fabric since the last collection. Each stays as it is until its reply has been delivered.
  std::vector<const Request*>& outbox() { return outbox_; }

  core::Pool& miss_registers() { return miss_registers_; }
  core::Server& port_in() { return port_in_; }
  core::Server& port_out() { return port_out_; }

 private:
  std::uint32_t make(std::int32_t transaction, const Terms& terms);
  void send(std::uint32_t handle, Cycle at);

  BorderLatency latency_;
  Bytes request_bytes_;
  std::int32_t sm_;
  core::Pool miss_registers_;
  core::Server port_in_;
  core::Server port_out_;
  std::deque<InFlight> in_flight_;
  std::vector<std::uint32_t> free_handles_;
  std::vector<Transaction> transactions_;
  std::vector<std::int32_t> free_transactions_;
  std::deque<std::uint32_t> waiting_;
  std::vector<const Request*> outbox_;
};

}  // namespace gpusim::sm
