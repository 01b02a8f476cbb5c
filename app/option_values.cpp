#include "option_values.h"

#include <fmt/format.h>
#include <algorithm>
#include <limits>

namespace app {

namespace {

using gpusim::DType;
using gpusim::MmaShape;
using gpusim::schedules::GemmShape;
using gpusim::schedules::GemmTile;

std::string flag(std::string_view name) { return fmt::format("--{}", name); }

/// The extents between "x", or nothing and a problem for each that is none.
std::optional<std::vector<int>> extents(const std::string& text, std::string_view name, Range range,
                                        Problems& problems) {
  const std::size_t before = problems.size();
  std::vector<int> sizes;
  for (const std::string& part : split(text, 'x')) {
    Problems found;
    sizes.push_back(static_cast<int>(whole_number(part, flag(name), range, found).value_or(1)));
    for (gpusim::Problem& problem : found)  // the same twice tells nothing
      if (std::none_of(problems.begin() + static_cast<std::ptrdiff_t>(before), problems.end(),
                       [&](const auto& known) { return known.what == problem.what; }))
        problems.push_back(std::move(problem));
  }
  return problems.size() == before ? std::optional(sizes) : std::nullopt;
}

/// Sizes as others part them.
std::string parted_by_x(std::string text) {
  const auto parts = [](char c) { return c == 'X' || c == ',' || c == '*'; };
  std::replace_if(text.begin(), text.end(), parts, 'x');
  return text;
}

}  // namespace

std::optional<std::int64_t> number_option(const Options& options, std::string_view name, Range range,
                                          Problems& problems) {
  const auto text = options.value(name);
  return text ? whole_number(*text, flag(name), range, problems) : std::nullopt;
}

std::optional<int> small_number_option(const Options& options, std::string_view name, Range range, Problems& problems) {
  range.maximum = std::min<std::int64_t>(range.maximum, std::numeric_limits<int>::max());
  const auto number = number_option(options, name, range, problems);
  return number ? std::optional<int>(static_cast<int>(*number)) : std::nullopt;
}

std::optional<double> real_option(const Options& options, std::string_view name, Problems& problems) {
  const auto text = options.value(name);
  return text ? real_number(*text, flag(name), problems) : std::nullopt;
}

std::optional<GemmShape> shape_option(const Options& options, std::string_view name, Range range, Problems& problems) {
  const auto text = options.value(name);
  if (!text) return std::nullopt;
  if (split(*text, 'x').size() != 2) {
    problems.push_back({flag(name), fmt::format("'{}' is not rows by columns, as 64x32", *text)});
    return std::nullopt;
  }
  const auto sizes = extents(*text, name, range, problems);
  return sizes ? std::optional(GemmShape{sizes->front(), sizes->back()}) : std::nullopt;
}

std::optional<GemmTile> tile_option(const Options& options, std::string_view name, Problems& problems) {
  const auto text = options.value(name);
  if (!text) return std::nullopt;
  const std::size_t parts = split(*text, 'x').size();
  if (const std::string meant = parted_by_x(*text); meant != *text) {
    problems.push_back({flag(name), fmt::format("'{}' is not parted by x; did you mean '{}'?", *text, meant)});
    return std::nullopt;
  }
  if (parts != 1 && parts != 3) {
    const bool are_two = parts == 2 && text->find_first_not_of("0123456789x") == std::string::npos;
    const std::string three = are_two ? *text + "x32" : "128x128x32";
    problems.push_back({flag(name), fmt::format("'{}' is neither one size, as 128, nor three, as {}", *text, three)});
    return std::nullopt;
  }
  const auto sizes = extents(*text, name, extent_range, problems);
  if (!sizes) return std::nullopt;
  if (parts == 1) return GemmTile{sizes->front(), sizes->front(), GemmTile{}.k};
  return GemmTile{(*sizes)[0], (*sizes)[1], (*sizes)[2]};
}

std::optional<MmaShape> instruction_option(const Options& options, std::string_view name, Problems& problems) {
  const auto text = options.value(name);
  if (!text) return std::nullopt;
  MmaShape shape;
  std::string_view rest = *text;
  const auto take_extent = [&rest](int& extent) {
    const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    if (digits == 0 || digits > 4) return false;
    extent = std::stoi(std::string(rest.substr(0, digits)));
    rest.remove_prefix(digits);
    return true;
  };
  const auto take = [&](char letter, int& extent) {
    if (rest.empty() || rest.front() != letter) return false;
    rest.remove_prefix(1);
    return take_extent(extent);
  };
  if (take('m', shape.m) && take('n', shape.n) && take('k', shape.k) && rest.empty()) return shape;
  rest = *text;  // or as results have it
  if (take_extent(shape.m) && take('x', shape.n) && take('x', shape.k) && rest.empty()) return shape;
  problems.push_back({flag(name), fmt::format("'{}' is no shape of an instruction, as m16n8k16", *text)});
  return std::nullopt;
}

std::optional<bool> yes_option(const Options& options, std::string_view name, Problems& problems) {
  return word_option<bool>(options, name, "answer", {{"yes", true}, {"no", false}}, problems);
}

std::optional<DType> dtype_option(const Options& options, std::string_view name, Problems& problems) {
  const auto text = options.value(name);
  if (!text) return std::nullopt;
  const auto type = gpusim::dtype_named(*text);
  if (type) return type;
  std::vector<std::string> names;
  names.reserve(gpusim::all_dtypes.size());
  for (const DType each : gpusim::all_dtypes) names.emplace_back(gpusim::name(each));
  refuse_choice(*text, gpusim::nearest_dtype(*text), flag(name), "type", names, problems);
  return std::nullopt;
}

std::optional<bool> switch_option(const Options& options, std::string_view name, Problems& problems) {
  const std::string negative = fmt::format("no-{}", name);
  if (options.has(name) && options.has(negative))
    problems.push_back({flag(negative), fmt::format("{} stands beside it", flag(name))});
  if (options.has(negative)) return false;
  return options.has(name) ? std::optional(true) : std::nullopt;
}

}  // namespace app
