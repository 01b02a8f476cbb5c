// What a measured product moves at least, and what L2 holds of it when a timed run begins.
#pragma once

#include <map>
#include <string>

#include "gpusim/profile.h"
#include "gpusim/run_options.h"
#include "gpusim/units.h"
#include "gpusim/validate.h"
#include "validate/gemm_protocol.h"
#include "validate/replay.h"

namespace gpusim::validate {

/// The matrices of all products, once each.
[[nodiscard]] Bytes compulsory_bytes(const MeasuredGemm& row);

/// By buffer, after earlier runs of the same product, which wrote C last; nothing where the protocol begins cold. Runs
/// over and over through more than L2 holds find nothing of it: the least recently used is what they need next.
[[nodiscard]] std::map<std::string, L2State> l2_after_runs(const MeasuredGemm& row, const GemmProtocol& protocol,
                                                           const Profile& profile);

/// Of what a kernel before the product turns into its A.
[[nodiscard]] L2State activations_after_runs(const MeasuredGemm& row, const GemmProtocol& protocol,
                                             const Profile& profile);

/// How many copies of the weights take turns.
[[nodiscard]] std::int64_t copies_of_weights(const MeasuredGemm& row, const GemmProtocol& protocol,
                                             const Profile& profile);

/// What L2 keeps of the weights from one use of a copy to the next, or of the activations that go with it.
[[nodiscard]] Residence residence_of_weights(const MeasuredGemm& row, const GemmProtocol& protocol,
                                             const Profile& profile);

}  // namespace gpusim::validate
