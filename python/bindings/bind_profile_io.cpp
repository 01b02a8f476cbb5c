// gpusim/profile_io.h
#include "gpusim/profile_io.h"

#include "bindings.h"
#include "profile_edit.h"
#include "record.h"

namespace bindings {

namespace {

using gpusim::Profile;
using gpusim::ProfileDifference;
using gpusim::ProfileEntry;
using gpusim::ProfileName;

void bind_entry_rows(py::module_& module) {
  Record<ProfileEntry>(module, "ProfileEntry", "One line of a profile.")
      .member("key", &ProfileEntry::key, "Dotted key, as \"l2.latency\".")
      .member("value", &ProfileEntry::value, "As text: \"72MiB\", \"1/4\", \"unlimited\", \"null\".")
      .member("unit", &ProfileEntry::unit, "Unit, or \"\".")
      .member("doc", &ProfileEntry::doc, "What it means.")
      .member("provenance", &ProfileEntry::provenance, "Where it comes from.")
      .with_repr();
  Record<ProfileDifference>(module, "ProfileDifference", "A key whose value differs between two profiles.")
      .member("key", &ProfileDifference::key, "Dotted key.")
      .member("unit", &ProfileDifference::unit, "Unit, or \"\".")
      .member("left", &ProfileDifference::left, "Value in the first profile; \"\" where it has no such key.")
      .member("right", &ProfileDifference::right, "Value in the second.")
      .with_repr();
  Record<ProfileName>(module, "ProfileName", "A built-in profile's names.")
      .member("name", &ProfileName::name, "As load_profile() takes it.")
      .member("title", &ProfileName::title, "Full name.")
      .member("architecture", &ProfileName::architecture, "For people.")
      .member("aliases", &ProfileName::aliases, "Other names load_profile() takes.")
      .with_repr();
}

}  // namespace

void bind_profile_io(py::module_& module) {
  bind_entry_rows(module);
  module.def(
      "load_profile",
      [](const py::object& name_or_path) {
        return gpusim::load_profile(py::module_::import("os").attr("fspath")(name_or_path).cast<std::string>());
      },
      py::arg("name_or_path"),
      "A built-in profile by name or alias (\"ada\", \"RTX 4090\"; see list_profiles()), or one from a JSON file: a "
      "path "
      "that ends in .json or contains \"/\". Raises ProfileError with all that is wrong.");
  module.def(
      "parse_profile", &gpusim::parse_profile, py::arg("text"), py::arg("origin") = "text",
      "A profile from JSON text; `origin` names it in errors, and a relative \"base\" is looked for in its folder. "
      "Raises ProfileError with all that is wrong.");
  module.def(
      "set",
      [](const py::object& profile, const std::string& assignment) { gpusim::set(changeable(profile), assignment); },
      py::arg("profile"), py::arg("assignment"),
      "Changes one number, as `--set` does: set(profile, \"l2.capacity=6MiB\"), \"tensor.modes.0.latency=20\", "
      "\"l2=null\". Raises ProfileError naming the nearest key, the form expected or the bound.");
  module.def("check", py::overload_cast<const Profile&>(&gpusim::check), py::arg("profile"),
             "What is wrong with the profile as a whole, or (schedule) with the schedule on any GPU, or (schedule, "
             "profile) on this one. A list of Problem; empty when all is well.");
  module.def("entries", &gpusim::entries, py::arg("profile"), "Every number of the profile with its source, in order.");
  module.def("diff", &gpusim::diff, py::arg("left"), py::arg("right"),
             "Where two profiles differ in value, whatever the sources.");
  module.def("list_profiles", &gpusim::list_profiles, "The built-in profiles, by name.");
  module.def("profile_schema", &gpusim::profile_schema, "JSON Schema (draft 2020-12) of profile files, as text.");
}

}  // namespace bindings
