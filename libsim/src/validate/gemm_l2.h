// What a measured product moves at least, and what L2 holds of it when a timed run begins.
#pragma once

#include <map>
#include <string>

#include "gpusim/profile.h"
#include "gpusim/run_options.h"
#include "gpusim/units.h"
#include "gpusim/validate.h"
#include "validate/gemm_protocol.h"

namespace gpusim::validate {

/// The matrices of all products, once each.
[[nodiscard]] Bytes compulsory_bytes(const MeasuredGemm& row);

/// By buffer, after earlier runs of the same product, which wrote C last. Runs over and over through more than L2 holds
/// find nothing of it: the least recently used is what they need next.
[[nodiscard]] std::map<std::string, L2State> l2_after_runs(const MeasuredGemm& row, const GemmProtocol& protocol,
                                                           const Profile& profile);

}  // namespace gpusim::validate
