// A Schedule as the SM runs it: programs flattened to steps, layouts taken apart, rates looked up. Built once a run by
// machine/lower.h; shared by all SMs of that run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpusim/program.h"
#include "sm/banks.h"
#include "sm/base.h"
#include "sm/coalescer.h"
#include "sm/walk.h"

namespace gpusim::sm {

enum class StepKind : std::uint8_t {
  math,
  load_global,
  store_global,
  load_shared,
  store_shared,
  copy_async,
  commit_group,
  wait_group,
  bulk_copy,
  bulk_store,
  bulk_commit,
  bulk_wait,
  barrier_arrive,
  arrive_peer,
  barrier_wait,
  cta_barrier,
  load_constant,
  atomic,
  load_peer,
  store_peer,
  warpgroup_multiply,
  warpgroup_commit,
  warpgroup_wait,
  cluster_barrier,
  grid_barrier,
  register_reallocate,
  shuffle,
  loop_begin,
  loop_end,
  exit,
};

/// A token an operation has to wait for.
struct TokenUse {
  std::uint8_t token = 0;
  bool chained = false;  ///< only the first instruction of its writer need be complete
};

/// Of the host's cache, in bytes.
inline constexpr std::size_t host_line = 64;

inline constexpr std::uint8_t no_token = 0xFF;
inline constexpr std::int32_t no_plan = -1;
/// Operations of this class neither wait nor are waited for under serial issue.
inline constexpr std::uint8_t serial_exempt = 0xFF;

/// What is looked at whenever an operation issues lies together, in the first line of the host's cache; what most kinds
/// need beside it in the second.
struct alignas(host_line) Step {
  StepKind kind = StepKind::exit;
  Pipe pipe = Pipe::alu;
  std::uint8_t serial_class = serial_exempt;
  std::uint8_t writes = no_token;
  std::uint8_t use_count = 0;
  std::uint8_t depth = 0;
  std::uint8_t address = no_token;        ///< memory: read before the access
  std::uint8_t source = no_token;         ///< memory: the data stored
  bool steps_tiles = false;               ///< loop_begin, loop_end
  bool through_l1 = false;                ///< load_global, copy_async
  bool whole_lines = false;               ///< load_global, copy_async: L2 fetches whole lines
  bool uniform = false;                   ///< memory: the address comes from a uniform register
  bool relaxed = false;                   ///< cluster_barrier; grid_barrier: the CTA is counted and does not wait
  bool reduce = false;                    ///< bulk_store: adds, at L2
  Walk walk = Walk::none;                 ///< loop_begin, loop_end
  Multicast multicast = Multicast::none;  ///< bulk_copy
  std::int32_t guard = no_plan;
  std::int32_t jump = 0;  ///< loop_begin: past the end; loop_end: first of the body
  std::array<TokenUse, 6> uses{};
  std::int32_t shared = no_plan;
  std::int64_t count = 1;
  std::int64_t pipe_work = 0;  ///< math: for the pipe's server
  std::int64_t bank_work = 0;  ///< math: operands of the busiest register bank

  std::int64_t trips = 0;         ///< of a loop, unless it walks
  std::int64_t last_offset = 0;   ///< math: first to last instruction's start, when pipe and banks are free
  std::int64_t latency = 0;       ///< math, load_constant, warpgroup_multiply
  std::int64_t reissue = 0;       ///< math: the warp's next mma waits so much longer than the pipe
  std::int64_t wide_bytes = 0;    ///< memory: registers of the whole warp, of one instruction
  std::int64_t wavefronts = 0;    ///< warpgroup_multiply: operands of the whole warp group
  std::int64_t a_wavefronts = 0;  ///< warpgroup_multiply: A's of them
  std::int32_t global = no_plan;  ///< GlobalPlan or BoxPlan
  std::int32_t barrier = no_plan;

  std::int32_t pending = 0;    ///< wait_group, warpgroup_wait, bulk_wait
  std::int32_t registers = 0;  ///< register_reallocate: of a thread, from here on
  std::int64_t expect = 0;     ///< barrier_arrive, arrive_peer, bulk_copy: bytes
  Base peer;                   ///< load_peer, store_peer, arrive_peer: rank
  Base slot;                   ///< mbarrier slot
  Base phase;                  ///< barrier_wait
  std::int64_t turns = 1;      ///< of a walk over items: as in Loop
  std::int64_t turn = 0;
  std::string_view name;
};
static_assert(offsetof(Step, trips) == host_line && offsetof(Step, barrier) < 2 * host_line);

/// One role.
struct Code {
  std::string name;
  int first_warp = 0;
  int warps = 0;
  int tokens = 0;
  bool counts_tiles = false;  ///< its first warp reports k tiles
  std::vector<Step> steps;
};

struct BarrierShape {
  std::string name;
  std::int32_t first_slot = 0;
  std::int32_t slots = 0;
  std::int32_t arrivals = 0;
};

struct Kernel {
  std::vector<Code> roles;
  std::vector<int> role_of_warp;
  Items items;
  bool restarts_k = false;  ///< walks over k tiles count from 0 in each item
  int warps_per_cta = 0;
  int cta_slots = 0;  ///< CTAs an SM holds at a time
  int cluster = 1;
  std::vector<std::pair<int, int>> cluster_places;  ///< (m, n) by rank
  int registers = 0;                                ///< of a thread when a CTA starts
  std::uint64_t grid_line = 0;                      ///< of memory: where grid barriers count
  std::vector<BarrierShape> barriers;
  std::int32_t barrier_slots = 0;
  std::vector<Guard> guards;
  std::vector<GlobalPlan> globals;
  std::vector<BoxPlan> boxes;
  std::vector<SharedPlan> shareds;
  std::int64_t l1_bytes = 0;  ///< what shared memory leaves; 0: no L1, or nothing left
};

}  // namespace gpusim::sm
