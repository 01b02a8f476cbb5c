// How the k tiles of A and B get into shared memory.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "schedules/gemm_access.h"
#include "schedules/gemm_program.h"

namespace gpusim::schedules {

/// Indices into the schedule's barriers, where it has them.
inline constexpr BarrierId barrier_full{0};
inline constexpr BarrierId barrier_empty{1};

/// An operand that goes through shared memory, as a warp brings its part of a tile.
struct StagedOperand {
  const OperandPlan* plan;
  BufferId buffer;
  TileId tile;
  Layout outer;             ///< first row or column of C
  const char* staged_name;  ///< of the registers between
  Access load;              ///< from memory: with overfetch every lane's
  Access store;             ///< to shared memory
};
[[nodiscard]] std::vector<StagedOperand> staged_operands(const GemmPlan& plan);
/// Loads, or copies, of one warp for a tile of each.
[[nodiscard]] std::int64_t copies_a_tile(const std::vector<StagedOperand>& operands);
/// Equal pieces of an operand's tile whose registers are waited for one by one: of a load each where they are few
/// enough.
[[nodiscard]] std::int64_t pieces_in_registers(const StagedOperand& operand);
/// The name of a piece's registers.
[[nodiscard]] std::string name_of_piece(const StagedOperand& operand, std::int64_t piece);

/// Copies by the warps themselves, each a part of the tile, of the operands that go through shared memory.
class WarpCopies {
 public:
  WarpCopies(const GemmPlan& plan, GemmProgram& program)
      : plan_(plan), program_(program), operands_(staged_operands(plan)) {}

  /// LDG and STS of one tile; in one run for each operand, or piece by piece, each with registers of its own.
  void load(Body& body, const TileStep& step, bool one_by_one = false) const;
  void store(Body& body, const TileStep& step, bool one_by_one = false) const;
  /// Both, so many loads at a time, with the loop around them.
  void pass(Body& body, const TileStep& step, int batch) const;
  /// LDGSTS of one tile, without the commit; in one run for each operand, or instruction by instruction.
  void copy(Body& body, const TileStep& step, bool one_by_one = false) const;
  /// Copies, or loads, of one warp for one tile.
  [[nodiscard]] std::int64_t per_tile() const { return copies_a_tile(operands_); }

 private:
  [[nodiscard]] std::optional<Bound> guard(const TileStep& step, const Access& access) const;
  /// A piece of an operand's loads, of its stores, and the registers between.
  using WriterOfPiece =
      std::function<void(const StagedOperand& operand, const Access& load, const Access& store, Token token)>;
  void for_pieces(bool one_by_one, const WriterOfPiece& write) const;

  const GemmPlan& plan_;
  GemmProgram& program_;
  std::vector<StagedOperand> operands_;
};

/// Bulk copies, which one warp issues for the CTA, or for several of a cluster.
class BulkCopies {
 public:
  explicit BulkCopies(const GemmPlan& plan) : plan_(plan) {}

  /// Expected bytes and the boxes of one tile, on the full barrier of its stage, by one warp: warp 0 where all of the
  /// role's go this way.
  void copy(Body& body, const TileStep& step, bool one_of_several) const;
  /// The stage has been read: said to every CTA that fills it.
  void release(Body& body, const Layout& stage, const std::optional<Bound>& guard = std::nullopt) const;
  /// Warps whose release a CTA waits for before it fills a stage.
  [[nodiscard]] int releases() const;
  /// CTAs bring parts of A or B for each other.
  [[nodiscard]] bool shared_by_cluster() const;

 private:
  struct Operand {
    const OperandPlan& plan;
    BufferId buffer;
    TileId tile;
    bool k_along_rows;
    Layout outer;      ///< first row or column of C
    Coordinate block;  ///< along which the CTAs that share it lie
    int sharers;
    int parts;  ///< in which they bring it: 1 when the first brings it all
    Multicast multicast;
  };
  [[nodiscard]] int parts(int sharers) const;
  [[nodiscard]] Operand operand_a() const;
  [[nodiscard]] Operand operand_b() const;
  static void leave_to_first(const Operand& operand, std::optional<Bound>& guard);
  void copy(Body& body, const Operand& operand, const TileStep& step, std::optional<Bound> guard) const;
  void copy_metadata(Body& body, const TileStep& step, std::optional<Bound> guard) const;
  void copy_scales(Body& body, const TileStep& step, std::optional<Bound> guard) const;
  /// Of a row of boxes, `columns` elements long, that go with A's: those who share A share it out along m.
  void copy_with_a(Body& body, const BulkCopy& first, int columns, std::optional<Bound> guard) const;

  const GemmPlan& plan_;
};

}  // namespace gpusim::schedules
