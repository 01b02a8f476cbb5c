// A choice for programs.
#include <nlohmann/json.hpp>

#include "gpusim/tune.h"

namespace gpusim {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson piece_of(const GemmPiece& piece) {
  return {{"m", piece.m}, {"n", piece.n}, {"batch", piece.batch}, {"k_short", piece.k_short}, {"k_long", piece.k_long}};
}

OrderedJson trial_of(const GemmTrial& trial) {
  OrderedJson choices = OrderedJson::object();
  for (const auto& [key, value] : trial.choices) choices[key] = value;
  return {{"summary", summary(trial.tiling)},
          {"quick_us", trial.quick_us},
          {"simulated_us", trial.simulated_us ? OrderedJson(*trial.simulated_us) : OrderedJson(nullptr)},
          {"clock_mhz", trial.clock_mhz ? OrderedJson(*trial.clock_mhz) : OrderedJson(nullptr)},
          {"piece", trial.piece ? piece_of(*trial.piece) : OrderedJson(nullptr)},
          {"choices", std::move(choices)}};
}

}  // namespace

std::string choice_json(const GemmChoice& choice) {
  OrderedJson trials = OrderedJson::array();
  for (const GemmTrial& trial : choice.trials) trials.push_back(trial_of(trial));
  const OrderedJson object = {{"reason", choice.reason}, {"stopped", choice.stopped}, {"trials", std::move(trials)}};
  return object.dump(2) + "\n";
}

}  // namespace gpusim
