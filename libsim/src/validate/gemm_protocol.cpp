#include "validate/gemm_protocol.h"

#include <algorithm>
#include <array>

namespace gpusim::validate {
namespace {

constexpr L2State warm = L2State::warm;
constexpr L2State cold = L2State::cold;

constexpr std::array protocols{
    // Graph replay over several copies of the weights, so that they come from memory; clocks set to the maximum.
    GemmProtocol{.source = "ai-dynamo/aiconfigurator",
                 .gap = Gap::graph,
                 .a = warm,
                 .b = cold,
                 .copies = 5,
                 .repeats = {.warm_up = 3, .timed = 6}},
    // Kernel times of a trace. The layer repeats, but its bandwidths are those of weights from memory.
    GemmProtocol{.source = "microsoft/vidur", .gap = Gap::none, .a = warm, .b = cold, .repeats = {.timed = 20}},
    // do_bench clears L2 before each repeat; the regression test locks its 40 GB A100 and its V100 to 1350 MHz.
    GemmProtocol{.source = "triton-lang/triton",
                 .a = cold,
                 .b = cold,
                 .locked_mhz = 1350,
                 .gpu = "A100",
                 .profile = "a100-sxm-40gb"},
    // Locked clocks, stated with the figures.
    GemmProtocol{.source = "alexarmbr/matmul-playground", .locked_mhz = 1590},
    // torch.matmul with L2 cleared before each repeat.
    GemmProtocol{.source = "stas00/ml-engineering", .a = cold, .b = cold, .repeats = {.warm_up = 50, .timed = 100}},
    // The best five of 25, row after row without a pause: boards at their limit are as slow in short rows as in long.
    GemmProtocol{.source = "sitar-lab/NeuSight", .repeats = {.warm_up = 1000, .timed = 25}},
    // gemm_bench repeats until 1e11 multiply-adds are done, ten times at least.
    GemmProtocol{.source = "baidu-research/DeepBench", .repeats = {.warm_up = 1, .timed = 10, .multiply_adds = 1e11}},
};

constexpr GemmProtocol usual{};

}  // namespace

const GemmProtocol& protocol_of(std::string_view source) {
  const auto* const found = std::find_if(protocols.begin(), protocols.end(),
                                         [&](const GemmProtocol& each) { return source.starts_with(each.source); });
  return found == protocols.end() ? usual : *found;
}

double busy_us(const Repeats& repeats, double multiply_adds, double launch_us) {
  const double timed = std::max(repeats.timed, multiply_adds > 0 ? repeats.multiply_adds / multiply_adds : 0);
  return (repeats.warm_up + timed / 2) * launch_us;
}

std::string_view profile_name(std::string_view gpu, std::string_view source) {
  const GemmProtocol& protocol = protocol_of(source);
  return !protocol.gpu.empty() && protocol.gpu == gpu ? protocol.profile : gpu;
}

}  // namespace gpusim::validate
