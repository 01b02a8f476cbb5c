// What TensorRT-LLM runs before its attention (applyBiasRopeUpdateKVCacheV2, Apache-2.0): queries and keys are turned
// by their places, and keys and values written to the cache.
//
// A thread has 16 bytes of a head. It reads those of query, key and value, and of query and key those half a head away,
// which they are turned with; each head of the queries reads the key and value it shares with others anew. The token's
// sequence, that sequence's length and the cosines and sines of its place follow from one another: three trips to
// memory, with 32 warps an SM.
#include <algorithm>
#include <cmath>
#include <utility>

#include "schedules/attention_plan.h"

namespace gpusim::schedules {
namespace {

constexpr BufferId prepare_qkv{0};
constexpr BufferId prepare_angles{1};
constexpr BufferId prepare_tokens{2};
constexpr BufferId prepare_lengths{3};
constexpr BufferId prepare_pages{4};
constexpr BufferId prepare_queries_out{5};
constexpr BufferId prepare_keys_out{6};
constexpr BufferId prepare_values_out{7};

constexpr int prepare_warps = 8;
constexpr std::int64_t prepare_threads_of_sm = 1024;  ///< that the grid is cut for
constexpr int prepare_registers = 64;

// Instructions, estimated from the source: 64-bit addresses, bounds, the division by the tokens of a page.
constexpr IndexCost prepare_begin_cost{20, 30};
constexpr IndexCost prepare_token_cost{24, 36};
constexpr IndexCost prepare_page_cost{16, 24};
/// Of an element of query and key: two products each; conversions from and to two bytes, the sine's sign.
constexpr IndexCost prepare_turn_cost{4, 6};

/// How CTAs share out tokens.
struct TokenGrid {
  std::int64_t vectors;  ///< of a head: lanes of a token
  std::int64_t of_warp;  ///< tokens
  std::int64_t blocks;   ///< as many tokens as a CTA has at a time
  std::int64_t ctas;     ///< along tokens
  [[nodiscard]] std::int64_t of_cta() const { return of_warp * prepare_warps; }
  [[nodiscard]] std::int64_t trips() const { return divided_up(blocks, ctas); }
};

/// As many CTAs along tokens as fill whole waves best, the fewest of those that do.
std::int64_t best_ctas(std::int64_t blocks, std::int64_t heads, std::int64_t wave) {
  std::int64_t best = 1;
  float most = 0;
  for (std::int64_t ctas = 1; ctas <= blocks && most < 1; ++ctas) {
    const float waves = static_cast<float>(ctas * heads) / static_cast<float>(wave);
    const float filled = waves / std::ceil(waves);
    if (filled <= most) continue;
    most = filled;
    best = ctas;
  }
  return best;
}

TokenGrid token_grid(const AttentionProblem& problem, std::int64_t sms) {
  TokenGrid grid{};
  grid.vectors = std::int64_t{problem.head_dim} * size_of(problem.dtype) / chunk_bytes;
  grid.of_warp = lanes_per_warp / power_of_two_from(grid.vectors);
  grid.blocks = divided_up(problem.batch * problem.queries, grid.of_cta());
  const std::int64_t threads = grid.of_cta() * grid.vectors;
  grid.ctas = best_ctas(grid.blocks, problem.heads, std::max<std::int64_t>(prepare_threads_of_sm / threads, 1) * sms);
  return grid;
}

class PrepareWriter {
 public:
  PrepareWriter(const AttentionProblem& problem, const TokenGrid& grid, bool decode)
      : problem_(problem), grid_(grid), decode_(decode) {}

  Program write() {
    append_index(program_.body, prepare_begin_cost);
    Loop loop{grid_.trips(), {}, false};
    write_trip(loop.body);
    program_.body.emplace_back(std::move(loop));
    return std::move(program_);
  }

 private:
  void write_trip(Body& body) {
    const auto load = [&](const char* name, const GlobalAccess& from, std::int64_t count = 1) {
      const Token token = program_.token(name);
      append(body, LoadGlobal{.from = from, .into = token}, count, inside());
      return token;
    };
    append_index(body, prepare_token_cost, 1, inside());
    const std::optional<Token> info =
        decode_ ? std::nullopt : std::optional(load("info", access(prepare_tokens, 0, token() * 2, 2)));
    const Token q = load("q", access(prepare_qkv, token(), query(0), elements()));
    const Token k = load("k", access(prepare_qkv, token(), shared_head(0) + of_queries(), elements()));
    const Token v = load("v", access(prepare_qkv, token(), shared_head(0) + (of_queries() + of_keys()), elements()));
    const Token q_pair = load("q_pair", access(prepare_qkv, token(), query(grid_.vectors / 2), elements()));
    const Token k_pair =
        load("k_pair", access(prepare_qkv, token(), shared_head(grid_.vectors / 2) + of_queries(), elements()));
    const Layout sequence = decode_ ? token() : Layout();
    const auto after = [](GlobalAccess from, std::optional<Token> of) {
      from.address = of;
      return from;
    };
    const Token cached = load("cached", after(access(prepare_lengths, 0, sequence, 1), info));
    load("asked", after(access(prepare_lengths, 1, sequence, 1), info));
    const Layout angle = along(Coordinate::lane, 2 * elements(), 1, std::max<std::int64_t>(grid_.vectors / 2, 1)) +
                         along(Coordinate::repeat, 2);
    const Token turned = load("angles", after(access(prepare_angles, place(), angle, 2), cached), elements());
    const Token page = load("pages", after(access(prepare_pages, sequence, along(Coordinate::repeat), 1), cached), 2);
    turn(body, {q, q_pair, turned});
    turn(body, {k, k_pair, turned});
    append_index(body, prepare_page_cost, 1, inside(), {page});
    append(body, CtaBarrier{}, 1, inside());
    append(body, StoreGlobal{.to = access(prepare_queries_out, token(), query(0), elements()), .from = q}, 1, inside());
    // Of the heads that share keys and values the first writes them.
    const Bound first_head{along(Coordinate::block_n, 1, 1, group()), 1};
    for (const auto& [cache, token_of] : {std::pair{prepare_keys_out, k}, std::pair{prepare_values_out, v}}) {
      GlobalAccess to = access(cache, token(), along(Coordinate::lane, elements(), 1, grid_.vectors), elements());
      to.layer = along(Coordinate::block_n, 1, group());
      append(body, StoreGlobal{.to = to, .from = token_of}, 1, first_head);
    }
  }

  void turn(Body& body, std::vector<Token> reads) {
    const Token written = reads.front();
    const std::int64_t half = elements() / 2;  // of the cost, which is that of query and key
    append(body, Arithmetic{.pipe = Pipe::fma, .reads = reads, .writes = written, .overhead = false},
           prepare_turn_cost.fma * half, inside());
    append(body, Arithmetic{.pipe = Pipe::alu, .reads = std::move(reads), .writes = written, .overhead = false},
           prepare_turn_cost.alu * half, inside());
  }

  [[nodiscard]] GlobalAccess access(BufferId buffer, const Layout& row, const Layout& column,
                                    std::int64_t vector) const {
    GlobalAccess access{.buffer = buffer, .row = row, .column = column, .vector = static_cast<int>(vector)};
    if (grid_.of_warp * grid_.vectors < lanes_per_warp)
      access.lanes = Bound{along(Coordinate::lane), grid_.of_warp * grid_.vectors};
    return access;
  }
  /// Trips in which the CTA has tokens.
  [[nodiscard]] std::optional<Bound> inside() const {
    if (grid_.blocks % grid_.ctas == 0) return std::nullopt;
    return Bound{along(Coordinate::block_m) + along(Coordinate::loop0, grid_.ctas), grid_.blocks};
  }
  [[nodiscard]] std::int64_t elements() const { return chunk_bytes / size_of(problem_.dtype); }
  [[nodiscard]] std::int64_t group() const { return problem_.heads / problem_.kv_heads; }
  [[nodiscard]] std::int64_t of_queries() const { return std::int64_t{problem_.heads} * problem_.head_dim; }
  [[nodiscard]] std::int64_t of_keys() const { return std::int64_t{problem_.kv_heads} * problem_.head_dim; }
  [[nodiscard]] Layout token_of_cta() const {
    return along(Coordinate::lane, 1, grid_.vectors) + along(Coordinate::warp, grid_.of_warp);
  }
  [[nodiscard]] Layout token() const {
    return token_of_cta() + along(Coordinate::block_m, grid_.of_cta()) +
           along(Coordinate::loop0, grid_.of_cta() * grid_.ctas);
  }
  /// Of the lane's vector, or the one `further` in its head.
  [[nodiscard]] Layout lane_column(std::int64_t further) const {
    return along(Coordinate::lane, elements(), 1, grid_.vectors, further);
  }
  [[nodiscard]] Layout query(std::int64_t further) const {
    return along(Coordinate::block_n, problem_.head_dim) + lane_column(further);
  }
  [[nodiscard]] Layout shared_head(std::int64_t further) const {
    return along(Coordinate::block_n, problem_.head_dim, group()) + lane_column(further);
  }
  /// Of a token in its sequence; where a CTA's tokens and sequences are no multiples of each other, of one beside it.
  [[nodiscard]] Layout place() const {
    if (decode_) return {};
    const std::int64_t warps_of_sequence = std::max<std::int64_t>(problem_.queries / grid_.of_warp, 1);
    if (problem_.queries < grid_.of_cta())
      return along(Coordinate::lane, 1, grid_.vectors, problem_.queries) +
             along(Coordinate::warp, grid_.of_warp, 1, warps_of_sequence);
    const std::int64_t of_sequence = problem_.queries / grid_.of_cta();
    const std::int64_t step = grid_.ctas % of_sequence;
    Layout first = token_of_cta() + along(Coordinate::block_m, grid_.of_cta(), 1, of_sequence);
    if (step == 0) return first;
    return first + along(Coordinate::loop0, step * grid_.of_cta(), 1, divided_up(of_sequence, step));
  }

  const AttentionProblem& problem_;
  const TokenGrid& grid_;
  bool decode_;
  Program program_;
};

}  // namespace

Schedule prepare_attention(const AttentionProblem& given, bool decode, std::int64_t sms) {
  const AttentionProblem problem = complete_problem(given);
  KernelCollector collect;
  collect.require(sms >= 1, "sms", "it must be 1 or more, not " + std::to_string(sms));
  collect.refuse();
  const TokenGrid grid = token_grid(problem, sms);
  const std::int64_t all = problem.batch * problem.queries;
  const std::int64_t of_token = std::int64_t{problem.heads + 2 * problem.kv_heads} * problem.head_dim;
  Schedule schedule;
  schedule.name = "prepare " + std::to_string(all) + " tokens of " + std::to_string(problem.heads) + " heads of " +
                  std::to_string(problem.head_dim) + " " + std::string(name(problem.dtype));
  schedule.buffers = {
      matrix_buffer("QKV", all, of_token, problem.dtype),
      matrix_buffer("angles", decode ? 1 : 2 * problem.queries + grid.of_cta(), problem.head_dim, DType::fp32),
      matrix_buffer("token_places", 1, 2 * all, DType::int32),
      matrix_buffer("sequence_lengths", 2, all, DType::int32),
      matrix_buffer("cache_pages", all, 2, DType::int32),
      matrix_buffer("prepared", all, std::int64_t{problem.heads} * problem.head_dim, problem.dtype),
      matrix_buffer("prepared_k", all, problem.head_dim, problem.dtype, problem.kv_heads),
      matrix_buffer("prepared_v", all, problem.head_dim, problem.dtype, problem.kv_heads)};
  schedule.grid_m = grid.ctas;
  schedule.grid_n = problem.heads;
  schedule.roles = {{"worker", prepare_warps, PrepareWriter(problem, grid, decode).write()}};
  schedule.registers_per_thread = prepare_registers;
  schedule.work = {0, Pipe::fma, problem.dtype, DType::fp32};
  return checked_kernel(std::move(schedule));
}

}  // namespace gpusim::schedules
