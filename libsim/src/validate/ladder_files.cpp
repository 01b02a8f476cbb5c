#include "validate/ladder_files.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "gpusim/error.h"
#include "validate/embedded_ladders.h"
#include "validate/ladder_tiling.h"

namespace gpusim::validate {
namespace {

using Json = nlohmann::json;

constexpr std::array<std::string_view, 11> ladder_keys{"name", "title", "gpu",     "source", "licence",  "note",
                                                       "size", "gains", "problem", "steps",  "clock_mhz"};
constexpr std::array<std::string_view, 9> step_keys{"name",    "title",  "chain", "published", "library",
                                                    "problem", "tiling", "note",  "figures"};
constexpr std::array<std::string_view, 5> figure_keys{"m", "n", "k", "gflops", "source"};

template <std::size_t count>
void refuse_others(const Json& json, const std::array<std::string_view, count>& keys) {
  for (const auto& [key, value] : json.items())
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
      throw std::invalid_argument("unknown key '" + key + "'");
}

std::string text(const Json& json, const char* key) { return json.at(key).get<std::string>(); }

std::int64_t positive(const Json& json, const char* key) {
  const auto number = json.at(key).get<std::int64_t>();
  if (number < 1) throw std::invalid_argument(std::string(key) + " is not positive");
  return number;
}

LadderFigure read_figure(const Json& json, const std::string& source) {
  refuse_others(json, figure_keys);
  LadderFigure figure{positive(json, "m"), positive(json, "n"), positive(json, "k"), json.at("gflops").get<double>(),
                      json.value("source", source)};
  if (!(figure.gflops > 0)) throw std::invalid_argument("gflops is not positive");
  return figure;
}

LadderStep read_step(const Json& json, const Json& problem, const std::string& source) {
  refuse_others(json, step_keys);
  LadderStep step;
  step.name = text(json, "name");
  step.title = text(json, "title");
  step.chain = json.value("chain", "");
  step.published = text(json, "published");
  step.of_library = json.value("library", false);
  step.note = json.value("note", "");
  set_problem(step.problem, problem);
  if (json.contains("problem")) set_problem(step.problem, json.at("problem"));
  if (json.contains("tiling")) set_tiling(step.preset.emplace(), json.at("tiling"));
  for (const Json& figure : json.at("figures")) step.figures.push_back(read_figure(figure, source));
  if (step.of_library && step.preset) throw std::invalid_argument("a library's kernel has no preset");
  if (!step.of_library && !step.preset && step.note.empty())
    throw std::invalid_argument("a step without a tiling says why in its note");
  return step;
}

}  // namespace

Ladder read_ladder(std::string_view name, std::string_view document) {
  std::string where(name);
  try {
    const Json json = Json::parse(document);
    refuse_others(json, ladder_keys);
    Ladder ladder;
    ladder.name = text(json, "name");
    ladder.title = text(json, "title");
    ladder.gpu = text(json, "gpu");
    ladder.source = text(json, "source");
    ladder.licence = text(json, "licence");
    ladder.note = json.value("note", "");
    if (json.contains("clock_mhz")) ladder.clock_mhz = positive(json, "clock_mhz");
    if (json.contains("size")) ladder.size = positive(json, "size");
    ladder.gains = json.at("gains").get<bool>();
    for (const Json& step : json.at("steps")) {
      where = std::string(name) + "#/steps/" + std::to_string(ladder.steps.size());
      ladder.steps.push_back(read_step(step, json.at("problem"), ladder.source));
    }
    return ladder;
  } catch (const Json::exception& error) {
    throw InputError({Problem{where, error.what()}});
  } catch (const std::invalid_argument& error) {
    throw InputError({Problem{where, error.what()}});
  }
}

std::vector<Ladder> ladders() {
  std::vector<Ladder> all;
  for (const LadderFile& file : ladder_files()) all.push_back(read_ladder(file.name, file.text));
  return all;
}

Ladder ladder(std::string_view name) {
  std::vector<std::string_view> names;
  for (const LadderFile& file : ladder_files()) {
    if (file.name == name) return read_ladder(file.name, file.text);
    names.push_back(file.name);
  }
  const std::string_view near = nearest(name, names);
  std::string list;
  for (const std::string_view each : names) list += (list.empty() ? "" : ", ") + std::string(each);
  throw InputError({Problem{std::string(name), "there is no such ladder" +
                                                   (near.empty() ? "" : "; did you mean '" + std::string(near) + "'?") +
                                                   " (there are " + list + ")"}});
}

}  // namespace gpusim::validate
