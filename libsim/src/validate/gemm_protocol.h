// How the sources of measured GEMMs took their times, as far as it changes what a time contains.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "gpusim/dtype.h"
#include "gpusim/run_options.h"
#include "gpusim/schedules/gemm_candidates.h"
#include "gpusim/validate.h"

namespace gpusim::validate {

/// How a kernel turns activations into the product's type.
enum class Quantisation : std::uint8_t {
  elements,   ///< an element like the other
  by_row,     ///< by a CTA a row, which reads a factor in memory first and inverts it (ElementwiseProblem::scaled)
  by_tensor,  ///< by one factor, which kernels before it look for
};

/// How often a product ran, one time after the other: a board that is busy for long runs at the clock its power leaves.
/// Where weights take turns a repeat is a turn of all their copies.
struct Repeats {
  double warm_up = 10;       ///< repeats before those that were timed
  double timed = 20;         ///< repeats, at least
  double multiply_adds = 0;  ///< timed repeats go on until they did so many
  double us = 0;             ///< and until they took so long
};

struct GemmProtocol {
  std::string_view source;        ///< sources that begin so
  std::string_view library = {};  ///< whose library or kernel begins so; the first entry of a source that fits is it
  Gap gap = Gap::stream;
  /// Of Gap::graph: a graph is one call, or one with each copy of the weights, and each begins as a launch of its own.
  /// Else graphs hold so many that this does not count.
  bool graph_of_calls = false;
  int calls_of_graph = 1;       ///< of kernels, whose arrays have no copies
  bool between_events = false;  ///< there is an event before and after each launch
  bool waited_for = false;      ///< each call, so that its first kernel finds the GPU idle (launch.kernel_ns)
  /// Times are told in whole microseconds, of a trace each kernel's, and what is beyond is dropped.
  bool whole_us = false;
  L2State a = L2State::warm;  ///< activations
  L2State b = L2State::warm;  ///< weights
  /// Where both are cold: a kernel that overwrites L2 ran before, else others of their kind.
  bool cleared = false;
  std::optional<std::int64_t> locked_mhz = {};
  std::optional<std::int64_t> highest_mhz = {};  ///< that its GPU reached, below what such GPUs can
  std::string_view gpu = {};  ///< as the table has it; and which one that was, where its name alone would say otherwise
  std::string_view profile = {};
  /// Weights that take turns; 0: the same again and again.
  int copies = 0;
  bool only_to_fill_l2 = false;        ///< no more of them than fill L2
  bool own_activations = false;        ///< each goes with activations of its own
  bool zero_weights = false;           ///< allocated and never written: tensor cores multiply by zero, and draw less
  std::optional<DType> zeros_of = {};  ///< operands of this type are zeros, both of them: nothing that moves switches
  bool without_check_bytes = false;    ///< in line with the data, which the profile's memory may have
  Repeats repeats = {};
  /// Activations come in this type: a kernel that turns them into the product's is part of what was timed.
  std::optional<DType> activations = {};
  Quantisation quantisation = Quantisation::elements;  ///< by that kernel
  /// Rows of A and C of a batch's products lie by turns (GemmProblem::batch_interleave). Of 16-bit operands alone:
  /// fp8's A is put in order by a kernel that is not simulated.
  bool interleaved = false;
  /// Before each product: kernels of other shapes, or of other copies of the weights, come between.
  CodeState code = CodeState::cold;
  std::optional<schedules::GemmLayout> layout = {};  ///< of rows that say none
  bool adds_to_c = false;                            ///< beta is not 0, so that C is read
  std::optional<DType> result = {};                  ///< C's, where it is not the usual
  /// L2 has nothing of a kernel when it begins.
  [[nodiscard]] constexpr bool begins_cold() const { return a == L2State::cold && b == L2State::cold && copies == 0; }
  std::int64_t beside_ns = 0;                                       ///< what else was timed with each call
  schedules::GemmLibrary kernels = schedules::GemmLibrary::recent;  ///< that the measured library had
  std::int64_t gemv_rows = 0;  ///< products of up to so many rows it multiplies on CUDA cores (schedules::gemv)
};

/// The source's; for others back-to-back launches on a warm L2.
[[nodiscard]] const GemmProtocol& protocol_of(std::string_view source, std::string_view library = {});

/// The source's, but for what the row says of itself. Of operands of `type`.
[[nodiscard]] GemmProtocol protocol_of(const MeasuredRow& row, std::string_view library, std::optional<DType> type);

/// The type of a row's C: what the row says, or its protocol; else bf16 of fp8 operands and sums of int8 ones, as
/// cuBLAS gives them, and that of A and B of others.
[[nodiscard]] DType result_of(const MeasuredGemm& row);

/// How long the GPU had been busy with repeats of so many multiply-adds, each of `repeat_us`, when it was at the middle
/// of what was timed; in microseconds.
[[nodiscard]] double busy_us(const Repeats& repeats, double multiply_adds, double repeat_us);

/// The name to load the profile by.
[[nodiscard]] std::string_view profile_name(std::string_view gpu, std::string_view source);

}  // namespace gpusim::validate
