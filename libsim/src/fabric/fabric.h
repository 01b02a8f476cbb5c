// The other side of the border: everything all SMs share. CTA dispatcher, L2 slices, DRAM channels.
//
// Requests and exits are handled in the order (arrival, SM, sequence), so nothing depends on when or in which batches
// the SMs handed them over.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "core/event_queue.h"
#include "fabric/config.h"
#include "fabric/dispatcher.h"
#include "fabric/memory_side.h"
#include "messages.h"

namespace gpusim::fabric {

class Fabric {
 public:
  explicit Fabric(const FabricConfig& config);

  /// Where grid coordinates (m, n) of a CTA come from.
  using BlockOf = std::function<std::pair<std::int64_t, std::int64_t>(std::int64_t)>;
  /// A kernel begins at `now`.
  void begin(std::int64_t ctas, std::int64_t slots, BlockOf block_of, Cycle now);

  void receive(const Request& request);
  void receive(const CtaExit& exit);

  [[nodiscard]] Cycle next() const { return inbox_.next(); }
  void run_until(Cycle end);

  /// Messages for SM `sm` since they were last cleared.
  std::vector<Reply>& replies(std::size_t sm) { return replies_[sm]; }
  std::vector<CtaStart>& starts(std::size_t sm) { return starts_[sm]; }
  /// SMs with messages waiting, each once.
  std::vector<std::size_t>& addressed() { return addressed_; }

  [[nodiscard]] bool kernel_done() const { return dispatcher_.done() == dispatcher_.ctas(); }
  [[nodiscard]] Cycle first_start() const { return first_start_; }
  [[nodiscard]] Cycle last_exit() const { return last_exit_; }
  [[nodiscard]] Cycle last_store() const { return last_store_; }

  Dispatcher& dispatcher() { return dispatcher_; }
  MemorySide& memory() { return memory_; }

 private:
  struct Pending {
    std::int32_t sm = 0;
    std::uint32_t sequence = 0;
    bool exit = false;
    std::uint32_t index = 0;
  };
  void handle(const Request& request, Cycle now);
  void handle(const CtaExit& exit, Cycle now);
  void send_starts();
  void address(std::size_t sm);

  FabricConfig config_;
  Dispatcher dispatcher_;
  MemorySide memory_;
  BlockOf block_of_;
  core::EventQueue<Pending> inbox_;
  std::vector<std::uint32_t> sequence_;  ///< next, by SM
  std::vector<Pending> batch_;           ///< scratch
  std::vector<Request> requests_;
  std::vector<std::uint32_t> free_requests_;
  std::vector<CtaExit> exits_;
  std::vector<std::uint32_t> free_exits_;
  std::vector<Assignment> assignments_;
  std::vector<std::vector<Reply>> replies_;
  std::vector<std::vector<CtaStart>> starts_;
  std::vector<std::size_t> addressed_;
  Cycle first_start_;
  Cycle last_exit_;
  Cycle last_store_;
};

}  // namespace gpusim::fabric
