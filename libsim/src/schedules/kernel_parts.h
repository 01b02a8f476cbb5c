// What the generators of kernels other than GEMM share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpusim/error.h"
#include "gpusim/schedule.h"
#include "integers.h"
#include "schedules/gemm_program.h"

namespace gpusim::schedules {

/// Problems of a kernel, as they are found.
class KernelCollector {
 public:
  void require(bool holds, const std::string& where, const std::string& what) {
    if (!holds) problems_.push_back({where, what});
  }
  void within(std::int64_t value, std::int64_t low, std::int64_t high, const std::string& where) {
    require(value >= low && value <= high, where,
            "it must be " + std::to_string(low) + " to " + std::to_string(high) + ", not " + std::to_string(value));
  }
  /// A type that lies in memory and that threads calculate with.
  void storable(DType dtype, const std::string& where);
  /// A multiple of 32 a CTA can have.
  void threads(int threads);
  /// 1, 2, 4, 8 or 16 bytes a lane, and a divisor of `extent`: a vector that reaches beyond a row reads another's.
  void vector(int vector, DType dtype, std::int64_t extent);
  [[nodiscard]] bool empty() const { return problems_.empty(); }
  /// Throws ScheduleError when there are any.
  void refuse();

 private:
  std::vector<Problem> problems_;
};

/// Elements of 16 bytes, or as many of them as divide `extent`.
[[nodiscard]] inline int widest_vector(DType dtype, std::int64_t extent) {
  constexpr std::int64_t chunk = 16;
  return static_cast<int>(std::gcd(chunk / size_of(dtype), extent));
}
/// A matrix whose rows begin at multiples of 16 bytes.
[[nodiscard]] Buffer matrix_buffer(std::string name, std::int64_t rows, std::int64_t columns, DType dtype,
                                   std::int64_t layers = 1);
/// Registers rounded up to 8, at most 255.
[[nodiscard]] int registers_for(std::int64_t wanted);
/// The schedule, if it is sound on any GPU. Throws ScheduleError.
[[nodiscard]] Schedule checked_kernel(Schedule schedule);

/// Conversions from memory to fp32 and back, where the type is not fp32: elements an instruction.
void append_widening(Body& body, DType from, Token fragment, std::int64_t elements);
void append_narrowing(Body& body, DType to, Token fragment, std::int64_t elements);
/// Cost without a meaning of its own: it reads and writes the fragment.
void append_cost(Body& body, Pipe pipe, Token fragment, std::int64_t instructions,
                 const std::optional<Bound>& guard = {});

/// Integer and other index arithmetic, by pipe: compilers multiply by a power of 2, and move, on either.
struct IndexCost {
  std::int64_t fma = 0;
  std::int64_t alu = 0;
};
/// So many times, after `reads` are there.
void append_index(Body& body, IndexCost cost, std::int64_t times = 1, const std::optional<Bound>& guard = {},
                  std::vector<Token> reads = {});

/// Instructions of code written for any shape, half of them on either pipe: comparisons and shifts are the alu's,
/// products the fma pipe's; moves go to either, and branches and the uniform pipe's count as if they did.
void append_beside(Body& body, std::int64_t instructions);

}  // namespace gpusim::schedules
