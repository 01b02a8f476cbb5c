// Single memory instructions: what they take, and how many issue.
#include "schedules/probe_parts.h"

namespace gpusim::schedules {
namespace {

constexpr int word_bits = 32;
constexpr int words_a_warp = 128;  ///< the widest instruction's

/// What the instructions use.
struct Registers {
  Token address, data, loaded;
};

struct Places {
  GlobalAccess global;
  SharedAccess shared;
};

Places places_of(const MemoryOperation& choices, Token address) {
  const int vector = choices.width / word_bits;
  const Layout column = along(Coordinate::lane, vector);
  Places places{at(0, 0, column, vector, address), in_tile(0, 0, column, vector, address)};
  places.global.uniform = choices.uniform;
  places.shared.uniform = choices.uniform;
  return places;
}

Action action_of(const MemoryOperation& choices, const Registers& registers) {
  const Places places = places_of(choices, registers.address);
  switch (choices.op) {
    case MemoryOp::ldg:
      return LoadGlobal{places.global, registers.loaded, false};
    case MemoryOp::lds:
      return LoadShared{places.shared, registers.loaded};
    case MemoryOp::stg:
      return StoreGlobal{places.global, registers.data};
    case MemoryOp::sts:
      return StoreShared{places.shared, registers.data};
    case MemoryOp::ldc:
      return LoadConstant{registers.loaded, choices.uniform ? std::optional<Token>() : registers.address};
    case MemoryOp::ldgsts:
      break;
  }
  // The copy reads both addresses from the same registers.
  return CopyAsync{places.global, places.shared};
}

}  // namespace

Schedule memory_operation(const MemoryOperation& choices) {
  using Then = MemoryOperation::Then;
  Program program;
  const Registers registers{program.token("address"), program.token("data"), program.token("loaded")};
  const Token warm = program.token("warm");
  const Action measured = action_of(choices, registers);
  std::vector<Statement>& body = program.body;
  // Data into L1, registers ready.
  body.emplace_back(run_of(LoadGlobal{at(0, 0, along(Coordinate::lane, 4), 4), warm, false}));
  body.emplace_back(run_of(alu({warm}, registers.address)));
  body.emplace_back(run_of(alu({registers.address}, registers.data)));
  body.emplace_back(run_of(alu({registers.data}, warm)));
  body.emplace_back(run_of(alu({warm}, registers.loaded)));
  body.emplace_back(run_of(CtaBarrier{}));
  body.emplace_back(run_of(measured));
  const bool copies = choices.op == MemoryOp::ldgsts;
  if (copies && choices.then == Then::use_result) {
    body.emplace_back(run_of(CommitGroup{}));
    body.emplace_back(run_of(WaitGroup{0}));
  }
  if (choices.then == Then::overwrite_address) body.emplace_back(run_of(alu({}, registers.address)));
  if (choices.then == Then::overwrite_data) body.emplace_back(run_of(alu({}, registers.data)));
  if (choices.then == Then::use_result)
    body.emplace_back(run_of(alu(copies ? std::vector<Token>{} : std::vector{registers.loaded})));

  Schedule schedule = kernel("memory operation", 1, 1, std::move(program));
  schedule.buffers = {{"line", 1, words_a_warp, words_a_warp, DType::fp32, Placement::linear, 0}};
  schedule.shared_tiles = {
      {"line", 1, words_a_warp, DType::fp32, 1, Bytes(std::int64_t{4} * words_a_warp), Swizzle::none}};
  return schedule;
}

Schedule load_burst(const LoadBurst& choices) {
  Program program;
  const Token warm = program.token("warm");
  const Token address = program.token("address");
  std::vector<Statement>& body = program.body;
  const Layout column = along(Coordinate::lane);
  body.emplace_back(run_of(LoadGlobal{at(0, 0, column), warm, false}));
  body.emplace_back(run_of(alu({warm}, address)));
  body.emplace_back(run_of(alu({address}, warm)));
  body.emplace_back(run_of(CtaBarrier{}));
  for (int i = 0; i < choices.loads; ++i) {
    const Token loaded = program.token("loaded" + std::to_string(i));
    body.emplace_back(run_of(LoadGlobal{at(0, 0, column, 1, address), loaded, false}));
  }
  Schedule schedule = kernel("load burst", 1, choices.warps, std::move(program));
  schedule.buffers = {{"line", 1, lanes_per_warp, lanes_per_warp, DType::fp32, Placement::linear, 0}};
  return schedule;
}

}  // namespace gpusim::schedules
