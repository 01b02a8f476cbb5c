// What is wrong with a schedule, and what a GPU cannot hold of it.
#include <algorithm>
#include <string>

#include "gpusim/schedule.h"
#include "schedule/needs.h"
#include "schedule/structure.h"

namespace gpusim {
namespace {

std::string text(std::int64_t number) { return std::to_string(number); }

/// The most stages, of tiles that all have equally many, that fit `available` bytes. 0: not even one, or it differs.
std::int64_t fitting_stages(const Schedule& schedule, Bytes available) {
  std::int64_t stage = 0;
  int stages = 0;
  for (const SharedTile& tile : schedule.shared_tiles) {
    if (stages != 0 && tile.stages != stages) return 0;
    stages = tile.stages;
    stage += stage_bytes(tile).count();
  }
  if (stage == 0) return 0;
  const Bytes beside = shared_bytes(schedule) - Bytes(stage * stages);
  return std::min<std::int64_t>(stages, std::max(std::int64_t{0}, (available - beside).count() / stage));
}

void check_shared(const Schedule& schedule, const Profile& profile, std::vector<Problem>& problems) {
  const Bytes needed = shared_bytes(schedule);
  Limited<Bytes> most = profile.shared.per_cta;
  if (!profile.shared.capacity.is_unlimited()) {
    const Bytes left = profile.shared.capacity.value() - profile.shared.reserved_per_cta;
    if (most.is_unlimited() || left < most.value()) most = left;
  }
  if (most.admits(needed)) return;
  std::string what =
      "a CTA needs " + text(needed.count()) + " bytes of shared memory; there are " + text(most.value().count());
  const std::int64_t fit = fitting_stages(schedule, most.value());
  if (fit > 1) what += "; " + text(fit) + " stages would fit";
  problems.push_back({"schedule.shared", what});
}

void check_registers(const Schedule& schedule, const Profile& profile, std::vector<Problem>& problems) {
  const int registers = schedule.registers_per_thread;
  if (registers > profile.sm.registers_per_thread) {
    problems.push_back({"schedule.registers", "a thread needs " + text(registers) + " registers; it may have " +
                                                  text(profile.sm.registers_per_thread)});
    return;
  }
  const std::int64_t needed = schedule::registers_per_cta(schedule, profile);
  if (profile.sm.registers.admits(needed)) return;
  const std::int64_t warp = profile.sm.registers.value() / warps_per_cta(schedule);
  const std::int64_t fit = warp / profile.sm.register_granule * profile.sm.register_granule / 32;
  problems.push_back({"schedule.registers", text(warps_per_cta(schedule)) + " warps of " + text(registers) +
                                                " registers a thread need " + text(needed) + " registers; an SM has " +
                                                text(profile.sm.registers.value()) + "; " + text(fit) +
                                                " registers a thread would fit"});
}

void check_memory(const Schedule& schedule, const Profile& profile, std::vector<Problem>& problems) {
  Bytes needed;
  for (const Buffer& buffer : schedule.buffers) needed += size_of(buffer);
  if (!profile.dram.capacity.admits(needed))
    problems.push_back({"schedule.buffers", "the buffers take " + text(needed.count()) + " bytes; the GPU has " +
                                                text(profile.dram.capacity.value().count())});
}

std::string shape_text(std::int64_t m, std::int64_t n, std::int64_t k) {
  return "m" + text(m) + "n" + text(n) + "k" + text(k);
}

std::string types_text(DType input, DType accumulate) {
  return std::string(name(input)) + " with " + std::string(name(accumulate)) + " accumulation";
}

std::string modes_text(const Profile& profile) {
  if (profile.tensor.modes.empty()) return "it has none at all";
  std::string modes = "it has ";
  for (const TensorModeSpec& mode : profile.tensor.modes) {
    if (&mode != &profile.tensor.modes.front()) modes += ", ";
    modes += types_text(mode.input, mode.accumulate);
  }
  return modes;
}

/// Finds what the programs use that the GPU may lack. Each lack is one problem, however often it is used.
class HardwareCheck {
 public:
  HardwareCheck(const Profile& profile, std::vector<Problem>& problems) : profile_(profile), problems_(problems) {}

  void check(const std::vector<Statement>& body) {
    for (const Statement& statement : body) {
      if (const auto* loop = std::get_if<Loop>(&statement)) {
        check(loop->body);
        continue;
      }
      const Action& action = std::get<Operation>(statement).action;
      if (std::holds_alternative<CopyAsync>(action) && !profile_.async_copy)
        add("schedule.async_copy", "the GPU has no asynchronous copies (cp.async)");
      if (uses_mbarriers(action) && !profile_.tma)
        add("schedule.tma", "the GPU has no tensor memory accelerator and no mbarriers");
      if (const auto* multiply = std::get_if<Multiply>(&action)) check(*multiply);
    }
  }

 private:
  static bool uses_mbarriers(const Action& action) {
    return std::holds_alternative<BulkCopy>(action) || std::holds_alternative<BarrierArrive>(action) ||
           std::holds_alternative<BarrierWait>(action);
  }

  void check(const Multiply& multiply) {
    if (multiply.pipe == Pipe::fma) {
      if (multiply.accumulate != DType::fp32) add("schedule.fma", "the fma pipe accumulates in fp32 only");
      return;
    }
    const TensorModeSpec* mode = tensor_mode(profile_, multiply.input, multiply.accumulate);
    if (mode == nullptr) {
      add("schedule.tensor", "the GPU has no tensor cores for " + types_text(multiply.input, multiply.accumulate) +
                                 "; " + modes_text(profile_));
      return;
    }
    const MmaShape& shape = multiply.shape;
    if (shape.m != mode->m || shape.n != mode->n || shape.k != mode->k)
      add("schedule.tensor", "the schedule multiplies " + types_text(multiply.input, multiply.accumulate) + " with " +
                                 shape_text(shape.m, shape.n, shape.k) + "; this GPU's instruction is " +
                                 shape_text(mode->m, mode->n, mode->k));
  }

  void add(const std::string& where, const std::string& what) {
    const Problem problem{where, what};
    if (std::find(problems_.begin(), problems_.end(), problem) == problems_.end()) problems_.push_back(problem);
  }

  const Profile& profile_;
  std::vector<Problem>& problems_;
};

}  // namespace

std::vector<Problem> check(const Schedule& schedule) {
  std::vector<Problem> problems = schedule::resource_problems(schedule);
  return problems.empty() ? schedule::program_problems(schedule) : problems;
}

std::vector<Problem> check(const Schedule& schedule, const Profile& profile) {
  std::vector<Problem> problems = check(schedule);
  if (!problems.empty()) return problems;
  check_shared(schedule, profile, problems);
  check_registers(schedule, profile, problems);
  if (!profile.sm.warps.admits(warps_per_cta(schedule)))
    problems.push_back({"schedule.warps", "a CTA has " + text(warps_per_cta(schedule)) + " warps; an SM holds " +
                                              text(profile.sm.warps.value())});
  check_memory(schedule, profile, problems);
  HardwareCheck hardware(profile, problems);
  for (const Role& role : schedule.roles) hardware.check(role.program.body);
  return problems;
}

}  // namespace gpusim
