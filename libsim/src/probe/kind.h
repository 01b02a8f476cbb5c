// A kind of probe: its parameters, which GPUs can run it, and how it is measured.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gpusim/probe.h"
#include "probe/bench.h"
#include "probe/values.h"

namespace gpusim::probe {

using Quantities = std::vector<ProbeQuantity>;
/// Values by parameter, of a curve.
using Curve = std::map<std::string, std::vector<std::string>>;

struct Kind {
  std::string name;
  std::string title;
  std::string mirrors;
  std::vector<Parameter> parameters;
  std::vector<ProbeUnit> quantities;
  /// What the GPU lacks for it ("it has no tensor memory accelerator"), or "". None: any GPU can.
  std::string (*lack)(const Profile&, const Values&) = nullptr;
  /// Runs and reads. Fills in automatic values. Throws ScheduleError for values that make no sense together.
  Quantities (*measure)(const Bench&, Values&) = nullptr;
  /// What is worth plotting on this GPU, beside what is given.
  Curve (*curve)(const Profile&, const Curve& given) = nullptr;
};

/// All kinds, in the order of the documentation.
[[nodiscard]] const std::vector<Kind>& kinds();

[[nodiscard]] Kind latency_kind();
[[nodiscard]] Kind bandwidth_kind();
[[nodiscard]] Kind stride_kind();
[[nodiscard]] Kind shared_kind();
[[nodiscard]] Kind memory_op_kind();
[[nodiscard]] Kind issue_kind();
[[nodiscard]] Kind l2_kind();
[[nodiscard]] Kind noc_kind();
[[nodiscard]] Kind dram_kind();
[[nodiscard]] Kind tma_kind();
[[nodiscard]] Kind dsm_kind();
[[nodiscard]] Kind registers_kind();
[[nodiscard]] Kind mma_kind();
[[nodiscard]] Kind wgmma_kind();
[[nodiscard]] Kind barrier_kind();
[[nodiscard]] Kind atomic_kind();
[[nodiscard]] Kind launch_kind();
[[nodiscard]] Kind dispatch_kind();

}  // namespace gpusim::probe
