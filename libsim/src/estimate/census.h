// How often a CTA's warps execute each operation of its programs, without executing them.
#pragma once

#include <array>
#include <functional>

#include "estimate/step_loops.h"
#include "gpusim/schedule.h"

namespace gpusim::estimate {

/// The parts of a CTA's work by how often they happen.
enum class Part { once, item, step };
inline constexpr std::size_t part_count = 3;

/// How many values a coordinate takes, from where on.
struct Span {
  std::int64_t first = 0;
  std::int64_t count = 1;
};
using Spans = std::array<Span, coordinate_count>;

/// An operation, as one of its warps executes it first.
struct Occurrence {
  const Operation& operation;
  Coordinates at;  ///< of the first warp that does
  Spans over;      ///< where it is executed within a work item, by all warps of its role
  Part part;
  double warps;  ///< that execute it each time the part happens
};

class Census {
 public:
  explicit Census(const Schedule& schedule);

  /// How often CTA 0 does each part.
  [[nodiscard]] double items() const { return items_; }
  [[nodiscard]] double steps() const { return steps_; }

  void for_each(const std::function<void(const Occurrence&)>& visit) const;

 private:
  struct Place;
  void visit_body(const std::vector<Statement>& body, const Place& place,
                  const std::function<void(const Occurrence&)>& visit) const;
  void visit_operation(const Operation& operation, const Place& place,
                       const std::function<void(const Occurrence&)>& visit) const;
  /// In how many of the trips of the loops around it a guard holds, elsewhere `at` these coordinates.
  [[nodiscard]] static double share_held(const Bound& guard, const Place& place, Coordinates at);
  [[nodiscard]] Place inside(const Loop& loop, const Place& place) const;

  const Schedule& schedule_;
  StepLoops step_loops_;
  WorkItem item_;
  double items_ = 1;
  double steps_ = 0;
  double steps_per_item_ = 0;
};

}  // namespace gpusim::estimate
