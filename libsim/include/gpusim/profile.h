// Profiles: what a GPU is, as numbers with sources.
//
// A Profile is a tree of Specs (gpusim/spec/), each plain data with one list of its fields. Public latencies are end to
// end, load to use, as a microbenchmark reads them; the machine splits them over the hops. Read one with load_profile()
// (profile_io.h), change any member, and give it to a Gpu.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpusim/dtype.h"
#include "gpusim/spec/barrier.h"
#include "gpusim/spec/clock.h"
#include "gpusim/spec/cluster.h"
#include "gpusim/spec/code.h"
#include "gpusim/spec/copy.h"
#include "gpusim/spec/crossbar.h"
#include "gpusim/spec/dram.h"
#include "gpusim/spec/field.h"
#include "gpusim/spec/l1.h"
#include "gpusim/spec/l2.h"
#include "gpusim/spec/launch.h"
#include "gpusim/spec/lsu.h"
#include "gpusim/spec/pipes.h"
#include "gpusim/spec/power.h"
#include "gpusim/spec/shared.h"
#include "gpusim/spec/sm.h"
#include "gpusim/spec/tensor.h"

namespace gpusim {

/// How a number came to be known.
enum class Method : std::uint8_t { vendor, microbenchmark, derived, inherited, fitted, assumed, textbook, user };
[[nodiscard]] constexpr std::array<std::string_view, 8> spec_names(Method) {
  return {"vendor", "microbenchmark", "derived", "inherited", "fitted", "assumed", "textbook", "user"};
}

/// Where a number comes from.
struct Provenance {
  Method method = Method::assumed;
  std::string source;
  bool operator==(const Provenance&) const = default;
};

struct Profile {
  std::string name;                  ///< "rtx4090"
  std::string title;                 ///< "NVIDIA GeForce RTX 4090"
  std::string architecture;          ///< "Ada Lovelace"; for people, nothing depends on it
  std::string compute_capability;    ///< "8.9"; for people
  std::vector<std::string> aliases;  ///< other names it answers to: "ada", "RTX 4090"

  ClockSpec clock;
  SmSpec sm;
  PipesSpec pipes;
  TensorSpec tensor;
  LsuSpec lsu;
  SharedSpec shared;
  std::optional<L1Spec> l1;
  std::optional<AsyncCopySpec> async_copy;
  std::optional<TmaSpec> tma;
  BarrierSpec barrier;
  std::optional<ClusterSpec> cluster;
  CrossbarSpec crossbar;
  std::optional<L2Spec> l2;
  DramSpec dram;
  std::optional<CodeSpec> code;
  LaunchSpec launch;
  std::optional<PowerSpec> power;

  /// By dotted key ("l2.latency", "tensor.modes.0.latency"): every number of every Spec has an entry.
  std::map<std::string, Provenance> provenance;

  /// The Specs, by key.
  template <class Visitor>
  static void fields(Visitor&& visit) {
    visit(Field{"clock", "Clocks."}, &Profile::clock);
    visit(Field{"sm", "The streaming multiprocessor."}, &Profile::sm);
    visit(Field{"pipes", "Arithmetic pipes."}, &Profile::pipes);
    visit(Field{"tensor", "Tensor cores."}, &Profile::tensor);
    visit(Field{"lsu", "From the sub-partitions to the memory pipeline."}, &Profile::lsu);
    visit(Field{"shared", "Shared memory."}, &Profile::shared);
    visit(Field{"l1", "L1 data cache; null: none, loads go to L2."}, &Profile::l1);
    visit(Field{"async_copy", "cp.async; null: the GPU has none."}, &Profile::async_copy);
    visit(Field{"tma", "Tensor memory accelerator and mbarriers; null: the GPU has none."}, &Profile::tma);
    visit(Field{"barrier", "Barriers within a CTA."}, &Profile::barrier);
    visit(Field{"cluster", "CTA clusters and distributed shared memory; null: the GPU has none."}, &Profile::cluster);
    visit(Field{"crossbar", "Between SMs and L2."}, &Profile::crossbar);
    visit(Field{"l2", "L2 cache; null: none, requests go to DRAM."}, &Profile::l2);
    visit(Field{"dram", "Device memory."}, &Profile::dram);
    visit(Field{"code", "How new instructions come to an SM; null: they are always there."}, &Profile::code);
    visit(Field{"launch", "Launching kernels and CTAs."}, &Profile::launch);
    visit(Field{"power", "What it draws and may draw; null: nothing is known, and no clock follows from it."},
          &Profile::power);
  }
};

/// Whether loads and cp.async may have L2 fetch whole lines (.L2::128B): it came with sm_75, as ldmatrix did.
[[nodiscard]] inline bool fetches_whole_lines(const Profile& profile) { return profile.shared.ldmatrix; }

/// The first dense tensor mode for a pair of types, or nullptr.
[[nodiscard]] const TensorModeSpec* tensor_mode(const Profile& profile, DType input, DType accumulate);

/// The first 2:4 sparse one, or nullptr.
[[nodiscard]] const TensorModeSpec* sparse_tensor_mode(const Profile& profile, DType input, DType accumulate);

/// The first tensor mode of these types and exactly this shape, dense or sparse, or nullptr.
[[nodiscard]] const TensorModeSpec* tensor_mode(const Profile& profile, DType input, DType accumulate, int m, int n,
                                                int k, bool sparse);

/// Peak floating-point (or integer) operations a second at `clock_mhz`, with multiply-adds counted as two, on the given
/// pipe: tensor for the pair of types, dense or 2:4 sparse (whose zeros count), fma for sums in fp32 of any input.
/// Infinity when unlimited, 0 when the GPU cannot.
[[nodiscard]] double peak_flops(const Profile& profile, bool tensor, DType input, DType accumulate,
                                std::int64_t clock_mhz, bool sparse = false);

}  // namespace gpusim
