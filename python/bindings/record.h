// Binds structs of plain data.
//
//   Record<ServerRow>(module, "ServerRow", "...").member("name", &ServerRow::name, "...");     read only, from C++
//   bind_choices<GemmProblem>(module, "GemmProblem", "...", member("m", &GemmProblem::m, "..."), ...);
//
// The second kind is made in Python, by keywords that default to what the struct defaults to, and may be changed there.
// What is no member of it, or is of the wrong type, is refused by its name.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "casters.h"
#include "given.h"
#include "gpusim/error.h"
#include "pickle.h"

namespace bindings {

/// "Name(a=1, b=2)"
[[nodiscard]] inline std::string describe(py::handle object, const std::vector<std::string>& attributes) {
  std::string text = py::type::of(object).attr("__name__").cast<std::string>() + "(";
  for (const std::string& name : attributes) {
    if (text.back() != '(') text += ", ";
    text += name + "=" + py::repr(object.attr(name.c_str())).cast<std::string>();
  }
  return text + ")";
}

template <class T>
class Record {
 public:
  Record(py::module_& scope, const char* name, const char* doc) : class_(scope, name, doc) {}

  template <class M>
  Record& member(const char* name, M T::*pointer, const char* doc) {
    class_.def_readonly(name, pointer, doc);
    names_.emplace_back(name);
    return kept(pointer);
  }
  /// What pickle keeps and attributes have in another form.
  template <class M>
  Record& kept(M T::*pointer) {
    kept_.add(pointer);
    return *this;
  }
  /// What is a function of the struct in C++.
  template <class Function>
  Record& computed(const char* name, Function function, const char* doc) {
    class_.def_property_readonly(name, std::move(function), doc);
    names_.emplace_back(name);
    return *this;
  }
  /// All attributes so far make the repr.
  py::class_<T>& with_repr() {
    class_.def("__repr__", [names = names_](py::handle self) { return describe(self, names); });
    return class_;
  }
  /// pickle copies it: all members so far.
  Record& picklable() {
    kept_.make_picklable(class_);
    return *this;
  }
  py::class_<T>& bound() { return class_; }

 private:
  py::class_<T> class_;
  std::vector<std::string> names_;
  KeptMembers<T> kept_;
};

template <class T, class M>
struct Member {
  const char* name;
  M T::*pointer;
  const char* doc;
};

template <class T, class M>
[[nodiscard]] Member<T, M> member(const char* name, M T::*pointer, const char* doc) {
  return {name, pointer, doc};
}

/// TypeError of a constructor that was given more than members by their names.
[[noreturn]] inline void refuse(const std::string& type, const py::args& unnamed, const py::kwargs& unknown,
                                const std::vector<std::string_view>& members) {
  if (!unnamed.empty())
    throw py::type_error(type + "() takes its members by name, as in " + type + "(" + std::string(members.front()) +
                         "=" + shown(unnamed[0]) + ")");
  refuse_unknown(type, unknown, members);
}

/// One for all members of a type: what is compiled for each member adds up.
template <class T, class M>
void def_member(py::class_<T>& bound, const Member<T, M>& member) {
  bound.def_property(
      member.name, [pointer = member.pointer](const T& made) -> const M& { return made.*pointer; },
      [member](T& made, const Given<M>& value) { made.*member.pointer = value.taken(member.name); }, member.doc);
}

template <class T, class... M>
py::class_<T> bind_choices(py::module_& scope, const char* name, const char* doc, const Member<T, M>&... members) {
  py::class_<T> bound(scope, name, doc);
  const T defaults{};
  bound.def(py::init([name, members...](const py::args& unnamed, const Given<M>&... values, const py::kwargs& unknown) {
              if (!unnamed.empty() || !unknown.empty()) refuse(name, unnamed, unknown, {members.name...});
              T made{};
              ((made.*members.pointer = values.taken(members.name)), ...);
              return made;
            }),
            (py::arg(members.name) = defaults.*members.pointer)...);
  (def_member(bound, members), ...);
  bound.def(
      "__eq__",
      [members...](const T& left, const T& right) {
        return ((left.*members.pointer == right.*members.pointer) && ...);
      },
      py::is_operator());
  bound.attr("__hash__") = py::none();
  KeptMembers<T> kept;
  (kept.add(members.pointer), ...);
  kept.make_picklable(bound);
  bound.def("__repr__",
            [names = std::vector<std::string>{members.name...}](py::handle self) { return describe(self, names); });
  return bound;
}

}  // namespace bindings
