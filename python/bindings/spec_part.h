// Specs as attributes of a profile: profile.l2.latency.
//
// A Part names a Spec of a profile and finds it anew on each access, so that it is never left pointing at what an
// assignment has removed. Attributes, their documentation and their bounds follow from the Spec's fields() list.
#pragma once

#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "casters.h"
#include "profile_edit.h"

namespace bindings {

template <class Spec>
struct Part {
  py::object profile;
  std::string key;  ///< "l2", "tensor.modes.0"; "" is the profile itself
  std::function<Spec*(gpusim::Profile&)> find;

  [[nodiscard]] Spec& spec() const {
    Spec* found = find(profile.cast<gpusim::Profile&>());
    if (found == nullptr) throw gpusim::ProfileError({{key, "is not in this profile any more"}});
    return *found;
  }
  [[nodiscard]] std::string key_of(const std::string& member) const {
    return key.empty() ? member : key + "." + member;
  }
};

struct IgnoreFields {
  template <class... T>
  void operator()(const T&...) const {}
};

template <class T>
concept Group = std::is_class_v<T> && requires {
  T::fields(IgnoreFields{});
};

/// The name a part's class has in Python.
template <class M>
[[nodiscard]] std::string class_name() {
  return py::type::of<Part<M>>().attr("__name__").template cast<std::string>();
}

/// Literal["scoreboard", "serial"]
template <Word M>
[[nodiscard]] std::string literal() {
  std::string text;
  for (const std::string_view word : Words<M>::list)
    text += (text.empty() ? "" : ", ") + ('"' + std::string(word) + '"');
  return "Literal[" + text + "]";
}

/// How a kind of member is read, written and annotated. This one: a number or word.
template <class M>
struct Attribute {
  static std::string type() {
    if constexpr (std::is_same_v<M, bool>) return "bool";
    if constexpr (std::is_same_v<M, gpusim::Rate>) return "Rate";
    if constexpr (std::is_same_v<M, gpusim::DType>) return "DType";
    if constexpr (std::is_same_v<M, gpusim::Limited<std::int64_t>>) return "Limit";
    if constexpr (std::is_same_v<M, gpusim::Limited<gpusim::Bytes>>) return "Limit";
    if constexpr (Word<M> && !std::is_same_v<M, gpusim::DType>) return literal<M>();
    return "int";
  }
  template <class Spec>
  static py::object get(const Part<Spec>& part, M Spec::*pointer, const std::string&) {
    return py::cast(part.spec().*pointer);
  }
  template <class Spec>
  static void set(const Part<Spec>& part, M Spec::*, const std::string& name, const py::object& value) {
    assign(part.profile, part.key_of(name), value);
  }
};

/// `part`'s member becomes what it is in another profile, sources included, where `value` is a Spec of its kind; else
/// what the text of `value` says.
template <class M, class Spec, class Pointer>
void take(const Part<Spec>& part, Pointer pointer, const std::string& name, const py::object& value) {
  if (!py::isinstance<Part<M>>(value)) return assign(part.profile, part.key_of(name), value);
  const auto& source = value.cast<const Part<M>&>();
  gpusim::Profile& profile = changeable(part.profile);
  part.spec().*pointer = M(source.spec());
  copy_provenance(py::cast<const gpusim::Profile&>(source.profile), source.key, profile, part.key_of(name));
}

/// A Spec within a Spec.
template <Group M>
struct Attribute<M> {
  static std::string type() { return class_name<M>(); }
  template <class Spec>
  static py::object get(const Part<Spec>& part, M Spec::*pointer, const std::string& name) {
    const auto find = [outer = part.find, pointer](gpusim::Profile& profile) -> M* {
      Spec* spec = outer(profile);
      return spec == nullptr ? nullptr : &(spec->*pointer);
    };
    return py::cast(Part<M>{part.profile, part.key_of(name), find});
  }
  template <class Spec>
  static void set(const Part<Spec>& part, M Spec::*pointer, const std::string& name, const py::object& value) {
    take<M>(part, pointer, name, value);
  }
};

/// Hardware that a GPU may lack: None.
template <Group M>
struct Attribute<std::optional<M>> {
  static std::string type() { return class_name<M>() + " | None"; }
  template <class Spec>
  static py::object get(const Part<Spec>& part, std::optional<M> Spec::*pointer, const std::string& name) {
    if (!(part.spec().*pointer)) return py::none();
    const auto find = [outer = part.find, pointer](gpusim::Profile& profile) -> M* {
      Spec* spec = outer(profile);
      return spec == nullptr || !(spec->*pointer) ? nullptr : &*(spec->*pointer);
    };
    return py::cast(Part<M>{part.profile, part.key_of(name), find});
  }
  template <class Spec>
  static void set(const Part<Spec>& part, std::optional<M> Spec::*pointer, const std::string& name,
                  const py::object& value) {
    take<M>(part, pointer, name, value);
  }
};

/// Any number of Specs: a tuple. Each can be changed; the list itself comes from JSON.
template <Group M>
struct Attribute<std::vector<M>> {
  static std::string type() { return "tuple[" + class_name<M>() + ", ...]"; }
  template <class Spec>
  static py::object get(const Part<Spec>& part, std::vector<M> Spec::*pointer, const std::string& name) {
    py::list parts;
    for (std::size_t i = 0; i < (part.spec().*pointer).size(); ++i) {
      const auto find = [outer = part.find, pointer, i](gpusim::Profile& profile) -> M* {
        Spec* spec = outer(profile);
        return spec == nullptr || i >= (spec->*pointer).size() ? nullptr : &(spec->*pointer)[i];
      };
      parts.append(Part<M>{part.profile, part.key_of(name) + "." + std::to_string(i), find});
    }
    return py::tuple(parts);
  }
  template <class Spec>
  static void set(const Part<Spec>& part, std::vector<M> Spec::*, const std::string& name, const py::object& value) {
    assign(part.profile, part.key_of(name), value);
  }
};

template <class M>
inline constexpr bool has_bounds =
    std::is_same_v<M, std::int64_t> || std::is_same_v<M, gpusim::Cycles> || std::is_same_v<M, gpusim::Bytes> ||
    std::is_same_v<M, gpusim::Limited<std::int64_t>> || std::is_same_v<M, gpusim::Limited<gpusim::Bytes>>;

/// "Load to use on a hit. In cycles, 2 to 1000000."
[[nodiscard]] std::string documentation(const gpusim::Field& field, bool has_bounds);

/// One attribute for each field of Spec. `Self` is what Python hands over, `part_of` makes a Part of it.
template <class Spec, class Self, class Class>
std::vector<std::string> bind_fields(Class& bound, const std::function<Part<Spec>(Self)>& part_of) {
  std::vector<std::string> names;
  py::dict annotations;
  Spec::fields([&](const gpusim::Field& field, auto pointer) {
    using M = std::remove_reference_t<decltype(std::declval<Spec&>().*pointer)>;
    const std::string name(field.key);
    const std::function<py::object(Self)> get = [=](Self self) {
      return Attribute<M>::get(part_of(self), pointer, name);
    };
    const std::function<void(Self, const py::object&)> set = [=](Self self, const py::object& value) {
      Attribute<M>::set(part_of(self), pointer, name, value);
    };
    bound.def_property(name.c_str(), py::cpp_function(get), py::cpp_function(set),
                       documentation(field, has_bounds<M>).c_str());
    annotations[py::str(name)] = Attribute<M>::type();
    names.push_back(name);
  });
  bound.attr("__annotations__") = annotations;
  return names;
}

}  // namespace bindings
