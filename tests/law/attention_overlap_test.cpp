// Law: the sign of what FlashAttention-3's pipelining brings. Its authors measured 661 TFLOPS with a block's scores
// made while the one before is multiplied by V, and 582 without (arXiv:2407.08608, table 2: H100, head_dim 128, not
// causal); the model has less of a gain, docs/timing.md says how much.
#include <doctest/doctest.h>

#include "gpusim/gpu.h"
#include "gpusim/profile_io.h"
#include "gpusim/schedules/attention.h"

namespace gpusim::attention_overlap_test {

TEST_CASE("scores made beside the product with V make two warp groups faster") {
  const Gpu gpu(load_profile("h100-sxm"));
  const schedules::AttentionProblem problem{.heads = 8, .queries = 2112, .keys = 4224};
  const auto taken = [&](bool overlap) {
    schedules::AttentionRequest request;
    request.variant = schedules::AttentionVariant::flash3;
    request.overlap = overlap;
    return cycles(gpu.run(schedules::attention(problem, choose_attention(gpu.profile(), problem, request))));
  };
  CHECK(taken(true) < taken(false));
}

}  // namespace gpusim::attention_overlap_test
