// The staircase of a memory hierarchy: a pointer chase over growing footprints, as microbenchmarks draw it, on two
// GPUs. Each step up is a cache that no longer holds the chain.
#include <iomanip>
#include <iostream>

#include "gpusim/probe.h"
#include "gpusim/profile_io.h"

int main() {
  const gpusim::Profile volta = gpusim::load_profile("V100");
  const gpusim::Profile ada = gpusim::load_profile("RTX 4090");
  std::cout << "footprint      V100  RTX 4090   (ns a hop)\n";
  for (const char* footprint : {"16KiB", "64KiB", "256KiB", "1MiB", "4MiB", "16MiB", "32MiB"}) {
    std::cout << std::setw(9) << footprint << std::fixed << std::setprecision(0);
    for (const gpusim::Profile* profile : {&volta, &ada}) {
      const auto reading = gpusim::measure(*profile, {"latency", {{"footprint", footprint}}});
      std::cout << std::setw(10) << reading["time"];
    }
    std::cout << "\n";
  }
}
