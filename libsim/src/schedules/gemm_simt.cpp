#include "schedules/gemm_simt.h"

#include "schedules/gemm_epilogue.h"
#include "schedules/gemm_simt_parts.h"

namespace gpusim::schedules {
namespace {

class SimtProgram {
 public:
  explicit SimtProgram(const GemmPlan& plan)
      : plan_(plan), program_(plan), walker_(program_.walker), copies_(plan, program_), products_(plan, program_) {}

  Program write() {
    program_.begin(copies_.per_tile() + products_.addresses());
    Body item;
    program_.clear(item);
    if (products_.carries_over())
      write_carried_over(item);
    else if (plan_.tiling.prefetch)
      write_prefetched(item);
    else if (plan_.tiling.stages > 1)
      write_asynchronous(item);
    else
      write_synchronous(item);
    append_epilogue(program_, item, plan_, thread_result(plan_));
    walker_.append_items(program_.body(), std::move(item));
    return program_.take();
  }

 private:
  [[nodiscard]] bool ring() const { return plan_.tiling.stages > 1; }
  [[nodiscard]] bool stages_anything() const { return plan_.a.staged || plan_.b.staged; }
  [[nodiscard]] std::int64_t loop_overhead_of_a_tile() const {
    return copies_.per_tile() + products_.pointers() + loop_overhead + (ring() ? stage_overhead : 0);
  }

  /// A load waits for its place.
  void append_indices(Body& body) const {
    if (plan_.tiling.index_overhead > 0) append_overhead(body, plan_.tiling.index_overhead);
  }

  /// One tile after another through one buffer, or through none.
  void write_synchronous(Body& body) {
    Loop loop = walker_.k_loop(true);
    append_indices(loop.body);
    copies_.load(loop.body, walker_.step());
    append_overhead(loop.body, loop_overhead_of_a_tile());
    copies_.store(loop.body, walker_.step());
    if (stages_anything()) append(loop.body, CtaBarrier{});
    products_.multiply(loop.body, walker_.step());
    if (stages_anything()) append(loop.body, CtaBarrier{});
    body.emplace_back(std::move(loop));
  }

  /// The next tile is loaded into registers while this one is multiplied. Two buffers need one barrier a tile: the one
  /// stored to was read before the last barrier.
  void write_prefetched(Body& body) {
    const TileStep first = walker_.first_step();
    copies_.load(body, first);
    copies_.store(body, first);
    Loop loop = walker_.k_loop(true);
    if (ring())
      append(body, CtaBarrier{});
    else
      append(loop.body, CtaBarrier{});
    append_indices(loop.body);
    copies_.load(loop.body, walker_.step(1));
    append_overhead(loop.body, loop_overhead_of_a_tile());
    products_.multiply(loop.body, walker_.step());
    if (!ring()) append(loop.body, CtaBarrier{});
    copies_.store(loop.body, walker_.step(1));
    if (ring()) append(loop.body, CtaBarrier{});
    body.emplace_back(std::move(loop));
  }

  /// The same with two buffers, and fragments that are read across the barrier.
  void write_carried_over(Body& body) {
    const TileStep first = walker_.first_step();
    copies_.load(body, first);
    copies_.store(body, first);
    append(body, CtaBarrier{});
    products_.read_first(body, first);
    Loop loop = walker_.k_loop(true);
    const TileStep next = walker_.step(1);
    products_.multiply_ahead(
        loop.body, walker_.step(), next,
        [&](Body& to, int step, int steps) { write_copies_of_step(to, next, step, steps); },
        [&](Body& to) {
          if (!plan_.tiling.interleave) copies_.store(to, next);
          append(to, CtaBarrier{});
        });
    body.emplace_back(std::move(loop));
  }

  /// Loads before the first step's products, or, interleaved, among the first half of the steps; stores then among the
  /// others but the last.
  void write_copies_of_step(Body& body, const TileStep& next, int step, int steps) {
    const bool is_first = step == 0;
    if (is_first) append_indices(body);
    if (const int loading = steps / 2; plan_.tiling.interleave) {
      if (step < loading)
        copies_.load_share(body, next, step, loading);
      else if (step + 1 < steps)
        copies_.store_share(body, next, step - loading, steps - 1 - loading);
    } else if (is_first) {
      copies_.load(body, next);
    }
    if (is_first) append_overhead(body, loop_overhead_of_a_tile());
  }

  /// cp.async, stages - 1 tiles ahead.
  void write_asynchronous(Body& body) {
    const std::int64_t ahead = plan_.tiling.stages - 1;
    if (plan_.persistent()) append(body, CtaBarrier{});  // all have read what the item before left
    Loop first{ahead, {}, false};
    copies_.copy(first.body, walker_.first_step(ahead));
    append(first.body, CommitGroup{});
    body.emplace_back(std::move(first));

    Loop loop = walker_.k_loop(true);
    append(loop.body, WaitGroup{static_cast<int>(ahead) - 1});
    append(loop.body, CtaBarrier{});
    append_indices(loop.body);
    if (plan_.tiling.interleave) {
      append_overhead(loop.body, loop_overhead_of_a_tile());
      products_.multiply_among(loop.body, walker_.step(), [&](Body& to, int step, int steps) {
        copies_.copy_share(to, walker_.step(ahead), step, steps);
      });
      append(loop.body, CommitGroup{});
    } else {
      copies_.copy(loop.body, walker_.step(ahead));
      append(loop.body, CommitGroup{});
      append_overhead(loop.body, loop_overhead_of_a_tile());
      products_.multiply(loop.body, walker_.step());
    }
    body.emplace_back(std::move(loop));
  }

  const GemmPlan& plan_;
  GemmProgram program_;
  Walker& walker_;
  SimtCopies copies_;
  SimtProducts products_;
};

}  // namespace

Program simt_program(const GemmPlan& plan) { return SimtProgram(plan).write(); }

}  // namespace gpusim::schedules
