// gpusim/version.h, the lists of names that results and profiles use, and which name was meant.
#include <string>
#include <string_view>
#include <vector>

#include "bindings.h"
#include "casters.h"
#include "gpusim/error.h"
#include "gpusim/receipt.h"
#include "gpusim/version.h"

namespace bindings {

namespace {

template <class Names>
py::tuple tuple_of(const Names& names) {
  py::list list;
  for (const std::string_view name : names) list.append(py::str(name.data(), name.size()));
  return py::tuple(list);
}

}  // namespace

void bind_names(py::module_& module) {
  module.attr("version") = gpusim::version();
  module.attr("all_dtypes") = tuple_of(Words<gpusim::DType>::list);
  module.attr("reason_names") = tuple_of(gpusim::reason_names);
  module.attr("hop_names") = tuple_of(gpusim::hop_names);
  module.def(
      "nearest",
      [](const std::string& text, const std::vector<std::string>& candidates) {
        return std::string(gpusim::nearest(text, std::vector<std::string_view>(candidates.begin(), candidates.end())));
      },
      py::arg("text"), py::arg("candidates"), "The candidate that is meant, or an empty string.");
}

}  // namespace bindings
