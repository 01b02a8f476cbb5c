#include "validate/cublas_sgemm.h"

#include <array>
#include <bit>
#include <string>

namespace gpusim::validate {
namespace {

using schedules::GemmLayout;
using schedules::GemmRequest;

/// Registers and shared memory as cuobjdump -res-usage of libcublasLt 12.1 has them, alike for sm_75, sm_80 and sm_86
/// and in all layouts but for what is said at bytes_of_buffers().
constexpr std::array kernels{CublasSgemm{128, 128, 1, 118, false}, CublasSgemm{128, 64, 1, 122, false},
                             CublasSgemm{64, 64, 1, 126, false},   CublasSgemm{128, 32, 1, 57, true},
                             CublasSgemm{32, 128, 1, 57, true},    CublasSgemm{128, 32, 4, 134, false},
                             CublasSgemm{64, 32, 4, 82, false},    CublasSgemm{32, 32, 4, 86, true}};

constexpr int buffers = 2;

std::string name_of(const CublasSgemm& kernel) {
  return "_sgemm_" + std::to_string(kernel.m) + "x" + std::to_string(kernel.n) +
         (kernel.slices > 1 ? "_sliced1x" + std::to_string(kernel.slices) : std::string()) + "_";
}

/// Of its buffers. Rows of an operand that lies along k in memory are 16 bytes longer.
unsigned bytes_of_buffers(const CublasSgemm& kernel, GemmLayout layout) {
  constexpr int element = 4;
  constexpr int padding = 4;
  const int turned = layout == GemmLayout::nt ? 2 : layout == GemmLayout::tn ? 0 : 1;
  return static_cast<unsigned>(buffers * k_tile(kernel) * (kernel.m + kernel.n + turned * padding) * element);
}

}  // namespace

std::optional<CublasSgemm> cublas_sgemm(std::string_view notes) {
  constexpr std::array<std::string_view, 4> generations{"maxwell", "volta", "turing", "ampere"};
  for (const std::string_view generation : generations)
    for (const CublasSgemm& kernel : kernels)
      for (const std::string_view layout : {"nn", "nt", "tn", "tt"})
        if (notes.find("kernel=" + std::string(generation) + name_of(kernel) + std::string(layout)) !=
            std::string_view::npos)
          return kernel;
  return std::nullopt;
}

int k_tile(const CublasSgemm& kernel) {
  constexpr int of_a_slice = 8;
  return of_a_slice * kernel.slices;
}

void fix_sgemm(const CublasSgemm& kernel, GemmLayout layout, GemmRequest& request) {
  request.cta_slices = kernel.slices;
  request.registers = kernel.registers;
  request.stages = buffers;
  request.prefetch = true;
  request.interleave = false;  // would be nearer to their code, and further from the A100's times (docs/validation.md)
  request.vector_a = 1;
  request.vector_b = 1;
  request.reuse_operands = false;
  const unsigned used = bytes_of_buffers(kernel, layout);
  if (kernel.power_of_two) request.reserved = static_cast<int>(std::bit_ceil(used) - used);
}

}  // namespace gpusim::validate
