// A choice for programs.
#include <nlohmann/json.hpp>

#include "gpusim/tune.h"

namespace gpusim {
namespace {

using Json = nlohmann::ordered_json;

Json piece_of(const GemmPiece& piece) {
  return {{"m", piece.m}, {"n", piece.n}, {"batch", piece.batch}, {"k_short", piece.k_short}, {"k_long", piece.k_long}};
}

Json trial_of(const GemmTrial& trial) {
  Json choices = Json::object();
  for (const auto& [key, value] : trial.choices) choices[key] = value;
  return {{"summary", summary(trial.tiling)},
          {"quick_us", trial.quick_us},
          {"simulated_us", trial.simulated_us ? Json(*trial.simulated_us) : Json(nullptr)},
          {"piece", trial.piece ? piece_of(*trial.piece) : Json(nullptr)},
          {"choices", std::move(choices)}};
}

}  // namespace

std::string choice_json(const GemmChoice& choice) {
  Json trials = Json::array();
  for (const GemmTrial& trial : choice.trials) trials.push_back(trial_of(trial));
  const Json object = {{"reason", choice.reason}, {"stopped", choice.stopped}, {"trials", std::move(trials)}};
  return object.dump(2) + "\n";
}

}  // namespace gpusim
