// What several views say about a result.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gpusim/result.h"

namespace gpusim::view {

/// The server row called `name`, or nullptr.
[[nodiscard]] const ServerRow* server_named(const Result& result, std::string_view name);
/// Servers with a limit, the busiest first.
[[nodiscard]] std::vector<const ServerRow*> busiest_servers(const Result& result);
/// Above this utilisation a server is what bounds a run; below, latency is.
inline constexpr double bounding_utilisation = 0.6;

/// Reads from beyond the SM.
[[nodiscard]] std::int64_t read_count(const KernelResult& kernel);
/// Mean cycles of a read, hop by hop: required and waiting. Empty without reads.
[[nodiscard]] std::string hop_table(const KernelResult& kernel);

/// How the number at a dotted profile key came to be known; "" for keys without an entry.
[[nodiscard]] std::string_view method_of(const Profile& profile, const std::string& key);

}  // namespace gpusim::view
