#include "estimate/neighbours.h"

#include "estimate/coordinate.h"

namespace gpusim::estimate {
namespace {

bool executes(const Operation& operation, const Coordinates& at) {
  return !operation.guard || operation.guard->value(at) < operation.guard->limit;
}

std::int64_t modulo(std::int64_t value, std::int64_t divisor) { return ((value % divisor) + divisor) % divisor; }

}  // namespace

Neighbours::Neighbours(const Schedule& schedule) : cluster_(schedule.cluster) {
  const auto origin = place_in_cluster(schedule, 0);
  for (int rank = 0; rank < schedule.cluster; ++rank) {
    const auto place = place_in_cluster(schedule, rank);
    places_.push_back({place.first - origin.first, place.second - origin.second});
  }
}

Coordinates Neighbours::moved(const Coordinates& at, const Place& place) {
  Coordinates there = at;
  coordinate(there, Coordinate::block_m) += place.m;
  coordinate(there, Coordinate::block_n) += place.n;
  return there;
}

bool Neighbours::reaches(Multicast multicast, const Place& place) {
  switch (multicast) {
    case Multicast::none:
      return place.m == 0 && place.n == 0;
    case Multicast::along_m:
      return place.n == 0;
    case Multicast::along_n:
      return place.m == 0;
    case Multicast::cluster:
      break;
  }
  return true;
}

std::int64_t Neighbours::bringing(const Operation& operation, const BulkCopy& copy, const Coordinates& at) const {
  std::int64_t count = 0;
  for (const Place& place : places_)
    if (reaches(copy.multicast, place) && executes(operation, moved(at, place))) ++count;
  return count;
}

std::vector<Arrival> Neighbours::arriving(const Operation& operation, const BarrierArrive& arrive,
                                          const Coordinates& at) const {
  if (!arrive.peer) return {{arrive.at.slot(at), false}};
  std::vector<Arrival> arrivals;
  for (std::size_t rank = 0; rank < places_.size(); ++rank) {
    const Coordinates there = moved(at, places_[rank]);
    if (executes(operation, there) && modulo((*arrive.peer)(there), cluster_) == 0)
      arrivals.push_back({arrive.at.slot(there), rank != 0});
  }
  return arrivals;
}

}  // namespace gpusim::estimate
