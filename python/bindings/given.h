// Arguments that are taken one by one, so that a wrong one is refused by its name and with what it may be, where
// pybind11 would print all that a function takes and all that it was given.
//
//   [](const Given<int>& stages) { ... stages.taken("stages") ... }     stages: 2.5 is not an int
//   pybind11's signature says int all the same.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "casters.h"
#include "run_options.h"

namespace bindings {

template <class T>
struct TypeTag {};

/// "an int", "True or False": what a T may be in Python. Structs are their classes.
template <class T>
[[nodiscard]] std::string allowed(TypeTag<T>) {
  if constexpr (std::is_same_v<T, bool>) return "True or False";
  if constexpr (std::is_integral_v<T>) return "an int";
  if constexpr (std::is_floating_point_v<T>) return "a number";
  if constexpr (std::is_class_v<T>) return "a " + py::type::of<T>().attr("__name__").template cast<std::string>();
}
template <Word T>
[[nodiscard]] std::string allowed(TypeTag<T>) {
  std::string text = "one of ";
  for (const std::string_view word : Words<T>::list)
    text += std::string(word == Words<T>::list.front() ? "" : ", ") + "'" + std::string(word) + "'";
  return text;
}
[[nodiscard]] inline std::string allowed(TypeTag<gpusim::schedules::GemmTile>) { return "an int or (m, n, k)"; }
[[nodiscard]] inline std::string allowed(TypeTag<gpusim::MmaShape>) { return "(m, n, k)"; }
[[nodiscard]] inline std::string allowed(TypeTag<gpusim::schedules::GemmShape>) { return "(m, n)"; }
[[nodiscard]] inline std::string allowed(TypeTag<gpusim::Cycles>) { return "an int"; }
[[nodiscard]] inline std::string allowed(TypeTag<Schedules>) { return "a Schedule or a list of them"; }
[[nodiscard]] inline std::string allowed(TypeTag<L2Before>) {
  return allowed(TypeTag<gpusim::L2State>{}) + ", or a dict of them by buffer";
}
template <class T>
[[nodiscard]] std::string allowed(TypeTag<std::optional<T>>) {
  return allowed(TypeTag<T>{}) + ", or None";
}

/// What may be None as well.
template <class T>
struct NotNone {
  using Type = T;
};
template <class T>
struct NotNone<std::optional<T>> {
  using Type = T;
};

/// Bits of what an int becomes; 0 of what no int is.
template <class T>
inline constexpr std::size_t int_bits = std::is_integral_v<T> && !std::is_same_v<T, bool> ? 8 * sizeof(T) : 0;
template <>
inline constexpr std::size_t int_bits<gpusim::Cycles> = 64;
template <>
inline constexpr std::size_t int_bits<gpusim::schedules::GemmTile> = 32;

/// Python takes anything for true or false, and True for 1: neither is meant.
template <class T>
[[nodiscard]] bool is_of_wrong_kind(py::handle value) {
  const std::string_view type = Py_TYPE(value.ptr())->tp_name;
  const bool is_bool = py::isinstance<py::bool_>(value) || type == "numpy.bool_" || type == "numpy.bool";
  if constexpr (std::is_same_v<T, bool>) return !is_bool;
  return is_bool && (int_bits<T> != 0 || std::is_floating_point_v<T>);
}

/// As Python shows it, but no longer than a message takes.
[[nodiscard]] inline std::string shown(py::handle value) {
  constexpr std::size_t longest = 60;
  const py::str text = py::repr(value);
  if (py::len(text) <= longest) return text.cast<std::string>();
  return text[py::slice(0, longest, 1)].cast<std::string>() + "...";
}

/// The value as C++ has it. Throws TypeError, or ScheduleError of an unknown word, at `name`.
template <class T>
[[nodiscard]] T taken(py::handle value, std::string_view name) {
  using Type = typename NotNone<T>::Type;
  const std::string where(name);
  try {
    if (!value.is_none() && is_of_wrong_kind<Type>(value)) throw py::cast_error();
    if (std::is_same_v<T, bool> && value.is_none()) throw py::cast_error();
    return value.cast<T>();
  } catch (const py::cast_error&) {
    const bool is_large = int_bits<Type> != 0 && py::isinstance<py::int_>(value) && !py::isinstance<py::bool_>(value);
    throw py::type_error(where + ": " + shown(value) +
                         (is_large ? " does not fit in " + std::to_string(int_bits<Type>) + " bits"
                                   : " is not " + allowed(TypeTag<T>{})));
  } catch (const gpusim::ScheduleError& error) {  // says what kind of word it is; which argument says more
    throw gpusim::ScheduleError({gpusim::Problem{where, error.problems().front().what}});
  }
}

/// TypeError of a function that was given arguments by names that it does not know.
[[noreturn]] inline void refuse_unknown(const std::string& function, const py::kwargs& unknown,
                                        const std::vector<std::string_view>& known) {
  const auto name = unknown.begin()->first.cast<std::string>();
  const std::string_view near = gpusim::nearest(name, known);
  throw py::type_error(function + "() got an unexpected keyword argument '" + name + "'" +
                       (near.empty() ? "" : "; did you mean '" + std::string(near) + "'?"));
}

inline void refuse_unless_function(const py::object& given, const char* name) {
  if (given.is_none() || PyCallable_Check(given.ptr()) != 0) return;
  throw py::type_error(std::string(name) + ": " + shown(given) + " is not a function, or None");
}

template <class T>
struct Given {
  py::object value;
  [[nodiscard]] T taken(std::string_view name) const { return bindings::taken<T>(value, name); }
};

}  // namespace bindings

namespace pybind11::detail {

template <class T>
struct type_caster<bindings::Given<T>> {
  PYBIND11_TYPE_CASTER(bindings::Given<T>, make_caster<T>::name);

  bool load(handle source, bool) {
    value.value = reinterpret_borrow<object>(source);
    return true;
  }
};

}  // namespace pybind11::detail
