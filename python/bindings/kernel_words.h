// The enumerations of kernels other than matrix products, as Python sees them.
#pragma once

#include "gpusim/schedules/attention.h"
#include "gpusim/schedules/copy.h"
#include "gpusim/schedules/elementwise.h"
#include "gpusim/schedules/gemv.h"
#include "gpusim/schedules/layernorm.h"
#include "gpusim/schedules/reduce.h"
#include "gpusim/schedules/rows.h"
#include "gpusim/schedules/softmax.h"
#include "gpusim/schedules/transpose.h"
#include "words.h"

namespace bindings {

template <>
struct Words<gpusim::schedules::StreamKind> : NamedWords<gpusim::schedules::StreamKind> {
  static constexpr std::string_view kind = "kind";
};

template <>
struct Words<gpusim::schedules::ElementwiseOperation> : NamedWords<gpusim::schedules::ElementwiseOperation> {
  static constexpr std::string_view kind = "operation";
};

template <>
struct Words<gpusim::schedules::TransposeVariant> : NamedWords<gpusim::schedules::TransposeVariant> {
  static constexpr std::string_view kind = "variant";
};

template <>
struct Words<gpusim::schedules::RowPlace> : NamedWords<gpusim::schedules::RowPlace> {
  static constexpr std::string_view kind = "place";
};

template <>
struct Words<gpusim::schedules::RowMeeting> : NamedWords<gpusim::schedules::RowMeeting> {
  static constexpr std::string_view kind = "meeting";
};

template <>
struct Words<gpusim::schedules::NormKind> : NamedWords<gpusim::schedules::NormKind> {
  static constexpr std::string_view kind = "norm";
};

template <>
struct Words<gpusim::schedules::ReduceOperation> : NamedWords<gpusim::schedules::ReduceOperation> {
  static constexpr std::string_view kind = "operation";
};

template <>
struct Words<gpusim::schedules::ReduceFinish> : NamedWords<gpusim::schedules::ReduceFinish> {
  static constexpr std::string_view kind = "finish";
};

template <>
struct Words<gpusim::schedules::AttentionVariant> : NamedWords<gpusim::schedules::AttentionVariant> {
  static constexpr std::string_view kind = "variant";
};

}  // namespace bindings
