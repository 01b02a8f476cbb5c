#include "gpusim/program.h"

#include <doctest/doctest.h>

#include "support/decode_cases.h"

namespace gpusim::program_test {

using testing::of_warp;

namespace {

void append(std::vector<Statement>& body, Action action, std::int64_t count = 1, std::optional<Bound> guard = {}) {
  body.emplace_back(Operation{std::move(action), count, std::move(guard)});
}

}  // namespace

TEST_CASE("loops and counts are expanded when instructions are counted") {
  Program program;
  append(program.body, CommitGroup{}, 2);
  Loop inner{5, {}};
  append(inner.body, Arithmetic{}, 3);
  Loop outer{7, {}};
  append(outer.body, CtaBarrier{}, 1);
  outer.body.emplace_back(inner);
  program.body.emplace_back(outer);
  CHECK(instruction_count(program) == 2 + 7 * (1 + 5 * 3));
}

TEST_CASE("a guard on the loop counts the trips at which it holds") {
  Program program;
  Loop loop{10, {}};
  append(loop.body, CommitGroup{}, 4, Bound{along(Coordinate::loop0) + 3, 10});
  program.body.emplace_back(loop);
  CHECK(instruction_count(program) == 4 * (10 - 3));
}

TEST_CASE("a guard that comes and goes with the loop is counted trip by trip") {
  Program program;
  Loop loop{10, {}};
  append(loop.body, CommitGroup{}, 1, Bound{along(Coordinate::loop0, 1, 1, 4), 1});
  program.body.emplace_back(loop);
  CHECK(instruction_count(program) == 3);  // trips 0, 4, 8
}

TEST_CASE("a guard on two loops at once is counted over both") {
  Program program;
  Loop inner{4, {}};
  append(inner.body, CommitGroup{}, 1, Bound{along(Coordinate::loop0) + along(Coordinate::loop1), 3});
  Loop outer{4, {}};
  outer.body.emplace_back(inner);
  program.body.emplace_back(outer);
  CHECK(instruction_count(program) == 3 + 2 + 1);
}

TEST_CASE("two billion trips are counted without walking them") {
  Program program;
  Loop loop{2'000'000'000, {}};
  append(loop.body, CommitGroup{}, 1, Bound{along(Coordinate::loop0), 1'999'999'999});
  program.body.emplace_back(loop);
  CHECK(instruction_count(program) == 1'999'999'999);
}

TEST_CASE("a guard on the warp holds for some warps only") {
  Program program;
  append(program.body, CommitGroup{}, 6, Bound{along(Coordinate::warp), 4});
  CHECK(instruction_count(program, of_warp(3)) == 6);
  CHECK(instruction_count(program, of_warp(4)) == 0);
}

TEST_CASE("actions are listed under the names assembly has for them") {
  CHECK(name(Action(LoadGlobal{})) == "LDG");
  CHECK(name(Action(CopyAsync{})) == "LDGSTS");
  CHECK(name(Action(Multiply{.pipe = Pipe::fma})) == "FFMA");
  CHECK(name(Action(Multiply{.pipe = Pipe::tensor})) == "HMMA");
  CHECK(name(Action(Multiply{.pipe = Pipe::tensor, .input = DType::int8})) == "IMMA");
  CHECK(name(Action(Multiply{.pipe = Pipe::tensor, .input = DType::int4, .sparse = true})) == "IMMA.SP");
  CHECK(name(Action(Multiply{.pipe = Pipe::tensor, .input = DType::b1, .accumulate = DType::int32})) == "BMMA");
  CHECK(name(Action(LoadGlobal{.bypass_l1 = true})) == "LDG.CG");
  CHECK(name(Action(CopyAsync{.through_l1 = true})) == "LDGSTS.CA");
  CHECK(name(Action(LoadConstant{})) == "LDC");
  CHECK(name(Action(AtomicAdd{})) == "RED");
  CHECK(name(Action(AtomicAdd{.into = Token(0)})) == "ATOM");
  CHECK(name(Action(LoadShared{.from = {.peer = Layout(1)}})) == "LDS.CLUSTER");
  CHECK(name(Action(StoreShared{.to = {.peer = Layout(1)}})) == "STS.CLUSTER");
  CHECK(name(Action(WarpgroupMultiply{})) == "WGMMA");
  CHECK(name(Action(WarpgroupCommit{})) == "WGMMA.COMMIT");
  CHECK(name(Action(WarpgroupWait{})) == "WGMMA.WAIT");
  CHECK(name(Action(ClusterBarrier{})) == "BARRIER.CLUSTER");
  CHECK(name(Action(LoadShared{.how = SharedRead::ldmatrix})) == "LDSM");
  CHECK(name(Action(LoadShared{.how = SharedRead::ldmatrix_trans})) == "LDSM.T");
  CHECK(name(Action(BulkCopy{.multicast = Multicast::along_m})) == "UTMALDG.MULTICAST");
  CHECK(name(Action(BulkStore{})) == "UTMASTG");
  CHECK(name(Action(BulkStore{.reduce = true})) == "UTMAREDG");
  CHECK(name(Action(BulkCommit{})) == "UTMACMDFLUSH");
  CHECK(name(Action(BulkWait{})) == "UTMACMDWAIT");
  CHECK(name(Action(BarrierArrive{.peer = Layout(0)})) == "SYNCS.ARRIVE.CLUSTER");
  CHECK(name(Action(Scale{})) == "FMUL");
  CHECK(name(Action(Scale{.bias = Token(0)})) == "FFMA.SCALE");
  CHECK(name(Action(GridBarrier{})) == "BARRIER.GRID");
  CHECK(name(Action(RegisterReallocate{})) == "USETMAXREG");
}

TEST_CASE("a listing has one operation a line, loops indented, layouts in readable form") {
  Program program;
  const Token a = program.token("a");
  Loop loop{3, {}, true};
  append(loop.body,
         LoadShared{{TileId(1),
                     along(Coordinate::loop0, 1, 1, 4, 3),
                     along(Coordinate::lane, 1, 4) + 8,
                     along(Coordinate::lane, 2, 1, 4),
                     2,
                     {}},
                    a},
         4);
  append(loop.body, CtaBarrier{}, 1, Bound{along(Coordinate::warp), 2});
  program.body.emplace_back(loop);
  CHECK(to_string(program) ==
        "for loop0 < 3:  ; a k tile a trip\n"
        "     4 x LDS          a, tile1{(loop0 + 3)%4}[lane/4 + 8, 2*(lane%4)] x2\n"
        "         BAR  ; if warp < 2\n");
}

TEST_CASE("a listing shows where addresses come from, whose memory is meant, and what is multiplied") {
  Program program;
  const Token a = program.token("a");
  const Token c = program.token("c");
  SharedAccess peer{.tile = TileId(0), .address = a, .uniform = true, .peer = along(Coordinate::block_m) + 1};
  WarpgroupMultiply multiply{.a = a, .b = {.tile = TileId(1), .row = along(Coordinate::lane), .vector = 64}, .c = c};
  multiply.shape.n = 64;
  append(program.body, LoadConstant{c, a});
  append(program.body, LoadShared{peer, a});
  append(program.body, AtomicAdd{{.buffer = BufferId(0)}, a, c});
  append(program.body, multiply, 4);
  append(program.body, WarpgroupWait{1});
  append(program.body, ClusterBarrier{true});
  append(program.body, BulkCopy{.rows = 8, .columns = 16, .rank = 3, .planes = 4, .plane_rows = 32});
  CHECK(to_string(program) ==
        "       LDC          c, at a\n"
        "       LDS.CLUSTER  a, tile0{0}[0, 0] at a uniform of CTA block_m + 1\n"
        "       ATOM         c, buffer0[0, 0], a\n"
        "   4 x WGMMA        c, a, tile1{0}[lane, 0] x64, m64n64k16.fp32.fp16\n"
        "       WGMMA.WAIT   1\n"
        "       BARRIER.CLUSTER relaxed\n"
        "       UTMALDG      tile0{0}, buffer0[0, 0] 4 (32 rows apart) x 8x16 of rank 3, barrier0{0}\n");
}

TEST_CASE("a listing shows walks, layers, boxes and where they go, what is transposed and what is done to results") {
  Program program;
  const Token a = program.token("a");
  const Token c = program.token("c");
  Loop k{8, {}, true, Walk::k_tiles};
  append(k.body, LoadGlobal{.from = {.buffer = BufferId(0), .layer = along(Coordinate::block_z)},
                            .into = a,
                            .origin_column = along(Coordinate::k_begin, 32)});
  append(
      k.body,
      BulkCopy{.rows = 8, .columns = 16, .tile_row = along(Coordinate::block_m, 8), .multicast = Multicast::along_n});
  append(k.body,
         Multiply{.pipe = Pipe::fma, .a = a, .b = a, .c = c, .a_transposed = true, .reads = RegisterReads{3, 2}}, 64);
  append(k.body, BarrierArrive{.peer = along(Coordinate::warp)});
  Loop items{4, {}, false, Walk::items};
  items.body.emplace_back(k);
  append(items.body, Scale{.c = c, .bias = a, .activation = Activation::gelu}, 2, Bound{along(Coordinate::partial), 1});
  append(items.body, BulkStore{.tile_row = 8, .rows = 8, .columns = 16, .layer = 1, .reduce = true});
  append(items.body, BulkWait{1});
  program.body.emplace_back(items);
  append(program.body, RegisterReallocate{240});
  CHECK(to_string(program) ==
        "for loop0 over work items:\n"
        "  for loop1 over k tiles:  ; a k tile a trip\n"
        "           LDG          a, buffer0[0, 0] layer block_z from [0, 32*k_begin]\n"
        "           UTMALDG.MULTICAST tile0{0}[8*block_m], buffer0[0, 0] 8x16, barrier0{0}, to those along n\n"
        "      64 x FFMA         c, a^T, a.fp32.fp16, a bank reads 3 in 2\n"
        "           SYNCS.ARRIVE.CLUSTER barrier0{0} of CTA warp\n"
        "     2 x FFMA.SCALE   c, 1*c + a, gelu  ; if partial < 1\n"
        "         UTMAREDG     buffer0[0, 0] layer 1, tile0{0}[8] 8x16\n"
        "         UTMACMDWAIT  1\n"
        "       USETMAXREG   240\n");
}

TEST_CASE("without a schedule, walks are counted at the most that they make") {
  Program program;
  Loop k{5, {}, true, Walk::k_tiles};
  append(k.body, CommitGroup{}, 3);
  Loop items{2, {}, false, Walk::items};
  items.body.emplace_back(k);
  program.body.emplace_back(items);
  CHECK(instruction_count(program) == 2 * 5 * 3);
}

}  // namespace gpusim::program_test
