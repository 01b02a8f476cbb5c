// The new token's query and key, before all others.
#include <limits>

#include "schedules/mmha_writer.h"

namespace gpusim::schedules {

void MmhaWriter::begin() {
  const Bound first = warps_before(1);
  append_index(body(), mmha_begin);
  append(body(), LoadGlobal{.from = global(extra(0), sequence(), {}, 1, {}), .into = lengths_});
  append_index(body(), mmha_query, 1, first);
  const Layout own = along(Coordinate::lane, own_elements());
  append(body(), LoadGlobal{.from = global(attention_q, {}, own, own_elements(), plan_.q_layer()), .into = q_}, 1,
         first);
  append(body(),
         LoadGlobal{.from = cached_row(attention_k, own_elements(), {}),
                    .into = k_,
                    .bypass_l1 = false,
                    .origin_row = new_key() - new_place()},
         1, first);
  turn();
  clear(body(), s_, first);
  multiply(body(), q_, k_, s_, true, own_elements(), first);
  cost(body(), Pipe::fma, {s_}, own_elements() - 1, first);
  meet_lanes(s_, lanes_per_warp / 2, Pipe::fma, first);
  // Only the last split has it.
  append(body(), Map{.pipe = Pipe::alu, .into = s_, .a = s_, .columns = Layout(new_place() + 1) + beside_last() * -1},
         1, first);
  append(body(), StoreShared{shared(mmha_scores, new_place(), 1, one_lane()), s_, {}, {}}, 1, first);
  clear(body(), greatest_);
  append(body(),
         Map{.pipe = Pipe::alu, .into = greatest_, .a = greatest_, .term = std::numeric_limits<float>::lowest()});
  append(body(),
         Reduce{.pipe = Pipe::alu, .into = greatest_, .from = s_, .reduction = Reduction::maximum, .keep = true}, 1,
         first);
  append(body(), CtaBarrier{});
  append_index(body(), mmha_loop_begin);
  const Bound within_head{along(Coordinate::lane, 1, 1, shape_.lanes), head_lanes()};
  append(body(), LoadShared{shared(tile_q, piece(), shape_.elements, within_head), q_});
  cost(body(), Pipe::alu, {q_}, shape_.elements);
}

void MmhaWriter::turn() {
  constexpr std::int64_t halves = 4;  // of a pair of the query, and of one of the key
  const Bound first = warps_before(1);
  const std::int64_t lanes = plan_.problem.head_dim / own_elements();
  const std::int64_t pairs = own_elements() / 2;
  const SharedAccess own = shared(tile_q, along(Coordinate::lane, own_elements(), 1, lanes), own_elements(),
                                  Bound{along(Coordinate::lane), lanes});
  const auto store = [&](std::int64_t times) {
    for (std::int64_t i = 0; i < times; ++i) append(body(), StoreShared{own, q_, {}, {}}, 1, first);
  };
  store(2);
  append(body(), CtaBarrier{});
  append(body(), LoadShared{own, part_}, halves * pairs, first);
  for (std::int64_t pair = 0; pair < pairs; ++pair) {
    const GlobalAccess frequency = global(extra(2), {}, along(Coordinate::lane, pairs) + pair, 1, {});
    append(body(), LoadGlobal{.from = frequency, .into = other_}, 1, first);
    cost(body(), Pipe::fma, {part_, other_}, 1, first);
    for (std::int64_t step = 0; step < mmha_turn_steps; ++step) {
      cost(body(), Pipe::fma, {part_}, mmha_turn_step.fma, first);
      cost(body(), Pipe::alu, {part_}, mmha_turn_step.alu, first);
    }
  }
  store(halves * pairs);
  append(body(), CtaBarrier{});
  append(body(), LoadShared{own, other_}, 2, first);
  append(body(), CtaBarrier{});
  store(2);
}

}  // namespace gpusim::schedules
