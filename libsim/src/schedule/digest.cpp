// A schedule's digest: FNV-1a over everything that decides timing or meaning, field by field, in a fixed byte order.
#include <bit>
#include <cstdint>
#include <string_view>

#include "gpusim/schedule.h"

namespace gpusim {
namespace {

class Hash {
 public:
  void add(std::int64_t value) {
    for (int byte = 0; byte < 8; ++byte) add_byte(static_cast<std::uint64_t>(value) >> (8 * byte));
  }
  void add(double value) { add(std::bit_cast<std::int64_t>(value == 0 ? 0.0 : value)); }
  void add(std::string_view text) {
    add(static_cast<std::int64_t>(text.size()));
    for (const char symbol : text) add_byte(static_cast<std::uint64_t>(static_cast<unsigned char>(symbol)));
  }
  void add(const Layout& layout) {
    add(layout.offset());
    add(static_cast<std::int64_t>(layout.terms().size()));
    for (const Term& term : layout.terms()) {
      add(static_cast<std::int64_t>(term.source));
      for (const std::int64_t field : {term.stride, term.divisor, term.modulus, term.shift}) add(field);
    }
  }
  template <class T>
  void add(const std::optional<T>& value) {
    add(std::int64_t{value.has_value()});
    if (value) add(*value);
  }
  void add(const Bound& bound) {
    add(bound.value);
    add(bound.limit);
  }
  void add(Token token) { add(token.index()); }
  template <class Enum>
    requires std::is_enum_v<Enum>
  void add(Enum value) {
    add(static_cast<std::int64_t>(value));
  }
  void add(const GlobalAccess& access) { add_all(access.buffer.index(), access.row, access.column, std::int64_t{access.vector}, access.lanes); }
  void add(const SharedAccess& access) {
    add_all(access.tile.index(), access.stage, access.row, access.column, std::int64_t{access.vector}, access.lanes);
  }
  void add(const BarrierSlot& at) { add_all(at.barrier.index(), at.slot); }

  void add(const LoadGlobal& load) { add_all(load.from, load.into); }
  void add(const StoreGlobal& store) { add_all(store.to, store.from); }
  void add(const LoadShared& load) { add_all(load.from, load.into); }
  void add(const StoreShared& store) { add_all(store.to, store.from); }
  void add(const CopyAsync& copy) { add_all(copy.from, copy.to); }
  void add(const CommitGroup&) {}
  void add(const WaitGroup& wait) { add(std::int64_t{wait.pending}); }
  void add(const BulkCopy& copy) {
    add_all(copy.buffer.index(), copy.row, copy.column, copy.rows, copy.columns, copy.tile.index(), copy.stage, copy.done);
  }
  void add(const BarrierArrive& arrive) { add_all(arrive.at, arrive.expect.count()); }
  void add(const BarrierWait& wait) { add_all(wait.at, wait.phase); }
  void add(const Multiply& multiply) {
    add_all(multiply.pipe, multiply.a, multiply.b, multiply.c, multiply.input, multiply.accumulate,
            std::int64_t{multiply.shape.m}, std::int64_t{multiply.shape.n}, std::int64_t{multiply.shape.k});
  }
  void add(const Scale& scale) { add_all(scale.c, scale.source, scale.alpha, scale.beta); }
  void add(const Arithmetic& arithmetic) {
    add_all(arithmetic.pipe, arithmetic.writes, std::int64_t{arithmetic.overhead},
            static_cast<std::int64_t>(arithmetic.reads.size()));
    for (const Token token : arithmetic.reads) add(token);
  }
  void add(const CtaBarrier&) {}

  void add(const std::vector<Statement>& body) {
    add(static_cast<std::int64_t>(body.size()));
    for (const Statement& statement : body) {
      add(static_cast<std::int64_t>(statement.index()));
      if (const auto* operation = std::get_if<Operation>(&statement)) {
        add(static_cast<std::int64_t>(operation->action.index()));
        std::visit([this](const auto& action) { add(action); }, operation->action);
        add_all(operation->count, operation->guard);
      } else {
        const auto& loop = std::get<Loop>(statement);
        add_all(loop.trips, std::int64_t{loop.steps_tiles}, loop.body);
      }
    }
  }

  template <class... Values>
  void add_all(const Values&... values) {
    (add(values), ...);
  }

  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  void add_byte(std::uint64_t byte) { value_ = (value_ ^ (byte & 0xFF)) * 0x100000001B3U; }

  std::uint64_t value_ = 0xCBF29CE484222325U;
};

}  // namespace

std::uint64_t digest(const Schedule& schedule) {
  Hash hash;
  hash.add_all(static_cast<std::int64_t>(schedule.buffers.size()), static_cast<std::int64_t>(schedule.shared_tiles.size()),
               static_cast<std::int64_t>(schedule.barriers.size()), static_cast<std::int64_t>(schedule.roles.size()));
  for (const Buffer& buffer : schedule.buffers)
    hash.add_all(std::string_view(buffer.name), buffer.rows, buffer.columns, buffer.pitch, buffer.dtype);
  hash.add_all(schedule.grid_m, schedule.grid_n, schedule.order, std::int64_t{schedule.registers_per_thread});
  for (const SharedTile& tile : schedule.shared_tiles)
    hash.add_all(std::int64_t{tile.rows}, std::int64_t{tile.columns}, tile.dtype, std::int64_t{tile.stages},
                 tile.pitch.count(), tile.swizzle);
  for (const Barrier& barrier : schedule.barriers) hash.add_all(std::int64_t{barrier.slots}, std::int64_t{barrier.arrivals});
  for (const Role& role : schedule.roles)
    hash.add_all(std::string_view(role.name), std::int64_t{role.warps}, role.program.body);
  const Work& work = schedule.work;
  hash.add_all(work.flops, work.pipe, work.input, work.accumulate);
  return hash.value();
}

}  // namespace gpusim
