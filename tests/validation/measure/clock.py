"""The SM clock over a stretch of a stream's work: the median over SMs of each SM's cycles between two samples over the
nanoseconds. NVML reads more while tensor cores work (README.md)."""

from __future__ import annotations

import cupy
import torch

SOURCE = r"""
extern "C" __global__ void sample(unsigned long long* out) {
  unsigned sm;
  unsigned long long ns;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  out[2 * sm] = clock64();
  out[2 * sm + 1] = ns;
  const long long begin = clock64();
  while (clock64() - begin < 4000) {
  }
}
"""


class ClockMeter:
    """`sample` twice in a stream, then `mhz` when it is done."""

    def __init__(self) -> None:
        self.kernel = cupy.RawKernel(SOURCE, "sample")
        self.sms = torch.cuda.get_device_properties(0).multi_processor_count
        self.samples = [torch.zeros(self.sms, 2, dtype=torch.int64, device="cuda") for _ in range(2)]
        # No two CTAs share an SM, so that each SM has one.
        self.kernel.max_dynamic_shared_size_bytes = 200 * 1024

    def sample(self, which: int, stream: torch.cuda.Stream) -> None:
        self.samples[which].zero_()
        with cupy.cuda.ExternalStream(stream.cuda_stream):
            self.kernel((self.sms,), (1,), (self.samples[which].data_ptr(),), shared_mem=200 * 1024)

    def mhz(self) -> float:
        begin, end = (s.cpu() for s in self.samples)
        both = (begin[:, 1] > 0) & (end[:, 1] > 0)
        cycles = (end[both, 0] - begin[both, 0]).double()
        ns = (end[both, 1] - begin[both, 1]).double()
        return float((1000 * cycles / ns).median())
