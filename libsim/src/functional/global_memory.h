// The buffers of a schedule while it is executed.
#pragma once

#include <cstdint>
#include <vector>

#include "gpusim/functional.h"

namespace gpusim::functional {

class GlobalMemory {
 public:
  /// Keeps references to both. Throws ScheduleError when `memory` lacks a buffer or a shape differs.
  GlobalMemory(const Schedule& schedule, Memory& memory);

  /// Whether a lane that begins there does anything.
  [[nodiscard]] bool contains(BufferId buffer, std::int64_t layer, std::int64_t row, std::int64_t column) const {
    const Entry& entry = of(buffer);
    return layer >= 0 && layer < entry.layers && row >= 0 && row < entry.rows && column >= 0 &&
           column < entry.matrix->cols();
  }
  /// An element of a row that exists; past the row's end, what its padding happens to hold.
  [[nodiscard]] double load(BufferId buffer, std::int64_t layer, std::int64_t row, std::int64_t column) const {
    const Entry& entry = of(buffer);
    return column < entry.matrix->cols() ? (*entry.matrix)(layer * entry.rows + row, column) : padding;
  }
  /// Rounds to the buffer's type; what falls into padding is lost.
  void store(BufferId buffer, std::int64_t layer, std::int64_t row, std::int64_t column, double value);

 private:
  struct Entry {
    Matrix* matrix = nullptr;  ///< layers one below another
    std::int64_t rows = 0;     ///< of a layer
    std::int64_t layers = 0;
    DType dtype = DType::fp32;
  };
  /// Any finite number but 0, so that a kernel that lets padding into its sums is found out.
  static constexpr double padding = 7;

  [[nodiscard]] const Entry& of(BufferId buffer) const { return entries_[static_cast<std::size_t>(buffer.index())]; }

  std::vector<Entry> entries_;
};

}  // namespace gpusim::functional
