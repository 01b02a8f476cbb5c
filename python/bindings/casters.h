// How values cross between C++ and Python. Every file of the bindings includes this one, so that all agree.
//
//   Cycles, Bytes, Cycle      int
//   Rate                      int, fractions.Fraction or "unlimited"
//   Limited                   int or "unlimited"
//   enumerations              str
//   GemmTile, MmaShape        (m, n, k); a GemmTile may be given as T, which is (T, T, 32)
//   GemmShape                 (m, n)
//   StallCycles               {reason: cycles}
//   Problem                   gpusim.errors.Problem
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "gpusim/error.h"
#include "gpusim/stall.h"
#include "gpusim/units.h"
#include "words.h"

namespace bindings {

namespace py = pybind11;

inline constexpr const char* unlimited = "unlimited";

/// A count with a unit, which Python sees as int.
template <class T>
struct CountCaster {
  PYBIND11_TYPE_CASTER(T, py::detail::const_name("int"));

  bool load(py::handle source, bool convert) {
    py::detail::make_caster<std::int64_t> count;
    if (!count.load(source, convert)) return false;
    value = T(py::detail::cast_op<std::int64_t>(count));
    return true;
  }
  static py::handle cast(T count, py::return_value_policy, py::handle) { return py::int_(count.count()).release(); }
};

/// Three sizes m, n, k.
template <class T>
struct ShapeCaster {
  PYBIND11_TYPE_CASTER(T, py::detail::const_name("tuple[int, int, int]"));

  bool load(py::handle source, bool convert) {
    py::detail::make_caster<std::array<int, 3>> sizes;
    if (py::isinstance<py::str>(source) || !sizes.load(source, convert)) return false;
    const auto& [m, n, k] = py::detail::cast_op<std::array<int, 3>&>(sizes);
    value = T{m, n, k};
    return true;
  }
  static py::handle cast(const T& shape, py::return_value_policy, py::handle) {
    return py::make_tuple(shape.m, shape.n, shape.k).release();
  }
};

/// Two sizes m, n.
struct GemmShapeCaster {
  PYBIND11_TYPE_CASTER(gpusim::schedules::GemmShape, py::detail::const_name("tuple[int, int]"));

  bool load(py::handle source, bool convert) {
    py::detail::make_caster<std::array<int, 2>> sizes;
    if (py::isinstance<py::str>(source) || !sizes.load(source, convert)) return false;
    const auto& [m, n] = py::detail::cast_op<std::array<int, 2>&>(sizes);
    value = {m, n};
    return true;
  }
  static py::handle cast(const gpusim::schedules::GemmShape& shape, py::return_value_policy, py::handle) {
    return py::make_tuple(shape.m, shape.n).release();
  }
};

}  // namespace bindings

namespace pybind11::detail {

template <class Tag>
struct type_caster<gpusim::Quantity<Tag>> : bindings::CountCaster<gpusim::Quantity<Tag>> {};
template <>
struct type_caster<gpusim::Cycle> : bindings::CountCaster<gpusim::Cycle> {};

template <>
struct type_caster<gpusim::schedules::GemmTile> : bindings::ShapeCaster<gpusim::schedules::GemmTile> {
  bool load(handle source, bool convert) {
    make_caster<int> side;
    if (!side.load(source, convert)) return ShapeCaster::load(source, convert);
    value = {cast_op<int>(side), cast_op<int>(side), gpusim::schedules::GemmTile{}.k};
    return true;
  }
};
template <>
struct type_caster<gpusim::schedules::GemmShape> : bindings::GemmShapeCaster {};
template <>
struct type_caster<gpusim::MmaShape> : bindings::ShapeCaster<gpusim::MmaShape> {};

#if PYBIND11_VERSION_MAJOR >= 3
/// pybind11 3 would have enumerations bound as classes.
template <bindings::Word T>
struct type_caster_enum_type_enabled<T> : std::false_type {};
#endif

template <bindings::Word T>
struct type_caster<T> {
  PYBIND11_TYPE_CASTER(T, const_name("str"));

  bool load(handle source, bool) {
    if (!isinstance<str>(source)) return false;
    value = bindings::from_word<T>(source.cast<std::string_view>());
    return true;
  }
  static handle cast(T word, return_value_policy, handle) {
    const std::string_view text = bindings::to_word(word);
    return str(text.data(), text.size()).release();
  }
};

template <>
struct type_caster<gpusim::Rate> {
  static constexpr auto name = const_name("int | Fraction | str");
  static handle cast(gpusim::Rate rate, return_value_policy, handle) {
    if (rate.is_unlimited()) return str(bindings::unlimited).release();
    if (rate.period() == 1) return int_(rate.amount()).release();
    return module_::import("fractions").attr("Fraction")(rate.amount(), rate.period()).release();
  }
};

template <class T>
struct type_caster<gpusim::Limited<T>> {
  static constexpr auto name = const_name("int | str");
  static handle cast(const gpusim::Limited<T>& limit, return_value_policy policy, handle parent) {
    if (limit.is_unlimited()) return str(bindings::unlimited).release();
    return make_caster<T>::cast(limit.value(), policy, parent);
  }
};

template <>
struct type_caster<gpusim::StallCycles> {
  static constexpr auto name = const_name("dict[str, int]");
  static handle cast(const gpusim::StallCycles& stalls, return_value_policy, handle) {
    dict by_reason;
    for (std::size_t i = 0; i < gpusim::reason_count; ++i)
      by_reason[str(gpusim::reason_names[i].data())] = stalls.by_reason[i];
    return by_reason.release();
  }
};

template <>
struct type_caster<gpusim::Problem> {
  static constexpr auto name = const_name("Problem");
  static handle cast(const gpusim::Problem& problem, return_value_policy, handle) {
    return module_::import("gpusim.errors").attr("Problem")(problem.where, problem.what).release();
  }
};

}  // namespace pybind11::detail
