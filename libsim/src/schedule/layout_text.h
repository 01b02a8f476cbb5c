// Layouts as text, one notation for listings and JSON:  128*block_m + 16*warp + lane/2 + 4*((loop0 + 3)%4) + 1
//
// A term is  stride*(source + shift)/divisor%modulus,  `/` dividing integers; what is 1, 0 or none is left out.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gpusim/layout.h"

namespace gpusim::schedule {

[[nodiscard]] std::string_view name(Coordinate coordinate);
[[nodiscard]] std::string to_text(const Layout& layout);
/// Nothing when `text` is not a layout in this notation, or a number in it is beyond 2^47.
[[nodiscard]] std::optional<Layout> layout_from_text(std::string_view text);

}  // namespace gpusim::schedule
