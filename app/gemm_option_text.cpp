#include "gemm_option_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <type_traits>
#include <vector>

#include "gpusim/error.h"

namespace app {

namespace {

using namespace gpusim::schedules;
using gpusim::MmaShape;

/// How a flag is asked for: by its name, or --no-, or by its name alone, or by yes or no.
enum class Flag { is_switch, only_on, has_word };

std::string spelled(std::int64_t value) { return std::to_string(value); }
std::string spelled(GemmShape shape) { return fmt::format("{}x{}", shape.m, shape.n); }
std::string spelled(MmaShape shape) { return fmt::format("m{}n{}k{}", shape.m, shape.n, shape.k); }
template <class Enum>
requires std::is_enum_v<Enum> std::string spelled(Enum value) {
  return std::string(names_of(Enum{})[static_cast<std::size_t>(value)]);
}

/// A member of GemmTiling, the one of GemmRequest that fixes it, and its option.
struct Member {
  bool (*differs)(const GemmTiling& chosen, const GemmTiling& wanted);
  void (*fix)(GemmRequest& request, const GemmTiling& tiling);
  std::string (*text)(const GemmTiling& tiling, const char* option);  ///< empty where there is none
  const char* option;
};

template <auto of_tiling, auto of_request, Flag flag = Flag::is_switch>
constexpr Member member(const char* option) {
  return {[](const GemmTiling& chosen, const GemmTiling& wanted) { return !(chosen.*of_tiling == wanted.*of_tiling); },
          [](GemmRequest& request, const GemmTiling& tiling) { request.*of_request = tiling.*of_tiling; },
          [](const GemmTiling& tiling, const char* name) {
            const auto value = tiling.*of_tiling;
            if constexpr (!std::is_same_v<decltype(value), const bool>)
              return fmt::format("--{} {}", name, spelled(value));
            else if constexpr (flag == Flag::has_word)
              return fmt::format("--{} {}", name, value ? "yes" : "no");
            else if constexpr (flag == Flag::only_on)
              return value ? fmt::format("--{}", name) : std::string();
            else
              return fmt::format("--{}{}", value ? "" : "no-", name);
          },
          option};
}

using T = GemmTiling;
using R = GemmRequest;
/// What others follow from comes first.
constexpr std::array members{
    member<&T::swap_ab, &R::swap_ab>("swap-ab"),
    member<&T::instruction, &R::instruction>("instruction"),
    member<&T::cta_slices, &R::cta_slices>("cta-slices"),
    member<&T::warp_tile, &R::warp_tile>("warp-tile"),
    member<&T::thread_tile, &R::thread_tile>("thread-tile"),
    member<&T::fragment_k, &R::fragment_k>("fragment-k"),
    member<&T::order_m, &R::order_m>("order-m"),
    member<&T::order_n, &R::order_n>("order-n"),
    member<&T::pair_lanes, &R::pair_lanes, Flag::has_word>("pair-lanes"),
    member<&T::stage_a, &R::stage_a, Flag::has_word>("stage-a"),
    member<&T::stage_b, &R::stage_b, Flag::has_word>("stage-b"),
    member<&T::transpose_a, &R::transpose_a, Flag::only_on>("transpose-a"),
    member<&T::transpose_b, &R::transpose_b, Flag::only_on>("transpose-b"),
    member<&T::vector_a, &R::vector_a>("vector-a"),
    member<&T::vector_b, &R::vector_b>("vector-b"),
    member<&T::copy_lanes_a, &R::copy_lanes_a>("copy-lanes-a"),
    member<&T::copy_lanes_b, &R::copy_lanes_b>("copy-lanes-b"),
    member<&T::shared_a, &R::shared_a>("shared-a"),
    member<&T::shared_b, &R::shared_b>("shared-b"),
    member<&T::read_a, &R::read_a>("read-a"),
    member<&T::read_b, &R::read_b>("read-b"),
    member<&T::overfetch, &R::overfetch, Flag::has_word>("overfetch"),
    member<&T::through_local, &R::through_local, Flag::has_word>("through-local"),
    member<&T::reuse_operands, &R::reuse_operands, Flag::has_word>("reuse-operands"),
    member<&T::ldmatrix, &R::ldmatrix, Flag::has_word>("ldmatrix"),
    member<&T::matrices_a, &R::matrices_a>("matrices-a"),
    member<&T::matrices_b, &R::matrices_b>("matrices-b"),
    member<&T::prefetch, &R::prefetch, Flag::only_on>("prefetch"),
    member<&T::load_batch, &R::load_batch>("load-batch"),
    member<&T::index_overhead, &R::index_overhead>("index-overhead"),
    member<&T::whole_lines, &R::whole_lines, Flag::has_word>("whole-lines"),
    member<&T::double_buffer, &R::double_buffer>("double-buffer"),
    member<&T::unroll, &R::unroll>("unroll"),
    member<&T::carry_over, &R::carry_over, Flag::has_word>("carry-over"),
    member<&T::interleave, &R::interleave, Flag::has_word>("interleave"),
    member<&T::specialize, &R::specialize>("specialize"),
    member<&T::consumers, &R::consumers>("consumers"),
    member<&T::pingpong, &R::pingpong>("pingpong"),
    member<&T::consumers_arrive, &R::consumers_arrive>("consumers-arrive"),
    member<&T::promote, &R::promote>("promote"),
    member<&T::producer_registers, &R::producer_registers>("producer-registers"),
    member<&T::consumer_registers, &R::consumer_registers>("consumer-registers"),
    member<&T::cluster, &R::cluster>("cluster"),
    member<&T::multicast, &R::multicast, Flag::has_word>("multicast"),
    member<&T::multicast_by, &R::multicast_by>("multicast-by"),
    member<&T::ctas, &R::ctas>("ctas"),
    member<&T::consecutive, &R::consecutive, Flag::only_on>("consecutive"),
    member<&T::order, &R::order>("tile-order"),
    member<&T::group, &R::group>("group"),
    member<&T::split_k, &R::split_k>("split-k"),
    member<&T::reduction, &R::reduction>("reduction"),
    member<&T::stream_k, &R::stream_k, Flag::only_on>("stream-k"),
    member<&T::epilogue, &R::epilogue>("epilogue"),
    member<&T::epilogue_columns, &R::epilogue_columns>("epilogue-columns"),
    member<&T::stmatrix, &R::stmatrix>("stmatrix"),
    member<&T::stages, &R::stages>("stages"),
    member<&T::reserved, &R::reserved>("reserved"),
    // 0: as estimated, which what is chosen has.
    Member{
        [](const T& chosen, const T& wanted) { return wanted.registers != 0 && chosen.registers != wanted.registers; },
        [](R& request, const T& tiling) { request.registers = tiling.registers; },
        [](const T& tiling, const char* name) { return fmt::format("--{} {}", name, tiling.registers); }, "registers"},
};

using Members = std::vector<const Member*>;

/// What is chosen where these are fixed; the default where they cannot be, for the want of others.
GemmTiling chosen(const gpusim::Profile& profile, const GemmProblem& problem, const GemmTiling& tiling,
                  const Members& fixed) {
  GemmRequest request;
  request.variant = tiling.variant;
  request.tile = tiling.tile;
  for (const Member* each : fixed) each->fix(request, tiling);
  try {
    return choose(profile, problem, request);
  } catch (const gpusim::ScheduleError&) {
    return {};
  }
}

bool is_as_wanted(const GemmTiling& chosen, const GemmTiling& wanted) {
  return chosen.variant == wanted.variant && chosen.tile == wanted.tile &&
         std::none_of(members.begin(), members.end(), [&](const Member& each) { return each.differs(chosen, wanted); });
}

}  // namespace

std::optional<std::string> gemm_option_text(const gpusim::Profile& profile, const GemmProblem& problem,
                                            const GemmTiling& tiling) {
  Members fixed;
  for (const Member& each : members)
    if (each.differs(chosen(profile, problem, tiling, fixed), tiling)) fixed.push_back(&each);
  if (!is_as_wanted(chosen(profile, problem, tiling, fixed), tiling)) return std::nullopt;
  // Some were fixed for the want of others that came later.
  for (std::size_t i = fixed.size(); i-- > 0;) {
    Members fewer = fixed;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (is_as_wanted(chosen(profile, problem, tiling, fewer), tiling)) fixed = std::move(fewer);
  }
  // How many stages there are by default follows from the tile, which may be the one thing to be changed.
  const auto* const stages = std::find_if(members.begin(), members.end(),
                                          [](const Member& each) { return std::string_view(each.option) == "stages"; });
  if (std::find(fixed.begin(), fixed.end(), stages) == fixed.end()) {
    Members more = fixed;
    more.push_back(stages);
    if (is_as_wanted(chosen(profile, problem, tiling, more), tiling)) fixed = std::move(more);
  }
  std::string text =
      fmt::format("--schedule {} --tile {}x{}x{}", name(tiling.variant), tiling.tile.m, tiling.tile.n, tiling.tile.k);
  for (const Member* each : fixed) {
    const std::string option = each->text(tiling, each->option);
    if (option.empty()) return std::nullopt;
    text += " " + option;
  }
  return text;
}

}  // namespace app
