// How a Spec lists its fields.
//
// Every Spec has one static `fields(visit)` that calls visit(Field{...}, &Spec::member) for each of its members, in the
// order people read them. JSON reading, writing and refusal, the schema, the reference in docs/profiles.md, Python's
// attributes and `--set key=value` all follow from this list. Members are one of:
//   std::int64_t, Cycles, Bytes, Rate, Limited<std::int64_t>, Limited<Bytes>, bool, DType, an enum with spec_names(),
//   a Spec, std::optional<Spec> (absent hardware: null in JSON), std::vector<Spec>.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

namespace gpusim {

struct Field {
  std::string_view key;
  std::string_view doc;
  std::string_view unit = "";
  std::int64_t minimum = 0;  ///< of a number; a Rate is always positive
  std::int64_t maximum = std::int64_t{1} << 40;
};

}  // namespace gpusim
