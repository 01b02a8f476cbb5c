// The weighed values, and what groups of lanes with different keys add up to.
#include "schedules/mmha_writer.h"

namespace gpusim::schedules {

void MmhaWriter::add_values() {
  append_index(body(), mmha_loop_begin);
  clear(body(), o_);
  over_keys(shape_.values_unroll(), [&](Body& into, const MmhaTrip& trip) {
    const std::int64_t unroll = trip.unroll;
    const Guard guard = busy(trip, 1);
    append_index(into, mmha_value, unroll, guard);
    load(into, attention_v, v_, trip, guard);
    append(into, LoadShared{shared(mmha_scores, key_of(trip), 1, lanes_of(trip)), w_}, unroll, guard);
    cost(into, Pipe::fma, {v_}, unroll * mmha_converted, guard);
    cost(into, Pipe::alu, {v_}, unroll * mmha_converted, guard);
    multiply(into, w_, v_, o_, false, unroll * shape_.elements, guard);
  });
  append(body(), CtaBarrier{});
  // The new token's value: one group's.
  const Bound group{beside_warp(new_warp()) + beside_last(), 1};
  append_index(body(), mmha_new_value, 1, group);
  append(body(),
         LoadGlobal{.from = cached_row(attention_v, shape_.elements, Bound{along(Coordinate::lane), head_lanes()}),
                    .into = v_,
                    .bypass_l1 = false,
                    .origin_row = new_key() - new_place()},
         1, group);
  append(body(), LoadShared{shared(mmha_scores, new_place()), w_}, 1, group);
  multiply(body(), w_, v_, o_, false, shape_.elements, group);
  store_new(attention_v, v_, shape_.elements, new_warp());
  append(body(), CtaBarrier{});
}

void MmhaWriter::meet() {
  constexpr std::int64_t vector = 4;
  const std::int64_t accesses = shape_.elements / vector;
  const Layout column = piece() + along(Coordinate::repeat, vector);
  const Bound lanes{along(Coordinate::lane), head_lanes()};
  for (std::int64_t half = shape_.of_cta() / 2; half >= 1; half /= 2) {
    // Groups of different warps, and at last those of the first.
    const std::int64_t warps = half / shape_.of_warp();
    const bool between = warps >= 1;
    const std::int64_t halves = between ? shape_.warps / warps : 1;
    const Bound upper =
        between ? Bound{along(Coordinate::warp, 1, warps, halves, (halves - 1) * warps), 1} : warps_before(1);
    const Bound lower = warps_before(std::max<std::int64_t>(warps, 1));
    const Layout stage = between ? along(Coordinate::warp, 1, 1, warps) : Layout();
    const SharedAccess place = shared(mmha_outputs, column, vector, lanes, stage);
    append_index(body(), mmha_half);
    cost(body(), Pipe::alu, {o_}, divided_up(shape_.elements, narrowed_per_instruction), upper);
    append(body(), StoreShared{place, o_, {}, {}}, accesses, upper);
    append(body(), CtaBarrier{});
    append(body(), LoadShared{place, part_}, accesses, lower);
    cost(body(), Pipe::alu, {part_}, shape_.elements, lower);
    if (between)
      append(body(), Map{.into = o_, .a = o_, .b = part_}, shape_.elements, lower);
    else
      cost(body(), Pipe::fma, {o_, part_}, shape_.elements, lower);
    append(body(), CtaBarrier{});
  }
}

void MmhaWriter::leave() {
  constexpr std::int64_t vector = 4;
  const Bound first = warps_before(1);
  const Bound lanes{along(Coordinate::lane), head_lanes()};
  const Layout column = along(Coordinate::lane, shape_.elements);
  append_index(body(), mmha_end);
  if (splits() == 1) {
    cost(body(), Pipe::alu, {o_}, divided_up(shape_.elements, narrowed_per_instruction), first);
    append(body(),
           StoreGlobal{.to = global(attention_o, {}, column, shape_.elements, plan_.result_layer(), lanes), .from = o_},
           1, first);
    return;
  }
  const Layout in_parts = column + along(Coordinate::repeat, vector);
  append(body(), StoreGlobal{.to = global(attention_o, {}, in_parts, vector, plan_.result_layer(), lanes), .from = o_},
         shape_.elements / vector, first);
  append(body(),
         StoreGlobal{.to = global(attention_maxima, {}, {}, 1, plan_.result_layer(), one_lane()), .from = greatest_}, 1,
         first);
  append(body(), StoreGlobal{.to = global(attention_sums, {}, {}, 1, plan_.result_layer(), one_lane()), .from = sum_},
         1, first);
}

}  // namespace gpusim::schedules
