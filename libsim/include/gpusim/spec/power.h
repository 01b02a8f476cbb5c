#pragma once

#include <cstdint>

#include "gpusim/spec/field.h"
#include "gpusim/units.h"

namespace gpusim {

/// What the card draws, and what its controller allows. Energies of the chip are those of one event at `voltage_mhz`,
/// times `scale_percent`: where they were not measured, a reference chip's, the A100's at 1410 MHz, and a scale. They
/// go with the square of the voltage, which falls in a line with the clock down to a floor. See estimate/power.h.
struct PowerSpec {
  std::int64_t limit_w = 100;
  std::int64_t burst_percent = 100;
  std::int64_t reaction_ms = 1;
  std::int64_t max_mhz = 0;
  std::int64_t tensor_max_mhz = 0;
  std::int64_t static_w = 0;
  std::int64_t voltage_mhz = 1000;
  std::int64_t floor_mhz = 1000;
  std::int64_t floor_voltage_percent = 100;
  std::int64_t scale_percent = 100;
  std::int64_t sm_cycle_pj = 0;
  std::int64_t instruction_pj = 0;
  std::int64_t fma_pj = 0;
  std::int64_t tensor_fma_fj = 0;
  std::int64_t tensor_fp8_percent = 50;
  std::int64_t shared_byte_fj = 0;
  std::int64_t l2_byte_fj = 0;
  std::int64_t dram_byte_fj = 0;

  template <class Visitor>
  static void fields(Visitor&& visit) {
    visit(Field{"limit_w", "Power the board may draw for long.", "W", 1, 100'000}, &PowerSpec::limit_w);
    visit(Field{"burst_percent", "Power it may draw at first, of the limit.", "%", 100, 1000},
          &PowerSpec::burst_percent);
    visit(Field{"reaction_ms", "Time constant with which what is allowed falls from one to the other.", "ms", 1,
                1'000'000},
          &PowerSpec::reaction_ms);
    visit(Field{"max_mhz", "Highest SM clock its controller gives where power allows. 0: clock.boost_mhz.", "MHz", 0,
                fastest_mhz},
          &PowerSpec::max_mhz);
    visit(Field{"tensor_max_mhz", "The same of kernels that use tensor cores. 0: max_mhz.", "MHz", 0, fastest_mhz},
          &PowerSpec::tensor_max_mhz);
    visit(Field{"static_w", "Power of a card that runs nothing: leakage, memory, fans.", "W", 0, 100'000},
          &PowerSpec::static_w);
    visit(Field{"voltage_mhz", "Clock at whose voltage the chip's events take their energies.", "MHz", 1, fastest_mhz},
          &PowerSpec::voltage_mhz);
    visit(Field{"floor_mhz", "Clock below which the voltage does not fall further.", "MHz", 1, fastest_mhz},
          &PowerSpec::floor_mhz);
    visit(Field{"floor_voltage_percent", "Voltage there, of that at voltage_mhz; linear between and beyond.", "%", 1,
                100},
          &PowerSpec::floor_voltage_percent);
    visit(
        Field{"scale_percent", "Energy of this chip's events, of the reference chip's energies below.", "%", 1, 10'000},
        &PowerSpec::scale_percent);
    visit(Field{"sm_cycle_pj", "Cycle of an SM that has a CTA: clock tree, and all that no event below pays for.", "pJ",
                0, 1'000'000},
          &PowerSpec::sm_cycle_pj);
    visit(Field{"instruction_pj", "Warp instruction: fetch, decode, issue, registers.", "pJ", 0, 1'000'000},
          &PowerSpec::instruction_pj);
    visit(Field{"fma_pj", "What a warp's 32 multiply-adds in fp32 take beyond that.", "pJ", 0, 1'000'000},
          &PowerSpec::fma_pj);
    visit(Field{"tensor_fma_fj", "Tensor-core multiply-add of 16-bit operands; others but fp8 by their width.", "fJ", 0,
                1'000'000},
          &PowerSpec::tensor_fma_fj);
    visit(Field{"tensor_fp8_percent", "That of fp8 operands, of it: multipliers shrink, sums do not.", "%", 1, 100},
          &PowerSpec::tensor_fp8_percent);
    visit(Field{"shared_byte_fj", "Byte between shared memory or L1 and where it is used.", "fJ", 0, 10'000'000},
          &PowerSpec::shared_byte_fj);
    visit(Field{"l2_byte_fj", "Byte between L2 and an SM.", "fJ", 0, 10'000'000}, &PowerSpec::l2_byte_fj);
    visit(Field{"dram_byte_fj", "Byte between DRAM and L2; of the memory, so neither scale nor voltage change it.",
                "fJ", 0, 10'000'000},
          &PowerSpec::dram_byte_fj);
  }
};

}  // namespace gpusim
