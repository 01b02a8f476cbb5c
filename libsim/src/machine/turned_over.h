// What must hold before a machine's worth of CTAs, or a round of their items, may stand for the next.
#pragma once

#include "machine/simulation.h"

namespace gpusim::machine {

/// Whether it depends on more of a CTA's tile than its place in its cluster, which all its tiles share.
[[nodiscard]] bool depends_on_tile(const Layout& layout, const Schedule& schedule);

/// Whether all of the kernel's buffers fit into L2 together, or there is none to fit into.
[[nodiscard]] bool buffers_fit_l2(const Simulation& run);

/// Until as much as L2 holds has come into it, nothing is evicted that will be later: what happens before that is
/// alike, and unlike what comes after. Where all buffers fit there is nothing to wait for.
[[nodiscard]] bool l2_is_turned_over(const Simulation& run, const Counts& by);

}  // namespace gpusim::machine
