// What global accesses touch: sectors of one instruction, and the box that all of a work item's instructions lie in.
#pragma once

#include <cstdint>

#include "estimate/census.h"
#include "gpusim/schedule.h"

namespace gpusim::estimate {

struct Sectors {
  std::int64_t sectors = 0;  ///< of 32 bytes
  std::int64_t lines = 0;    ///< of 128 bytes
  std::int64_t bytes = 0;    ///< asked for by active lanes
  std::int64_t passes = 0;   ///< words of the most wanted of 32 data banks
  std::int64_t run = 0;      ///< bytes from the first column to the last, whatever the row
};
/// Of the warp instruction `at`.
[[nodiscard]] Sectors sectors_of(const GlobalAccess& access, const Buffer& buffer, const Coordinates& at);

/// What a work item touches of a buffer by one operation: a box, the same for all items but for its place. Keeps
/// pointers into the schedule.
class Panel {
 public:
  Panel(const GlobalAccess& access, const Buffer& buffer, const Spans& over, const Sectors& sectors);
  Panel(const BulkCopy& copy, const Buffer& buffer, const Spans& over);
  Panel(const BulkStore& store, const Buffer& buffer, const Spans& over);

  [[nodiscard]] const Buffer& buffer() const { return *buffer_; }
  [[nodiscard]] double bytes() const { return bytes_; }
  /// Lines, or parts of them, of each byte that DRAM opens a row for: 0 where neighbours are asked for at the same
  /// time.
  [[nodiscard]] double lines_alone() const { return lines_alone_; }
  /// Where the panel of the work item at these coordinates begins: items of equal places share it.
  [[nodiscard]] std::int64_t place(const Coordinates& at) const {
    return (*layer_)(at)*layer_step(*buffer_) + (*row_)(at)*buffer_->pitch + (*column_)(at);
  }

 private:
  void measure(std::int64_t rows, std::int64_t columns, const Spans& over);
  /// Loops go on by `run` bytes of a row, of which each line has so many.
  void ask(std::int64_t run, double bytes_of_line);

  const Buffer* buffer_;
  const Layout* row_;
  const Layout* column_;
  const Layout* layer_;
  double bytes_ = 0;
  double lines_alone_ = 0;
};

}  // namespace gpusim::estimate
