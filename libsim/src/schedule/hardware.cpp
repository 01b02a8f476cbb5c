#include "schedule/hardware.h"

#include <algorithm>
#include <string>

#include "gpu_features.h"

namespace gpusim::schedule {
namespace {

std::string shape_text(std::int64_t m, std::int64_t n, std::int64_t k, bool sparse) {
  return "m" + std::to_string(m) + "n" + std::to_string(n) + "k" + std::to_string(k) + (sparse ? " sparse" : "");
}

std::string types_text(DType input, DType accumulate) {
  return std::string(name(input)) + " with " + std::string(name(accumulate)) + " accumulation";
}

/// Each pair of types once.
std::string modes_text(const Profile& profile) {
  if (profile.tensor.modes.empty()) return "it has none at all";
  std::vector<std::string> modes;
  for (const TensorModeSpec& mode : profile.tensor.modes) {
    std::string types = types_text(mode.input, mode.accumulate);
    if (std::find(modes.begin(), modes.end(), types) == modes.end()) modes.push_back(std::move(types));
  }
  std::string text = "it has ";
  for (const std::string& mode : modes) text += (mode == modes.front() ? "" : ", ") + mode;
  return text;
}

/// The shapes the GPU has for a pair of types.
std::string shapes_text(const Profile& profile, DType input, DType accumulate) {
  std::string text;
  for (const TensorModeSpec& mode : profile.tensor.modes)
    if (mode.input == input && mode.accumulate == accumulate)
      text += (text.empty() ? "" : ", ") + shape_text(mode.m, mode.n, mode.k, mode.sparse);
  return text;
}

class HardwareCheck {
 public:
  HardwareCheck(const Schedule& schedule, const Profile& profile, std::vector<Problem>& problems)
      : schedule_(schedule), profile_(profile), problems_(problems) {}

  void check(const std::vector<Statement>& body) {
    for (const Statement& statement : body) {
      if (const auto* loop = std::get_if<Loop>(&statement)) {
        check(loop->body);
        continue;
      }
      const Action& action = std::get<Operation>(statement).action;
      if (std::holds_alternative<CopyAsync>(action) && !profile_.async_copy)
        add("schedule.async_copy", missing(async_copy_feature));
      if (uses_tma(action) && !profile_.tma) add("schedule.tma", missing(tma_feature));
      if (uses_mbarriers(action) && !profile_.tma && !profile_.async_copy)
        add("schedule.mbarrier", missing(mbarrier_feature));
      const auto* load = std::get_if<LoadShared>(&action);
      if (load != nullptr && load->how != SharedRead::lds && !profile_.shared.ldmatrix)
        add("schedule.ldmatrix", missing(ldmatrix_feature) + "; its fragments are read with LDS");
      if (std::holds_alternative<TransposeMatrices>(action) && !profile_.shared.ldmatrix)
        add("schedule.transpose_matrices", missing(movm_feature));
      if (wants_whole_lines(action) && !fetches_whole_lines(profile_))
        add("schedule.whole_lines", missing(whole_lines_feature) + "; what L2 lacks comes in sectors");
      if (const auto* barrier = std::get_if<GridBarrier>(&action); barrier != nullptr && barrier->waits)
        check_grid_barrier(std::get<Operation>(statement).guard);
      if (const auto* multiply = std::get_if<Multiply>(&action)) check(*multiply);
      if (const auto* multiply = std::get_if<WarpgroupMultiply>(&action)) check(*multiply);
    }
  }

 private:
  static bool wants_whole_lines(const Action& action) {
    const auto* load = std::get_if<LoadGlobal>(&action);
    const auto* copy = std::get_if<CopyAsync>(&action);
    return (load != nullptr && load->from.whole_lines) || (copy != nullptr && copy->from.whole_lines);
  }
  static bool uses_tma(const Action& action) {
    const auto* arrive = std::get_if<BarrierArrive>(&action);
    return (arrive != nullptr && arrive->expect.count() > 0) || std::holds_alternative<BulkCopy>(action) ||
           std::holds_alternative<BulkStore>(action) || std::holds_alternative<BulkCommit>(action) ||
           std::holds_alternative<BulkWait>(action);
  }
  /// They came with asynchronous copies; only what counts bytes is the tensor memory accelerator's.
  static bool uses_mbarriers(const Action& action) {
    return std::holds_alternative<BarrierArrive>(action) || std::holds_alternative<BarrierWait>(action);
  }

  /// Whether of all CTAs only the one that begins last may come there, as far as its place in a grid of one layer says
  /// so; nobody asks that of more CTAs than a kernel's splits may be.
  [[nodiscard]] bool holds_for_last_cta_only(const Bound& guard) const {
    constexpr std::int64_t most_ctas = std::int64_t{1} << 20;
    const std::int64_t ctas = cta_count(schedule_);
    if (ctas > most_ctas) return false;
    for (std::size_t each = 0; each < coordinate_count; ++each) {
      const auto coordinate = static_cast<Coordinate>(each);
      const bool of_block = coordinate == Coordinate::block_m || coordinate == Coordinate::block_n;
      if (!of_block && guard.value.depends_on(coordinate)) return false;
    }
    Coordinates at{};
    for (std::int64_t cta = 0; cta + 1 < ctas; ++cta) {
      const WorkItem item = work_item(schedule_, CtaId(cta), 0);
      at[static_cast<std::size_t>(Coordinate::block_m)] = item.block_m;
      at[static_cast<std::size_t>(Coordinate::block_n)] = item.block_n;
      if (guard.value(at) < guard.limit) return false;
    }
    return true;
  }

  /// Those that wait hold their places until all have come.
  void check_grid_barrier(const std::optional<Bound>& guard) {
    const std::int64_t resident = occupancy(schedule_, profile_).ctas * profile_.sm.count;
    if (cta_count(schedule_) > resident && !(guard && holds_for_last_cta_only(*guard)))
      add("schedule.grid", "all CTAs of a grid barrier run at a time: there are " +
                               std::to_string(cta_count(schedule_)) + ", the GPU holds " + std::to_string(resident) +
                               " of them");
  }

  void add_types(DType input, DType accumulate) {
    add("schedule.tensor",
        "the GPU has no tensor cores for " + types_text(input, accumulate) + "; " + modes_text(profile_));
  }

  void check(const Multiply& multiply) {
    if (multiply.pipe == Pipe::fma) {
      if (is_half_product(multiply)) return check_half(multiply);
      if (!is_dot_product(multiply)) {
        if (multiply.accumulate != DType::fp32)
          add("schedule.fma", "the fma pipe accumulates in fp32, fp16 in fp16, too (HFMA2)");
        return;
      }
      if (multiply.accumulate != DType::int32) add("schedule.dp4a", "dot products of int8 (DP4A) have int32 sums only");
      if (!profile_.pipes.dp4a) add("schedule.dp4a", "the GPU has no dot products of int8 (DP4A)");
      return;
    }
    const MmaShape& shape = multiply.shape;
    if (tensor_mode(profile_, multiply.input, multiply.accumulate, shape.m, shape.n, shape.k, multiply.sparse) !=
        nullptr)
      return;
    const std::string shapes = shapes_text(profile_, multiply.input, multiply.accumulate);
    if (shapes.empty()) return add_types(multiply.input, multiply.accumulate);
    add("schedule.tensor", "the schedule multiplies " + types_text(multiply.input, multiply.accumulate) + " with " +
                               shape_text(shape.m, shape.n, shape.k, multiply.sparse) + "; this GPU has " + shapes);
  }

  void check_half(const Multiply& multiply) {
    if (multiply.input != DType::fp16)
      add("schedule.hfma2",
          "fp16 sums without tensor cores (HFMA2) are of fp16, not of " + std::string(name(multiply.input)));
    if (!profile_.pipes.hfma2) add("schedule.hfma2", "the GPU has no multiply-adds of fp16 pairs (HFMA2)");
  }

  void check(const WarpgroupMultiply& multiply) {
    if (!profile_.tensor.wgmma) return add("schedule.wgmma", missing(wgmma_feature));
    if (tensor_mode(profile_, multiply.input, multiply.accumulate) == nullptr)
      add_types(multiply.input, multiply.accumulate);
    else if (multiply.metadata && sparse_tensor_mode(profile_, multiply.input, multiply.accumulate) == nullptr)
      add("schedule.tensor",
          "the GPU multiplies no 2:4 sparse matrices of " + types_text(multiply.input, multiply.accumulate));
  }

  void add(const std::string& where, const std::string& what) {
    const Problem problem{where, what};
    if (std::find(problems_.begin(), problems_.end(), problem) == problems_.end()) problems_.push_back(problem);
  }

  const Schedule& schedule_;
  const Profile& profile_;
  std::vector<Problem>& problems_;
};

}  // namespace

void hardware_problems(const Schedule& schedule, const Profile& profile, std::vector<Problem>& problems) {
  HardwareCheck check(schedule, profile, problems);
  for (const Role& role : schedule.roles) check.check(role.program.body);
}

}  // namespace gpusim::schedule
