#include "validate/gemm_protocol.h"

#include <algorithm>
#include <array>

namespace gpusim::validate {
namespace {

constexpr L2State warm = L2State::warm;
constexpr L2State cold = L2State::cold;

constexpr std::array protocols{
    // Graph replay over several copies of the weights, so that they come from memory; clocks set to the maximum.
    GemmProtocol{"ai-dynamo/aiconfigurator", Gap::graph, warm, cold, std::nullopt, "", "", 5},
    // Kernel times of a trace. The layer repeats, but its bandwidths are those of weights from memory.
    GemmProtocol{"microsoft/vidur", Gap::none, warm, cold, std::nullopt, "", "", 0},
    // do_bench clears L2 before each repeat; the regression test locks its 40 GB A100 and its V100 to 1350 MHz.
    GemmProtocol{"triton-lang/triton", Gap::stream, cold, cold, 1350, "A100", "a100-sxm-40gb", 0},
    // Locked clocks, stated with the figures.
    GemmProtocol{"alexarmbr/matmul-playground", Gap::stream, warm, warm, 1590, "", "", 0},
    // torch.matmul with L2 cleared before each repeat.
    GemmProtocol{"stas00/ml-engineering", Gap::stream, cold, cold, std::nullopt, "", "", 0},
};

constexpr GemmProtocol usual{"", Gap::stream, warm, warm, std::nullopt, "", "", 0};

}  // namespace

const GemmProtocol& protocol_of(std::string_view source) {
  const auto* const found = std::find_if(protocols.begin(), protocols.end(),
                                         [&](const GemmProtocol& each) { return source.starts_with(each.source); });
  return found == protocols.end() ? usual : *found;
}

std::string_view profile_name(std::string_view gpu, std::string_view source) {
  const GemmProtocol& protocol = protocol_of(source);
  return !protocol.gpu.empty() && protocol.gpu == gpu ? protocol.profile : gpu;
}

}  // namespace gpusim::validate
