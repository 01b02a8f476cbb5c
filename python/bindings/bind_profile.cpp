// gpusim/profile.h
#include "gpusim/profile.h"

#include "bindings.h"
#include "digest.h"
#include "gpusim/profile_io.h"
#include "record.h"
#include "spec_part.h"

namespace bindings {

namespace {

using gpusim::Profile;

/// A member of the profile that is text; a frozen profile's does not change.
template <class M>
void bind_text(py::class_<Profile>& bound, const char* name, M Profile::*pointer, const char* doc) {
  bound.def_property(
      name, [pointer](const Profile& profile) { return profile.*pointer; },
      [pointer](const py::object& self, const M& value) { changeable(self).*pointer = value; }, doc);
}

constexpr const char* peak_doc =
    R"(Peak operations a second at `clock_mhz`, a multiply-add counted as two, for inputs and sums of the types given.

Of the tensor cores (sparse=True: with 2:4 sparse A, whose zeros count), or (tensor=False) of the fma pipe. inf when unlimited, 0 when the GPU cannot.)";

}  // namespace

void bind_profile(py::module_& module) {
  Record<gpusim::Provenance>(module, "Provenance", "Where a number comes from.")
      .member("method", &gpusim::Provenance::method,
              "vendor, microbenchmark, derived, inherited, fitted, assumed, textbook or user")
      .member("source", &gpusim::Provenance::source, "Publication, page, or reasoning.")
      .with_repr();

  py::class_<Profile> bound(
      module, "Profile",
      "What a GPU is, as numbers with sources: profile.l2.latency, profile.dram.channels, ...\n\n"
      "Made by load_profile() or parse_profile(). Attributes may be assigned; what is assigned is "
      "checked like `--set` on the command line and becomes of method `user`. Rates and capacities "
      "are int, Fraction or \"unlimited\"; hardware a GPU lacks is None.");
  bind_text(bound, "name", &Profile::name, "Short name, as \"rtx4090\".");
  bind_text(bound, "title", &Profile::title, "Full name, as \"NVIDIA GeForce RTX 4090\".");
  bind_text(bound, "architecture", &Profile::architecture, "For people; nothing depends on it.");
  bind_text(bound, "compute_capability", &Profile::compute_capability, "For people; nothing depends on it.");
  bind_text(bound, "aliases", &Profile::aliases, "Other names it answers to.");
  const std::function<Part<Profile>(const py::object&)> whole = [](const py::object& self) {
    return Part<Profile>{self, "", [](Profile& profile) { return &profile; }};
  };
  bind_fields<Profile, const py::object&>(bound, whole);

  bound.def_property_readonly(
      "provenance", [](const Profile& profile) { return std::map(profile.provenance); },
      "Where each number comes from, by key (\"l2.latency\"). A copy.");
  bound.def_property_readonly(
      "digest", [](const Profile& profile) { return hexadecimal(gpusim::digest(profile)); },
      "Same numbers, same digest, whatever their sources. 16 hexadecimal digits.");
  bound.def("to_json", py::overload_cast<const Profile&>(&gpusim::to_json),
            "The complete profile, every field and source, as JSON text that parse_profile() reads.");
  bound.def("__copy__", [](const Profile& profile) { return Profile(profile); });
  bound.def("__deepcopy__", [](const Profile& profile, const py::dict&) { return Profile(profile); });
  bound.def("__repr__", [](const Profile& profile) { return "<gpusim.Profile " + profile.name + ">"; });

  bound.def(py::pickle([](const Profile& profile) { return gpusim::to_json(profile); },
                       [](const std::string& text) { return gpusim::parse_profile(text, "pickle"); }));

  py::class_<FrozenProfile, Profile>(module, "FrozenProfile",
                                     "The profile of a Gpu or a Result. It does not change; a copy.copy() of it may.")
      .def(py::pickle([](const FrozenProfile& profile) { return gpusim::to_json(profile); },
                      [](const std::string& text) { return FrozenProfile(gpusim::parse_profile(text, "pickle")); }));

  module.def("peak_flops", &gpusim::peak_flops, py::arg("profile"), py::arg("tensor"), py::arg("input"),
             py::arg("accumulate"), py::arg("clock_mhz"), py::arg("sparse") = false, peak_doc);
}

}  // namespace bindings
