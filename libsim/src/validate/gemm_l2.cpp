#include "validate/gemm_l2.h"

#include <algorithm>

#include "validate/measured_run.h"

namespace gpusim::validate {

Bytes compulsory_bytes(const MeasuredGemm& row) {
  const std::int64_t operands = (row.m + row.n) * row.k * size_of(row.input);
  return Bytes(row.batch * (operands + row.m * row.n * size_of(result_of(row))));
}

std::map<std::string, L2State> l2_after_runs(const MeasuredGemm& row, const GemmProtocol& protocol,
                                             const Profile& profile) {
  std::map<std::string, L2State> states{{"A", protocol.a}, {"B", protocol.b}, {"C", L2State::dirty}};
  if (!profile.l2 || profile.l2->capacity.is_unlimited()) return states;
  const std::int64_t capacity = profile.l2->capacity.value().count();
  const std::int64_t weights = row.batch * row.k * row.n * size_of(row.input);
  const std::int64_t one_run = compulsory_bytes(row).count();
  const bool fits = stays_in_l2(one_run, profile);
  if (!fits) states["A"] = L2State::cold;
  if (protocol.copies == 0) {
    if (!fits) states["B"] = L2State::cold;
    return states;
  }
  const std::int64_t copies = std::min<std::int64_t>(protocol.copies, (capacity + weights - 1) / weights);
  states["B"] = stays_in_l2(one_run + (copies - 1) * weights, profile) ? L2State::warm : L2State::cold;
  return states;
}

}  // namespace gpusim::validate
