#include "validate/ladder_tiling.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>

namespace gpusim::validate {
namespace {

using namespace schedules;
using Json = nlohmann::json;

template <class Value>
Value found(const std::optional<Value>& value, const std::string& text) {
  if (!value) throw std::invalid_argument("unknown word '" + text + "'");
  return *value;
}

/// The numbers of "128x256x64" or "m64n256k16", which are as many as `count`.
template <std::size_t count>
std::array<int, count> numbers(std::string_view text, std::string_view separators) {
  const std::string_view whole = text;
  std::array<int, count> list{};
  for (std::size_t i = 0; i < count; ++i) {
    if (i >= count - separators.size()) {
      const char wanted = separators[i - (count - separators.size())];
      if (text.empty() || text.front() != wanted) throw std::invalid_argument("no shape: '" + std::string(whole) + "'");
      text.remove_prefix(1);
    }
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), list[i]);
    if (error != std::errc{}) throw std::invalid_argument("no shape: '" + std::string(whole) + "'");
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  if (!text.empty()) throw std::invalid_argument("no shape: '" + std::string(whole) + "'");
  return list;
}

void assign(int& to, const Json& json) { to = json.get<int>(); }
void assign(std::int64_t& to, const Json& json) { to = json.get<std::int64_t>(); }
void assign(double& to, const Json& json) { to = json.get<double>(); }
void assign(bool& to, const Json& json) { to = json.get<bool>(); }
void assign(DType& to, const Json& json) { to = found(dtype_named(json.get<std::string>()), json.get<std::string>()); }
void assign(std::optional<DType>& to, const Json& json) { assign(to.emplace(), json); }
void assign(GemmTile& to, const Json& json) {
  const auto [m, n, k] = numbers<3>(json.get<std::string>(), "xx");
  to = {m, n, k};
}
void assign(GemmShape& to, const Json& json) {
  const auto [m, n] = numbers<2>(json.get<std::string>(), "x");
  to = {m, n};
}
void assign(MmaShape& to, const Json& json) {
  const auto [m, n, k] = numbers<3>(json.get<std::string>(), "mnk");
  to = {m, n, k};
}
template <class Enum>
requires std::is_enum_v<Enum>
void assign(Enum& to, const Json& json) {
  constexpr auto names = names_of(Enum{});
  const std::string word = json.get<std::string>();
  const auto place = std::find(names.begin(), names.end(), word);
  to = found(place == names.end() ? std::nullopt : std::optional(static_cast<Enum>(place - names.begin())), word);
}

template <class Object>
using Setters = std::map<std::string, std::function<void(Object&, const Json&)>, std::less<>>;

template <class Object, class Value>
std::function<void(Object&, const Json&)> set(Value Object::*member) {
  return [member](Object& object, const Json& json) { assign(object.*member, json); };
}

template <class Object>
void set_members(Object& object, const Setters<Object>& setters, const Json& json) {
  for (const auto& [key, value] : json.items()) {
    const auto setter = setters.find(key);
    if (setter == setters.end()) throw std::invalid_argument("unknown member '" + key + "'");
    setter->second(object, value);
  }
}

}  // namespace

void set_problem(GemmProblem& problem, const Json& json) {
  using P = GemmProblem;
  static const Setters<P> setters{{"dtype", set(&P::dtype)},   {"accumulate", set(&P::accumulate)},
                                  {"result", set(&P::result)}, {"alpha", set(&P::alpha)},
                                  {"beta", set(&P::beta)},     {"layout", set(&P::layout)}};
  set_members(problem, setters, json);
}

void set_tiling(GemmTiling& tiling, const Json& json) {
  using T = GemmTiling;
  static const Setters<T> setters{{"tile", set(&T::tile)},
                                  {"variant", set(&T::variant)},
                                  {"stages", set(&T::stages)},
                                  {"specialize", set(&T::specialize)},
                                  {"fragment_k", set(&T::fragment_k)},
                                  {"registers", set(&T::registers)},
                                  {"reserved", set(&T::reserved)},
                                  {"instruction", set(&T::instruction)},
                                  {"warp_tile", set(&T::warp_tile)},
                                  {"thread_tile", set(&T::thread_tile)},
                                  {"cta_slices", set(&T::cta_slices)},
                                  {"order_m", set(&T::order_m)},
                                  {"order_n", set(&T::order_n)},
                                  {"vector_a", set(&T::vector_a)},
                                  {"vector_b", set(&T::vector_b)},
                                  {"copy_lanes_a", set(&T::copy_lanes_a)},
                                  {"copy_lanes_b", set(&T::copy_lanes_b)},
                                  {"read_a", set(&T::read_a)},
                                  {"read_b", set(&T::read_b)},
                                  {"shared_a", set(&T::shared_a)},
                                  {"shared_b", set(&T::shared_b)},
                                  {"pair_lanes", set(&T::pair_lanes)},
                                  {"transpose_a", set(&T::transpose_a)},
                                  {"transpose_b", set(&T::transpose_b)},
                                  {"stage_a", set(&T::stage_a)},
                                  {"stage_b", set(&T::stage_b)},
                                  {"overfetch", set(&T::overfetch)},
                                  {"reuse_operands", set(&T::reuse_operands)},
                                  {"through_local", set(&T::through_local)},
                                  {"prefetch", set(&T::prefetch)},
                                  {"load_batch", set(&T::load_batch)},
                                  {"index_overhead", set(&T::index_overhead)},
                                  {"whole_lines", set(&T::whole_lines)},
                                  {"double_buffer", set(&T::double_buffer)},
                                  {"unroll", set(&T::unroll)},
                                  {"carry_over", set(&T::carry_over)},
                                  {"interleave", set(&T::interleave)},
                                  {"ldmatrix", set(&T::ldmatrix)},
                                  {"matrices_a", set(&T::matrices_a)},
                                  {"matrices_b", set(&T::matrices_b)},
                                  {"swap_ab", set(&T::swap_ab)},
                                  {"consumers", set(&T::consumers)},
                                  {"pingpong", set(&T::pingpong)},
                                  {"stmatrix", set(&T::stmatrix)},
                                  {"consumers_arrive", set(&T::consumers_arrive)},
                                  {"promote", set(&T::promote)},
                                  {"producer_registers", set(&T::producer_registers)},
                                  {"consumer_registers", set(&T::consumer_registers)},
                                  {"cluster", set(&T::cluster)},
                                  {"multicast", set(&T::multicast)},
                                  {"multicast_by", set(&T::multicast_by)},
                                  {"ctas", set(&T::ctas)},
                                  {"consecutive", set(&T::consecutive)},
                                  {"order", set(&T::order)},
                                  {"group", set(&T::group)},
                                  {"split_k", set(&T::split_k)},
                                  {"reduction", set(&T::reduction)},
                                  {"stream_k", set(&T::stream_k)},
                                  {"epilogue", set(&T::epilogue)},
                                  {"epilogue_columns", set(&T::epilogue_columns)}};
  set_members(tiling, setters, json);
}

}  // namespace gpusim::validate
