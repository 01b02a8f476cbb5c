// Where accesses lie: lanes' places in buffers and tiles, operands of warp-group multiplies.
#include <algorithm>
#include <string>

#include "schedule/layout_text.h"
#include "schedule/program_checker.h"

namespace gpusim::schedule {
namespace {

constexpr int widest_access = 16;  ///< bytes a lane

bool is_access_width(int bytes) { return bytes >= 1 && bytes <= widest_access && (bytes & (bytes - 1)) == 0; }

}  // namespace

bool ProgramChecker::check(const GlobalAccess& access) {
  ++memory_accesses_;
  check_layout(access.row, "the row");
  check_layout(access.column, "the column");
  if (access.lanes) check_lanes(access.lanes->value);
  if (access.address) check(*access.address);
  if (!there(access.buffer.index(), schedule_.buffers, "buffer")) return false;
  check_layer(access.layer, access.buffer);
  require(!access.layer.depends_on(Coordinate::repeat), "an access is to one layer: it may not depend on repeat");
  return check_vector(access.vector, buffer(access.buffer).dtype);
}

bool ProgramChecker::check(const SharedAccess& access) {
  if (!check_place(access)) return false;
  return check_vector(access.vector, tile(access.tile).dtype);
}

bool ProgramChecker::check_place(const SharedAccess& access, bool down) {
  ++memory_accesses_;
  if (access.lanes) check_lanes(access.lanes->value);
  if (access.address) check(*access.address);
  if (access.peer) check_peer(*access.peer, "shared memory");
  if (!there(access.tile.index(), schedule_.shared_tiles, "tile")) return false;
  const SharedTile& to = tile(access.tile);
  const int most = down ? to.rows : to.columns;
  if (access.vector < 1 || access.vector > most) {
    require(false, "a lane accesses 1 to " + std::to_string(most) + " elements of a " + (down ? "column" : "row") +
                       " of '" + to.name + "', not " + std::to_string(access.vector));
    return false;
  }
  check_index(access.stage, to.stages, access.lanes, "the stage");
  const int bytes = std::min(access.vector * size_of(to.dtype), widest_access);
  require(!is_access_width(bytes) || to.pitch.count() % bytes == 0,
          "accesses of " + std::to_string(bytes) + " bytes need rows that begin at multiples of it: those of '" +
              to.name + "' are " + std::to_string(to.pitch.count()) + " bytes apart");
  const int beyond = access.vector - 1;
  check_index(access.row, to.rows - (down ? beyond : 0), access.lanes, "the row");
  check_index(access.column, to.columns - (down ? 0 : beyond), access.lanes, "the column");
  return true;
}

void ProgramChecker::check_layer(const Layout& layer, BufferId of) {
  check_index(layer, buffer(of).layers, {}, "the layer");
  require(!layer.depends_on(Coordinate::lane), "an access is to one layer: it may not depend on lane");
}

void ProgramChecker::check_peer(const Layout& peer, const std::string& whose) {
  require(schedule_.cluster > 1, "a peer's " + whose + " needs a cluster of more than one CTA");
  if (!check_of_warp(peer, "the peer")) return;
  require(range_of(peer, space_).lowest >= 0, "the peer " + to_text(peer) + " may not be negative");
}

void ProgramChecker::check_lanes(const Layout& value) {
  check_layout(value, "the lanes' bound");
  for (const Term& term : value.terms())
    require(term.source == Coordinate::lane || term.source == Coordinate::warp || term.source == Coordinate::repeat,
            "the lanes' bound may depend on lane, warp and repeat, not on " + std::string(name(term.source)));
}

bool ProgramChecker::check_vector(int vector, DType dtype) {
  const bool sound = vector >= 1 && vector <= widest_access && is_access_width(vector * size_of(dtype));
  require(sound, "a lane accesses 1, 2, 4, 8 or 16 bytes, not " + std::to_string(vector) + " elements of " +
                     std::string(name(dtype)));
  return sound;
}

void ProgramChecker::check_operand(const SharedAccess& operand, const WarpgroupMultiply& multiply, bool transposed,
                                   const std::string& what) {
  require(!operand.peer, "wgmma reads its own CTA's shared memory only");
  if (!check_place(operand, transposed)) return;
  const SharedTile& from = tile(operand.tile);
  require(size_of(from.dtype) == size_of(multiply.input), "wgmma reads elements as they are: " + what + " is of " +
                                                              std::string(name(multiply.input)) + ", tile '" +
                                                              from.name + "' of " + std::string(name(from.dtype)));
}

}  // namespace gpusim::schedule
