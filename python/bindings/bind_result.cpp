// gpusim/result.h
#include "gpusim/result.h"

#include "bindings.h"
#include "digest.h"
#include "gpusim/view/json.h"
#include "gpusim/view/text.h"
#include "pairs.h"
#include "profile_edit.h"
#include "record.h"
#include "traffic.h"

namespace bindings {

namespace {

using gpusim::KernelResult;
using gpusim::PoolRow;
using gpusim::Result;
using gpusim::ServerRow;

gpusim::StallCycles stalls_of_all(const Result& result) {
  gpusim::StallCycles sum;
  for (const KernelResult& kernel : result.kernels) sum += gpusim::stalls(kernel);
  return sum;
}

gpusim::Traffic traffic_of_all(const Result& result) {
  gpusim::Traffic sum;
  for (const KernelResult& kernel : result.kernels)
    for (const TrafficCount& count : traffic_counts) sum.*count.pointer += kernel.traffic.*count.pointer;
  return sum;
}

std::string description(const Result& result) {
  return "<gpusim.Result " + result.profile.name + ": " + std::to_string(gpusim::cycles(result).count()) + " cycles>";
}

py::str html(const Result& result) {
  const py::object escape = py::module_::import("html").attr("escape");
  return py::str("<pre>{}</pre>").format(escape(gpusim::view::text(result)));
}

void bind_use_rows(py::module_& module) {
  Record<ServerRow>(module, "ServerRow", "All servers of one kind, added up: whatever has a rate.")
      .member("name", &ServerRow::name, "\"sm.issue\", \"l2.slice\", \"dram.channel\" ...")
      .member("unit", &ServerRow::unit, "What `work` counts.")
      .member("servers", &ServerRow::servers, "How many there are.")
      .member("rate", &ServerRow::rate, "Of one, per cycle: int, Fraction or \"unlimited\".")
      .member("work", &ServerRow::work, "Work done.")
      .member("busy", &ServerRow::busy, "Server-cycles spent serving.")
      .member("waited", &ServerRow::waited, "Cycles that work stood before them.")
      .picklable()
      .with_repr();
  Record<PoolRow>(module, "PoolRow", "All pools of one kind, added up: whatever has a number of places.")
      .member("name", &PoolRow::name, "\"sm.lsu_queue\", \"sm.l1_miss_lines\" ...")
      .member("pools", &PoolRow::pools, "How many there are.")
      .member("capacity", &PoolRow::capacity, "Places in one: int or \"unlimited\".")
      .member("taken", &PoolRow::taken, "Places given over the run.")
      .member("peak", &PoolRow::peak, "Most taken at a time in any one.")
      .member("refused", &PoolRow::refused, "Asked for and not there.")
      .picklable()
      .with_repr();
}

}  // namespace

void bind_result(py::module_& module) {
  bind_use_rows(module);
  Record<Result>(
      module, "Result",
      "What a run counted. print() shows it as a page of text; to_json() and to_dict() give everything, with "
      "the keys of docs/views.md. pickle copies it.")
      .member("version", &Result::version, "Of gpusim.")
      .computed(
          "profile", [](const Result& result) { return FrozenProfile(result.profile); }, "The GPU as simulated.")
      .member("clock_mhz", &Result::clock_mhz, "SM clock of the run.")
      .member("max_cycles", &Result::max_cycles, "The limit of cycles the run was given, or None.")
      .member("max_ctas", &Result::max_ctas, "The limit of each kernel's CTAs the run was given, or None.")
      .member("termination", &Result::termination, "completed, max_cycles, max_ctas or stopped.")
      .member("kernels", &Result::kernels, "One KernelResult for each schedule.")
      .member("servers", &Result::servers, "Whatever has a rate.")
      .member("pools", &Result::pools, "Whatever has a number of places.")
      .computed(
          "l2_before", [](const Result& result) { return dict_of(result.l2_before); },
          "State of each buffer in L2 before the run: warm or cold.")
      .member("l2_dirty_percent", &Result::l2_dirty_percent, "Of L2, that others had written, as asked for.")
      .member("code_before", &Result::code_before,
              "What SMs had of kernels' code when they began: warm, cold or repeated.")
      .computed(
          "profile_digest", [](const Result& result) { return hexadecimal(result.profile_digest); },
          "Digest of the profile's numbers.")
      .computed(
          "digest", [](const Result& result) { return hexadecimal(result.digest); },
          "Of every count: equal runs have equal digests. 16 hexadecimal digits.")
      .computed("cycles", &gpusim::cycles, "SM cycles of all kernels, without launch and drain.")
      .computed("time_us", &gpusim::time_us, "The same in microseconds at the run's clock.")
      .computed("tflops", &gpusim::tflops, "Useful operations a second, in 10^12.")
      .computed("peak_tflops", &gpusim::peak_tflops,
                "The most the GPU could do on the first kernel's types and pipe at the run's clock, in 10^12.")
      .computed("stalls", stalls_of_all, "Warp-cycles of all kernels by reason.")
      .computed("traffic", traffic_of_all, "Bytes by level, of all kernels.")
      .kept(&Result::profile)
      .kept(&Result::l2_before)
      .kept(&Result::profile_digest)
      .kept(&Result::digest)
      .picklable()
      .bound()
      .def("to_json", &gpusim::view::json, "Everything as JSON text; the same as `gpusim run --json` writes.")
      .def(
          "to_dict",
          [](const Result& result) { return py::module_::import("json").attr("loads")(gpusim::view::json(result)); },
          "Everything as dict and list: to_json(), read.")
      .def("__str__", &gpusim::view::text)
      .def("__repr__", description)
      .def("_repr_html_", html);

  module.def("utilisation", &gpusim::utilisation, py::arg("server"), py::arg("over"),
             "Share of its capacity a ServerRow used in `over` cycles; 0 when unlimited.");
}

}  // namespace bindings
