// Boxes that bulk copies bring to shared memory and bulk stores take from it.
#include <algorithm>
#include <string>

#include "schedule/number_text.h"
#include "schedule/program_checker.h"
#include "sizes.h"

namespace gpusim::schedule {
namespace {

constexpr int most_rank = 5;     ///< dimensions of a tensor map
constexpr int row_granule = 16;  ///< bytes

std::string box_text(const BulkCopy& copy) {
  return (copy.planes == 1 ? "" : std::to_string(copy.planes) + " x ") + extent_text(copy.rows, copy.columns);
}

std::string widest_text(const std::string& box) {
  return "a tensor map's box has at most " + std::to_string(widest_box) + " elements along each dimension, not " + box;
}

}  // namespace

void ProgramChecker::check(const BulkCopy& copy) {
  ++memory_accesses_;
  check(copy.done);
  check_layout(copy.row, "the row");
  check_layout(copy.column, "the column");
  check_multicast(copy.multicast);
  if (!there(copy.buffer.index(), schedule_.buffers, "buffer") ||
      !there(copy.tile.index(), schedule_.shared_tiles, "tile"))
    return;
  const SharedTile& to = tile(copy.tile);
  const Buffer& from = buffer(copy.buffer);
  require(size_of(from.dtype) == size_of(to.dtype), "a bulk copy copies elements as they are");
  require(from.placement == Placement::linear || (copy.rows == 1 && copy.planes == 1),
          "the rows of '" + from.name + "' are scattered: a bulk copy takes one of them");
  check_layer(copy.layer, copy.buffer);
  check_box(copy, to);
  check_index(copy.stage, to.stages, {}, "the stage");
}

void ProgramChecker::check_box(const BulkCopy& copy, const SharedTile& to) {
  const bool fits = copy.rows >= 1 && copy.planes >= 1 && copy.rows <= to.rows && copy.planes <= to.rows &&
                    copy.rows * copy.planes <= to.rows && copy.columns >= 1 && copy.columns <= to.columns;
  require(fits,
          "a box of " + box_text(copy) + " does not fit tile '" + to.name + "' of " + extent_text(to.rows, to.columns));
  if (fits) check_tile_rows(copy.tile_row, copy.rows * copy.planes, to);
  require(copy.columns * size_of(to.dtype) % row_granule == 0, "a bulk copy's rows are multiples of 16 bytes");
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
          widest_text(box_text(copy)));
}

void ProgramChecker::check_tile_rows(const Layout& tile_row, std::int64_t rows, const SharedTile& tile) {
  check_index(tile_row, tile.rows - rows + 1, {},
              "the first of " + std::to_string(rows) + " rows of '" + tile.name + "'");
  require(tile.pitch.count() % row_granule == 0,
          "bulk copies need rows that begin at multiples of 16 bytes: those of '" + tile.name + "' are " +
              std::to_string(tile.pitch.count()) + " bytes apart");
  require(!tile_row.depends_on(Coordinate::lane), "a box has one first row: it may not depend on lane");
}

void ProgramChecker::check_multicast(Multicast multicast) {
  if (multicast == Multicast::none) return;
  require(schedule_.cluster > 1, "a multicast needs a cluster of more than one CTA");
  require(multicast == Multicast::cluster || schedule_.cluster_m > 0,
          "a multicast along m or n needs a cluster with a shape: cluster_m is 0");
}

void ProgramChecker::check(const BulkStore& store) {
  ++memory_accesses_;
  check_layout(store.row, "the row");
  check_layout(store.column, "the column");
  if (!there(store.buffer.index(), schedule_.buffers, "buffer") ||
      !there(store.tile.index(), schedule_.shared_tiles, "tile"))
    return;
  const SharedTile& from = tile(store.tile);
  const Buffer& to = buffer(store.buffer);
  require(store.reduce ? from.dtype == to.dtype : size_of(from.dtype) == size_of(to.dtype),
          "a bulk store stores elements as they are: tile '" + from.name + "' is of " + std::string(name(from.dtype)) +
              ", '" + to.name + "' of " + std::string(name(to.dtype)));
  if (store.reduce) check_added(to.dtype);
  require(to.placement == Placement::linear || store.rows == 1,
          "the rows of '" + to.name + "' are scattered: a bulk store has one of them");
  check_layer(store.layer, store.buffer);
  check_index(store.stage, from.stages, {}, "the stage");
  const std::string box = extent_text(store.rows, store.columns);
  const bool fits = store.rows >= 1 && store.rows <= from.rows && store.columns >= 1 && store.columns <= from.columns;
  require(fits,
          "a box of " + box + " does not fit tile '" + from.name + "' of " + extent_text(from.rows, from.columns));
  if (fits) check_tile_rows(store.tile_row, store.rows, from);
  require(store.columns * size_of(from.dtype) % row_granule == 0, "a bulk store's rows are multiples of 16 bytes");
  require(store.rows <= widest_box && store.columns <= widest_box, widest_text(box));
}

}  // namespace gpusim::schedule
