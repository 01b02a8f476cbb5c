#include "estimate/step_loops.h"

#include <algorithm>

namespace gpusim::estimate {
namespace {

struct Longest {
  std::int64_t stepping = 0;  ///< of loops that say they step tiles
  std::int64_t any = 0;
  bool walks = false;

  void look_at(const std::vector<Statement>& body) {
    for (const Statement& statement : body) {
      const auto* loop = std::get_if<Loop>(&statement);
      if (loop == nullptr) continue;
      if (loop->walk == Walk::k_tiles) walks = true;
      if (loop->walk == Walk::items) {
        look_at(loop->body);
      } else if (loop->walk == Walk::none) {
        any = std::max(any, loop->trips);
        if (loop->steps_tiles) stepping = std::max(stepping, loop->trips);
      }
    }
  }
};

}  // namespace

StepLoops::StepLoops(const Schedule& schedule) {
  Longest longest;
  for (const Role& role : schedule.roles) longest.look_at(role.program.body);
  if (longest.stepping != 0)
    trips_ = longest.stepping;
  else if (!longest.walks)
    trips_ = longest.any;
}

}  // namespace gpusim::estimate
