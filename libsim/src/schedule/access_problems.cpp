// Where accesses lie: lanes' places in buffers and tiles, boxes of bulk copies, operands of warp-group multiplies.
#include <string>

#include "schedule/layout_text.h"
#include "schedule/program_checker.h"

namespace gpusim::schedule {
namespace {

constexpr int widest_access = 16;         ///< bytes a lane
constexpr int most_rank = 5;              ///< dimensions of a tensor map
constexpr std::int64_t widest_box = 256;  ///< elements along each

bool is_access_width(int bytes) { return bytes >= 1 && bytes <= widest_access && (bytes & (bytes - 1)) == 0; }

std::string box_text(const BulkCopy& copy) {
  return (copy.planes == 1 ? "" : std::to_string(copy.planes) + " x ") + std::to_string(copy.rows) + " x " +
         std::to_string(copy.columns);
}

}  // namespace

bool ProgramChecker::check(const GlobalAccess& access) {
  ++memory_accesses_;
  check_layout(access.row, "the row");
  check_layout(access.column, "the column");
  if (access.lanes) check_lanes(access.lanes->value);
  if (access.address) check(*access.address);
  if (!there(access.buffer.index(), schedule_.buffers, "buffer")) return false;
  return check_vector(access.vector, buffer(access.buffer).dtype);
}

bool ProgramChecker::check(const SharedAccess& access) {
  if (!check_place(access)) return false;
  return check_vector(access.vector, tile(access.tile).dtype);
}

bool ProgramChecker::check_place(const SharedAccess& access) {
  ++memory_accesses_;
  if (access.lanes) check_lanes(access.lanes->value);
  if (access.address) check(*access.address);
  if (access.peer) check_peer(*access.peer);
  if (!there(access.tile.index(), schedule_.shared_tiles, "tile")) return false;
  const SharedTile& to = tile(access.tile);
  if (access.vector < 1 || access.vector > to.columns) {
    require(false, "a lane accesses 1 to " + std::to_string(to.columns) + " elements of a row of '" + to.name +
                       "', not " + std::to_string(access.vector));
    return false;
  }
  check_index(access.stage, to.stages, access.lanes, "the stage");
  check_index(access.row, to.rows, access.lanes, "the row");
  check_index(access.column, to.columns - access.vector + 1, access.lanes, "the column");
  return true;
}

void ProgramChecker::check_peer(const Layout& peer) {
  require(schedule_.cluster > 1, "a peer's shared memory needs a cluster of more than one CTA");
  if (!check_layout(peer, "the peer")) return;
  require(range_of(peer, space_).lowest >= 0, "the peer " + to_text(peer) + " may not be negative");
  for (const Coordinate coordinate : {Coordinate::lane, Coordinate::repeat})
    require(!peer.depends_on(coordinate),
            "an operation goes to one CTA: the peer may not depend on " + std::string(name(coordinate)));
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

void ProgramChecker::check_operand(const SharedAccess& operand, const WarpgroupMultiply& multiply,
                                   const std::string& what) {
  require(!operand.peer, "wgmma reads its own CTA's shared memory only");
  if (!check_place(operand)) return;
  const SharedTile& from = tile(operand.tile);
  require(size_of(from.dtype) == size_of(multiply.input), "wgmma reads elements as they are: " + what + " is of " +
                                                              std::string(name(multiply.input)) + ", tile '" +
                                                              from.name + "' of " + std::string(name(from.dtype)));
}

void ProgramChecker::check(const BulkCopy& copy) {
  ++memory_accesses_;
  check(copy.done);
  check_layout(copy.row, "the row");
  check_layout(copy.column, "the column");
  if (!there(copy.buffer.index(), schedule_.buffers, "buffer") ||
      !there(copy.tile.index(), schedule_.shared_tiles, "tile"))
    return;
  const SharedTile& to = tile(copy.tile);
  const Buffer& from = buffer(copy.buffer);
  require(size_of(from.dtype) == size_of(to.dtype), "a bulk copy copies elements as they are");
  require(from.placement == Placement::linear || (copy.rows == 1 && copy.planes == 1),
          "the rows of '" + from.name + "' are scattered: a bulk copy takes one of them");
  check_box(copy, to);
  check_index(copy.stage, to.stages, {}, "the stage");
}

void ProgramChecker::check_box(const BulkCopy& copy, const SharedTile& to) {
  const bool fits = copy.rows >= 1 && copy.planes >= 1 && copy.rows <= to.rows && copy.planes <= to.rows &&
                    copy.rows * copy.planes <= to.rows && copy.columns >= 1 && copy.columns <= to.columns;
  require(fits, "a box of " + box_text(copy) + " does not fit tile '" + to.name + "' of " + std::to_string(to.rows) +
                    " x " + std::to_string(to.columns));
  require(copy.columns * size_of(to.dtype) % 16 == 0, "a bulk copy's rows are multiples of 16 bytes");
  require(copy.rank >= 0 && copy.rank <= most_rank,
          "a tensor map has 1 to 5 dimensions, 0 stands for none; not " + std::to_string(copy.rank));
  require(copy.rank >= 2 || (copy.rows == 1 && copy.planes == 1),
          "a bulk copy of rank " + std::to_string(copy.rank) + " has one row, not " + box_text(copy));
  require(copy.planes == 1 || copy.rank >= 3,
          "a box of several planes needs a tensor map of at least 3 dimensions, not " + std::to_string(copy.rank));
  require(copy.planes == 1 || (copy.plane_rows >= copy.rows && copy.plane_rows <= most_extent),
          "planes of " + std::to_string(copy.rows) + " rows lie at least so many apart, not " +
              std::to_string(copy.plane_rows));
  require(copy.rank == 0 || (copy.rows <= widest_box && copy.columns <= widest_box && copy.planes <= widest_box),
          "a tensor map's box has at most " + std::to_string(widest_box) + " elements along each dimension, not " +
              box_text(copy));
}

}  // namespace gpusim::schedule
