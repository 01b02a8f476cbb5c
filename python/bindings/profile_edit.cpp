#include "profile_edit.h"

#include "gpusim/profile_io.h"

namespace bindings {

namespace {

std::string text_of(py::handle value) {
  if (value.is_none()) return "null";
  if (py::isinstance<py::bool_>(value)) return value.cast<bool>() ? "true" : "false";
  return py::str(value);
}

}  // namespace

gpusim::Profile& changeable(const py::object& profile) {
  if (py::isinstance<FrozenProfile>(profile))
    throw py::attribute_error("the profile of a Gpu or Result does not change; change a copy.copy() of it");
  return profile.cast<gpusim::Profile&>();
}

void assign(const py::object& profile, const std::string& key, py::handle value) {
  gpusim::set(changeable(profile), key + "=" + text_of(value));
}

void copy_provenance(const gpusim::Profile& source, const std::string& from, gpusim::Profile& profile,
                     const std::string& key) {
  std::map<std::string, gpusim::Provenance> copies;
  for (const auto& [name, provenance] : source.provenance)
    if (name.starts_with(from + ".")) copies.emplace(key + name.substr(from.size()), provenance);
  std::erase_if(profile.provenance, [&](const auto& entry) { return entry.first.starts_with(key + "."); });
  profile.provenance.merge(copies);
}

}  // namespace bindings
