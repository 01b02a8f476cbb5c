// Where in a profile the costs of pipes and tensor cores stand.
#pragma once

#include <string>

#include "gpusim/profile.h"
#include "gpusim/program.h"

namespace gpusim::estimate {

[[nodiscard]] inline const PipeSpec& spec_of(const PipesSpec& pipes, Pipe pipe) {
  if (pipe == Pipe::alu) return pipes.alu;
  return pipe == Pipe::sfu ? pipes.sfu : pipes.fma;
}

/// What a multiplication without tensor cores runs on: dot products and pairs of fp16 have rates of their own.
[[nodiscard]] inline const PipeSpec& lanes_of(const PipesSpec& pipes, const Multiply& multiply) {
  if (is_half_product(multiply) && pipes.hfma2) return *pipes.hfma2;
  return is_dot_product(multiply) && pipes.dp4a ? *pipes.dp4a : spec_of(pipes, multiply.pipe);
}
[[nodiscard]] inline std::string lanes_key(const PipesSpec& pipes, const Multiply& multiply) {
  if (is_half_product(multiply) && pipes.hfma2) return "pipes.hfma2";
  return is_dot_product(multiply) && pipes.dp4a ? "pipes.dp4a" : "pipes." + std::string(name(multiply.pipe));
}

/// "tensor.modes.2"
[[nodiscard]] inline std::string mode_key(const Profile& profile, const TensorModeSpec& mode) {
  return "tensor.modes." + std::to_string(&mode - profile.tensor.modes.data());
}

}  // namespace gpusim::estimate
