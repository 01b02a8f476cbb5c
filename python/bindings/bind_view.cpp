// gpusim/view/*.h
#include "bindings.h"
#include "casters.h"
#include "gpusim/view/derivation.h"
#include "gpusim/view/json.h"
#include "gpusim/view/text.h"

namespace bindings {

void bind_view(py::module_& module) {
  py::module_ view = module.def_submodule("view");
  view.attr("json_schema_version") = gpusim::view::json_schema_version;
  view.def("text", &gpusim::view::text, py::arg("result"),
           "A page for people, at most 100 columns wide: what ran, how fast, and why not faster.");
  view.def("json", &gpusim::view::json, py::arg("result"),
           "Everything as JSON text, byte-identical from run to run. Keys: docs/views.md.");
  view.def("derivation", &gpusim::view::derivation, py::arg("result"), py::arg("path"),
           "Where the cycles come from: the CriticalPath estimated for the run's one schedule, term by term with its "
           "profile "
           "field, beside the simulated number; then what contention added.");
}

}  // namespace bindings
