// State of resident warps and CTAs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpusim/layout.h"
#include "gpusim/stall.h"
#include "gpusim/units.h"
#include "messages.h"
#include "sm/code.h"
#include "sm/copy_groups.h"
#include "sm/pace.h"

namespace gpusim::sm {

/// A fragment's readiness, as the scoreboard sees it.
struct TokenState {
  Cycle first;               ///< first instruction of the writer complete
  Cycle ready;               ///< all of it complete, when nothing is pending
  Cycle read;                ///< it has been read by those that store it or take their address from it
  std::int32_t pending = 0;  ///< memory instructions still to deliver
  Reason reason = Reason::wait;

  /// An operation that writes it is issued. (Member by member: a whole copy would be read from words that were written
  /// in part just before, for which the host waits.)
  void write(Cycle first_complete, Cycle all_complete, Reason why) {
    first = first_complete;
    ready = all_complete;
    pending = 0;
    reason = why;
  }
};

enum class WarpState : std::uint8_t {
  absent,  ///< no CTA, or exited
  timed,   ///< becomes ready at a known cycle
  ready,   ///< waits to be picked by its scheduler
  parked,  ///< waits for something whose cycle is not known
};

/// What a parked warp waits for.
enum class Parked : std::uint8_t {
  nothing,
  token,
  serial,
  group,
  bulk_group,
  barrier,
  cluster,
  grid,
  mbarrier,
  registers,
  loads
};

/// What the scheduler looks at lies together, in the first line of the host's cache.
struct alignas(host_line) Warp {
  WarpState state = WarpState::absent;
  Parked parked = Parked::nothing;
  Reason reason = Reason::wait;  ///< for the cycles since `since`
  std::uint8_t serial_class = serial_exempt;
  std::int16_t index = 0;  ///< within its CTA
  std::int16_t sub_partition = 0;
  std::uint32_t pc = 0;
  std::int32_t role = 0;
  const Step* steps = nullptr;  ///< of `code`
  std::int64_t issued = 0;      ///< of the current operation's instructions
  Cycle since;                  ///< everything before is charged
  Cycle reason_until;           ///< `reason` holds until here, then not_selected
  Cycle next_mma;               ///< it may issue the next mma or wgmma
  std::uint64_t age = 0;

  const Code* code = nullptr;
  std::vector<TokenState> tokens;
  std::int32_t cta_slot = 0;
  std::int32_t outstanding = 0;  ///< loads and copies in flight
  Cycle last_math;               ///< its arithmetic that writes a fragment is complete
  Cycle stores_done;             ///< its shared stores may be passed by a barrier
  Cycle last_wgmma;              ///< it issued its last wgmma
  Coordinates at{};
  WalkPlace place;
  Cycle started;
  Cycle serial_ready;  ///< what it began before is complete, under serial issue
  Reason serial_reason = Reason::wait;
  std::int32_t serial_pending = 0;
  std::int32_t parked_on = 0;  ///< token, group count, barrier slot, or registers a thread
  std::int32_t registers = 0;  ///< of a thread
  std::int64_t parked_phase = 0;
  Cycle half_tiles;               ///< half of its k tiles were complete
  CopyGroups copies;              ///< cp.async
  CopyGroups bulk_stores;         ///< until shared memory has been read
  std::vector<Cycle> multiplies;  ///< completion of committed wgmma groups and the open one, the last

  /// The operation that is next.
  [[nodiscard]] const Step& step() const { return steps[pc]; }
};
static_assert(offsetof(Warp, code) == host_line);

struct BarrierSlotState {
  std::int64_t completed = 0;  ///< phases
  Cycle completed_at;          ///< the last of them
  std::int64_t arrivals = 0;   ///< still missing in this phase
  std::int64_t bytes = 0;      ///< expected less arrived
};

struct Cta {
  bool resident = false;
  std::int64_t id = 0;
  std::int32_t warps_left = 0;
  std::int32_t arrived = 0;  ///< at bar.sync
  std::int32_t arrived_cluster = 0;
  std::int32_t arrived_grid = 0;
  Cycle counted;                ///< all arrivals so far
  std::int64_t stores = 0;      ///< to global memory, not yet acknowledged
  bool awaits_stores = false;   ///< before it is counted at the grid barrier
  bool counts_only = false;     ///< there, and goes on
  std::int32_t grid_round = 0;  ///< grid barriers it has been counted at
  std::int64_t registers = 0;   ///< given back by warps, of a thread each
  std::array<std::int16_t, max_cluster> cluster_sms{};
  std::vector<BarrierSlotState> slots;
  Pace pace;
  std::int64_t slower_ppm = 0;  ///< than all CTAs, before tiles were skipped
};

}  // namespace gpusim::sm
