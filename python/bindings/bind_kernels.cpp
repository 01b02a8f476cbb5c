// gpusim/schedules/: copies, elementwise kernels, reductions, transpositions, softmax, norms and attention
#include "bindings.h"
#include "kernel_words.h"
#include "record.h"

namespace bindings {

namespace {

using namespace gpusim::schedules;

/// A member that `T` has from its base.
template <class T, class Base, class M>
[[nodiscard]] Member<T, M> inherited(const char* name, M Base::*pointer, const char* doc) {
  return {name, pointer, doc};
}

void bind_copyproblem(py::module_& module) {
  bind_choices<CopyProblem>(module, "CopyProblem", "A stream: arrays of so many elements, each read or written once.",
                            member("kind", &CopyProblem::kind, "read, write, copy, scale, add or triad."),
                            member("elements", &CopyProblem::elements, "Of each array."),
                            member("dtype", &CopyProblem::dtype, "Of the elements."),
                            member("scalar", &CopyProblem::scalar, "Of write, scale and triad."));
}

void bind_streamtiling(py::module_& module) {
  bind_choices<StreamTiling>(
      module, "StreamTiling", "How a stream or an elementwise kernel is shared out.",
      member("vector", &StreamTiling::vector,
             "Elements a lane moves at a time; 0: 16 bytes where the arrays allow it."),
      member("threads", &StreamTiling::threads, "Of a CTA."),
      member("unroll", &StreamTiling::unroll, "Accesses to each array a thread has on the way at a time."),
      member("ctas", &StreamTiling::ctas,
             "That stride over the arrays, or a row, in a loop; 0: one pass, as many as they need."),
      member("registers", &StreamTiling::registers, "A thread; 0: an estimate."));
}

void bind_elementwiseproblem(py::module_& module) {
  bind_choices<ElementwiseProblem>(
      module, "ElementwiseProblem", "Each element of the result is a function of the elements in its place.",
      member("operation", &ElementwiseProblem::operation,
             "add, subtract, multiply, divide, power, relu, gelu, silu, tanh, exp or cast."),
      member("rows", &ElementwiseProblem::rows, "Of the result."),
      member("columns", &ElementwiseProblem::columns, "Of the result."),
      member("dtype", &ElementwiseProblem::dtype, "Of the operands."),
      member("result", &ElementwiseProblem::result, "Of the result; None: that of the operands."),
      member("scalar", &ElementwiseProblem::scalar, "The second operand is a constant."),
      member("gated", &ElementwiseProblem::gated, "The result is multiplied by the other half of a row twice as long."),
      member("by_row", &ElementwiseProblem::by_row,
             "A CTA has elements of one row alone, and `ctas` are those of a row; gated rows are apart as it is."),
      member("scaled", &ElementwiseProblem::scaled,
             "A is divided by a number in memory, which each thread reads and inverts first; not gated."));
}

constexpr const char* meeting_doc =
    "Of a row's warps: shuffles, first_warp, one_warp, halving, halving_warps, doubling or divergent.";
constexpr const char* beside_doc = "Warp instructions beside what is worked out.";

void bind_rowinstructions(py::module_& module) {
  bind_choices<RowInstructions>(module, "RowInstructions",
                                "Warp instructions beside what is worked out, as code for any shape has them.",
                                member("begin", &RowInstructions::begin, "Before the first load; 0: an estimate."),
                                member("load", &RowInstructions::load, "Beside each load."),
                                member("element", &RowInstructions::element, "Beside each element's exponential."),
                                member("store", &RowInstructions::store, "Beside each store."),
                                member("meet", &RowInstructions::meet, "Each time a row's threads meet."));
}

void bind_reduceproblem(py::module_& module) {
  bind_choices<ReduceProblem>(module, "ReduceProblem", "Each row of a matrix to one number.",
                              member("rows", &ReduceProblem::rows, "Of X."),
                              member("columns", &ReduceProblem::columns, "Of X."),
                              member("operation", &ReduceProblem::operation, "sum or maximum."),
                              member("dtype", &ReduceProblem::dtype, "Of X; the result is fp32."));
}

void bind_reducetiling(py::module_& module) {
  bind_choices<ReduceTiling>(
      module, "ReduceTiling", "How a reduction is shared out.",
      member("vector", &ReduceTiling::vector, "Elements a lane loads at a time; 0: 16 bytes where rows allow it."),
      member("threads", &ReduceTiling::threads, "That share a row."),
      member("unroll", &ReduceTiling::unroll, "Loads a thread has on the way at a time."),
      member("splits", &ReduceTiling::splits, "CTAs that share a row."),
      member("registers", &ReduceTiling::registers, "A thread; 0: an estimate."),
      member("meeting", &ReduceTiling::meeting, meeting_doc),
      member("rows_per_cta", &ReduceTiling::rows_per_cta, "Rows side by side."),
      member("finish", &ReduceTiling::finish, "Of the sums of CTAs that share a row: atomics or last_cta."),
      member("beside", &ReduceTiling::beside, beside_doc));
}

void bind_transposeproblem(py::module_& module) {
  bind_choices<TransposeProblem>(module, "TransposeProblem", "Y[c, r] = X[r, c].",
                                 member("rows", &TransposeProblem::rows, "Of X."),
                                 member("columns", &TransposeProblem::columns, "Of X."),
                                 member("dtype", &TransposeProblem::dtype, "Of the elements."));
}

void bind_transposetiling(py::module_& module) {
  bind_choices<TransposeTiling>(
      module, "TransposeTiling", "How a transposition is shared out.",
      member("variant", &TransposeTiling::variant, "naive, plain, padded, swizzled or gathered."),
      member("tile", &TransposeTiling::tile,
             "Rows and columns a CTA has; gathered: rows of one column. 0: 32; gathered: two rows a thread."),
      member("threads", &TransposeTiling::threads, "Of a CTA."));
}

void bind_softmaxproblem(py::module_& module) {
  bind_choices<SoftmaxProblem>(module, "SoftmaxProblem", "The softmax of each row of a matrix.",
                               member("rows", &SoftmaxProblem::rows, "Of X."),
                               member("columns", &SoftmaxProblem::columns, "Of X."),
                               member("dtype", &SoftmaxProblem::dtype, "Of the elements."));
}

void bind_softmaxtiling(py::module_& module) {
  bind_choices<SoftmaxTiling>(
      module, "SoftmaxTiling", "How a softmax is shared out.",
      inherited<SoftmaxTiling>("place", &RowTiling::place, "Of a row between passes: registers, shared or memory."),
      inherited<SoftmaxTiling>("vector", &RowTiling::vector,
                               "Elements a lane moves at a time; 0: 16 bytes where rows allow it."),
      inherited<SoftmaxTiling>(
          "threads", &RowTiling::threads,
          "That share a row: a power of two; 0: as many as have an access of it each, 32 to 1024."),
      inherited<SoftmaxTiling>("rows_per_cta", &RowTiling::rows_per_cta, "Rows side by side."),
      inherited<SoftmaxTiling>("unroll", &RowTiling::unroll,
                               "shared, memory: accesses a thread has on the way at a time."),
      inherited<SoftmaxTiling>("registers", &RowTiling::registers, "A thread; 0: an estimate."),
      inherited<SoftmaxTiling>("rest_vector", &RowTiling::rest_vector,
                               "memory: the same of what whole trips leave over; 0: as the others."),
      inherited<SoftmaxTiling>("meeting", &RowTiling::meeting, meeting_doc),
      inherited<SoftmaxTiling>("reserved", &RowTiling::reserved,
                               "Bytes of shared memory a CTA asks for beside what it uses: L1 has the less."),
      inherited<SoftmaxTiling>("beside", &RowTiling::beside, beside_doc),
      member("online", &SoftmaxTiling::online, "shared, memory: maximum and sum in one pass."),
      member("divides", &SoftmaxTiling::divides, "Each element is divided by the sum."),
      member("precise", &SoftmaxTiling::precise, "Exponentials as precise as expf's."),
      member("twice", &SoftmaxTiling::twice, "registers: exponentials for the sum and again for the quotient."));
}

void bind_normproblem(py::module_& module) {
  bind_choices<NormProblem>(
      module, "NormProblem", "Layer norm or RMS norm of each row of a matrix.",
      member("rows", &NormProblem::rows, "Of X."), member("columns", &NormProblem::columns, "Of X."),
      member("norm", &NormProblem::norm, "layer or rms."), member("dtype", &NormProblem::dtype, "Of the elements."),
      member("residual", &NormProblem::residual, "A second matrix is added first, and the sum stored too."));
}

void bind_normtiling(py::module_& module) {
  bind_choices<NormTiling>(
      module, "NormTiling", "How a norm is shared out.",
      inherited<NormTiling>("place", &RowTiling::place, "Of a row between passes: registers, shared or memory."),
      inherited<NormTiling>("vector", &RowTiling::vector,
                            "Elements a lane moves at a time; 0: 16 bytes where rows allow it."),
      inherited<NormTiling>("threads", &RowTiling::threads,
                            "That share a row: a power of two; 0: as many as have an access of it each, 32 to 1024."),
      inherited<NormTiling>("rows_per_cta", &RowTiling::rows_per_cta, "Rows side by side."),
      inherited<NormTiling>("unroll", &RowTiling::unroll,
                            "shared, memory: accesses a thread has on the way at a time."),
      inherited<NormTiling>("registers", &RowTiling::registers, "A thread; 0: an estimate."),
      inherited<NormTiling>("rest_vector", &RowTiling::rest_vector,
                            "memory: the same of what whole trips leave over; 0: as the others."),
      inherited<NormTiling>("meeting", &RowTiling::meeting, meeting_doc),
      inherited<NormTiling>("reserved", &RowTiling::reserved,
                            "Bytes of shared memory a CTA asks for beside what it uses: L1 has the less."),
      inherited<NormTiling>("beside", &RowTiling::beside, beside_doc),
      member("welford", &NormTiling::welford, "layer: running mean and variance instead of two sums."),
      member("scalar_weights", &NormTiling::scalar_weights, "Each element of weight and bias is a load of its own."));
}

void bind_gemvproblem(py::module_& module) {
  bind_choices<GemvProblem>(module, "GemvProblem", "C = A B^T of a few rows, on CUDA cores.",
                            member("m", &GemvProblem::m, "Rows of A and C, at most 16."),
                            member("n", &GemvProblem::n, "Rows of B, columns of C."),
                            member("k", &GemvProblem::k, "Of the rows of both."),
                            member("dtype", &GemvProblem::dtype, "Of A and B."),
                            member("result", &GemvProblem::result, "Of C; None: that of A and B, of 8 bits bf16."));
}

void bind_gemvtiling(py::module_& module) {
  bind_choices<GemvTiling>(module, "GemvTiling", "How such a product is shared out.",
                           member("columns", &GemvTiling::columns, "Of C that a CTA has: 1, 2, 4 or 8."),
                           member("threads", &GemvTiling::threads, "That share k."),
                           member("vector", &GemvTiling::vector,
                                  "Elements of a row that a thread loads at a time; 0: 16 bytes where rows allow it."),
                           member("registers", &GemvTiling::registers, "A thread; 0: an estimate."));
}

void bind_attentionproblem(py::module_& module) {
  bind_choices<AttentionProblem>(
      module, "AttentionProblem", "O = softmax(Q K^T / sqrt(d)) V for each head.",
      member("batch", &AttentionProblem::batch, "Sequences."), member("heads", &AttentionProblem::heads, "Of queries."),
      member("kv_heads", &AttentionProblem::kv_heads, "Of keys and values; 0: as many as heads."),
      member("queries", &AttentionProblem::queries, "Of a sequence."),
      member("keys", &AttentionProblem::keys, "Of a sequence; 0: as many as queries."),
      member("head_dim", &AttentionProblem::head_dim, "Elements of a head, d."),
      member("dtype", &AttentionProblem::dtype, "fp16 or bf16."),
      member("causal", &AttentionProblem::causal, "A query sees the keys up to its own place."));
}

void bind_attentiontiling(py::module_& module) {
  bind_choices<AttentionTiling>(
      module, "AttentionTiling", "How attention is shared out. choose_attention() fills one in for a GPU.",
      member("variant", &AttentionTiling::variant, "flash2, flash3, mmha or xqa."),
      member("tile_m", &AttentionTiling::tile_m, "Queries a CTA has; mmha: 1; xqa: 16 or 32."),
      member("tile_n", &AttentionTiling::tile_n, "Keys at a time, of mmha all warps'; xqa: 32 or 64 elements of keys."),
      member("warps", &AttentionTiling::warps, "flash2: that share the queries; mmha: that share the keys."),
      member("stages", &AttentionTiling::stages, "flash3: buffers of K and of V."),
      member("overlap", &AttentionTiling::overlap,
             "flash3: scores are made while the block before is multiplied by V."),
      member("pack_gqa", &AttentionTiling::pack_gqa, "Heads that share keys are rows of one tile."),
      member("splits", &AttentionTiling::splits, "CTAs that share a sequence's keys."),
      member("heavy_first", &AttentionTiling::heavy_first, "causal: CTAs with the most keys begin first."),
      member("registers", &AttentionTiling::registers, "A thread, when the CTA starts; 0: an estimate."));
}

void bind_attentionrequest(py::module_& module) {
  bind_choices<AttentionRequest>(
      module, "AttentionRequest", "What the user fixed; choose_attention() chooses the rest.",
      member("variant", &AttentionRequest::variant, "As in AttentionTiling; None: chosen."),
      member("tile_m", &AttentionRequest::tile_m, "As in AttentionTiling; None: chosen."),
      member("tile_n", &AttentionRequest::tile_n, "As in AttentionTiling; None: chosen."),
      member("warps", &AttentionRequest::warps, "As in AttentionTiling; None: chosen."),
      member("stages", &AttentionRequest::stages, "As in AttentionTiling; None: chosen."),
      member("overlap", &AttentionRequest::overlap, "As in AttentionTiling; None: chosen."),
      member("pack_gqa", &AttentionRequest::pack_gqa, "As in AttentionTiling; None: chosen."),
      member("splits", &AttentionRequest::splits, "As in AttentionTiling; None: chosen."),
      member("heavy_first", &AttentionRequest::heavy_first, "As in AttentionTiling; None: chosen."),
      member("registers", &AttentionRequest::registers, "As in AttentionTiling; None: chosen."));
}

}  // namespace

void bind_kernels(py::module_& module) {
  py::module_ schedules = module.def_submodule("schedules");
  bind_copyproblem(schedules);
  bind_streamtiling(schedules);
  bind_elementwiseproblem(schedules);
  bind_rowinstructions(schedules);
  bind_reduceproblem(schedules);
  bind_reducetiling(schedules);
  bind_transposeproblem(schedules);
  bind_transposetiling(schedules);
  bind_softmaxproblem(schedules);
  bind_softmaxtiling(schedules);
  bind_normproblem(schedules);
  bind_normtiling(schedules);
  bind_gemvproblem(schedules);
  bind_gemvtiling(schedules);
  bind_attentionproblem(schedules);
  bind_attentiontiling(schedules);
  bind_attentionrequest(schedules);
  schedules.def("copy", &copy, py::arg("problem"), py::arg("tiling"));
  schedules.def("elementwise", &elementwise, py::arg("problem"), py::arg("tiling"));
  schedules.def("reduce", &reduce, py::arg("problem"), py::arg("tiling"));
  schedules.def("transpose", &transpose, py::arg("problem"), py::arg("tiling"));
  schedules.def("softmax", &softmax, py::arg("problem"), py::arg("tiling"));
  schedules.def("layernorm", &layernorm, py::arg("problem"), py::arg("tiling"));
  schedules.def("gemv", &gemv, py::arg("problem"), py::arg("tiling"));
  schedules.def("attention", &attention, py::arg("problem"), py::arg("tiling"));
  schedules.def("attention_kernels", &attention_kernels, py::arg("problem"), py::arg("tiling"));
  schedules.def("choose_attention", &choose_attention, py::arg("profile"), py::arg("problem"), py::arg("request"));
}

}  // namespace bindings
