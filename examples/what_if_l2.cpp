// What if the L2 cache were smaller? A layer of 64 tokens on an RTX 4090: 8192 x 2048 weights, 32 MiB, touched just
// before. A cache they fit into gives them at once. One they do not fit into keeps none of them: they stream through it
// in order, and each is gone again before its turn comes.
#include <iomanip>
#include <iostream>
#include <string>

#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "gpusim/schedules/gemm.h"

int main() {
  const gpusim::schedules::GemmProblem layer{.m = 64, .n = 8192, .k = 2048};
  std::cout << "      L2    cycles  MiB from DRAM\n";
  for (const char* capacity : {"72MiB", "24MiB", "6MiB"}) {
    gpusim::Profile profile = gpusim::load_profile("ada");
    gpusim::set(profile, std::string("l2.capacity=") + capacity);

    const auto tiling = gpusim::schedules::choose(profile, layer, {.tile = {64, 64, 32}});
    const gpusim::Gpu gpu(profile);
    const auto result = gpu.run(gpusim::schedules::gemm(layer, tiling), {.l2 = gpusim::L2State::warm});
    std::cout << std::setw(8) << capacity << std::setw(10) << gpusim::cycles(result).count() << std::setw(15)
              << result.kernels.front().traffic.dram_read_bytes / (1 << 20) << "\n";
  }
}
