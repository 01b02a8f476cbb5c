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
  std::int64_t turns = 0;  ///< MOVM, of a matrix each
};

/// `outer` x `k` elements, k along the rows of the tile in shared memory, or across them; with ldmatrix at most so many
/// matrices an instruction, without it as direct_read has them.
[[nodiscard]] FragmentRead fragment_read(const GemmPlan& plan, int outer, int k, bool k_along_rows,
                                         int matrices_at_once = 4);

/// The same straight from global memory, by loads of what a lane has side by side along k, 32 bits or (quad pairs) 64:
/// k along the rows of the matrix there, or across them. 16-bit elements across k come as they lie, two of a row, and
/// MOVM turns each 8x8 matrix (as nvcc 13 compiles WMMA's load_matrix_sync); others one by one.
[[nodiscard]] FragmentRead direct_read(const GemmPlan& plan, int outer, int k, bool k_along_rows);

/// Strips of A and C along m that a step's multiplications, in so many rows of instructions, are cut into where they
/// are interleaved, each long enough for its first result to be there when the next one begins; 1 where they are too
/// few.
[[nodiscard]] int interleaved_strips(int rows, std::int64_t multiplications);
[[nodiscard]] int interleaved_strips(const GemmPlan& plan);

class MmaSteps {
 public:
  MmaSteps(const GemmPlan& plan, GemmProgram& program);

  using Writer = std::function<void(Body&)>;

  /// Reads the tile's fragments and multiplies them, one step after another; with double buffering each step's reads
  /// begin before the multiplication of the step before, or are issued among them.
  void multiply_tile(Body& body, const TileStep& tile);
  /// The same, double-buffered, with `copies` shared out over the first `copying_steps`, after each step's reads.
  void multiply_tile(Body& body, const TileStep& tile, const Writer& copies, int copying_steps);

  /// Whether steps go on from tile to tile: the last one's reads are of the next tile.
  [[nodiscard]] bool carries_over() const;
  /// Reads the first fragments of a tile, where its guard holds, and nothing else.
  void read_first(Body& body, const TileStep& tile);
  /// The tile's steps, its first fragments being there. `copies` are shared out over the first `copying_steps`, and
  /// come once the fragments of the next step are on their way; `handover` before the last step, which reads the first
  /// fragments of the next tile.
  void multiply_tile_ahead(Body& body, const TileStep& tile, const TileStep& next, const Writer& copies,
                           int copying_steps, const Writer& handover);

  /// Pointers of fragments that come from global memory, and how many of their steps a tile has.
  [[nodiscard]] std::int64_t addresses() const;
  [[nodiscard]] std::int64_t pointers() const;

 private:
  struct Operand {
    const OperandPlan* plan;
    BufferId buffer;
    TileId tile;
    Layout block;  ///< first row or column of C that the CTA has
    Layout outer;  ///< and of those the warp
    int elements;  ///< along m or n that a read has
    int stored_k;  ///< and along k: of a sparse A, half of what is multiplied
    FragmentRead read;
  };
  [[nodiscard]] static bool k_along_rows(const Operand& operand);
  [[nodiscard]] FragmentRead read_of(const Operand& operand, int matrices_at_once) const;
  /// Reads of the fragments of that number, into the half of the registers that `step` has.
  void read(Body& body, const TileStep& tile, const Layout& step_number, int step);
  void read(Body& body, const Operand& operand, const TileStep& tile, const Layout& outer, const Layout& k,
            Token into) const;
  void multiply(Body& body, int step, int strip);
  /// A step's multiplications, strip by strip, with `others` spread among them as compilers spread loads: evenly, by
  /// the memory instructions they have.
  void multiply_among(Body& body, int step, Body others);
  void append_indices(Body& body, std::int64_t instructions) const;
  [[nodiscard]] std::string half(const char* name, int step) const;
  [[nodiscard]] Token strip_of_a(int step, int strip);

  const GemmPlan& plan_;
  GemmProgram& program_;
  int strips_;  ///< of A and C, along m, that are multiplied one after another
  Operand a_;   ///< reads of one strip
  Operand b_;
};

}  // namespace gpusim::schedules
