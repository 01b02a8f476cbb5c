// What a table says about how a product lay in memory and how its kernel cut it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "gpusim/error.h"
#include "gpusim/schedules/gemm.h"

namespace gpusim::validate {

/// A kernel as far as its notes tell. Sides are those of our row-major C.
struct NotedKernel {
  int m = 0, n = 0;                                 ///< the CTA's tile
  std::optional<int> k;                             ///< its step through k
  std::optional<int> split;                         ///< "splitK=9"; 1 where a grid is noted and no split
  std::optional<int> threads;                       ///< of a CTA: "block=256"
  std::optional<int> slices;                        ///< that share out the k of each step: "sliced1x4"
  std::optional<int> stages;                        ///< "stages=4", "3-stage", "tilesize64x64x8_stage3"
  std::optional<schedules::GemmShape> warp_tile;    ///< "64x64 warp"
  std::optional<schedules::GemmShape> thread_tile;  ///< "thread_tile=4x16"
  std::optional<schedules::GemmShape> thread_grid;  ///< "threads=32x8": neighbours along m
  std::optional<schedules::GemmShape> vectors;      ///< "vecM=4 vecN=2": elements moved at a time
  std::optional<bool> stage_a, stage_b;             ///< "smemA=0 smemB=1"
  std::optional<int> unroll;                        ///< "KWI=2": steps through k in an iteration
  std::optional<int> copy_lanes_a, copy_lanes_b;    ///< "MDIMA=8 NDIMB=32": threads along a row that is staged
};

/// The tile is "cta_tile=128x64", "cta_tile=128x64x8" or "128x64x8 CTA"; nothing without one. A kernel noted with its
/// grid ("grid=30x32x2") is a library's, which thinks in columns: its first side goes with n, unless the grid fits m x
/// n the other way only.
[[nodiscard]] std::optional<NotedKernel> noted_kernel(std::string_view notes, std::int64_t m, std::int64_t n);

/// The same kernel where what it calls C lies in columns: its rows are our columns, and its A our B.
[[nodiscard]] NotedKernel turned(const NotedKernel& kernel);

/// A layout as the sources write it, for a row-major C.
struct NotedLayout {
  schedules::GemmLayout layout = schedules::GemmLayout::nn;
  bool turned = false;  ///< C was column-major: m and n change places
};

/// "nn", "nt", "tn" and "tt": the schedules' own; "NN" and "NN row-major"; "TN", "NT" and "row x col": k along the rows
/// of both; "A col": as CLBlast has it, A, B's transposed and C in columns; "op(A)=T op(B)=N col-major": as BLAS has
/// it. A remark in brackets may follow each. NN where nothing is said; nothing when it is none of these.
[[nodiscard]] std::optional<NotedLayout> noted_layout(std::string_view text);

/// What is wrong with a row's layout or notes, by column; nothing when they can be read. Notes are free text: only
/// "key=value" of the keys above has to have a value (note_values.h).
[[nodiscard]] std::optional<Problem> unreadable(std::string_view layout, std::string_view notes);

}  // namespace gpusim::validate
