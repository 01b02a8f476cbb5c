// One SM alone: when a memory instruction has read its source registers (write after read) and when its data may be
// used (read after write), by width and addressing. Values of GA102 (arXiv:2503.20481, Table 2).
#include <doctest/doctest.h>

#include "support/probe_machine.h"
#include "support/probe_programs.h"
#include "support/scripted_fabric.h"

namespace gpusim::sm_registers_test {

using namespace gpusim::testing;

namespace {

constexpr Cycles far{400};  // when everything issued before is long over
constexpr Cycles a_register{128 / 64};

Profile ga102() {
  Profile profile = probe_machine();
  profile.lsu.register_bytes_per_clk = Rate::per_cycle(64);
  profile.lsu.writeback_bytes_per_clk = Rate::per_cycle(128);
  profile.lsu.load_read = Cycles(9);
  profile.lsu.store_read = Cycles(8);
  profile.lsu.copy_read = Cycles(13);
  profile.lsu.global_address_read = Cycles(2);
  profile.lsu.global_store_address_read = Cycles(4);
  profile.lsu.shared_store_address_read = Cycles(2);
  profile.lsu.global_uniform_saving = Cycles(3);
  profile.lsu.shared_uniform_saving = Cycles(1);
  profile.lsu.constant_read = Cycles(10);
  profile.lsu.constant_latency = Cycles(26);
  profile.lsu.constant_indexed_latency = Cycles(29);
  profile.shared.bytes_per_clk = Rate::per_cycle(128);
  profile.shared.latency = Cycles(24);
  profile.shared.conflict_latency = Cycles(2);
  profile.l1 = probe_l1();
  profile.l1->latency = Cycles(32);
  return profile;
}

/// `words` consecutive words a lane.
GlobalAccess global(int words, bool uniform, Token address) {
  GlobalAccess access{BufferId(0), along(Coordinate::lane, 1, 32 / words),
                      along(Coordinate::lane, words, 1, 32 / words), words};
  access.address = address;
  access.uniform = uniform;
  return access;
}
SharedAccess shared(int words, bool uniform, Token address) {
  SharedAccess access{TileId(0), 0, along(Coordinate::lane, 1, 32 / words),
                      along(Coordinate::lane, words, 1, 32 / words), words};
  access.address = address;
  access.uniform = uniform;
  return access;
}

/// The fragments of a program with one memory instruction.
struct Fragments {
  Probe probe;
  Token address = probe.token("address");
  Token data = probe.token("data");
};

/// Cycles from `action` to `after`, which has to wait for it. The action comes twice, far apart, so that the second
/// finds in L1 what the first brought.
Cycles between(const Action& action, const Arithmetic& after) {
  Probe probe = Fragments().probe;
  const Token clock = probe.token("clock");
  probe.add(action);
  for (int i = 0; i < far.count() / 4; ++i) probe.add(changes(clock));
  probe.add(needs(Fragments().data, Pipe::sfu)).add(needs(clock, Pipe::sfu)).add(action).add(after);
  ScriptedFabric fabric(ga102(), probe.schedule(), always(Cycles(77)));
  fabric.run();
  return fabric.log.issue("ALU") - fabric.log.issue(name(action), 1);
}

/// Write after read: to an instruction that overwrites `kept`.
Cycles war(const Action& action, Token kept) {
  return between(action, {.pipe = Pipe::alu, .reads = {}, .writes = kept, .overhead = false});
}
/// Read after write: to one that needs what was loaded.
Cycles raw(const Action& action) { return between(action, needs(Fragments().data)); }

struct Times {
  Cycles war;
  Cycles raw;
  bool operator==(const Times&) const = default;
};

Times times(const Action& action) { return {war(action, Fragments().address), raw(action)}; }

Times of_load(int words, bool uniform) {
  return times(LoadGlobal{global(words, uniform, Fragments().address), Fragments().data});
}
Times of_shared_load(int words, bool uniform) {
  return times(LoadShared{shared(words, uniform, Fragments().address), Fragments().data});
}
Cycles of_store(int words, bool uniform) {
  return war(StoreGlobal{global(words, uniform, Fragments().address), Fragments().data}, Fragments().data);
}
Cycles of_shared_store(int words, bool uniform) {
  return war(StoreShared{shared(words, uniform, Fragments().address), Fragments().data}, Fragments().data);
}

}  // namespace

TEST_CASE("a global load's data comes a register's time later for each further 32 bits") {
  const Profile profile = ga102();
  for (const int words : {1, 2, 4}) {
    CAPTURE(words);
    const Cycles wider = a_register * (words - 1);
    const Cycles address = profile.lsu.global_address_read;
    CHECK(of_load(words, false) == Times{profile.lsu.load_read + address, profile.l1->latency + wider});
    CHECK(of_load(words, true) ==
          Times{profile.lsu.load_read, profile.l1->latency - profile.lsu.global_uniform_saving + wider});
  }
}

TEST_CASE("a shared load brings 64 bits in the time of 32, and 128 two wavefronts later") {
  const Profile profile = ga102();
  for (const auto& load : {std::pair{1, Cycles(0)}, {2, Cycles(0)}, {4, Cycles(4 - 2)}}) {
    const int words = load.first;
    const Cycles later = load.second;
    CAPTURE(words);
    CHECK(of_shared_load(words, false) == Times{profile.lsu.load_read, profile.shared.latency + later});
    CHECK(of_shared_load(words, true) ==
          Times{profile.lsu.load_read, profile.shared.latency - profile.lsu.shared_uniform_saving + later});
  }
}

TEST_CASE("a store has read its data when the registers' width has passed, later with addresses in lanes' registers") {
  const LsuSpec lsu = ga102().lsu;
  for (const int words : {1, 2, 4}) {
    CAPTURE(words);
    const Cycles data = a_register * words;
    CHECK(of_store(words, true) == lsu.store_read + data);
    CHECK(of_store(words, false) == lsu.store_read + lsu.global_store_address_read + data);
    CHECK(of_shared_store(words, true) == lsu.store_read + data);
    CHECK(of_shared_store(words, false) == lsu.store_read + lsu.shared_store_address_read + data);
  }
}

TEST_CASE("a constant load takes its latency, longer with an address in a register, which is kept until then") {
  const LsuSpec lsu = ga102().lsu;
  CHECK(raw(LoadConstant{Fragments().data, {}}) == lsu.constant_latency);
  const Cycles indexed = lsu.constant_indexed_latency;
  CHECK(times(LoadConstant{Fragments().data, Fragments().address}) == Times{indexed, indexed});
}

TEST_CASE("cp.async keeps its address registers for its own time") {
  GlobalAccess from = one_line(0);
  from.address = Fragments().address;
  CHECK(war(CopyAsync{from, one_wavefront()}, Fragments().address) == ga102().lsu.copy_read);
}

TEST_CASE("an instruction that reads a store's data does not wait for the store") {
  Probe probe;
  const Token x = probe.token("x");
  probe.add(StoreGlobal{one_line(0), x}).add(needs(x));
  ScriptedFabric fabric(ga102(), probe.schedule(), always(Cycles(77)));
  fabric.run();
  CHECK(fabric.log.issue("ALU") == fabric.log.issue("STG") + Cycles(1));
}

}  // namespace gpusim::sm_registers_test
