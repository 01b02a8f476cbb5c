// Scores of all keys, and the weights they become in shared memory.
#include "schedules/mmha_writer.h"

namespace gpusim::schedules {

void MmhaWriter::make_scores() {
  over_keys(shape_.unroll, [&](Body& into, const MmhaTrip& trip) {
    const std::int64_t unroll = trip.unroll;
    const Guard guard = busy(trip, unroll * shape_.of_warp());
    append_index(into, mmha_key, unroll, guard);
    load(into, attention_k, k_, trip, guard);
    cost(into, Pipe::fma, {k_}, unroll * mmha_converted, guard);
    cost(into, Pipe::alu, {k_}, unroll * mmha_converted, guard);
    clear(into, s_, guard);
    multiply(into, q_, k_, s_, true, unroll * shape_.elements, guard);
    cost(into, Pipe::fma, {s_}, unroll * (shape_.elements - 1), guard);
    for (std::int64_t distance = shape_.lanes / 2; distance >= 1; distance /= 2) {
      append(into, Shuffle{.into = other_, .from = s_, .distance = static_cast<int>(distance)}, unroll, guard);
      cost(into, Pipe::fma, {s_, other_}, unroll, guard);
    }
    if (trip.rest > 0) mask(into, shape_.cached, unroll, guard);
    if (splits() > 1) mask(into, Layout(new_key()) + first_key() * -1, unroll, guard);
    append(into,
           Reduce{.pipe = Pipe::alu, .into = greatest_, .from = s_, .reduction = Reduction::maximum, .keep = true},
           unroll, guard);
    // The first of a key's lanes.
    const std::int64_t limit = trip.rest > 0 ? trip.rest : unroll * shape_.of_cta();
    const Bound lanes{key_of_lane() + along(Coordinate::lane, limit, 1, shape_.lanes), limit};
    append(into, StoreShared{shared(mmha_scores, key_of(trip), 1, lanes), s_, {}, {}}, unroll, guard);
  });
}

void MmhaWriter::mask(Body& into, const Layout& columns, std::int64_t count, const Guard& guard) {
  append(into, Map{.pipe = Pipe::alu, .into = s_, .a = s_, .columns = columns}, count, guard);
}

void MmhaWriter::weigh_scores() {
  const Bound first = warps_before(1);
  meet_lanes(greatest_, shape_.of_warp() / 2, Pipe::alu);
  append_index(body(), mmha_meeting);
  meet_warps(greatest_, 0, Combination::maximum);
  // The new key waited in shared memory.
  append(body(),
         LoadGlobal{.from = cached_row(attention_k, own_elements(), {}),
                    .into = part_,
                    .bypass_l1 = false,
                    .origin_row = new_key() - new_place()},
         1, first);
  store_new(attention_k, part_, own_elements(), 0);

  const Dealing of_warps{1, static_cast<int>(shape_.warps)};
  clear(body(), sum_);
  for (const ScoreRun& run : score_runs()) {
    append(body(), LoadShared{run.place, p_}, run.trips, run.guard);
    if (run.place.lanes)
      append(body(), Map{.pipe = Pipe::alu, .into = p_, .a = p_, .columns = Layout(shape_.cached + 1)}, run.trips,
             run.guard);
    append_index(body(), mmha_exponential, run.trips, run.guard);
    append(body(),
           Map{.into = p_,
               .a = p_,
               .b = greatest_,
               .alpha = plan_.scale(),
               .beta = -plan_.scale(),
               .b_from = BroadcastFrom::row,
               .dealing = of_warps},
           run.trips, run.guard);
    append(body(), Map{.pipe = Pipe::sfu, .into = p_, .a = p_, .function = Function::exp2}, run.trips, run.guard);
    append(body(), Reduce{.into = sum_, .from = p_, .keep = true}, run.trips, run.guard);
    append(body(), StoreShared{run.place, p_, {}, {}}, run.trips, run.guard);
  }
  meet_lanes(sum_, lanes_per_warp / 2, Pipe::fma);
  append_index(body(), mmha_meeting);
  meet_warps(sum_, 1, Combination::sum);

  // Once more, for what is stored as weights; of a share of the keys it is divided by the sum later.
  if (splits() == 1) {
    append(body(), Map{.pipe = Pipe::sfu, .into = other_, .a = sum_, .function = Function::reciprocal});
    cost(body(), Pipe::fma, {other_}, mmha_quotient);
  }
  for (const ScoreRun& run : score_runs()) {
    append(body(), LoadShared{run.place, p_}, run.trips, run.guard);
    append_index(body(), mmha_weight, run.trips, run.guard);
    if (splits() == 1)
      append(body(),
             Map{.into = p_,
                 .a = p_,
                 .b = other_,
                 .combination = Combination::product,
                 .b_from = BroadcastFrom::row,
                 .dealing = of_warps},
             run.trips, run.guard);
    append(body(), StoreShared{run.place, p_, {}, {}}, run.trips, run.guard);
  }
  append(body(), CtaBarrier{});
}

std::vector<MmhaWriter::ScoreRun> MmhaWriter::score_runs() const {
  const std::int64_t scores = shape_.cached + 1;
  const std::int64_t whole = scores / threads();
  const std::int64_t rest = scores % threads();
  const Layout thread = along(Coordinate::lane) + along(Coordinate::warp, lanes_per_warp);
  std::vector<ScoreRun> runs;
  if (whole > 0) runs.push_back({shared(mmha_scores, thread + along(Coordinate::repeat, threads())), whole, {}});
  if (rest == 0) return runs;
  const std::int64_t warps = divided_up(rest, lanes_per_warp);
  const Layout place = along(Coordinate::lane) + along(Coordinate::warp, lanes_per_warp, 1, warps) + whole * threads();
  runs.push_back({shared(mmha_scores, place, 1, Bound{thread, rest}), 1, warps_before(warps)});
  return runs;
}

}  // namespace gpusim::schedules
