// Instructions of XQA beside its copies, products and sums, a warp.
//
// Counted along the way of a warp in what nvcc 13 makes of mha.cu for sm_80 (bf16, heads of 128 elements, pages of 64
// keys, tile_n 64; for sm_90 within 5 %): of a sequence of one block a warp of scores has 1,560, one of values 1,280.
// Branches, barriers and what is predicated off are with the ALU's.
#pragma once

#include <cstdint>

#include "schedules/kernel_parts.h"

namespace gpusim::schedules {

inline constexpr IndexCost xqa_first{3, 8};  ///< up to the load of the sequence's length
inline constexpr IndexCost xqa_begin{19, 10};
inline constexpr IndexCost xqa_length{1, 14};  ///< from the length on: how many blocks and pages
inline constexpr IndexCost xqa_query{16, 20};
inline constexpr IndexCost xqa_query_copy{2, 5};
inline constexpr IndexCost xqa_page_of_keys{7, 8};
inline constexpr IndexCost xqa_page_of_values{10, 22};

/// A copy: its key, the key's place in the page, whether there is a page and such a key, its swizzled place in shared
/// memory. A trip's second and later pieces of keys reuse some.
inline constexpr IndexCost xqa_copy{6, 10};
inline constexpr IndexCost xqa_later_copy{5, 6};

inline constexpr IndexCost xqa_scores_begin{6, 11};
inline constexpr IndexCost xqa_scores_trip{1, 6};
inline constexpr IndexCost xqa_scores_step{10, 10};  ///< 16 elements of the head: places of query and keys
inline constexpr IndexCost xqa_hint{5, 13};          ///< and whether there is something to mask
inline constexpr IndexCost xqa_mask{1, 16};
inline constexpr IndexCost xqa_softmax{6, 21};
inline constexpr IndexCost xqa_weights{39, 35};  ///< of 16 rows

inline constexpr IndexCost xqa_values_begin{17, 9};
inline constexpr IndexCost xqa_values_step{12, 22};
inline constexpr IndexCost xqa_maximum{8, 27};
inline constexpr IndexCost xqa_values_first{25, 24};
inline constexpr IndexCost xqa_values_part{6, 6};  ///< 16 keys: places of weights and values
inline constexpr IndexCost xqa_merge{8, 23};
inline constexpr IndexCost xqa_quotient{5, 16};
inline constexpr IndexCost xqa_output{53, 32};  ///< of 16 rows
inline constexpr IndexCost xqa_store{8, 11};

}  // namespace gpusim::schedules
