#include <algorithm>
#include <string>

#include "schedule/layout_text.h"
#include "schedule/program_checker.h"

namespace gpusim::schedule {
namespace {

/// Whether every pass over the body issues something.
bool issues(const std::vector<Statement>& body) {
  return std::any_of(body.begin(), body.end(), [](const Statement& statement) {
    if (const auto* operation = std::get_if<Operation>(&statement)) return !operation->guard.has_value();
    const auto& loop = std::get<Loop>(statement);
    return loop.trips > 0 && issues(loop.body);
  });
}

}  // namespace

ProgramChecker::ProgramChecker(const Schedule& schedule, const Role& role, int first_warp,
                               std::vector<Problem>& problems)
    : schedule_(schedule),
      role_(role),
      first_warp_(first_warp),
      problems_(problems),
      walk_trips_(most_trips(schedule)) {
  for (std::size_t i = 0; i < coordinate_count; ++i) space_.set(static_cast<Coordinate>(i), 0, -1);
  space_.set(Coordinate::lane, 0, 31);
  space_.set(Coordinate::warp, first_warp, first_warp + role.warps - 1);
  // CTAs that walk have a place in the grid only while they do.
  if (schedule.ctas == 0) set_item_space();
}

void ProgramChecker::set_item_space() {
  space_.set(Coordinate::block_m, 0, schedule_.grid_m - 1);
  space_.set(Coordinate::block_n, 0, schedule_.grid_n - 1);
  space_.set(Coordinate::block_z, 0, schedule_.grid_z - 1);
  const std::int64_t before = schedule_.ctas == 0 || schedule_.restarts_k ? 0 : walk_trips_.all_k_tiles;
  space_.set(Coordinate::k_begin, -before, schedule_.k_tiles);
  space_.set(Coordinate::partial, 0, 1);
  space_.set(Coordinate::k_count, 0, schedule_.k_tiles);
}

void ProgramChecker::check(const std::vector<Statement>& body, const std::string& where, std::size_t depth,
                           double times) {
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
    require(loop.turns <= most_turns, "items are taken in at most " + std::to_string(most_turns) + " turns");
    require(loop.turns >= 1 && loop.turn >= 0 && loop.turn < loop.turns,
            "of " + std::to_string(loop.turns) + " turns there is none of number " + std::to_string(loop.turn) +
                "; they are numbered from 0");
    require(loop.turns == 1 || loop.walk == Walk::items,
            "only work items are taken in turns: a loop with turns walks them");
    if (loop.walk != Walk::none) check_walk(loop, depth);
    if (sound && depth < most_loops && loop.trips > 0) check_body(loop, depth, times);
  }
}

void ProgramChecker::check_body(const Loop& loop, std::size_t depth, double times) {
  const Space outside = space_;
  const Walk around = around_;
  std::int64_t trips = loop.trips;
  std::int64_t indices = loop.trips;
  if (loop.walk == Walk::items) {
    trips = indices = walk_trips_.items;
    set_item_space();
  } else if (loop.walk == Walk::k_tiles) {
    trips = walk_trips_.k_tiles;
    indices = schedule_.restarts_k ? walk_trips_.k_tiles : walk_trips_.all_k_tiles;
  }
  if (loop.walk != Walk::none) around_ = loop.walk;
  space_.set(static_cast<Coordinate>(static_cast<std::size_t>(Coordinate::loop0) + depth), 0, indices - 1);
  if (indices > 0) check(loop.body, where_ + "/body", depth + 1, times * static_cast<double>(trips));
  space_ = outside;
  around_ = around;
}

void ProgramChecker::check_walk(const Loop& loop, std::size_t depth) {
  const bool over_items = loop.walk == Walk::items;
  const std::int64_t least = over_items ? walk_trips_.items : walk_trips_.k_tiles;
  require(loop.trips >= least, "the trips of a walk are the most that it makes: at least " + std::to_string(least) +
                                   ", not " + std::to_string(loop.trips));
  if (over_items) {
    require(depth == 0, "a walk over work items is an outermost loop");
    require(!has_items_, "a program walks over its CTA's work items once");
    has_items_ = true;
    return;
  }
  require(schedule_.k_tiles > 0, "a walk over k tiles needs their number: the schedule's k_tiles is 0");
  require(depth == 0 || (depth == 1 && around_ == Walk::items),
          "a walk over k tiles is an outermost loop, or directly within the walk over work items");
  require(depth > 0 || schedule_.ctas == 0,
          "CTAs that walk the tiles have k tiles only within the walk over their work items");
}

void ProgramChecker::check(const Operation& operation) {
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

void ProgramChecker::check_index(const Layout& layout, std::int64_t size, const std::optional<Bound>& lanes,
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

bool ProgramChecker::check_of_warp(const Layout& layout, const std::string& what) {
  bool is_one = check_layout(layout, what);
  for (const Coordinate source : {Coordinate::lane, Coordinate::repeat}) {
    if (!layout.depends_on(source)) continue;
    require(false, what + " is one for the whole warp: it may not depend on " + std::string(name(source)));
    is_one = false;
  }
  return is_one;
}

bool ProgramChecker::check_layout(const Layout& layout, const std::string& what) {
  for (const Term& term : layout.terms()) {
    if (!space_.has(term.source)) {
      require(false, what + " depends on " + std::string(name(term.source)) + " outside such a loop");
      return false;
    }
    const bool whole = term.divisor == 1 && term.modulus == 0;
    if (!whole && space_.lowest[static_cast<std::size_t>(term.source)] + term.shift < 0) {
      require(false, what + " divides " + std::string(name(term.source)) + ", which may be negative");
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

std::vector<Problem> program_problems(const Schedule& schedule) {
  std::vector<Problem> problems;
  std::int64_t places = 0;
  int first_warp = 0;
  for (std::size_t i = 0; i < schedule.roles.size(); ++i) {
    const Role& role = schedule.roles[i];
    const std::string where = "/roles/" + std::to_string(i) + "/program/body";
    ProgramChecker checker(schedule, role, first_warp, problems);
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
