// With sanitizers a test takes ten to forty times as long: what tries many choices then tries a part of them.
#pragma once

namespace gpusim::testing {

#ifdef GPUSIM_SANITIZED
inline constexpr int tried_one_in = 5;
#else
inline constexpr int tried_one_in = 1;
#endif

/// How many of so many random draws are made.
[[nodiscard]] constexpr int draws(int all) { return (all + tried_one_in - 1) / tried_one_in; }

/// Goes through a list of cases: all of them, with sanitizers each fifth. Where inner loops have five cases, or a
/// multiple, it would always take the same: then it starts with another one for each of what is around them.
class Thinned {
 public:
  explicit Thinned(int start = 0) : next_(start) {}
  [[nodiscard]] bool takes_next() { return next_++ % tried_one_in == 0; }

 private:
  int next_;
};

}  // namespace gpusim::testing
