// gpusim/schedules/gemm.h
#include "gpusim/schedules/gemm.h"

#include "bindings.h"
#include "gpusim/tune.h"
#include "record.h"

namespace bindings {

namespace {

using namespace gpusim::schedules;

void bind_problem(py::module_& module) {
  bind_choices<GemmProblem>(
      module, "GemmProblem", "C = activation(alpha A B + beta C + bias), with A m x k, B k x n and C m x n, row-major.",
      member("m", &GemmProblem::m, "Rows of A and C."), member("n", &GemmProblem::n, "Columns of B and C."),
      member("k", &GemmProblem::k, "Columns of A, rows of B."),
      member("dtype", &GemmProblem::dtype, "Type of A and B."),
      member("accumulate", &GemmProblem::accumulate, "Type of the sums."),
      member("result", &GemmProblem::result, "Type of C and bias; None: that of A and B."),
      member("alpha", &GemmProblem::alpha, "Factor of the product."),
      member("beta", &GemmProblem::beta, "Factor of what C holds before."),
      member("layout", &GemmProblem::layout, "nn, nt, tn or tt: of A, then B; t: it is stored transposed."),
      member("batch", &GemmProblem::batch, "Products of equal shape."),
      member("batch_interleave", &GemmProblem::batch_interleave,
             "Rows of A and C of so many products lie by turns, as a token's heads do; 1: they do not."),
      member("bias", &GemmProblem::bias, "A vector of n elements is added to every row."),
      member("activation", &GemmProblem::activation, "none, relu, gelu or silu."),
      member("sparse", &GemmProblem::sparse, "A is 2:4 sparse."),
      member("block_scales", &GemmProblem::block_scales,
             "wgmma of fp8: 1 x 128 blocks of A and 128 x 128 of B have a factor of fp32 each."));
}

void bind_tiling(py::module_& module) {
  bind_choices<GemmTiling>(
      module, "GemmTiling", "How the product is cut and scheduled. choose() fills one in for a GPU.",
      member("tile", &GemmTiling::tile,
             "(m, n, k): block of C a CTA computes, and its step through k. T is (T, T, 32)."),
      member("variant", &GemmTiling::variant, "naive, coalesced, simt, tensor, async, tma or wgmma."),
      member("stages", &GemmTiling::stages, "Buffers in shared memory; 0: 4, of simt and tensor 1."),
      member("specialize", &GemmTiling::specialize, "tma, wgmma: a producer warp issues the copies."),
      member("fragment_k", &GemmTiling::fragment_k,
             "k elements read from shared memory at a time; 0: 16 bytes for simt, tile k for the others."),
      member("registers", &GemmTiling::registers, "Registers a thread; 0: an estimate."),
      member("reserved", &GemmTiling::reserved, "Bytes of shared memory a CTA asks for beside what it uses."),
      member("instruction", &GemmTiling::instruction, "(m, n, k) of a tensor-core instruction."),
      member("warp_tile", &GemmTiling::warp_tile, "(m, n) of C, one warp's; (0, 0): as square as possible."),
      member("thread_tile", &GemmTiling::thread_tile, "simt: (m, n) of C, one thread's."),
      member(
          "cta_slices", &GemmTiling::cta_slices,
          "simt, tensor, async: groups of a CTA's warps that multiply parts of each k tile, as sliced-K kernels do."),
      member("order_m", &GemmTiling::order_m,
             "simt: which rows of a thread tile a thread has: automatic, strided, vectors or contiguous."),
      member("order_n", &GemmTiling::order_n, "The same for columns."),
      member("vector_a", &GemmTiling::vector_a,
             "Elements of A a lane moves at a time from global memory; 0: 16 bytes where rows allow it."),
      member("vector_b", &GemmTiling::vector_b, "The same for B."),
      member("copy_lanes_a", &GemmTiling::copy_lanes_a,
             "simt: threads that copy A side by side along its rows, each a run of elements; 0: neighbouring vectors."),
      member("copy_lanes_b", &GemmTiling::copy_lanes_b, "The same for B."),
      member("pair_lanes", &GemmTiling::pair_lanes,
             "simt: lanes are numbered two rows down before the next column, as CUTLASS has them."),
      member("read_a", &GemmTiling::read_a,
             "simt: elements of A a lane reads from shared memory at a time; 0: 16 bytes."),
      member("read_b", &GemmTiling::read_b, "The same for B."),
      member("shared_a", &GemmTiling::shared_a,
             "How A lies in shared memory: automatic, plain, padded, swizzle32, swizzle64 or swizzle128."),
      member("shared_b", &GemmTiling::shared_b, "The same for B."),
      member("transpose_a", &GemmTiling::transpose_a, "simt, tensor: A lies in shared memory with m along its rows."),
      member("transpose_b", &GemmTiling::transpose_b, "simt, tensor: B lies in shared memory with n along its rows."),
      member("stage_a", &GemmTiling::stage_a, "simt, tensor: A goes through shared memory."),
      member("stage_b", &GemmTiling::stage_b, "The same for B."),
      member("overfetch", &GemmTiling::overfetch,
             "simt: threads that a tile has no vector for load one from beyond it, and do not store it."),
      member("through_local", &GemmTiling::through_local,
             "simt, tensor: what is loaded goes through local memory on its way to shared memory."),
      member("reuse_operands", &GemmTiling::reuse_operands,
             "simt: an FFMA takes what the one before read from the reuse cache."),
      member("prefetch", &GemmTiling::prefetch,
             "simt, tensor: the next tile is loaded into registers while this one is multiplied."),
      member("load_batch", &GemmTiling::load_batch,
             "tensor: loads of a lane on their way to registers at a time; 0: a whole tile's."),
      member("index_overhead", &GemmTiling::index_overhead,
             "Integer instructions of a warp for each k tile beyond the steps of pointers and loop."),
      member("double_buffer", &GemmTiling::double_buffer,
             "Fragments of the next step are read while this step's are multiplied."),
      member("unroll", &GemmTiling::unroll,
             "simt with double_buffer: steps in one iteration of the compiled loop, inside which fragments are read "
             "ahead; 0: all of a tile's."),
      member("carry_over", &GemmTiling::carry_over, "With double_buffer: the next tile's first fragments too."),
      member("interleave", &GemmTiling::interleave,
             "simt, tensor, async with double_buffer: reads and copies are issued among multiplications."),
      member("whole_lines", &GemmTiling::whole_lines,
             "simt, tensor, async: what L2 lacks comes from DRAM in whole lines; from sm_75 on."),
      member("ldmatrix", &GemmTiling::ldmatrix, "tensor, async, tma: fragments are read by ldmatrix."),
      member("matrices_a", &GemmTiling::matrices_a, "8x8 matrices of A that an ldmatrix reads at most: 4, 2 or 1."),
      member("matrices_b", &GemmTiling::matrices_b, "The same for B."),
      member("swap_ab", &GemmTiling::swap_ab,
             "wgmma: C's transpose is worked out, rows of the tile along n and columns along m."),
      member("consumers", &GemmTiling::consumers, "wgmma: warp groups that multiply."),
      member("pingpong", &GemmTiling::pingpong,
             "wgmma with specialize and ctas: two consumer groups take tiles in turns, each whole ones: one multiplies "
             "while the other's C leaves."),
      member("consumers_arrive", &GemmTiling::consumers_arrive,
             "tma, wgmma with specialize: consumers arrive at the mbarrier of a full stage too, and so wait for each "
             "other."),
      member("promote", &GemmTiling::promote, "wgmma: the sums of each k tile are added to others on the FMA pipe."),
      member("producer_registers", &GemmTiling::producer_registers,
             "wgmma with specialize: registers a thread by setmaxnreg; 0: no setmaxnreg."),
      member("consumer_registers", &GemmTiling::consumer_registers, "The same for consumers."),
      member("cluster", &GemmTiling::cluster, "(m, n): CTAs of a cluster."),
      member("multicast", &GemmTiling::multicast,
             "tma, wgmma in a cluster: CTAs that share an operand bring it for all of them."),
      member("multicast_by", &GemmTiling::multicast_by, "With multicast: each brings a part, or the first all of it."),
      member("ctas", &GemmTiling::ctas, "Persistent CTAs that walk the tiles; 0: one for each tile."),
      member("consecutive", &GemmTiling::consecutive, "Persistent: neighbouring tiles."),
      member("order", &GemmTiling::order, "Of tiles: row, column, grouped or hilbert."),
      member("group", &GemmTiling::group, "Rows of tiles of a band, for the order grouped."),
      member("split_k", &GemmTiling::split_k, "Slices of k."),
      member("reduction", &GemmTiling::reduction, "How slices become one C: kernel or atomics."),
      member("stream_k", &GemmTiling::stream_k, "With ctas: all k tiles dealt evenly."),
      member("epilogue", &GemmTiling::epilogue, "How C leaves the registers: direct, staged or tma."),
      member("epilogue_columns", &GemmTiling::epilogue_columns,
             "wgmma, epilogue tma: columns of C that leave at a time, through two buffers. 0: all."),
      member("stmatrix", &GemmTiling::stmatrix,
             "wgmma, epilogue tma: 16-bit elements of C reach shared memory as 8x8 matrices."))
      .def_property_readonly("summary", &gpusim::summary, "In a line, as a choice's table has it.");
}

void bind_request(py::module_& module) {
  bind_choices<GemmRequest>(
      module, "GemmRequest", "What the user fixed; choose() chooses the rest.",
      member("tile", &GemmRequest::tile, "As in GemmTiling."),
      member("variant", &GemmRequest::variant, "None: the best the GPU has: tma, async, tensor, simt."),
      member("stages", &GemmRequest::stages, "None: what shared memory holds, at most 4."),
      member("specialize", &GemmRequest::specialize, "As in GemmTiling; None: chosen."),
      member("registers", &GemmRequest::registers, "None: an estimate."),
      member("reserved", &GemmRequest::reserved, "As in GemmTiling; None: 0."),
      member("fragment_k", &GemmRequest::fragment_k, "None: what fits."),
      member("instruction", &GemmRequest::instruction, "None: the GPU's own for the types."),
      member("warp_tile", &GemmRequest::warp_tile, "As in GemmTiling; None: chosen."),
      member("thread_tile", &GemmRequest::thread_tile, "As in GemmTiling; None: chosen."),
      member("cta_slices", &GemmRequest::cta_slices, "As in GemmTiling; None: 1."),
      member("order_m", &GemmRequest::order_m, "As in GemmTiling; None: chosen."),
      member("order_n", &GemmRequest::order_n, "As in GemmTiling; None: chosen."),
      member("vector_a", &GemmRequest::vector_a, "As in GemmTiling; None: chosen."),
      member("vector_b", &GemmRequest::vector_b, "As in GemmTiling; None: chosen."),
      member("copy_lanes_a", &GemmRequest::copy_lanes_a, "As in GemmTiling; None: neighbouring vectors."),
      member("copy_lanes_b", &GemmRequest::copy_lanes_b, "As in GemmTiling; None: neighbouring vectors."),
      member("pair_lanes", &GemmRequest::pair_lanes, "As in GemmTiling; None: false."),
      member("read_a", &GemmRequest::read_a, "As in GemmTiling; None: chosen."),
      member("read_b", &GemmRequest::read_b, "As in GemmTiling; None: chosen."),
      member("shared_a", &GemmRequest::shared_a, "As in GemmTiling; None: chosen."),
      member("shared_b", &GemmRequest::shared_b, "As in GemmTiling; None: chosen."),
      member("transpose_a", &GemmRequest::transpose_a, "As in GemmTiling; None: chosen."),
      member("transpose_b", &GemmRequest::transpose_b, "As in GemmTiling; None: chosen."),
      member("stage_a", &GemmRequest::stage_a, "As in GemmTiling; None: chosen."),
      member("stage_b", &GemmRequest::stage_b, "As in GemmTiling; None: chosen."),
      member("overfetch", &GemmRequest::overfetch, "As in GemmTiling; None: false."),
      member("through_local", &GemmRequest::through_local, "As in GemmTiling; None: false."),
      member("reuse_operands", &GemmRequest::reuse_operands, "As in GemmTiling; None: true."),
      member("prefetch", &GemmRequest::prefetch, "As in GemmTiling; None: chosen."),
      member("load_batch", &GemmRequest::load_batch, "As in GemmTiling; None: a whole tile's."),
      member("index_overhead", &GemmRequest::index_overhead, "As in GemmTiling; None: 0."),
      member("double_buffer", &GemmRequest::double_buffer, "As in GemmTiling; None: chosen."),
      member("unroll", &GemmRequest::unroll, "As in GemmTiling; None: 0."),
      member("carry_over", &GemmRequest::carry_over, "As in GemmTiling; None: true."),
      member("interleave", &GemmRequest::interleave, "As in GemmTiling; None: false, or as a candidate has it."),
      member("whole_lines", &GemmRequest::whole_lines, "As in GemmTiling; None: false."),
      member("ldmatrix", &GemmRequest::ldmatrix, "None: where the GPU has it."),
      member("matrices_a", &GemmRequest::matrices_a, "As in GemmTiling; None: 4."),
      member("matrices_b", &GemmRequest::matrices_b, "As in GemmTiling; None: 4."),
      member("swap_ab", &GemmRequest::swap_ab, "As in GemmTiling; None: where the layout needs it."),
      member("consumers", &GemmRequest::consumers, "As in GemmTiling; None: chosen."),
      member("pingpong", &GemmRequest::pingpong, "As in GemmTiling; None: false."),
      member("consumers_arrive", &GemmRequest::consumers_arrive, "As in GemmTiling; None: false."),
      member("promote", &GemmRequest::promote, "As in GemmTiling; None: false."),
      member("producer_registers", &GemmRequest::producer_registers, "As in GemmTiling; None: chosen."),
      member("consumer_registers", &GemmRequest::consumer_registers, "As in GemmTiling; None: chosen."),
      member("cluster", &GemmRequest::cluster, "As in GemmTiling; None: chosen."),
      member("multicast", &GemmRequest::multicast, "As in GemmTiling; None: chosen."),
      member("multicast_by", &GemmRequest::multicast_by, "As in GemmTiling; None: each."),
      member("ctas", &GemmRequest::ctas, "As in GemmTiling; None: chosen."),
      member("persistent", &GemmRequest::persistent, "As many CTAs as the GPU holds at a time; refused beside ctas."),
      member("consecutive", &GemmRequest::consecutive, "As in GemmTiling; None: chosen."),
      member("order", &GemmRequest::order, "As in GemmTiling; None: chosen."),
      member("group", &GemmRequest::group, "As in GemmTiling; None: chosen."),
      member("split_k", &GemmRequest::split_k, "As in GemmTiling; None: chosen."),
      member("reduction", &GemmRequest::reduction, "As in GemmTiling; None: chosen."),
      member("stream_k", &GemmRequest::stream_k, "As in GemmTiling; None: chosen."),
      member("epilogue", &GemmRequest::epilogue, "As in GemmTiling; None: chosen."),
      member("epilogue_columns", &GemmRequest::epilogue_columns, "As in GemmTiling; None: chosen."),
      member("stmatrix", &GemmRequest::stmatrix, "As in GemmTiling; None: false."));
}

}  // namespace

void bind_gemm(py::module_& module) {
  py::module_ schedules = module.def_submodule("schedules");
  bind_problem(schedules);
  bind_tiling(schedules);
  bind_request(schedules);
  schedules.def("gemm", &gemm, py::arg("problem"), py::arg("tiling"));
  schedules.def("gemm_kernels", &gemm_kernels, py::arg("problem"), py::arg("tiling"));
  schedules.def("choose", &choose, py::arg("profile"), py::arg("problem"), py::arg("request"));
  schedules.def(
      "default_dtypes", &default_dtypes, py::arg("profile"),
      "(dtype, accumulate): fp16 with fp32 sums where the GPU multiplies it on tensor cores, else fp32 with fp32.");
  schedules.def("variants", &variants, py::arg("profile"), py::arg("input"), py::arg("accumulate"),
                "Variants this GPU can run on these types, best first.");
  schedules.def("tiled_problem", &tiled_problem, py::arg("problem"), py::arg("tiling"),
                "The product whose rows and columns the tiling cuts: the problem, or with swap_ab its transpose.");
  schedules.def("estimate_registers", &estimate_registers, py::arg("problem"), py::arg("tiling"),
                "Registers a thread the kernel needs.");
}

}  // namespace bindings
