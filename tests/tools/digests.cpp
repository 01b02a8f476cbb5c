// Prints name, digest and cycles of a fixed list of runs, to be compared between compilers and optimisation levels.
#include <array>
#include <cstdio>
#include <string>

#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "gpusim/schedules/gemm.h"

namespace {

using gpusim::DType;
using gpusim::schedules::GemmProblem;
using gpusim::schedules::GemmRequest;
using gpusim::schedules::GemmVariant;

struct Case {
  const char* name;
  const char* profile;
  GemmProblem problem;
  GemmRequest request;
  gpusim::L2State l2 = gpusim::L2State::cold;
};

const std::array cases{
    Case{"simt-warm",
         "textbook-2023",
         {.m = 64, .n = 64, .k = 96, .dtype = DType::fp32},
         {.tile = {32, 32, 32}, .variant = GemmVariant::simt},
         gpusim::L2State::warm},
    Case{"async-no-l2",
         "textbook-2020",
         {.m = 32, .n = 32, .k = 640, .dtype = DType::fp32},
         {.tile = {32, 32, 32}, .variant = GemmVariant::async, .stages = 3}},
    Case{"tensor", "volta", {.m = 384, .n = 256, .k = 128}, {.variant = GemmVariant::tensor}},
    Case{"tensor-ragged", "turing", {.m = 300, .n = 200, .k = 100}, {.variant = GemmVariant::tensor}},
    Case{"async", "ampere", {.m = 512, .n = 512, .k = 256}, {.variant = GemmVariant::async, .stages = 3}},
    Case{"async-beta", "rtx3090", {.m = 256, .n = 384, .k = 256, .alpha = 2, .beta = 1}, {.tile = {64, 64, 32}}},
    Case{"simt", "ada", {.m = 250, .n = 130, .k = 70, .dtype = DType::fp32}, {.variant = GemmVariant::simt}},
    Case{"tma-specialized",
         "hopper",
         {.m = 512, .n = 512, .k = 512},
         {.variant = GemmVariant::tma, .specialize = true},
         gpusim::L2State::warm},
};

}  // namespace

int main() {
  for (const Case& each : cases) {
    const gpusim::Profile profile = gpusim::load_profile(each.profile);
    const auto tiling = gpusim::schedules::choose(profile, each.problem, each.request);
    const auto schedule = gpusim::schedules::gemm(each.problem, tiling);
    const auto result = gpusim::Gpu(profile).run(schedule, {.l2 = each.l2});
    std::printf("%-18s %-14s %016llx %lld cycles\n", each.name, each.profile,
                static_cast<unsigned long long>(result.digest), static_cast<long long>(gpusim::cycles(result).count()));
  }
}
