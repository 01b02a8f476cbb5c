// Boxes that each CTA of a cluster loads a part of, for all: part multicast.
// Build: nvcc -std=c++20 -O3 -gencode=arch=compute_90a,code=sm_90a multicast.cu -o multicast -lcuda
#include "tensors.h"

using namespace measure;

namespace {

constexpr int kRows = 128, kStages = 4, kStageBytes = kRows * 128;

/// Warp 0 loads, warp 1 takes: it tells all CTAs of the cluster that the stage may be written again.
__global__ void multicast(const __grid_constant__ CUtensorMap map, int tiles, int tile_step, int cluster, int stages,
                          Stamp* stamps) {
  __shared__ alignas(8) std::uint64_t full_of[kStages], empty_of[kStages];
  const std::uint32_t to = dynamic_shared(), full = shared_address(full_of), empty = shared_address(empty_of);
  const std::uint32_t rank = cluster_rank();
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i)
      barrier_init(full + 8 * i, 1), barrier_init(empty + 8 * i, std::uint32_t(cluster));
    barriers_ready();
  }
  __syncwarp();
  cluster_sync();
  const int id = int(blockIdx.x) / cluster, part = kRows / cluster;
  if (threadIdx.x == 0) {
    const int first = tile_step == 1 ? id * 37 % kSteps : 0;
    const std::uint16_t mask = std::uint16_t((1 << cluster) - 1);
    for (int i = 0; i < stages; ++i) {
      const int stage = i % kStages, box = i + first;
      if (i >= kStages) barrier_wait<true>(empty + 8 * stage, std::uint32_t(i / kStages - 1) & 1);
      barrier_expect(full + 8 * stage, kStageBytes);  // All parts of the stage, whoever loads them.
      copy_box_to_all(to + stage * kStageBytes + int(rank) * part * 128, &map, box % kSteps * kBoxWidth,
                      (id + box / kSteps * tile_step) % tiles * kRows + int(rank) * part, full + 8 * stage, mask);
    }
  } else if (threadIdx.x == 32) {
    Stamp stamp{clock64(), 0, globaltimer(), 0};
    for (int i = 0; i < stages; ++i) {
      const int stage = i % kStages;
      barrier_wait<true>(full + 8 * stage, std::uint32_t(i / kStages) & 1);
      for (int peer = 0; peer < cluster; ++peer) {
        barrier_arrive_remote(map_rank(empty + 8 * stage, std::uint32_t(peer)));
      }
    }
    stamp.c1 = clock64(), stamp.t1 = globaltimer();
    stamps[blockIdx.x] = stamp;
  }
  __syncwarp();
  cluster_sync();  // No CTA ends while others still signal it.
}

void run_multicast(const std::string& folder) {
  Csv csv(folder + "/multicast.csv", "cluster,home,received_bytes_per_clk_per_sm,l2_bytes_per_clk_per_sm,clock_mhz");
  Tensors tensors;
  allow_shared(multicast);
  for (const bool from_dram : {false, true}) {
    for (const int cluster : {1, 2, 4}) {
      const CUtensorMap map = tensors.map(from_dram, kRows / cluster);
      cudaLaunchAttribute attribute{};
      attribute.id = cudaLaunchAttributeClusterDimension;
      attribute.val.clusterDim = {unsigned(cluster), 1, 1};
      cudaLaunchConfig_t config{};
      config.gridDim = dim3(sm_count() / cluster * cluster);
      config.blockDim = dim3(64);
      config.dynamicSmemBytes = kRoom;  // One CTA an SM.
      config.attrs = &attribute, config.numAttrs = 1;
      int clusters = 0;
      MEASURE_CHECK(cudaOccupancyMaxActiveClusters(&clusters, multicast, &config));
      clusters = std::min(clusters, sm_count() / cluster);
      if (clusters < 1) continue;
      config.gridDim = dim3(clusters * cluster);
      Buffer<Stamp> stamps(clusters * cluster);
      const int tiles = Tensors::height(from_dram) / kRows, stages = 6 * kSteps;
      const int tile_step = from_dram ? clusters : 1;
      const Reading r = reading(third_run(stamps, [&] {
        MEASURE_CHECK(cudaLaunchKernelEx(&config, multicast, map, tiles, tile_step, cluster, stages, stamps.get()));
      }));
      const double received = double(stages) * kStageBytes / r.cycles;
      csv.row(
          {std::to_string(cluster), from_dram ? "dram" : "l2", text(received), text(received / cluster), text(r.mhz)});
    }
  }
}

}  // namespace

int main(int argc, char** argv) { return run_parts(argc, argv, {{"multicast", run_multicast}}); }
