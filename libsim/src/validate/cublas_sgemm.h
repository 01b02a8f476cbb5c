// cuBLAS's own SGEMM kernels, as names tell them from CUTLASS's: ampere_sgemm_128x64_tn.
#pragma once

#include <optional>
#include <string_view>

#include "gpusim/schedules/gemm.h"

namespace gpusim::validate {

/// What is known of one. They go through k in steps of eight for each slice of the CTA, through two buffers and through
/// registers, an element a lane at a time. What they load and store goes among the products, which is not simulated.
/// Made for GPUs on which an FFMA takes its lanes two cycles, they let a warp issue every other cycle: where a
/// sub-partition could issue one each cycle, warps take turns, and what the reuse cache held is gone.
struct CublasSgemm {
  int m, n;           ///< the CTA's tile, as its name has it
  int slices;         ///< of the CTA, that share out a k tile
  int registers;      ///< a thread
  bool power_of_two;  ///< what it asks for of shared memory is
};

/// The kernel that notes name ("kernel=volta_sgemm_64x32_sliced1x4_tn"), of any of the generations it was built for;
/// nothing where they name none of these.
[[nodiscard]] std::optional<CublasSgemm> cublas_sgemm(std::string_view notes);

/// Its step through k.
[[nodiscard]] int k_tile(const CublasSgemm& kernel);

/// Fixes what is known beside the tile; candidates of simt read fragments as vectors along m and n, a step ahead.
void fix_sgemm(const CublasSgemm& kernel, schedules::GemmLayout layout, schedules::GemmRequest& request);

}  // namespace gpusim::validate
