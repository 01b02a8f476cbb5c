// gpusim/spec/*.h: the classes of a profile's parts.
#include "bindings.h"
#include "record.h"
#include "spec_part.h"

namespace bindings {

namespace {

template <class Spec>
void bind_part(py::module_& module, const char* name) {
  py::class_<Part<Spec>> bound(module, name, "Part of a Profile. Read or write its attributes; see each one's help.");
  const std::function<Part<Spec>(const Part<Spec>&)> itself = [](const Part<Spec>& part) { return part; };
  bound.def("__repr__", [names = bind_fields<Spec, const Part<Spec>&>(bound, itself)](py::handle self) {
    return describe(self, names);
  });
}

}  // namespace

std::string documentation(const gpusim::Field& field, bool has_bounds) {
  std::string text(field.doc);
  std::string more;
  if (!field.unit.empty()) more = "in " + std::string(field.unit);
  if (has_bounds) {
    if (!more.empty()) more += ", ";
    more += "from " + std::to_string(field.minimum) + " to " + std::to_string(field.maximum);
  }
  return more.empty() ? text : text + " [" + more + "]";
}

void bind_spec(py::module_& module) {
  py::module_ spec = module.def_submodule("spec");
  bind_part<gpusim::ClockSpec>(spec, "ClockSpec");
  bind_part<gpusim::SmSpec>(spec, "SmSpec");
  bind_part<gpusim::PipeSpec>(spec, "PipeSpec");
  bind_part<gpusim::PipesSpec>(spec, "PipesSpec");
  bind_part<gpusim::TensorModeSpec>(spec, "TensorModeSpec");
  bind_part<gpusim::WgmmaSpec>(spec, "WgmmaSpec");
  bind_part<gpusim::TensorSpec>(spec, "TensorSpec");
  bind_part<gpusim::LsuSpec>(spec, "LsuSpec");
  bind_part<gpusim::SharedSpec>(spec, "SharedSpec");
  bind_part<gpusim::L1Spec>(spec, "L1Spec");
  bind_part<gpusim::AsyncCopySpec>(spec, "AsyncCopySpec");
  bind_part<gpusim::TmaSpec>(spec, "TmaSpec");
  bind_part<gpusim::BarrierSpec>(spec, "BarrierSpec");
  bind_part<gpusim::ClusterSpec>(spec, "ClusterSpec");
  bind_part<gpusim::CrossbarSpec>(spec, "CrossbarSpec");
  bind_part<gpusim::L2Spec>(spec, "L2Spec");
  bind_part<gpusim::DramSpec>(spec, "DramSpec");
  bind_part<gpusim::CodeSpec>(spec, "CodeSpec");
  bind_part<gpusim::LaunchSpec>(spec, "LaunchSpec");
  bind_part<gpusim::PowerSpec>(spec, "PowerSpec");
}

}  // namespace bindings
