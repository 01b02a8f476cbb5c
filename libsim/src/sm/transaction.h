// What a memory instruction or bulk copy waits for as a whole: all its requests, whoever sent them.
#pragma once

#include <cstdint>

#include "gpusim/units.h"

namespace gpusim::sm {

/// Who is told when the last byte is there.
struct Owner {
  enum class Kind : std::uint8_t { token, group, bulk, bulk_store, store, grid };
  Kind kind = Kind::token;
  std::int32_t warp = 0;        ///< warp slot
  std::int32_t index = 0;       ///< token, or mbarrier slot
  std::int64_t group = 0;       ///< of cp.async or bulk stores
  std::int64_t cta = -1;        ///< store to global memory: whose grid barrier waits for it
  std::int64_t bytes = 0;       ///< bulk: to complete on the mbarrier
  std::int64_t wavefronts = 0;  ///< group: writing the data to shared memory
  Cycles overhead;              ///< bulk: fixed cost of the copy
};

struct Transaction {
  Owner owner;
  std::int32_t remaining = 0;  ///< requests still to come
  std::int64_t landed = 0;     ///< bulk: bytes that have come
  Cycle written{};             ///< bulk: when they are in shared memory
  std::int32_t unread = 0;     ///< bulk store: requests whose data is still in shared memory
  Cycle read{};                ///< bulk store: when that of the others has been read
};

}  // namespace gpusim::sm
