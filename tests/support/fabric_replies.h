// What a fabric has answered an SM.
#pragma once

#include <algorithm>
#include <stdexcept>

#include "fabric/fabric.h"

namespace gpusim::testing {

/// The first reply for `sm`. Throws std::runtime_error without one.
inline const Reply& reply_to(fabric::Fabric& fabric, std::int32_t sm) {
  const std::vector<Reply>& replies = fabric.outbox().replies;
  const auto reply = std::find_if(replies.begin(), replies.end(), [&](const Reply& each) { return each.sm == sm; });
  if (reply == replies.end()) throw std::runtime_error("the SM has not been answered");
  return *reply;
}

}  // namespace gpusim::testing
