// The pieces of a simt program: tiles on their way to shared memory, fragments on theirs to the FMA pipe.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>

#include "schedules/gemm_access.h"
#include "schedules/gemm_copies.h"
#include "schedules/gemm_program.h"

namespace gpusim::schedules {

/// Copies of the operands that go through shared memory.
class SimtCopies {
 public:
  SimtCopies(const GemmPlan& plan, GemmProgram& program)
      : plan_(plan), program_(program), operands_(staged_operands(plan)) {}

  /// LDG of one tile.
  void load(Body& body, const TileStep& step);
  /// STS of what was loaded.
  void store(Body& body, const TileStep& step);
  /// One of `shares` parts of the loads, or of the stores, as equal as whole pieces of an operand's make them.
  void load_share(Body& body, const TileStep& step, int share, int shares);
  void store_share(Body& body, const TileStep& step, int share, int shares);
  /// LDGSTS of one tile, without the commit; or that share of them of so many, one after another.
  void copy(Body& body, const TileStep& step) const;
  void copy_share(Body& body, const TileStep& step, int share, int shares) const;
  /// Loads, or copies, of one warp for one tile.
  [[nodiscard]] std::int64_t per_tile() const { return copies_a_tile(operands_); }

 private:
  /// Four rows of k each become words on the way: k lies along the columns in memory.
  [[nodiscard]] static bool makes_words(const StagedOperand& operand) { return operand.plan->block_rows > 1; }
  [[nodiscard]] std::optional<Bound> guard(const TileStep& step, const Access& access) const;
  /// An operand's loads and stores that belong together, and the name of the registers between.
  using WriterOfPiece = std::function<void(const StagedOperand& operand, const Access& load, const Access& store,
                                           const std::string& token)>;
  /// Those of the share, of operands each cut into so many equal pieces.
  using PiecesOf = std::function<std::int64_t(const StagedOperand& operand)>;
  void for_share(const PiecesOf& pieces_of, int share, int shares, const WriterOfPiece& write) const;
  void append_copies(Body& body, const TileStep& step, const StagedOperand& operand, const Access& load,
                     const Access& store) const;

  const GemmPlan& plan_;
  GemmProgram& program_;
  std::vector<StagedOperand> operands_;
};

/// Fragments of both operands, from shared memory or straight from global memory, and their products.
class SimtProducts {
 public:
  SimtProducts(const GemmPlan& plan, GemmProgram& program);

  using Writer = std::function<void(Body&)>;
  using WriterOfStep = std::function<void(Body&, int step, int steps)>;

  /// All fragments of the tile that lies in `step.stage`.
  void multiply(Body& body, const TileStep& step);
  /// The same, with `copies` before each step's products.
  void multiply_among(Body& body, const TileStep& step, const WriterOfStep& copies);
  /// The next tile's first fragments are read while this one's last are multiplied (carry_over).
  [[nodiscard]] bool carries_over() const;
  /// The fragments with which a tile begins, where the tile before has not read them.
  void read_first(Body& body, const TileStep& step);
  /// All fragments of a tile whose first are there. `copies` come before each step's products; `handover` says before
  /// the last that the next tile is in shared memory, and then its first fragments are read.
  void multiply_ahead(Body& body, const TileStep& step, const TileStep& next, const WriterOfStep& copies,
                      const Writer& handover);
  /// Pointers of fragments that come from global memory, stepped for each tile.
  [[nodiscard]] std::int64_t pointers() const;
  /// And how many there are.
  [[nodiscard]] std::int64_t addresses() const;

 private:
  struct Operand {
    const OperandPlan* plan;
    BufferId buffer;
    TileId tile;
    Layout outer;  ///< the warp's first row or column of the CTA's tile
    Layout block;
    Access access;
    int elements;  ///< of a thread, for one k
    std::array<const char*, 2> names;
  };
  [[nodiscard]] bool k_along_rows(const Operand& operand) const;
  void read(Body& body, const Operand& operand, const TileStep& step, const Layout& k, std::size_t buffer,
            const std::optional<Bound>& guard);
  void read_both(Body& body, const TileStep& step, const Layout& k, std::size_t buffer,
                 const std::optional<Bound>& guard = std::nullopt);
  [[nodiscard]] std::int64_t pairings(const Operand& operand) const;
  void multiply_steps(Body& body, const TileStep& step, const Layout& k, const WriterOfStep& copies = {});
  void multiply_fragment(Body& body, std::size_t buffer);
  /// Rows of the tiles in shared memory that a step's fragments are of.
  [[nodiscard]] int rows_of_a_step() const { return plan_.tiling.fragment_k / plan_.products_at_once(); }
  /// Where a lane's spilled accumulators are, from that one on: one place after the other, and from the first again.
  [[nodiscard]] GlobalAccess spilled(std::int64_t first) const;

  const GemmPlan& plan_;
  GemmProgram& program_;
  Layout first_;  ///< row of the tiles in shared memory that the first step of the warp's slice is of
  std::array<Operand, 2> operands_;
};

}  // namespace gpusim::schedules
