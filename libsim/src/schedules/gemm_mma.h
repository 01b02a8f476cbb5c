// mma.sync: how a warp reads its fragments from shared memory, and multiplies them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "schedules/gemm_access.h"
#include "schedules/gemm_program.h"

namespace gpusim::schedules {

/// How one warp reads a fragment of an operand.
struct FragmentRead {
  Access access;  ///< within the warp's part of the tile
  SharedRead how = SharedRead::lds;
  std::int64_t packs = 0;  ///< instructions that put elements narrower than a register together
};

/// `outer` x `k` elements, k along the rows of the tile in shared memory, or across them; with ldmatrix at most so many
/// matrices an instruction.
[[nodiscard]] FragmentRead fragment_read(const GemmPlan& plan, int outer, int k, bool k_along_rows,
                                         int matrices_at_once = 4);

/// Strips of A and C along m that a step's multiplications, in so many rows of instructions, are cut into where they
/// are interleaved, each long enough for its first result to be there when the next one begins; 1 where they are too
/// few.
[[nodiscard]] int interleaved_strips(int rows, std::int64_t multiplications);
[[nodiscard]] int interleaved_strips(const GemmPlan& plan);

class MmaSteps {
 public:
  MmaSteps(const GemmPlan& plan, GemmProgram& program);

  /// Reads the tile's fragments and multiplies them, one step after another; with double buffering each step's reads
  /// begin before the multiplication of the step before, or are issued among them.
  void multiply_tile(Body& body, const Layout& stage);

  /// Whether steps go on from tile to tile: the last one's reads are of the next tile.
  [[nodiscard]] bool carries_over() const;
  /// Reads the first fragments of a tile, and nothing else.
  void read_first(Body& body, const Layout& stage, const std::optional<Bound>& guard = std::nullopt);
  using Writer = std::function<void(Body&)>;
  /// The tile's steps, its first fragments being there. `copies` are shared out over the first `copying_steps`, and
  /// come once the fragments of the next step are on their way; `handover` before the last step, which reads the first
  /// fragments of the next tile in `next`.
  void multiply_tile_ahead(Body& body, const Layout& stage, const Layout& next, const std::optional<Bound>& next_guard,
                           const Writer& copies, int copying_steps, const Writer& handover);

 private:
  /// Reads of the fragments of that number, into the half of the registers that `step` has.
  void read(Body& body, const Layout& stage, const Layout& step_number, int step,
            const std::optional<Bound>& guard = std::nullopt);
  void multiply(Body& body, int step, int strip);
  /// A step's multiplications, strip by strip, with `others` spread among them as compilers spread loads: evenly, by
  /// the memory instructions they have.
  void multiply_among(Body& body, int step, Body others);
  void append_indices(Body& body, std::int64_t instructions) const;
  /// Elements of A along k that a step reads: of a sparse A, half of them are there.
  [[nodiscard]] static int stored_k(const GemmPlan& plan);
  [[nodiscard]] std::string half(const char* name, int step) const;
  [[nodiscard]] Token strip_of_a(int step, int strip);

  const GemmPlan& plan_;
  GemmProgram& program_;
  int strips_;      ///< of A and C, along m, that are multiplied one after another
  FragmentRead a_;  ///< of one strip
  FragmentRead b_;
};

}  // namespace gpusim::schedules
