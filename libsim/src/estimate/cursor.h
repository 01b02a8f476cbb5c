// Walks a Program operation by operation, loops unrolled on the fly.
#pragma once

#include <vector>

#include "gpusim/layout.h"
#include "gpusim/program.h"

namespace gpusim::estimate {

class Cursor {
 public:
  /// At the beginning of `program`, which must outlive it, for one warp of the CTA at block (0, 0).
  Cursor(const Program& program, int warp);

  /// The next operation whose guard holds; nullptr at the end.
  [[nodiscard]] const Operation* next();

  /// Where the operation last returned stands.
  [[nodiscard]] const Coordinates& at() const { return at_; }

 private:
  struct Frame {
    const std::vector<Statement>* body = nullptr;
    std::size_t next = 0;
    std::int64_t trip = 0;
    std::int64_t trips = 1;
  };
  void enter(const Loop& loop);
  void leave_or_repeat();

  std::vector<Frame> frames_;
  Coordinates at_{};
};

}  // namespace gpusim::estimate
