#include "validate/gemm_l2.h"

#include <algorithm>

#include "validate/measured_run.h"

namespace gpusim::validate {

Bytes compulsory_bytes(const MeasuredGemm& row) {
  const std::int64_t operands = (row.m + row.n) * row.k * size_of(row.input);
  return Bytes(row.batch * (operands + row.m * row.n * size_of(result_of(row))));
}

namespace {

std::int64_t matrix_bytes(const MeasuredGemm& row, std::int64_t rows, std::int64_t columns, DType type) {
  return row.batch * rows * columns * size_of(type);
}

/// What is read or written between two uses of one copy of the weights, that copy included.
std::int64_t bytes_of_a_turn(const MeasuredGemm& row, const GemmProtocol& protocol, const Profile& profile) {
  const std::int64_t weights = matrix_bytes(row, row.k, row.n, row.input);
  const std::int64_t activations = matrix_bytes(row, row.m, row.k, protocol.activations.value_or(row.input));
  const std::int64_t copies = copies_of_weights(row, protocol, profile);
  std::int64_t turn = compulsory_bytes(row).count() + (copies - 1) * weights;
  if (protocol.activations) turn += activations;
  if (protocol.own_activations) turn += (copies - 1) * activations;
  return turn;
}

}  // namespace

std::int64_t copies_of_weights(const MeasuredGemm& row, const GemmProtocol& protocol, const Profile& profile) {
  const std::int64_t copies = std::max(protocol.copies, 1);
  if (!protocol.only_to_fill_l2 || !has_bounded_l2(profile)) return copies;
  const std::int64_t weights = matrix_bytes(row, row.k, row.n, row.input);
  return std::min(copies, (profile.l2->capacity.value().count() + weights - 1) / weights);
}

Residence residence_of_weights(const MeasuredGemm& row, const GemmProtocol& protocol, const Profile& profile) {
  if (protocol.copies == 0 && protocol.b == L2State::cold) return Residence::nothing;
  return residence(bytes_of_a_turn(row, protocol, profile), profile);
}

std::map<std::string, L2State> l2_after_runs(const MeasuredGemm& row, const GemmProtocol& protocol,
                                             const Profile& profile) {
  const L2State c = protocol.begins_cold() ? L2State::cold : L2State::dirty;
  std::map<std::string, L2State> states{{"A", protocol.a}, {"B", protocol.b}, {"C", c}};
  if (!has_bounded_l2(profile)) return states;
  const bool turn_fits = stays_in_l2(bytes_of_a_turn(row, protocol, profile), profile);
  // What a kernel before the product writes is there when one run fits, whatever came before.
  const bool each_its_own = protocol.own_activations && !protocol.activations;
  const bool a_fits = each_its_own ? turn_fits : stays_in_l2(compulsory_bytes(row).count(), profile);
  if (!a_fits) states["A"] = L2State::cold;
  if (protocol.copies > 0)
    states["B"] = turn_fits ? L2State::warm : L2State::cold;
  else if (!turn_fits)
    states["B"] = L2State::cold;
  return states;
}

L2State activations_after_runs(const MeasuredGemm& row, const GemmProtocol& protocol, const Profile& profile) {
  GemmProtocol between = protocol;
  if (!protocol.own_activations) between.copies = 0;  // the next run reads them again
  return stays_in_l2(bytes_of_a_turn(row, between, profile), profile) ? L2State::warm : L2State::cold;
}

}  // namespace gpusim::validate
