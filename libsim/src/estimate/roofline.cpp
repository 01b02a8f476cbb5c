#include "gpusim/estimate/roofline.h"

#include <algorithm>
#include <limits>

#include "clocks.h"

namespace gpusim::estimate {

Roofline roofline(const Work& work, Bytes compulsory, const Profile& profile, std::int64_t clock_mhz) {
  require_clock(clock_mhz);
  Roofline line;
  if (work.flops > 0) {
    const double peak =
        peak_flops(profile, work.pipe == Pipe::tensor, work.input, work.accumulate, clock_mhz, work.sparse);
    line.compute_us = peak > 0 ? work.flops / peak * 1e6 : std::numeric_limits<double>::infinity();
  }
  const double bytes_per_us = profile.dram.bandwidth_gb_per_s.per_cycle() * 1e3;
  line.memory_us = static_cast<double>(compulsory.count()) / bytes_per_us;
  line.us = std::max(line.compute_us, line.memory_us);
  line.bound = line.compute_us >= line.memory_us ? "compute" : "memory";
  return line;
}

Roofline roofline(const Schedule& schedule, const Profile& profile, std::int64_t clock_mhz) {
  Bytes compulsory;
  for (const Buffer& buffer : schedule.buffers) compulsory += size_of(buffer);
  return roofline(schedule.work, compulsory, profile, clock_mhz);
}

}  // namespace gpusim::estimate
