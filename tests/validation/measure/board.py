"""The board while something runs: SM clock and power, read by NVML, and what it is."""

from __future__ import annotations

import datetime
import threading
import time

import pynvml
import torch


def bus_id() -> str:
    """Of PyTorch's GPU 0, which CUDA_VISIBLE_DEVICES may make another than NVML's GPU 0."""
    gpu = torch.cuda.get_device_properties(0)
    return f"{gpu.pci_domain_id:08x}:{gpu.pci_bus_id:02x}:{gpu.pci_device_id:02x}.0"


class Board:
    """Reads clock and power every few milliseconds; `window` gives their means between two times."""

    def __init__(self) -> None:
        pynvml.nvmlInit()
        self.handle = pynvml.nvmlDeviceGetHandleByPciBusId(bus_id().encode())
        self.samples: list[tuple[float, float, float]] = []
        self.running = True
        self.thread = threading.Thread(target=self._sample, daemon=True)
        self.thread.start()

    def _sample(self) -> None:
        while self.running:
            mhz = pynvml.nvmlDeviceGetClockInfo(self.handle, pynvml.NVML_CLOCK_SM)
            watts = pynvml.nvmlDeviceGetPowerUsage(self.handle) / 1000
            self.samples.append((time.perf_counter(), mhz, watts))
            time.sleep(0.004)

    def window(self, begin: float, end: float) -> tuple[float, float]:
        """(MHz, W), means of the samples in it, or of the last one before its end."""
        inside = [s for s in self.samples if begin <= s[0] <= end] or [s for s in self.samples if s[0] <= end][-1:]
        self.samples = self.samples[-4000:]
        return sum(s[1] for s in inside) / len(inside), sum(s[2] for s in inside) / len(inside)

    def close(self) -> None:
        self.running = False
        self.thread.join()

    def describe(self) -> dict[str, str]:
        name = pynvml.nvmlDeviceGetName(self.handle)
        return {
            "gpu": name if isinstance(name, str) else name.decode(),
            "driver": str(pynvml.nvmlSystemGetDriverVersion()),
            "limit_w": str(pynvml.nvmlDeviceGetPowerManagementLimit(self.handle) / 1000),
            "max_sm_mhz": str(pynvml.nvmlDeviceGetMaxClockInfo(self.handle, pynvml.NVML_CLOCK_SM)),
            "max_mem_mhz": str(pynvml.nvmlDeviceGetMaxClockInfo(self.handle, pynvml.NVML_CLOCK_MEM)),
            "date": datetime.date.today().isoformat(),
        }
