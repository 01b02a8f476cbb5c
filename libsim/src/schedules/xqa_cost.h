// Instructions of XQA beside its copies, products and sums, a warp.
//
// Counted along the way of a warp in what nvcc 13 makes of mha.cu for sm_80 (bf16, heads of 128 elements, pages of 64
// keys, tile_n 64; for sm_90 within 5 %): of a sequence of one block a warp of scores has 1,560, one of values 1,280.
#pragma once

#include <cstdint>

namespace gpusim::schedules {

/// Integer and other index arithmetic, by pipe; branches, barriers and what is predicated off are with the second.
struct XqaCost {
  std::int64_t fma = 0;
  std::int64_t alu = 0;
};

inline constexpr XqaCost xqa_first{3, 8};  ///< up to the load of the sequence's length
inline constexpr XqaCost xqa_begin{19, 10};
inline constexpr XqaCost xqa_length{1, 14};  ///< from the length on: how many blocks and pages
inline constexpr XqaCost xqa_query{16, 20};
inline constexpr XqaCost xqa_query_copy{2, 5};
inline constexpr XqaCost xqa_page_of_keys{7, 8};
inline constexpr XqaCost xqa_page_of_values{10, 22};

/// A copy: its key, the key's place in the page, whether there is a page and such a key, its swizzled place in shared
/// memory. A trip's second and later pieces of keys reuse some.
inline constexpr XqaCost xqa_copy{6, 10};
inline constexpr XqaCost xqa_later_copy{5, 6};

inline constexpr XqaCost xqa_scores_begin{6, 11};
inline constexpr XqaCost xqa_scores_trip{1, 6};
inline constexpr XqaCost xqa_scores_step{10, 10};  ///< 16 elements of the head: places of query and keys
inline constexpr XqaCost xqa_hint{5, 13};          ///< and whether there is something to mask
inline constexpr XqaCost xqa_mask{1, 16};
inline constexpr XqaCost xqa_softmax{6, 21};
inline constexpr XqaCost xqa_weights{39, 35};  ///< of 16 rows

inline constexpr XqaCost xqa_values_begin{17, 9};
inline constexpr XqaCost xqa_values_step{12, 22};
inline constexpr XqaCost xqa_maximum{8, 27};
inline constexpr XqaCost xqa_values_first{25, 24};
inline constexpr XqaCost xqa_values_part{6, 6};  ///< 16 keys: places of weights and values
inline constexpr XqaCost xqa_merge{8, 23};
inline constexpr XqaCost xqa_quotient{5, 16};
inline constexpr XqaCost xqa_output{53, 32};  ///< of 16 rows
inline constexpr XqaCost xqa_store{8, 11};

}  // namespace gpusim::schedules
