// A choice for programs.
#include <nlohmann/json.hpp>

#include "gpusim/tune.h"

namespace gpusim {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson piece_of(const GemmPiece& piece) {
  return {{"m", piece.m}, {"n", piece.n}, {"batch", piece.batch}, {"k_short", piece.k_short}, {"k_long", piece.k_long}};
}

template <class Value>
OrderedJson or_null(const std::optional<Value>& value) {
  return value ? OrderedJson(*value) : OrderedJson(nullptr);
}

OrderedJson trial_of(const GemmTrial& trial) {
  OrderedJson choices = OrderedJson::object();
  for (const auto& [key, value] : trial.choices) choices[key] = value;
  return {{"summary", summary(trial.tiling)},
          {"quick_us", trial.quick_us},
          {"simulated_us", or_null(trial.simulated_us)},
          {"clock_mhz", or_null(trial.clock_mhz)},
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
