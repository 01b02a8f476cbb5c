#pragma once

#include <cstdint>
#include <optional>

#include "gpusim/spec/field.h"
#include "gpusim/units.h"

namespace gpusim {

/// One kind of arithmetic pipe.
struct PipeSpec {
  Limited<std::int64_t> lanes;
  Cycles latency;

  template <class Visitor>
  static void fields(Visitor&& visit) {
    visit(Field{"lanes", "Lanes of an SM; a warp instruction occupies its sub-partition's share for 32 / lanes cycles.",
                "", 1, 4096},
          &PipeSpec::lanes);
    visit(Field{"latency", "Issue to dependent issue.", "cycles", 0, 100'000}, &PipeSpec::latency);
  }
};

/// The arithmetic pipes beside the tensor cores.
struct PipesSpec {
  PipeSpec fma;
  PipeSpec alu;
  PipeSpec sfu;
  std::optional<PipeSpec> dp4a;
  std::optional<PipeSpec> hfma2;

  template <class Visitor>
  static void fields(Visitor&& visit) {
    visit(Field{"fma", "fp32 multiply-add."}, &PipesSpec::fma);
    visit(Field{"alu", "Integer, logic and index arithmetic."}, &PipesSpec::alu);
    visit(Field{"sfu", "Special functions and conversions."}, &PipesSpec::sfu);
    visit(Field{"dp4a",
                "Dot products of four int8 (DP4A) on the fma pipe: those of its lanes that have them; null: none."},
          &PipesSpec::dp4a);
    visit(Field{"hfma2", "Multiply-adds of two fp16 a lane (HFMA2), which take the fma pipe's time; null: none."},
          &PipesSpec::hfma2);
  }
};

}  // namespace gpusim
