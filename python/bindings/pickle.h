// What pickle keeps of a struct: its members, one after another, each as Python sees it; where Python's view leaves
// something out (a rate is an int or a word), as the numbers it is made of. The first element is gpusim's version.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "casters.h"
#include "gpusim/version.h"

namespace bindings {

template <class M>
[[nodiscard]] py::object to_state(const M& value) {
  return py::cast(value);
}
[[nodiscard]] inline py::object to_state(const gpusim::Rate& rate) {
  return py::make_tuple(rate.amount(), rate.period());
}
template <class T>
[[nodiscard]] py::object to_state(const gpusim::Limited<T>& limit) {
  return limit.is_unlimited() ? py::none() : py::cast(limit.value());
}
[[nodiscard]] inline py::object to_state(const gpusim::StallCycles& stalls) { return py::cast(stalls.by_reason); }

template <class M>
void from_state(py::handle state, M& value) {
  value = state.cast<M>();
}
inline void from_state(py::handle state, gpusim::Rate& rate) {
  const auto [amount, period] = state.cast<std::pair<std::int64_t, std::int64_t>>();
  rate = period == 0 ? gpusim::Rate::unlimited() : gpusim::Rate::ratio(amount, period);
}
template <class T>
void from_state(py::handle state, gpusim::Limited<T>& limit) {
  limit = state.is_none() ? gpusim::Limited<T>::unlimited() : gpusim::Limited<T>(state.cast<T>());
}
inline void from_state(py::handle state, gpusim::StallCycles& stalls) {
  stalls.by_reason = state.cast<decltype(stalls.by_reason)>();
}

/// The members of a T that travel.
template <class T>
class KeptMembers {
 public:
  template <class M>
  void add(M T::*pointer) {
    members_.push_back({[pointer](const T& from) { return to_state(from.*pointer); },
                        [pointer](py::handle state, T& to) { from_state(state, to.*pointer); }});
  }

  /// Copies of T by pickle, to other processes too.
  void make_picklable(py::class_<T>& bound) const {
    bound.def(py::pickle(
        [members = members_](const T& from) {
          py::tuple state(1 + members.size());
          state[0] = gpusim::version();
          for (std::size_t i = 0; i < members.size(); ++i) state[1 + i] = members[i].read(from);
          return state;
        },
        [members = members_](const py::tuple& state) {
          const bool has_version = !state.empty() && py::isinstance<py::str>(state[0]);
          if (has_version && state[0].cast<std::string>() != gpusim::version())
            throw py::value_error("pickled by another version of gpusim");
          if (!has_version || state.size() != 1 + members.size())
            throw py::value_error("not a pickled state of this type");
          try {
            T made{};
            for (std::size_t i = 0; i < members.size(); ++i) members[i].write(state[1 + i], made);
            return made;
          } catch (const std::exception&) {  // of another type, or out of its bounds
            throw py::value_error("not a pickled state of this type");
          }
        }));
  }

 private:
  struct Member {
    std::function<py::object(const T&)> read;
    std::function<void(py::handle, T&)> write;
  };
  std::vector<Member> members_;
};

}  // namespace bindings
