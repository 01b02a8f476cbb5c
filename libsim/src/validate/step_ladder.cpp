#include "validate/step_ladder.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>

#include "validate/gemm_notes.h"

namespace gpusim::validate {
namespace {

/// Figures are given to about so much.
constexpr double same_figure = 1e-3;

bool is_digit(char letter) { return std::isdigit(static_cast<unsigned char>(letter)) != 0; }
bool is_letter(char letter) { return std::isalpha(static_cast<unsigned char>(letter)) != 0; }

bool same_types(const PublishedKernel& kernel, const LadderStep& step) {
  return kernel.input == step.problem.dtype && kernel.accumulate == step.problem.accumulate;
}

bool has_figure(const PublishedKernel& kernel, const Ladder& ladder, const LadderStep& step) {
  if (repository_of(ladder.source) != repository_of(kernel.source)) return false;
  return std::any_of(step.figures.begin(), step.figures.end(), [&](const LadderFigure& figure) {
    return figure.m == kernel.m && figure.n == kernel.n && figure.k == kernel.k &&
           std::abs(figure.gflops / kernel.gflops - 1) < same_figure;
  });
}

/// Its last words, or all of it.
bool ends_in(std::string_view name, std::string_view words) {
  if (words.empty() || !name.ends_with(words)) return false;
  return name.size() == words.size() || name[name.size() - words.size() - 1] == ' ';
}

bool has_name(const PublishedKernel& kernel, const Ladder& ladder, const LadderStep& step) {
  return repository_of(ladder.source) == repository_of(kernel.source) && same_types(kernel, step) &&
         (ends_in(kernel.name, step.title) || (!kernel.step.empty() && step.name == kernel.step));
}

/// The first run of digits and x, of two sizes or three, that no letter stands before.
std::string first_sizes(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_digit(text[i]) || (i > 0 && (is_letter(text[i - 1]) || is_digit(text[i - 1]) || text[i - 1] == '/')))
      continue;
    std::size_t end = i;
    while (end < text.size() &&
           (is_digit(text[end]) || (text[end] == 'x' && end + 1 < text.size() && is_digit(text[end + 1]))))
      ++end;
    const std::string_view sizes = text.substr(i, end - i);
    if (sizes.find('x') != std::string_view::npos) return std::string(sizes);
  }
  return "";
}

/// The number behind a word: 128 of "BM128".
std::string number_behind(std::string_view text, std::string_view word) {
  const std::size_t at = text.find(word);
  if (at == std::string_view::npos) return "";
  std::size_t end = at + word.size();
  while (end < text.size() && is_digit(text[end])) ++end;
  return std::string(text.substr(at + word.size(), end - at - word.size()));
}

double products(double m, double n, double k) { return m * n * k; }

/// How far the nearest measured size is, as a factor of the multiply-adds.
double distance(const PublishedKernel& kernel, const LadderStep& step) {
  double nearest = std::numeric_limits<double>::infinity();
  const double own =
      products(static_cast<double>(kernel.m), static_cast<double>(kernel.n), static_cast<double>(kernel.k));
  for (const LadderFigure& each : step.figures) {
    const double there =
        products(static_cast<double>(each.m), static_cast<double>(each.n), static_cast<double>(each.k));
    nearest = std::min(nearest, std::max(own / there, there / own));
  }
  return nearest;
}

}  // namespace

std::string_view repository_of(std::string_view source) {
  const std::string_view first = source.substr(0, source.find_first_of(":;"));
  return first.substr(0, first.find_last_not_of(' ') + 1);
}

StepOfLadder find_step(const PublishedKernel& kernel, const std::vector<Ladder>& ladders) {
  StepOfLadder named;
  for (const Ladder& ladder : ladders) {
    if (!kernel.gpu.empty() && kernel.gpu != ladder.gpu) continue;
    for (const LadderStep& step : ladder.steps) {
      if (has_figure(kernel, ladder, step)) return {&ladder, &step};
      if (!has_name(kernel, ladder, step)) continue;
      if (named.step == nullptr || distance(kernel, step) < distance(kernel, *named.step)) named = {&ladder, &step};
    }
  }
  return named;
}

StepOfLadder find_step(const MeasuredStep& row, std::string_view gpu, const std::vector<Ladder>& ladders) {
  return find_step({.gpu = gpu,
                    .source = row.source,
                    .name = row.kernel_name,
                    .step = row.step,
                    .m = row.m,
                    .n = row.n,
                    .k = row.k,
                    .input = row.input,
                    .accumulate = row.accumulate,
                    .gflops = row.gflops},
                   ladders);
}

StepOfLadder find_preset(const MeasuredGemm& row, const Profile& profile, const std::vector<Ladder>& ladders) {
  constexpr double flops_of_product = 2;
  constexpr double per_us = 1e-3;  // GFLOPS of flops
  if (row.batch != 1) return {};
  const double flops =
      flops_of_product * static_cast<double>(row.m) * static_cast<double>(row.n) * static_cast<double>(row.k);
  const StepOfLadder found = find_step({.gpu = profile.name,
                                        .source = row.source,
                                        .name = row.library,
                                        .step = {},
                                        .m = row.m,
                                        .n = row.n,
                                        .k = row.k,
                                        .input = row.input,
                                        .accumulate = row.accumulate,
                                        .gflops = flops * per_us / row.time_us},
                                       ladders);
  if (found.step == nullptr || !found.step->preset) return {};
  const schedules::GemmProblem& problem = found.step->problem;
  const auto layout = noted_layout(row.layout);
  const bool same_layout = row.layout.empty() || (layout && layout->layout == problem.layout);
  const bool same_result = !row.result || *row.result == schedules::result_type(problem);
  return same_layout && same_result ? found : StepOfLadder{};
}

bool is_of_library(const MeasuredStep& row) {
  std::string name = row.kernel_name;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return name.find("cublas") != std::string::npos || name.find("cutlass") != std::string::npos;
}

std::string tile_note(std::string_view tile_params) {
  const std::string m = number_behind(tile_params, "BM");
  const std::string n = number_behind(tile_params, "BN");
  const std::string k = number_behind(tile_params, "BK");
  if (!m.empty() && !n.empty()) return "cta_tile=" + m + "x" + n + (k.empty() ? "" : "x" + k);
  const std::string sizes = first_sizes(tile_params);
  return sizes.empty() ? "" : "cta_tile=" + sizes;
}

}  // namespace gpusim::validate
