#pragma once

namespace app {

/// Has the heap of the first thread lie in the host's large pages where it has them (transparent huge pages of Linux,
/// with glibc's malloc): a simulation looks all over 20 MB of SMs, L1s and L2, and with pages of 4 KiB waits for their
/// addresses, too. To be called before there are other threads; where it cannot be done nothing changes.
void use_large_pages();

}  // namespace app
