#include "schedules/kernel_parts.h"
#include "sizes.h"

namespace gpusim::schedules {
namespace {

constexpr std::int64_t register_step = 8;

bool is_calculated(DType dtype) { return is_storable(dtype) && dtype != DType::fp64 && dtype != DType::int32; }

/// What is too large, by what it takes: whoever asks for a kernel knows nothing of its schedule's places.
Problem in_words(const Schedule& schedule, const Problem& problem) {
  if (problem.where.starts_with("/shared_tiles"))
    return {"schedule.shared", "a CTA needs " + std::to_string(gpusim::shared_bytes(schedule).count()) +
                                   " bytes of shared memory: " + problem.what};
  for (std::size_t i = 0; i < schedule.buffers.size(); ++i)
    if (problem.where == "/buffers/" + std::to_string(i))
      return {"schedule.buffers", schedule.buffers[i].name + ": " + problem.what};
  return problem;
}

/// Whether another of the kernel's is known to lack the same: one says it. Places in a schedule have problems each.
bool is_told(const std::vector<Problem>& problems, const Problem& other) {
  return std::any_of(problems.begin(), problems.end(), [&](const Problem& problem) {
    return problem.where == other.where && (problem.what == other.what || other.where.starts_with("schedule."));
  });
}

}  // namespace

void KernelCollector::storable(DType dtype, const std::string& where) {
  require(is_calculated(dtype), where,
          std::string(name(dtype)) + " is not what these kernels work on; fp32, fp16, bf16, fp8 and int8 are");
}

void KernelCollector::threads(int threads) {
  require(threads >= lanes_per_warp && threads <= most_cta_threads && threads % lanes_per_warp == 0, "threads",
          "a CTA has 32 to 1024 threads in steps of 32, not " + std::to_string(threads));
}

void KernelCollector::vector(int vector, DType dtype, std::int64_t extent) {
  const int bytes = vector * size_of(dtype);
  const bool accessible = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16;
  require(accessible && extent % std::max(vector, 1) == 0, "vector",
          std::to_string(vector) + " elements of " + std::string(name(dtype)) +
              " are not an access of 1, 2, 4, 8 or 16 bytes that divides " + std::to_string(extent) + "; " +
              std::to_string(widest_vector(dtype, extent)) + " would do");
}

void KernelCollector::refuse() {
  if (!problems_.empty()) throw ScheduleError(std::move(problems_));
}

Buffer matrix_buffer(std::string name, std::int64_t rows, std::int64_t columns, DType dtype, std::int64_t layers) {
  constexpr std::int64_t row_step = 16;
  const std::int64_t granule = row_step / size_of(dtype);
  Buffer buffer{std::move(name), rows, columns, divided_up(columns, granule) * granule, dtype};
  buffer.layers = layers;
  return buffer;
}

int registers_for(std::int64_t wanted) {
  return static_cast<int>(std::min<std::int64_t>(divided_up(wanted, register_step) * register_step, most_registers));
}

Schedule checked_kernel(Schedule schedule) {
  std::vector<Problem> problems;
  for (const Problem& found : check(schedule)) {
    Problem problem = in_words(schedule, found);
    if (!is_told(problems, problem)) problems.push_back(std::move(problem));
  }
  if (!problems.empty()) throw ScheduleError(std::move(problems));
  return schedule;
}

void append_widening(Body& body, DType from, Token fragment, std::int64_t elements) {
  if (from != DType::fp32) append_conversion(body, fragment, elements);
}

void append_narrowing(Body& body, DType to, Token fragment, std::int64_t elements) {
  if (to != DType::fp32) append_conversion(body, fragment, divided_up(elements, narrowed_per_instruction));
}

void append_cost(Body& body, Pipe pipe, Token fragment, std::int64_t instructions, const std::optional<Bound>& guard) {
  if (instructions > 0)
    append(body, Arithmetic{.pipe = pipe, .reads = {fragment}, .writes = fragment, .overhead = false}, instructions,
           guard);
}

void append_beside(Body& body, std::int64_t instructions) {
  // Mixed, so that neither pipe has to take a long run of them.
  constexpr std::int64_t at_a_time = 8;
  for (; instructions > 0; instructions -= at_a_time) {
    const std::int64_t some = std::min(instructions, at_a_time);
    append_index(body, {some / 2, some - some / 2});
  }
}

void append_index(Body& body, IndexCost cost, std::int64_t times, const std::optional<Bound>& guard,
                  std::vector<Token> reads) {
  if (cost.alu > 0)
    append(body, Arithmetic{.pipe = Pipe::alu, .reads = std::move(reads), .writes = {}, .overhead = true},
           cost.alu * times, guard);
  if (cost.fma > 0)
    append(body, Arithmetic{.pipe = Pipe::fma, .reads = {}, .writes = {}, .overhead = true}, cost.fma * times, guard);
}

}  // namespace gpusim::schedules
