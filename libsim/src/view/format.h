// Numbers as people read them, the same in every locale.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpusim::view {

inline constexpr std::size_t page_width = 100;
/// Names of servers, pools and the like are cut to this.
inline constexpr std::size_t name_width = 24;

/// "1,234,567"
[[nodiscard]] std::string grouped(std::int64_t number);
/// With so many digits after the point; "-" when not finite.
[[nodiscard]] std::string fixed(double number, int digits);
/// "85.1 %" of a ratio; "-" when not finite.
[[nodiscard]] std::string percent(double ratio);
/// part / whole as percent(); "-" without a whole.
[[nodiscard]] std::string share(double part, double whole);
/// "1.07 GB", decimal units.
[[nodiscard]] std::string byte_count(double bytes);
/// "490.1 us", "12.35 ms"
[[nodiscard]] std::string duration(double microseconds);
/// Sixteen hexadecimal digits.
[[nodiscard]] std::string hexadecimal(std::uint64_t number);
/// Cut to `width` with "..." when longer.
[[nodiscard]] std::string fitted(std::string_view text, std::size_t width);
/// The words in lines of at most page_width, each beginning with `indent` blanks.
[[nodiscard]] std::string wrapped(const std::vector<std::string>& words, std::size_t indent);

}  // namespace gpusim::view
