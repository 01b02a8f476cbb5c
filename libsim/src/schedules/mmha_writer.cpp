#include "schedules/mmha_writer.h"

#include <utility>

namespace gpusim::schedules {
namespace {

constexpr std::int64_t pool_tables = 2;  ///< of keys, of values

/// Number of the page, along a coordinate whose steps are so many keys: keys' digits do not carry into each other.
Layout pages_along(Coordinate source, std::int64_t keys) {
  if (keys >= mmha_page_keys) return along(source, keys / mmha_page_keys);
  return along(source, 1, mmha_page_keys / keys);
}

}  // namespace

MmhaWriter::MmhaWriter(const AttentionPlan& plan)
    : plan_(plan),
      shape_(mmha_shape(plan)),
      lengths_(program_.token("lengths")),
      page_(program_.token("page")),
      q_(program_.token("q")),
      k_(program_.token("k")),
      s_(program_.token("s")),
      other_(program_.token("other")),
      greatest_(program_.token("greatest")),
      p_(program_.token("p")),
      sum_(program_.token("sum")),
      v_(program_.token("v")),
      w_(program_.token("w")),
      o_(program_.token("o")),
      part_(program_.token("part")) {}

Program MmhaWriter::write() {
  begin();
  make_scores();
  weigh_scores();
  add_values();
  meet();
  leave();
  return std::move(program_);
}

void MmhaWriter::cost(Body& into, Pipe pipe, std::vector<Token> reads, std::int64_t count, const Guard& guard) {
  const Token written = reads.front();
  if (count == 0) return;
  append(into, Arithmetic{.pipe = pipe, .reads = std::move(reads), .writes = written, .overhead = false}, count, guard);
}

void MmhaWriter::multiply(Body& into, Token a, Token b, Token c, bool b_transposed, std::int64_t count,
                          const Guard& guard) {
  Multiply multiply;
  multiply.pipe = Pipe::fma;
  multiply.a = a;
  multiply.b = b;
  multiply.c = c;
  multiply.input = DType::fp32;
  multiply.b_transposed = b_transposed;
  append(into, multiply, count, guard);
}

void MmhaWriter::clear(Body& into, Token token, const Guard& guard) {
  append(into, Arithmetic{.pipe = Pipe::alu, .reads = {}, .writes = token, .overhead = true}, 1, guard);
}

void MmhaWriter::meet_lanes(Token value, std::int64_t first, Pipe pipe, const Guard& guard) {
  for (std::int64_t distance = first; distance >= 1; distance /= 2) {
    append(body(), Shuffle{.into = other_, .from = value, .distance = static_cast<int>(distance)}, 1, guard);
    cost(body(), pipe, {value, other_}, 1, guard);
  }
}

void MmhaWriter::meet_warps(Token value, int stage, Combination combination) {
  const Layout warp = along(Coordinate::warp);
  append(body(), StoreShared{shared(mmha_meeting_tile, warp, 1, one_lane(), stage), value, {}, warp});
  append(body(), CtaBarrier{});
  append(body(),
         LoadShared{shared(mmha_meeting_tile, along(Coordinate::lane, 1, 1, shape_.warps), 1, {}, stage), value});
  const Pipe pipe = combination == Combination::maximum ? Pipe::alu : Pipe::fma;
  for (std::int64_t distance = shape_.warps / 2; distance >= 1; distance /= 2) {
    append(body(), Shuffle{.into = other_, .from = value, .distance = static_cast<int>(distance)});
    append(body(), Map{.pipe = pipe, .into = value, .a = value, .b = other_, .combination = combination});
  }
  append(body(), Shuffle{.into = other_, .from = value, .distance = 1});  // what the first lane has, to all
}

void MmhaWriter::load(Body& into, BufferId buffer, Token token, const MmhaTrip& trip, const Guard& guard) {
  const std::int64_t pages = divided_up(plan_.problem.keys, mmha_page_keys);
  const std::int64_t table = buffer == attention_k ? 0 : pool_tables - 1;
  Layout page = pages_along(Coordinate::warp, shape_.of_warp()) + pages_along(Coordinate::repeat, shape_.of_cta()) +
                along(Coordinate::block_z, keys_of_split() / mmha_page_keys, 1, splits()) +
                (trip.first / mmha_page_keys + table * pages);
  if (trip.stride > 0) page += pages_along(Coordinate::loop0, trip.stride);
  GlobalAccess of_page = global(extra(1), sequence(), page, 1, {}, lanes_of(trip));
  of_page.address = lengths_;
  append(into, LoadGlobal{.from = of_page, .into = page_}, trip.unroll, guard);
  GlobalAccess of_keys =
      global(buffer, key_of(trip) + first_key(), piece(), shape_.elements, plan_.kv_layer(), lanes_of(trip));
  of_keys.address = page_;
  append(into, LoadGlobal{.from = of_keys, .into = token}, trip.unroll, guard);
}

void MmhaWriter::store_new(BufferId buffer, Token token, std::int64_t of_lane, std::int64_t warp) {
  const Bound one{beside_warp(warp) + beside_last() + along(Coordinate::block_z, 1, splits(), plan_.sharing), 1};
  append_index(body(), mmha_store, 1, one);
  const Bound lanes{along(Coordinate::lane), divided_up(plan_.problem.head_dim, of_lane)};
  append(body(),
         StoreGlobal{.to = cached_row(buffer, of_lane, lanes), .from = token, .origin_row = new_key() - new_place()}, 1,
         one);
}

std::int64_t MmhaWriter::own_elements() const {
  constexpr std::int64_t fewest = 2;
  return std::max(shape_.lanes * shape_.elements / lanes_per_warp, fewest);
}

Layout MmhaWriter::beside_warp(std::int64_t warp) const {
  return along(Coordinate::warp, 1, 1, shape_.warps, (shape_.warps - warp) % shape_.warps);
}

Layout MmhaWriter::key_of_lane() const {
  return along(Coordinate::lane, 1, shape_.lanes) + along(Coordinate::warp, shape_.of_warp()) +
         along(Coordinate::repeat, shape_.of_cta());
}

Layout MmhaWriter::key_of(const MmhaTrip& trip) const {
  Layout key = key_of_lane() + trip.first;
  if (trip.stride > 0) key += along(Coordinate::loop0, trip.stride);
  return key;
}

MmhaWriter::Guard MmhaWriter::busy(const MmhaTrip& trip, std::int64_t granule) const {
  if (trip.rest == 0) return std::nullopt;
  return Bound{along(Coordinate::warp, shape_.of_warp()), divided_up(trip.rest, granule) * granule};
}

MmhaWriter::Guard MmhaWriter::lanes_of(const MmhaTrip& trip) const {
  if (trip.rest == 0) return std::nullopt;
  return Bound{key_of_lane(), trip.rest};
}

BufferId MmhaWriter::extra(std::int64_t number) const {
  return BufferId((splits() > 1 ? attention_sums.index() : attention_o.index()) + 1 + number);
}

GlobalAccess MmhaWriter::global(BufferId buffer, const Layout& row, const Layout& column, std::int64_t vector,
                                const Layout& layer, const Guard& lanes) const {
  GlobalAccess access{.buffer = buffer, .row = row, .column = column, .vector = static_cast<int>(vector)};
  access.lanes = lanes;
  access.layer = layer;
  return access;
}

GlobalAccess MmhaWriter::cached_row(BufferId buffer, std::int64_t vector, const Guard& lanes) const {
  return global(buffer, new_key(), along(Coordinate::lane, vector), vector, plan_.kv_layer(), lanes);
}

SharedAccess MmhaWriter::shared(TileId tile, const Layout& column, std::int64_t vector, const Guard& lanes,
                                const Layout& stage) {
  SharedAccess access{.tile = tile, .stage = stage, .row = {}, .column = column, .vector = static_cast<int>(vector)};
  access.lanes = lanes;
  return access;
}

}  // namespace gpusim::schedules
