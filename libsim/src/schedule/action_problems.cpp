// What each action asks for, but for where its accesses lie (access_problems.cpp).
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "schedule/program_checker.h"

namespace gpusim::schedule {

void ProgramChecker::check(const LoadGlobal& load) {
  check(load.from);
  check(load.into);
  check_layout(load.origin_row, "the row of the origin");
  check_layout(load.origin_column, "the column of the origin");
}

void ProgramChecker::check(const StoreGlobal& store) {
  check(store.to);
  check(store.from);
  check_layout(store.origin_row, "the row of the origin");
  check_layout(store.origin_column, "the column of the origin");
  require(!store.by_lane || (store.origin_row == Layout() && store.origin_column == Layout()),
          "what lanes store in order has no coordinates, and so no origin");
}

void ProgramChecker::check(const LoadShared& load) {
  check(load.into);
  if (!check(load.from) || load.how == SharedRead::lds) return;
  constexpr int lane_bytes = 16;
  constexpr int block_element = 2;
  const DType dtype = tile(load.from.tile).dtype;
  const int bytes = load.from.vector * size_of(dtype);
  require(bytes == lane_bytes, "ldmatrix reads 16 bytes a lane, not " + std::to_string(bytes) + "; of " +
                                   std::string(name(dtype)) + " that is " +
                                   std::to_string(lane_bytes / size_of(dtype)) + " elements");
  require(load.how != SharedRead::ldmatrix_trans || size_of(dtype) == block_element,
          "ldmatrix transposes blocks of 16-bit elements, not of " + std::string(name(dtype)));
  require(!load.from.peer, "ldmatrix reads its own CTA's shared memory only");
}

void ProgramChecker::check(const StoreShared& store) {
  check(store.to);
  check(store.from);
  check_layout(store.origin_row, "the row of the origin");
  check_layout(store.origin_column, "the column of the origin");
}

void ProgramChecker::check(const LoadConstant& load) {
  check(load.into);
  if (load.address) check(*load.address);
}

void ProgramChecker::check(const AtomicAdd& atomic) {
  check(atomic.from);
  if (atomic.into) check(*atomic.into);
  if (check(atomic.to)) check_added(buffer(atomic.to.buffer).dtype);
}

void ProgramChecker::check_added(DType dtype) {
  constexpr std::array added{DType::fp64, DType::fp32, DType::tf32, DType::bf16, DType::fp16, DType::int32};
  require(std::find(added.begin(), added.end(), dtype) != added.end(),
          "atomics add fp64, fp32 (tf32 as such), bf16, fp16 or int32, not " + std::string(name(dtype)));
}

void ProgramChecker::check(const CopyAsync& copy) {
  require(!copy.to.peer, "cp.async writes to its own CTA's shared memory only");
  if (!check(copy.from) || !check(copy.to)) return;
  const int element = size_of(buffer(copy.from.buffer).dtype);
  require(element == size_of(tile(copy.to.tile).dtype) && copy.from.vector == copy.to.vector,
          "cp.async copies elements as they are: both sides need the same type and vector");
  const int bytes = element * copy.from.vector;
  require(bytes == 4 || bytes == 8 || bytes == 16,
          "cp.async copies 4, 8 or 16 bytes a lane, not " + std::to_string(bytes));
}

void ProgramChecker::check(const WaitGroup& wait) {
  require(wait.pending >= 0, "a number of pending groups is not negative");
}

void ProgramChecker::check(const WarpgroupWait& wait) {
  require(wait.pending >= 0, "a number of pending groups is not negative");
}

void ProgramChecker::check(const BulkWait& wait) {
  require(wait.pending >= 0, "a number of pending groups is not negative");
}

void ProgramChecker::check(const BarrierArrive& arrive) {
  check(arrive.at);
  if (arrive.peer) check_peer(*arrive.peer, "mbarrier");
  require(arrive.expect.count() >= 0 && arrive.expect.count() <= most_expected,
          "an arrival expects 0 to " + std::to_string(most_expected) + " bytes");
}

void ProgramChecker::check(const BarrierWait& wait) {
  check(wait.at);
  check_of_warp(wait.phase, "the phase");
}

void ProgramChecker::check(const Multiply& multiply) {
  for (const Token token : {multiply.a, multiply.b, multiply.c}) check(token);
  require(multiply.pipe == Pipe::tensor || multiply.pipe == Pipe::fma,
          "a multiplication runs on the tensor or fma pipe, not " + std::string(name(multiply.pipe)));
  require(multiply.pipe == Pipe::tensor || (is_storable(multiply.input) && !multiply.sparse),
          "the fma pipe multiplies neither sparse fragments nor those of int4 or b1");
  const MmaShape& shape = multiply.shape;
  for (const int extent : {shape.m, shape.n, shape.k})
    require(extent >= 1 && extent <= 1024, "an instruction's extents are 1 to 1024");
  if (!multiply.reads) return;
  require(multiply.pipe == Pipe::fma, "the register banks' reads are those of the fma pipe");
  require(multiply.reads->operands >= 0 && multiply.reads->operands <= most_count &&
              multiply.reads->instructions >= 1 && multiply.reads->instructions <= most_count,
          "a bank delivers 0 to " + std::to_string(most_count) + " operands over 1 to " + std::to_string(most_count) +
              " instructions");
}

void ProgramChecker::check(const WarpgroupMultiply& multiply) {
  constexpr std::array multiplied{DType::fp16, DType::bf16, DType::tf32, DType::fp8, DType::int8};
  constexpr int depth_bytes = 32;
  constexpr int group = 4;
  check(multiply.c);
  require(first_warp_ % group == 0 && role_.warps % group == 0,
          "wgmma needs whole warp groups: the role's warps, and those before it, are multiples of 4");
  require(!guard_ || !guard_->value.depends_on(Coordinate::warp),
          "the four warps of a group issue a wgmma together: its guard may not depend on warp");
  if (std::find(multiplied.begin(), multiplied.end(), multiply.input) == multiplied.end())
    return require(false, "wgmma multiplies fp16, bf16, tf32, fp8 or int8, not " + std::string(name(multiply.input)));
  const MmaShape& shape = multiply.shape;
  const int depth = (multiply.metadata ? 2 : 1) * depth_bytes / size_of(multiply.input);
  if (multiply.metadata) check(*multiply.metadata, multiply.input);
  require(shape.m == 64 && shape.k == depth, (multiply.metadata ? "a sparse wgmma of " : "a wgmma of ") +
                                                 std::string(name(multiply.input)) + " has m 64 and k " +
                                                 std::to_string(depth) + ", not m " + std::to_string(shape.m) +
                                                 " and k " + std::to_string(shape.k));
  require(shape.n >= 8 && shape.n <= 256 && shape.n % 8 == 0,
          "a wgmma has n 8 to 256 in steps of 8, not " + std::to_string(shape.n));
  check_transposed(multiply);
  check_operand(multiply.b, multiply, multiply.b_transposed, "b");
  if (const auto* fragment = std::get_if<Token>(&multiply.a))
    check(*fragment);
  else
    check_operand(std::get<SharedAccess>(multiply.a), multiply, multiply.a_transposed, "a");
}

void ProgramChecker::check(const Metadata& metadata, DType input) {
  check(metadata.fragment);
  require(metadata.words == 1 || metadata.words == 2 || metadata.words == 4,
          "1, 2 or 4 words of metadata of a row lie side by side, not " + std::to_string(metadata.words));
  require(size_of(input) == 2, "a sparse wgmma multiplies fp16 or bf16, not " + std::string(name(input)));
}

void ProgramChecker::check_transposed(const WarpgroupMultiply& multiply) {
  constexpr int transposed_element = 2;
  if (!multiply.a_transposed || std::holds_alternative<Token>(multiply.a)) return;
  require(size_of(multiply.input) == transposed_element,
          "wgmma reads a transposed a of 16-bit types only from shared memory, not of " +
              std::string(name(multiply.input)));
}

void ProgramChecker::check(const Scale& scale) {
  check(scale.c);
  if (scale.source) check(*scale.source);
  if (scale.bias) check(*scale.bias);
  if (scale.factors) check(*scale.factors);
  require(scale.source || !scale.factors, "factors are the source's, and there is none");
  require(std::isfinite(scale.alpha) && std::isfinite(scale.beta), "alpha and beta must be finite");
}

void ProgramChecker::check(const BlockFactors& factors) {
  check(factors.rows);
  check(factors.columns);
  require(factors.width >= 1, "blocks have a column or more, not " + std::to_string(factors.width));
  for (const auto& [layout, what] : {std::pair<const Layout*, const char*>{&factors.before, "what lies before c"},
                                     std::pair<const Layout*, const char*>{&factors.k, "the factors' column"}}) {
    if (!check_layout(*layout, what)) continue;
    require(!layout->depends_on(Coordinate::lane) && !layout->depends_on(Coordinate::repeat),
            std::string(what) + " depends on neither lane nor repeat");
  }
}

void ProgramChecker::check(const Arithmetic& arithmetic) {
  for (const Token token : arithmetic.reads) check(token);
  if (arithmetic.writes) check(*arithmetic.writes);
  require(static_cast<std::int64_t>(arithmetic.reads.size()) <= most_reads,
          "arithmetic reads at most " + std::to_string(most_reads) + " fragments");
  require(arithmetic.pipe != Pipe::tensor, "the tensor pipe multiplies only");
}

void ProgramChecker::check(const ClusterBarrier&) {
  require(schedule_.cluster > 1, "a cluster barrier needs a cluster of more than one CTA");
}

void ProgramChecker::check(const GridBarrier&) {
  require(around_ == Walk::none, "CTAs make different numbers of trips in a walk: a grid barrier may not stand in one");
  require(!guard_ || !guard_->value.depends_on(Coordinate::warp),
          "a CTA's warps meet before a grid barrier: its guard may not depend on warp");
}

void ProgramChecker::check(const RegisterReallocate& reallocate) {
  constexpr int least = 24;
  constexpr int most = 256;
  constexpr int step = 8;
  const int registers = reallocate.registers;
  require(registers >= least && registers <= most && registers % step == 0,
          "setmaxnreg gives a thread 24 to 256 registers in steps of 8, not " + std::to_string(registers) + "; " +
              std::to_string(std::clamp(registers / step * step, least, most)) + " would do");
  require(!guard_ || !guard_->value.depends_on(Coordinate::warp),
          "the role's warps change their registers together: the guard may not depend on warp");
}

void ProgramChecker::check(const Map& map) {
  check(map.into);
  check(map.a);
  if (map.b) check(*map.b);
  require(map.pipe != Pipe::tensor, "the tensor pipe multiplies only");
  require(std::isfinite(map.alpha) && std::isfinite(map.beta) && std::isfinite(map.term),
          "alpha, beta and the term must be finite");
  check(map.dealing);
  for (const std::optional<Layout>& bound : {map.columns, map.diagonal}) {
    if (!bound || !check_layout(*bound, "where elements end")) continue;
    require(!bound->depends_on(Coordinate::lane) && !bound->depends_on(Coordinate::repeat),
            "where elements end depends on neither lane nor repeat");
  }
}

void ProgramChecker::check(const Reduce& reduce) {
  check(reduce.into);
  check(reduce.from);
  require(reduce.pipe == Pipe::fma || reduce.pipe == Pipe::alu,
          "elements are added up on the fma or alu pipe, not on " + std::string(name(reduce.pipe)));
  check(reduce.dealing);
}

void ProgramChecker::check(const Shuffle& shuffle) {
  constexpr int lanes = 32;
  check(shuffle.into);
  check(shuffle.from);
  require(shuffle.distance >= 1 && shuffle.distance < lanes,
          "a lane shuffles with one 1 to 31 away, not " + std::to_string(shuffle.distance));
}

void ProgramChecker::check(const TransposeMatrices& transpose) { check(transpose.fragment); }

void ProgramChecker::check(const Dealing& dealing) {
  constexpr int most = 1024;
  require(dealing.vector >= 1 && dealing.vector <= most && dealing.slots >= 1 && dealing.slots <= most,
          "elements are dealt to 1 to 1024 slots, 1 to 1024 at a time");
}

void ProgramChecker::check(Token token) { there(token.index(), role_.program.tokens, "fragment"); }

void ProgramChecker::check(const BarrierSlot& at) {
  if (check_of_warp(at.slot, "the slot") && there(at.barrier.index(), schedule_.barriers, "barrier"))
    check_index(at.slot, schedule_.barriers[static_cast<std::size_t>(at.barrier.index())].slots, {}, "the slot");
}

}  // namespace gpusim::schedule
