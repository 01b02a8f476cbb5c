// gpusim/schedule_io.h
#include "gpusim/schedule_io.h"

#include "bindings.h"
#include "casters.h"

namespace bindings {

void bind_schedule_io(py::module_& module) {
  py::class_<gpusim::Schedule>(module.attr("Schedule"))
      .def("to_json", py::overload_cast<const gpusim::Schedule&>(&gpusim::to_json),
           "The schedule as JSON text that parse_schedule() reads.")
      .def(py::pickle([](const gpusim::Schedule& schedule) { return gpusim::to_json(schedule); },
                      [](const std::string& text) { return gpusim::parse_schedule(text, "pickle"); }));
  module.def(
      "parse_schedule", &gpusim::parse_schedule, py::arg("text"), py::arg("origin") = "text",
      "The schedule in JSON text; `origin` names it in errors. Raises ScheduleError with all that is wrong, each at "
      "a JSON pointer.");
}

}  // namespace bindings
