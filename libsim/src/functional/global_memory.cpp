#include "functional/global_memory.h"

#include <string>

namespace gpusim::functional {
namespace {

std::string shape_text(std::int64_t rows, std::int64_t columns) {
  return std::to_string(rows) + " x " + std::to_string(columns);
}

}  // namespace

GlobalMemory::GlobalMemory(const Schedule& schedule, Memory& memory) {
  std::vector<Problem> problems;
  for (const Buffer& buffer : schedule.buffers) {
    const auto found = memory.find(buffer.name);
    if (found == memory.end()) {
      problems.push_back({buffer.name, "the memory has no such buffer"});
      continue;
    }
    Matrix& matrix = found->second;
    const std::int64_t rows = buffer.layers * buffer.rows;
    if (matrix.rows() != rows || matrix.cols() != buffer.columns)
      problems.push_back({buffer.name, "the buffer is " + shape_text(rows, buffer.columns) + ", the matrix given " +
                                           shape_text(matrix.rows(), matrix.cols())});
    entries_.push_back({&matrix, buffer.rows, buffer.layers, buffer.dtype});
  }
  if (!problems.empty()) throw ScheduleError(std::move(problems));
}

void GlobalMemory::store(BufferId buffer, std::int64_t layer, std::int64_t row, std::int64_t column, double value) {
  const Entry& entry = of(buffer);
  if (column < entry.matrix->cols()) (*entry.matrix)(layer * entry.rows + row, column) = rounded(value, entry.dtype);
}

}  // namespace gpusim::functional
