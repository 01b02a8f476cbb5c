// Exceptions of the library become those of gpusim.errors; std::logic_error and the rest become RuntimeError.
#include <exception>
#include <utility>

#include "bindings.h"
#include "casters.h"

namespace bindings {

namespace {

template <class Details>
void raise(const char* type, const Details& details) {
  const py::object error = py::module_::import("gpusim.errors").attr(type);
  PyErr_SetObject(error.ptr(), error(details).ptr());
}

void translate(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(std::move(thrown));
  } catch (const gpusim::ProfileError& error) {
    raise("ProfileError", error.problems());
  } catch (const gpusim::ScheduleError& error) {
    raise("ScheduleError", error.problems());
  } catch (const gpusim::InputError& error) {
    raise("InputError", error.problems());
  } catch (const gpusim::DeadlockError& error) {
    raise("DeadlockError", error.waits());
  }
}

}  // namespace

void bind_error(py::module_&) { py::register_exception_translator(translate); }

}  // namespace bindings
