from typing import Literal

from ..types import DType, Limit, Rate

class AsyncCopySpec:
    overhead: int

class BarrierSpec:
    latency: int
    per_warp: int
    mbarrier_latency: int

class ClockSpec:
    boost_mhz: int
    base_mhz: int
    sustained_mhz: int

class CrossbarSpec:
    sm_read_bytes_per_clk: Rate
    sm_write_bytes_per_clk: Rate
    request_bytes: int

class DramSpec:
    capacity: Limit
    channels: int
    bandwidth_gb_per_s: Rate
    latency: int
    latency_clock_mhz: int

class L1Spec:
    capacity: Limit
    ways: int
    latency: int
    bytes_per_clk: Rate
    tags_per_clk: Rate
    miss_lines: Limit

class L2Spec:
    capacity: Limit
    slices: int
    ways: int
    slice_bytes_per_clk: Rate
    latency: int

class LaunchSpec:
    cta_start: int
    cta_exit: int
    ctas_per_clk: Rate
    kernel_ns: int

class LsuSpec:
    queue: Limit
    issue_per_clk: Rate
    accept_per_clk: Rate

class PipeSpec:
    lanes: Limit
    latency: int

class PipesSpec:
    fma: PipeSpec
    alu: PipeSpec
    sfu: PipeSpec

class SharedSpec:
    capacity: Limit
    per_cta: Limit
    reserved_per_cta: int
    bytes_per_clk: Rate
    latency: int
    store_latency: int

class SmSpec:
    count: int
    sub_partitions: int
    issue: Literal["scoreboard", "serial"]
    scheduler: Literal["gto", "lrr"]
    issue_per_clk: Rate
    warps: Limit
    ctas: Limit
    registers: Limit
    registers_per_thread: int
    register_granule: int

class TensorModeSpec:
    input: DType
    accumulate: DType
    m: int
    n: int
    k: int
    fma_per_clk: Rate
    peak_fma_per_clk: Rate
    latency: int

class TensorSpec:
    modes: tuple[TensorModeSpec, ...]

class TmaSpec:
    copies_per_clk: Rate
    bytes_per_clk: Rate
    queue: Limit
    overhead: int
