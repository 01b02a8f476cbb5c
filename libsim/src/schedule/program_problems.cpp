#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "schedule/layout_text.h"
#include "schedule/range.h"
#include "schedule/structure.h"

namespace gpusim::schedule {
namespace {

constexpr int widest_access = 16;  ///< bytes a lane

bool is_access_width(int bytes) { return bytes >= 1 && bytes <= widest_access && (bytes & (bytes - 1)) == 0; }

/// Whether every pass over the body issues something.
bool issues(const std::vector<Statement>& body) {
  return std::any_of(body.begin(), body.end(), [](const Statement& statement) {
    if (const auto* operation = std::get_if<Operation>(&statement)) return !operation->guard.has_value();
    const auto& loop = std::get<Loop>(statement);
    return loop.trips > 0 && issues(loop.body);
  });
}

/// Checks the operations of one role.
class Checker {
 public:
  Checker(const Schedule& schedule, const Role& role, int first_warp, std::vector<Problem>& problems)
      : schedule_(schedule), role_(role), problems_(problems) {
    space_.set(Coordinate::lane, 0, 31);
    space_.set(Coordinate::warp, first_warp, first_warp + role.warps - 1);
    space_.set(Coordinate::block_m, 0, schedule.grid_m - 1);
    space_.set(Coordinate::block_n, 0, schedule.grid_n - 1);
    for (const Coordinate loop : {Coordinate::loop0, Coordinate::loop1, Coordinate::loop2}) space_.set(loop, 0, -1);
  }

  /// `times`: how often the loops around it run the body.
  void check(const std::vector<Statement>& body, const std::string& where, std::size_t depth = 0, double times = 1) {
    for (std::size_t i = 0; i < body.size(); ++i) {
      where_ = where + "/" + std::to_string(i);
      if (const auto* operation = std::get_if<Operation>(&body[i])) {
        check(*operation);
        instructions_ += times * static_cast<double>(operation->count);
        continue;
      }
      const auto& loop = std::get<Loop>(body[i]);
      const bool sound = loop.trips >= 0 && loop.trips <= most_extent;
      require(sound, "a loop makes 0 to 2^31 - 1 trips, not " + std::to_string(loop.trips));
      require(depth < most_loops, "loops nest at most three deep");
      require(loop.trips <= most_idle_trips || issues(loop.body),
              "a loop of more than " + std::to_string(most_idle_trips) + " trips needs an operation without a guard");
      if (!sound || depth >= most_loops || loop.trips == 0) continue;
      const auto index = static_cast<Coordinate>(static_cast<std::size_t>(Coordinate::loop0) + depth);
      space_.set(index, 0, loop.trips - 1);
      check(loop.body, where_ + "/body", depth + 1, times * static_cast<double>(loop.trips));
      space_.set(index, 0, -1);
    }
  }

  /// Memory instructions of one warp, each loop body counted once.
  [[nodiscard]] std::int64_t places() const { return places_; }
  /// Instructions of one warp, all loops expanded; a double, so that it cannot overflow.
  [[nodiscard]] double instructions() const { return instructions_; }

 private:
  void check(const Operation& operation) {
    const bool sound = operation.count >= 1 && operation.count <= most_count;
    require(sound, "an operation is 1 to " + std::to_string(most_count) + " instructions, not " +
                       std::to_string(operation.count));
    if (!sound) return;
    space_.set(Coordinate::repeat, 0, operation.count - 1);
    guard_ = operation.guard;
    if (guard_) {
      check_layout(guard_->value, "the guard");
      for (const Coordinate coordinate : {Coordinate::lane, Coordinate::repeat})
        require(!guard_->value.depends_on(coordinate), "a guard may not depend on " + std::string(name(coordinate)));
    }
    const std::size_t before = memory_accesses_;
    std::visit([this](const auto& action) { check(action); }, operation.action);
    if (memory_accesses_ != before) places_ += operation.count;
  }

  void check(const LoadGlobal& load) {
    check(load.from);
    check(load.into);
  }
  void check(const StoreGlobal& store) {
    check(store.to);
    check(store.from);
  }
  void check(const LoadShared& load) {
    check(load.from);
    check(load.into);
  }
  void check(const StoreShared& store) {
    check(store.to);
    check(store.from);
  }
  void check(const CopyAsync& copy) {
    if (!check(copy.from) || !check(copy.to)) return;
    const int element = size_of(buffer(copy.from.buffer).dtype);
    require(element == size_of(tile(copy.to.tile).dtype) && copy.from.vector == copy.to.vector,
            "cp.async copies elements as they are: both sides need the same type and vector");
    const int bytes = element * copy.from.vector;
    require(bytes == 4 || bytes == 8 || bytes == 16,
            "cp.async copies 4, 8 or 16 bytes a lane, not " + std::to_string(bytes));
  }
  void check(const CommitGroup&) {}
  void check(const WaitGroup& wait) { require(wait.pending >= 0, "a number of pending groups is not negative"); }
  void check(const BulkCopy& copy) {
    ++memory_accesses_;
    check(copy.done);
    check_layout(copy.row, "the row");
    check_layout(copy.column, "the column");
    if (!there(copy.buffer.index(), schedule_.buffers, "buffer") ||
        !there(copy.tile.index(), schedule_.shared_tiles, "tile"))
      return;
    const SharedTile& to = tile(copy.tile);
    require(size_of(buffer(copy.buffer).dtype) == size_of(to.dtype), "a bulk copy copies elements as they are");
    require(copy.rows >= 1 && copy.rows <= to.rows && copy.columns >= 1 && copy.columns <= to.columns,
            "a box of " + std::to_string(copy.rows) + " x " + std::to_string(copy.columns) + " does not fit tile '" +
                to.name + "' of " + std::to_string(to.rows) + " x " + std::to_string(to.columns));
    require(copy.columns * size_of(to.dtype) % 16 == 0, "a bulk copy's rows are multiples of 16 bytes");
    check_index(copy.stage, to.stages, {}, "the stage");
  }
  void check(const BarrierArrive& arrive) {
    check(arrive.at);
    require(arrive.expect.count() >= 0 && arrive.expect.count() <= most_expected,
            "an arrival expects 0 to " + std::to_string(most_expected) + " bytes");
  }
  void check(const BarrierWait& wait) {
    check(wait.at);
    check_layout(wait.phase, "the phase");
  }
  void check(const Multiply& multiply) {
    for (const Token token : {multiply.a, multiply.b, multiply.c}) check(token);
    require(multiply.pipe == Pipe::tensor || multiply.pipe == Pipe::fma,
            "a multiplication runs on the tensor or fma pipe, not " + std::string(name(multiply.pipe)));
    const MmaShape& shape = multiply.shape;
    for (const int extent : {shape.m, shape.n, shape.k})
      require(extent >= 1 && extent <= 1024, "an instruction's extents are 1 to 1024");
  }
  void check(const Scale& scale) {
    check(scale.c);
    if (scale.source) check(*scale.source);
    require(std::isfinite(scale.alpha) && std::isfinite(scale.beta), "alpha and beta must be finite");
  }
  void check(const Arithmetic& arithmetic) {
    for (const Token token : arithmetic.reads) check(token);
    if (arithmetic.writes) check(*arithmetic.writes);
    require(static_cast<std::int64_t>(arithmetic.reads.size()) <= most_reads,
            "arithmetic reads at most " + std::to_string(most_reads) + " fragments");
    require(arithmetic.pipe != Pipe::tensor, "the tensor pipe multiplies only");
  }
  void check(const CtaBarrier&) {}

  void check(Token token) { there(token.index(), role_.program.tokens, "fragment"); }
  void check(const BarrierSlot& at) {
    if (there(at.barrier.index(), schedule_.barriers, "barrier"))
      check_index(at.slot, schedule_.barriers[static_cast<std::size_t>(at.barrier.index())].slots, {}, "the slot");
  }
  bool check(const GlobalAccess& access) {
    ++memory_accesses_;
    check_layout(access.row, "the row");
    check_layout(access.column, "the column");
    if (access.lanes) check_lanes(access.lanes->value);
    if (!there(access.buffer.index(), schedule_.buffers, "buffer")) return false;
    return check_vector(access.vector, buffer(access.buffer).dtype);
  }
  bool check(const SharedAccess& access) {
    ++memory_accesses_;
    if (access.lanes) check_lanes(access.lanes->value);
    if (!there(access.tile.index(), schedule_.shared_tiles, "tile")) return false;
    const SharedTile& to = tile(access.tile);
    if (!check_vector(access.vector, to.dtype)) return false;
    check_index(access.stage, to.stages, access.lanes, "the stage");
    check_index(access.row, to.rows, access.lanes, "the row");
    check_index(access.column, to.columns - access.vector + 1, access.lanes, "the column");
    return true;
  }

  /// Which lanes take part is the same in every CTA and trip.
  void check_lanes(const Layout& value) {
    check_layout(value, "the lanes' bound");
    for (const Term& term : value.terms())
      require(term.source == Coordinate::lane || term.source == Coordinate::warp || term.source == Coordinate::repeat,
              "the lanes' bound may depend on lane, warp and repeat, not on " + std::string(name(term.source)));
  }
  bool check_vector(int vector, DType dtype) {
    const bool sound = vector >= 1 && vector <= widest_access && is_access_width(vector * size_of(dtype));
    require(sound, "a lane accesses 1, 2, 4, 8 or 16 bytes, not " + std::to_string(vector) + " elements of " +
                       std::string(name(dtype)));
    return sound;
  }

  /// Within [0, size), given what guard and lanes' bound say of the same value.
  void check_index(const Layout& layout, std::int64_t size, const std::optional<Bound>& lanes,
                   const std::string& what) {
    if (!check_layout(layout, what)) return;
    Range range = range_of(layout, space_);
    for (const std::optional<Bound>& bound : {lanes, guard_})
      if (bound && bound->value == layout && static_cast<double>(bound->limit - 1) < range.highest)
        range.highest = static_cast<double>(bound->limit - 1);
    require(range.lowest >= 0 && range.highest < static_cast<double>(size),
            what + " " + to_text(layout) + " runs from " + std::to_string(static_cast<std::int64_t>(range.lowest)) +
                " to " + std::to_string(static_cast<std::int64_t>(range.highest)) + "; it must stay within 0 and " +
                std::to_string(size - 1));
  }

  /// Whether all its coordinates exist here and its value stays small enough to calculate with.
  bool check_layout(const Layout& layout, const std::string& what) {
    for (const Term& term : layout.terms()) {
      if (!space_.has(term.source)) {
        require(false, what + " depends on " + std::string(name(term.source)) + " outside such a loop");
        return false;
      }
      if (term.shift > most_address) {
        require(false, what + " has a shift beyond 2^47");
        return false;
      }
    }
    const Range range = range_of(layout, space_);
    const auto limit = static_cast<double>(most_address);
    const bool sound = range.lowest >= -limit && range.highest <= limit;
    require(sound, what + " " + to_text(layout) + " grows beyond 2^47");
    return sound;
  }

  template <class Things>
  bool there(std::int64_t index, const Things& things, const std::string& kind) {
    const bool sound = index >= 0 && index < static_cast<std::int64_t>(things.size());
    require(sound, "there is no " + kind + " " + std::to_string(index) + " among " + std::to_string(things.size()));
    return sound;
  }
  void require(bool holds, const std::string& what) {
    if (!holds) problems_.push_back({where_, what});
  }
  [[nodiscard]] const Buffer& buffer(BufferId id) const {
    return schedule_.buffers[static_cast<std::size_t>(id.index())];
  }
  [[nodiscard]] const SharedTile& tile(TileId id) const {
    return schedule_.shared_tiles[static_cast<std::size_t>(id.index())];
  }

  const Schedule& schedule_;
  const Role& role_;
  std::vector<Problem>& problems_;
  std::string where_;
  Space space_;
  std::optional<Bound> guard_;
  std::size_t memory_accesses_ = 0;
  std::int64_t places_ = 0;
  double instructions_ = 0;
};

}  // namespace

std::vector<Problem> program_problems(const Schedule& schedule) {
  std::vector<Problem> problems;
  std::int64_t places = 0;
  int first_warp = 0;
  for (std::size_t i = 0; i < schedule.roles.size(); ++i) {
    const Role& role = schedule.roles[i];
    const std::string where = "/roles/" + std::to_string(i) + "/program/body";
    Checker checker(schedule, role, first_warp, problems);
    checker.check(role.program.body, where);
    if (checker.instructions() > most_instructions)
      problems.push_back({where, "a warp executes more than 2^48 instructions"});
    places += checker.places() * role.warps;
    first_warp += role.warps;
  }
  if (places > most_places)
    problems.push_back({"/roles", "the programs have " + std::to_string(places) + " memory instructions; the most is " +
                                      std::to_string(most_places)});
  return problems;
}

}  // namespace gpusim::schedule
