// A product reads all of A and B and writes all of C, wherever its warps and CTAs stand: the least that DRAM must move.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "gpusim/schedules/gemm.h"

namespace gpusim::footprint_test {

namespace {

using schedules::Epilogue;
using schedules::GemmProblem;
using schedules::GemmRequest;
using schedules::GemmVariant;

struct Case {
  std::string name;
  GemmRequest request;
};

GemmRequest request(GemmVariant variant, schedules::GemmTile tile) {
  GemmRequest request;
  request.variant = variant;
  request.tile = tile;
  return request;
}

/// Warp groups with bulk stores, `groups` of them to a tile.
GemmRequest groups_that_store(schedules::GemmTile tile, int groups, Epilogue epilogue) {
  GemmRequest asked = request(GemmVariant::wgmma, tile);
  asked.specialize = true;
  asked.consumers = groups;
  asked.epilogue = epilogue;
  return asked;
}

std::vector<Case> cases() {
  std::vector<Case> all{{"tensor", request(GemmVariant::tensor, {128, 128, 32})},
                        {"async", request(GemmVariant::async, {128, 64, 32})},
                        {"tma", request(GemmVariant::tma, {128, 128, 64})}};
  for (const Epilogue epilogue : {Epilogue::direct, Epilogue::staged, Epilogue::tma}) {
    all.push_back({"one group", groups_that_store({128, 128, 64}, 1, epilogue)});
    all.push_back({"two groups", groups_that_store({128, 128, 64}, 2, epilogue)});
    all.push_back({"three groups", groups_that_store({192, 128, 64}, 3, epilogue)});
    Case persistent{"persistent, clusters", groups_that_store({256, 64, 64}, 2, epilogue)};
    persistent.request.cluster = schedules::GemmShape{1, 2};
    persistent.request.persistent = true;
    all.push_back(persistent);
    Case cut{"stream-K", groups_that_store({128, 128, 64}, 2, epilogue)};
    cut.request.persistent = true;
    cut.request.stream_k = true;
    all.push_back(cut);
  }
  Case cut{"async, stream-K", request(GemmVariant::async, {128, 64, 32})};
  cut.request.persistent = true;
  cut.request.stream_k = true;
  all.push_back(cut);
  return all;
}

}  // namespace

TEST_CASE("of a sparse A DRAM gives the half that is stored, and metadata") {
  const Gpu gpu(load_profile("h100-sxm"));
  GemmProblem problem{.m = 768, .n = 512, .k = 512, .layout = schedules::GemmLayout::nt, .batch = 4};
  problem.sparse = true;
  const std::int64_t a = problem.batch * problem.m * problem.k;  // half of two bytes each
  const std::int64_t least = a + a / 8 + problem.batch * problem.n * problem.k * 2;
  for (const bool persistent : {false, true}) {
    GemmRequest asked = groups_that_store({128, 128, 128}, 2, Epilogue::tma);
    asked.persistent = persistent;
    if (persistent) asked.cluster = schedules::GemmShape{1, 2};
    const Traffic traffic =
        gpu.run(schedules::gemm(problem, schedules::choose(gpu.profile(), problem, asked))).kernels.front().traffic;
    CHECK(traffic.dram_read_bytes >= least);
    CHECK(traffic.dram_read_bytes <= least + least / 50);
  }
}

TEST_CASE("DRAM gives every byte of A and B, and gets every byte of C but for what L2 still holds [long]") {
  constexpr std::int64_t capacity = 1 << 20;
  Profile profile = load_profile("h100-sxm");
  profile.l2->capacity = Bytes(capacity);
  const Gpu gpu(profile);
  const GemmProblem problem{.m = 768, .n = 512, .k = 128, .layout = schedules::GemmLayout::nt, .batch = 8};
  const std::int64_t element = size_of(problem.dtype);
  const std::int64_t operands = problem.batch * (problem.m + problem.n) * problem.k * element;
  const std::int64_t product = problem.batch * problem.m * problem.n * element;
  for (const Case& each : cases()) {
    CAPTURE(each.name);
    const schedules::GemmTiling tiling = schedules::choose(profile, problem, each.request);
    CAPTURE(static_cast<int>(tiling.epilogue));
    std::int64_t read = 0;
    std::int64_t written = 0;
    for (const auto& kernel : gpu.run(schedules::gemm_kernels(problem, tiling)).kernels) {
      read += kernel.traffic.dram_read_bytes;
      written += kernel.traffic.dram_write_bytes;
    }
    CHECK(read >= operands);
    CHECK(written >= product - capacity);
  }
}

}  // namespace gpusim::footprint_test
