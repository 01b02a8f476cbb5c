#include <doctest/doctest.h>

#include "support/cluster_programs.h"
#include "support/probe_machine.h"

namespace gpusim::schedule_hardware_test {

using testing::Probe;

namespace {

/// Two GPCs of four SMs, with clusters of up to eight CTAs, and wgmma.
Profile able() {
  Profile profile = testing::probe_machine();
  profile.sm.count = 8;
  profile.sm.sms_per_tpc = 2;
  profile.sm.gpcs = 2;
  profile.sm.ctas = 1;
  profile.cluster.emplace();
  profile.tensor.wgmma.emplace();
  return profile;
}

/// The one problem there is, or "" and a failure.
std::string only_problem(const Schedule& schedule, const Profile& profile) {
  const std::vector<Problem> problems = check(schedule, profile);
  CHECK(problems.size() == 1);
  return problems.size() == 1 ? problems[0].where + ": " + problems[0].what : "";
}

Schedule clusters_of(int ctas) {
  Schedule schedule = testing::cluster_schedule();
  schedule.grid_m = schedule.cluster = ctas;
  return schedule;
}

Schedule multiplying(const Multiply& multiply) {
  Probe probe;
  (void)probe.token("x");
  return probe.add(multiply).schedule();
}

}  // namespace

TEST_CASE("a GPU without clusters says so, once") {
  Profile profile = able();
  CHECK(check(clusters_of(4), profile).empty());
  profile.cluster.reset();
  CHECK(only_problem(clusters_of(4), profile) ==
        "schedule.cluster: the GPU has no CTA clusters, which GPUs have from Hopper (sm_90) on");
}

TEST_CASE("a cluster larger than the GPU's clusters") {
  Profile profile = able();
  profile.cluster->ctas = 2;
  CHECK(only_problem(clusters_of(4), profile) == "schedule.cluster: a cluster has 4 CTAs; it may have 2");
}

TEST_CASE("a cluster must fit one GPC at a time, or it would never begin") {
  CHECK(only_problem(clusters_of(8), able()) ==
        "schedule.cluster: the 8 CTAs of a cluster run at a time on one GPC, which holds 4 of them");
  Profile profile = able();
  profile.sm.ctas = 2;
  CHECK(check(clusters_of(8), profile).empty());
}

TEST_CASE("a GPU without wgmma, or without the types, refuses it by name") {
  Profile profile = able();
  CHECK(check(testing::wgmma_schedule(), profile).empty());
  profile.tensor.modes[0].input = DType::bf16;
  CHECK(only_problem(testing::wgmma_schedule(), profile) ==
        "schedule.tensor: the GPU has no tensor cores for fp16 with fp32 accumulation; it has bf16 with fp32 "
        "accumulation");
  profile.tensor.wgmma.reset();
  CHECK(only_problem(testing::wgmma_schedule(), profile) ==
        "schedule.wgmma: the GPU has no warp-group multiplies (wgmma), which Hopper (sm_90) has");
}

TEST_CASE("sparse and dense multiplies are different instructions") {
  Profile profile = able();
  const Multiply sparse{.shape = {16, 8, 32}, .sparse = true};
  CHECK(only_problem(multiplying(sparse), profile) ==
        "schedule.tensor: the schedule multiplies fp16 with fp32 accumulation with m16n8k32 sparse; this GPU has "
        "m16n8k16");
  profile.tensor.modes.push_back({.sparse = true, .k = 32});
  CHECK(check(multiplying(sparse), profile).empty());
}

TEST_CASE("each shape of a pair of types is a mode of its own; the first dense one is the usual") {
  Profile profile = able();
  profile.tensor.modes.insert(profile.tensor.modes.begin(), {.sparse = true, .k = 32});
  profile.tensor.modes.push_back({.k = 8});
  CHECK(check(multiplying({.shape = {16, 8, 8}}), profile).empty());
  CHECK(tensor_mode(profile, DType::fp16, DType::fp32) == &profile.tensor.modes[1]);
  CHECK(tensor_mode(profile, DType::fp16, DType::fp32, 16, 8, 8, false) == &profile.tensor.modes[2]);
  CHECK(tensor_mode(profile, DType::fp16, DType::fp32, 16, 8, 32, true) == profile.tensor.modes.data());
  CHECK(tensor_mode(profile, DType::fp16, DType::fp32, 16, 8, 32, false) == nullptr);
}

TEST_CASE("a GPU without ldmatrix reads its fragments with LDS") {
  Probe probe;
  const Token x = probe.token("x");
  const SharedAccess words{.tile = TileId(0), .row = along(Coordinate::lane), .vector = 4};
  const Schedule schedule = probe.add(LoadShared{words, x, SharedRead::ldmatrix}).schedule();
  Profile profile = able();
  CHECK(check(schedule, profile).empty());
  profile.shared.ldmatrix = false;
  CHECK(only_problem(schedule, profile) ==
        "schedule.ldmatrix: the GPU has no ldmatrix, which GPUs have from Turing (sm_75) on; its fragments are read "
        "with LDS");
}

TEST_CASE("MOVM came with ldmatrix") {
  Probe probe;
  const Schedule schedule = probe.add(TransposeMatrices{probe.token("x")}).schedule();
  Profile profile = able();
  CHECK(check(schedule, profile).empty());
  profile.shared.ldmatrix = false;
  CHECK(only_problem(schedule, profile) ==
        "schedule.transpose_matrices: the GPU has no MOVM, which GPUs have from Turing (sm_75) on");
}

TEST_CASE("loads and copies that bring whole lines came with ldmatrix") {
  Probe probe;
  GlobalAccess line = testing::one_line(0);
  line.whole_lines = true;
  const Schedule loads = probe.add(LoadGlobal{line, probe.token("x")}).schedule();
  const Schedule copies = Probe().add(CopyAsync{line, testing::one_wavefront(), true}).schedule();
  Profile profile = able();
  CHECK(check(loads, profile).empty());
  profile.shared.ldmatrix = false;
  for (const Schedule& schedule : {loads, copies})
    CHECK(only_problem(schedule, profile) ==
          "schedule.whole_lines: the GPU has no loads with .L2::128B, which GPUs have from Turing (sm_75) on; what L2 "
          "lacks comes in sectors");
}

TEST_CASE("bulk stores need the tensor memory accelerator") {
  Probe probe;
  probe.add(BulkStore{.tile = TileId(0), .rows = 8, .columns = 32, .buffer = BufferId(0)});
  probe.add(BulkCommit{}).add(BulkWait{});
  Profile profile = able();
  profile.tma.reset();
  CHECK(only_problem(probe.schedule(), profile) ==
        "schedule.tma: the GPU has no tensor memory accelerator, which GPUs have from Hopper (sm_90) on");
}

TEST_CASE("mbarriers that warps alone arrive at came with asynchronous copies") {
  const auto arriving = [](Bytes bytes) {
    Probe probe;
    Schedule schedule = probe.add(BarrierArrive{{BarrierId(0), 0}, bytes, {}}).schedule();
    schedule.barriers = {{"done", 1, 1}};
    return schedule;
  };
  Profile profile = able();
  profile.tma.reset();
  CHECK(check(arriving(Bytes(0)), profile).empty());
  CHECK(only_problem(arriving(Bytes(128)), profile) ==
        "schedule.tma: the GPU has no tensor memory accelerator, which GPUs have from Hopper (sm_90) on");
  profile.async_copy.reset();
  CHECK(only_problem(arriving(Bytes(0)), profile) ==
        "schedule.mbarrier: the GPU has no mbarriers, which GPUs have from Ampere (sm_80) on");
}

TEST_CASE("all CTAs of a grid barrier are resident at once") {
  Probe probe;
  probe.add(GridBarrier{});
  CHECK(check(probe.schedule(1, 8), able()).empty());
  CHECK(only_problem(probe.schedule(1, 9), able()) ==
        "schedule.grid: all CTAs of a grid barrier run at a time: there are 9, the GPU holds 8 of them");
}

TEST_CASE("a grid barrier at which only the last CTA waits has no limit of CTAs") {
  const auto waiting_from = [](std::int64_t first) {
    Probe probe;
    probe.add(GridBarrier{.waits = false}, 1, Bound{along(Coordinate::block_m), first});
    probe.add(GridBarrier{}, 1, Bound{along(Coordinate::block_m, -1) + 99, 100 - first});
    return probe.schedule(1, 100);
  };
  CHECK(check(waiting_from(99), able()).empty());
  CHECK(only_problem(waiting_from(98), able()) ==
        "schedule.grid: all CTAs of a grid barrier run at a time: there are 100, the GPU holds 8 of them");
  Probe by_layer;
  by_layer.add(GridBarrier{}, 1, Bound{along(Coordinate::block_z, -1) + 1, 1});
  CHECK(only_problem(by_layer.schedule(1, 100), able()) ==
        "schedule.grid: all CTAs of a grid barrier run at a time: there are 100, the GPU holds 8 of them");
}

TEST_CASE("setmaxnreg gives some warps what others gave back, and no more") {
  Probe producer("producer");
  producer.add(RegisterReallocate{24});
  const auto schedule_of = [&](int consumer_registers) {
    Probe consumer("consumer");
    consumer.add(RegisterReallocate{consumer_registers});
    Schedule schedule = testing::probe_schedule({producer.role(4), consumer.role(8)});
    schedule.registers_per_thread = 168;
    return schedule;
  };
  CHECK(check(schedule_of(240), able()).empty());  // 4 * 24 + 8 * 240 = 12 * 168
  CHECK(only_problem(schedule_of(248), able()) ==
        "schedule.registers: after setmaxnreg the CTA's warps have 66560 registers; it was started with 64512; with "
        "240 a thread of 'consumer' they would fit");
  Profile profile = able();
  profile.tensor.wgmma.reset();
  CHECK(only_problem(schedule_of(240), profile) ==
        "schedule.registers: the GPU has no setmaxnreg: that comes with warp-group multiplies (wgmma)");
}

}  // namespace gpusim::schedule_hardware_test
