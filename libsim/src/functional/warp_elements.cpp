// Arithmetic element by element, within rows and between lanes.
#include <utility>

#include "functional/warp.h"

namespace gpusim::functional {

bool Warp::perform(const Map& map) {
  const Elements* b = map.b ? &fragment(*map.b).elements : nullptr;
  Elements made = fragment(map.a).elements.mapped(map, b, at_);
  Fragment& into = fragment(map.into);
  into.elements = std::move(made);
  into.lane_values.clear();
  return true;
}

bool Warp::perform(const Reduce& reduce) {
  Fragment& into = fragment(reduce.into);
  into.elements = fragment(reduce.from).elements.reduced(reduce, reduce.keep ? &into.elements : nullptr);
  into.lane_values.clear();
  return true;
}

bool Warp::perform(const Shuffle& shuffle) {
  Elements moved = fragment(shuffle.from).elements.shuffled(shuffle.distance);
  Fragment& into = fragment(shuffle.into);
  into.elements = std::move(moved);
  into.lane_values.clear();
  return true;
}

}  // namespace gpusim::functional
