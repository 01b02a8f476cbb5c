#include "gpusim/view/text.h"

#include "view/section.h"

namespace gpusim::view {

namespace {

std::string kernel_sections(const Result& result, const KernelResult& kernel) {
  return occupancy_section(result, kernel) + stall_section(kernel) + traffic_section(result, kernel) +
         receipt_section(kernel);
}

}  // namespace

std::string text(const Result& result) {
  std::string page = title_section(result) + speed_section(result) + activity_section(result);
  for (const KernelResult& kernel : result.kernels) {
    if (result.kernels.size() > 1) page += "\n== " + kernel.schedule + " ==\n";
    page += kernel_sections(result, kernel);
  }
  return page + resource_section(result) + power_section(result);
}

}  // namespace gpusim::view
