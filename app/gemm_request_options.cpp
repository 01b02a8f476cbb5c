#include "gemm_request_options.h"

#include "option_values.h"

namespace app {

namespace {

using namespace gpusim::schedules;
using gpusim::TileOrder;

constexpr Range count_range{1, 1 << 16};
constexpr Range register_range{1, 4096};
constexpr Range stage_range{1, 1024};
constexpr Range overhead_range{0, 1 << 16};
constexpr Range piece_range{0, 1024};
constexpr Range unroll_range{1, 1024};
constexpr Range cta_range{1, std::int64_t{1} << 31};

bool is_auto(const Options& options, const char* name) { return options.value(name) == "auto"; }

std::optional<GemmVariant> variant(const Options& options, Problems& problems) {
  Words<std::optional<GemmVariant>> words{{"auto", std::nullopt}};
  constexpr auto names = names_of(GemmVariant{});
  for (std::size_t i = 0; i < names.size(); ++i) words.emplace_back(names[i], static_cast<GemmVariant>(i));
  return word_option(options, "schedule", "schedule", words, problems).value_or(std::nullopt);
}

void read_cut(const Options& options, GemmRequest& request, Problems& problems) {
  if (!is_auto(options, "tile")) request.tile = tile_option(options, "tile", problems).value_or(GemmTile{});
  request.variant = variant(options, problems);
  request.instruction = instruction_option(options, "instruction", problems);
  request.warp_tile = shape_option(options, "warp-tile", count_range, problems);
  request.thread_tile = shape_option(options, "thread-tile", count_range, problems);
  request.cta_slices = small_number_option(options, "cta-slices", count_range, problems);
  request.order_m = word_option<ElementOrder>(options, "order-m", "order", problems);
  request.order_n = word_option<ElementOrder>(options, "order-n", "order", problems);
  request.pair_lanes = yes_option(options, "pair-lanes", problems);
  request.fragment_k = small_number_option(options, "fragment-k", count_range, problems);
  request.registers = small_number_option(options, "registers", register_range, problems);
  request.reserved = small_number_option(options, "reserved", {0, std::int64_t{1} << 20}, problems);
}

void read_operands(const Options& options, GemmRequest& request, Problems& problems) {
  request.vector_a = small_number_option(options, "vector-a", count_range, problems);
  request.vector_b = small_number_option(options, "vector-b", count_range, problems);
  request.copy_lanes_a = small_number_option(options, "copy-lanes-a", count_range, problems);
  request.copy_lanes_b = small_number_option(options, "copy-lanes-b", count_range, problems);
  request.read_a = small_number_option(options, "read-a", count_range, problems);
  request.read_b = small_number_option(options, "read-b", count_range, problems);
  request.shared_a = word_option<SharedLayout>(options, "shared-a", "layout", problems);
  request.shared_b = word_option<SharedLayout>(options, "shared-b", "layout", problems);
  request.transpose_a = switch_option(options, "transpose-a", problems);
  request.transpose_b = switch_option(options, "transpose-b", problems);
  request.stage_a = yes_option(options, "stage-a", problems);
  request.stage_b = yes_option(options, "stage-b", problems);
  request.overfetch = yes_option(options, "overfetch", problems);
  request.through_local = yes_option(options, "through-local", problems);
  request.reuse_operands = yes_option(options, "reuse-operands", problems);
  request.ldmatrix = yes_option(options, "ldmatrix", problems);
  request.matrices_a = small_number_option(options, "matrices-a", count_range, problems);
  request.matrices_b = small_number_option(options, "matrices-b", count_range, problems);
}

void read_pipeline(const Options& options, GemmRequest& request, Problems& problems) {
  request.stages = small_number_option(options, "stages", stage_range, problems);
  request.prefetch = switch_option(options, "prefetch", problems);
  request.load_batch = small_number_option(options, "load-batch", count_range, problems);
  request.index_overhead = small_number_option(options, "index-overhead", overhead_range, problems);
  request.double_buffer = switch_option(options, "double-buffer", problems);
  request.unroll = small_number_option(options, "unroll", unroll_range, problems);
  request.interleave = yes_option(options, "interleave", problems);
  request.whole_lines = yes_option(options, "whole-lines", problems);
  request.carry_over = yes_option(options, "carry-over", problems);
  request.promote = switch_option(options, "promote", problems);
  request.specialize = switch_option(options, "specialize", problems);
  request.swap_ab = switch_option(options, "swap-ab", problems);
  request.consumers = small_number_option(options, "consumers", count_range, problems);
  request.pingpong = switch_option(options, "pingpong", problems);
  request.stmatrix = switch_option(options, "stmatrix", problems);
  request.consumers_arrive = switch_option(options, "consumers-arrive", problems);
  request.producer_registers = small_number_option(options, "producer-registers", register_range, problems);
  request.consumer_registers = small_number_option(options, "consumer-registers", register_range, problems);
  request.cluster = shape_option(options, "cluster", count_range, problems);
  request.multicast = yes_option(options, "multicast", problems);
  request.multicast_by = word_option<MulticastBy>(options, "multicast-by", "bringer", problems);
}

void read_grid(const Options& options, GemmRequest& request, Problems& problems) {
  request.ctas = number_option(options, "ctas", cta_range, problems);
  request.persistent = options.has("persistent");
  request.consecutive = switch_option(options, "consecutive", problems);
  request.order = word_option<TileOrder>(options, "tile-order", "order", problems);
  request.group = number_option(options, "group", count_range, problems);
  request.split_k = small_number_option(options, "split-k", count_range, problems);
  request.reduction = word_option<SplitReduction>(options, "reduction", "reduction", problems);
  request.stream_k = switch_option(options, "stream-k", problems);
  request.epilogue = word_option<Epilogue>(options, "epilogue", "epilogue", problems);
  request.epilogue_columns = small_number_option(options, "epilogue-columns", piece_range, problems);
}

}  // namespace

std::vector<OptionGroup> gemm_request_option_groups() {
  return {
      {"How it is cut",
       {{"schedule", "NAME",
         "naive, coalesced, simt, tensor, async, tma or wgmma (default: the best the GPU has); auto: chosen by trying"},
        {"tile", "T|MxNxK",
         "block of C that a CTA computes, and its step through k; T is TxTx32 (default 128); auto: chosen by trying"},
        {"warp-tile", "MxN", "part of it that is one warp's (default: as square as possible)"},
        {"thread-tile", "MxN", "simt: part of it that is one thread's"},
        {"cta-slices", "N", "simt, tensor, async: groups of a CTA's warps that share out each step's k (default 1)"},
        {"order-m", "ORDER",
         "simt: rows a thread has: automatic (default: strided; int8: vectors), strided, vectors or contiguous"},
        {"order-n", "ORDER", "the same of columns (automatic: vectors)"},
        {"pair-lanes", "yes|no", "simt: lanes go two rows down before the next column (default no)"},
        {"instruction", "SHAPE", "of the tensor core, as m16n8k16 or m64n256k16 (default: the GPU's)"},
        {"fragment-k", "N", "elements of k read from shared memory at a time"},
        {"registers", "N", "registers a thread (default: an estimate)"},
        {"reserved", "BYTES", "of shared memory a CTA asks for beside what it uses (default 0)"}}},
      {"Operands",
       {{"vector-a", "N", "elements of A a lane moves at a time from global memory (default 16 bytes)"},
        {"vector-b", "N", "the same of B"},
        {"copy-lanes-a", "N", "simt: threads side by side along a row of A that is copied, each a run of elements"},
        {"copy-lanes-b", "N", "the same of B"},
        {"shared-a", "LAYOUT",
         "of A in shared memory: automatic (default: free of conflicts), plain, padded, swizzle32, swizzle64, "
         "swizzle128"},
        {"shared-b", "LAYOUT", "of B"},
        {"read-a", "N", "simt: elements of A a lane reads from shared memory at a time (default 16 bytes)"},
        {"read-b", "N", "the same of B"},
        {"transpose-a", "", "simt, tensor: A lies in shared memory with m along its rows"},
        {"transpose-b", "", "the same of B, with n along its rows"},
        {"stage-a", "yes|no", "simt, tensor: A goes through shared memory (default yes)"},
        {"stage-b", "yes|no", "the same of B"},
        {"overfetch", "yes|no", "simt: threads a tile has no vector for load one from beyond it (default no)"},
        {"through-local", "yes|no",
         "simt, tensor: what is loaded goes through local memory on its way to shared memory (default no)"},
        {"reuse-operands", "yes|no", "simt: FFMAs take what the one before read from the reuse cache (default yes)"},
        {"ldmatrix", "yes|no", "fragments are read by ldmatrix, else by LDS (default: where the GPU has it)"},
        {"matrices-a", "N", "8x8 matrices of A that an ldmatrix reads at most: 4, 2 or 1 (default 4)"},
        {"matrices-b", "N", "the same of B"}}},
      {"Pipeline",
       {{"stages", "N", "buffers in shared memory (default: what fits, at most 4)"},
        {"prefetch", "", "simt, tensor: the next tile is loaded into registers meanwhile"},
        {"load-batch", "N", "tensor: loads of an operand a lane has on their way at a time (default: a tile's)"},
        {"index-overhead", "N", "integer instructions a k tile beyond pointers' steps (default 0)"},
        {"whole-lines", "yes|no", "simt, tensor, async: L2 fetches whole lines from DRAM (default no)"},
        {"double-buffer", "", "the next fragments are read while these are multiplied"},
        {"no-double-buffer", "", "they are not (default: as the schedule usually has it)"},
        {"unroll", "N",
         "simt, double-buffer: steps in an iteration of the loop, with no carry-over (default a tile's)"},
        {"carry-over", "yes|no", "double-buffer: so are the next tile's first (default yes)"},
        {"interleave", "yes|no",
         "simt, tensor, async, double-buffer: reads and copies are issued among multiplications (default no)"},
        {"specialize", "", "tma, wgmma: a producer warp issues the copies"},
        {"no-specialize", "", "none does (default: as the schedule usually has it)"},
        {"consumers", "N", "wgmma: warp groups that multiply (default 2 where 128 divides the tile's m, else 1)"},
        {"pingpong", "", "wgmma, persistent: two groups of consumers take tiles in turns, each whole ones"},
        {"no-pingpong", "", "the groups share tiles (default)"},
        {"consumers-arrive", "",
         "specialize: consumers arrive at full stages' mbarriers too, and so wait for each other"},
        {"no-consumers-arrive", "", "they do not (default)"},
        {"swap-ab", "", "wgmma: C's transpose is worked out, rows of the tile along n"},
        {"no-swap-ab", "", "it is not (default: as the layout needs it)"},
        {"promote", "", "wgmma: the sums of each k tile are added to others on the FMA pipe"},
        {"no-promote", "", "they are not (default)"},
        {"producer-registers", "N", "wgmma: what setmaxnreg leaves the producer"},
        {"consumer-registers", "N", "wgmma: what it gives the consumers"},
        {"cluster", "MxN", "CTAs of a cluster along m and n (default 1x1)"},
        {"multicast", "yes|no", "tma, wgmma: CTAs of a cluster bring shared operands for each other (default yes)"},
        {"multicast-by", "WHO",
         "each (default): each brings a part of what is shared; first: the first brings it all"}}},
      {"Grid and result",
       {{"ctas", "N", "persistent: so many CTAs walk the tiles"},
        {"persistent", "", "as many as the GPU holds at a time"},
        {"consecutive", "", "persistent: each walks neighbouring tiles"},
        {"tile-order", "ORDER", "row (default), column, grouped or hilbert"},
        {"group", "N", "rows of tiles in a band of --tile-order grouped (default 8)"},
        {"split-k", "N", "slices of k, each with CTAs of its own (default 1)"},
        {"reduction", "HOW", "of the slices: kernel (default) or atomics"},
        {"stream-k", "", "with --ctas or --persistent: all k tiles are dealt out evenly"},
        {"epilogue", "HOW", "how C leaves the registers: direct (default), staged or tma"},
        {"epilogue-columns", "N", "wgmma, epilogue tma: columns of C that leave at a time (default 0: all)"},
        {"stmatrix", "", "wgmma, epilogue tma: C's elements of 16 bits reach shared memory as 8x8 matrices"},
        {"no-stmatrix", "", "they do in pairs, or, with swap-ab, one by one (default)"}}}};
}

GemmRequest read_gemm_request(const Options& options, Problems& problems) {
  GemmRequest request;
  read_cut(options, request, problems);
  read_operands(options, request, problems);
  read_pipeline(options, request, problems);
  read_grid(options, request, problems);
  return request;
}

bool is_chosen_by_trying(const Options& options) { return is_auto(options, "schedule") || is_auto(options, "tile"); }

std::optional<GemmTile> fixed_tile(const Options& options, const GemmRequest& request) {
  if (!options.has("tile") || is_auto(options, "tile")) return std::nullopt;
  return request.tile;
}

}  // namespace app
