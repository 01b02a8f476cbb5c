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

class ClusterSpec:
    ctas: int
    own_latency: int
    tpc_latency: int
    cpc_latency: int
    gpc_latency: int
    read_bytes_per_clk: Rate
    write_bytes_per_clk: Rate
    barrier_latency: int
    relaxed_barrier_latency: int

class CodeSpec:
    fetch_latency: int
    bytes_per_clk: Rate

class CrossbarSpec:
    sm_read_bytes_per_clk: Rate
    sm_write_bytes_per_clk: Rate
    tpc_read_bytes_per_clk: Rate
    tpc_write_bytes_per_clk: Rate
    cpc_read_bytes_per_clk: Rate
    cpc_write_bytes_per_clk: Rate
    gpc_read_bytes_per_clk: Rate
    gpc_write_bytes_per_clk: Rate
    request_bytes: int
    coalescer_lines: int
    coalescer_reads: int

class DramSpec:
    capacity: Limit
    channels: int
    bandwidth_gb_per_s: Rate
    ecc_percent: int
    latency: int
    latency_clock_mhz: int
    banks: int
    interleaved_groups: int
    row_bytes: int
    row_miss_ns: int
    row_cycle_ns: int
    activate_ps: int
    column_percent: int
    turnaround_ns: int
    write_batch: int
    refresh_ns: int
    refresh_interval_ns: int

class L1Spec:
    capacity: Limit
    ways: int
    latency: int
    bytes_per_clk: Rate
    tag_banks: Limit
    miss_lines: Limit

class L2Spec:
    capacity: Limit
    slices: int
    stripe_bytes: int
    fetch_bytes: int
    ways: int
    slice_bytes_per_clk: Rate
    slice_write_bytes_per_clk: Rate
    slice_request_bytes: int
    clock_mhz: int
    latency: int
    partitions: int
    far_latency: int
    partition_bytes_per_clk: Rate
    miss_bytes_per_clk: Rate
    atomics_per_clk: Rate
    atomic_latency: int

class LaunchSpec:
    cta_start: int
    cta_exit: int
    ctas_per_clk: Rate
    warps_per_clk: Rate
    kernel_ns: int
    gap_ns: int
    graph_gap_ns: int
    trace_ns: int

class LsuSpec:
    queue: Limit
    issue_per_clk: Rate
    accept_per_clk: Rate
    register_bytes_per_clk: Rate
    writeback_bytes_per_clk: Rate
    load_read: int
    store_read: int
    copy_read: int
    global_address_read: int
    global_store_address_read: int
    shared_store_address_read: int
    global_uniform_saving: int
    shared_uniform_saving: int
    constant_read: int
    constant_latency: int
    constant_indexed_latency: int

class PipeSpec:
    lanes: Limit
    latency: int

class PipesSpec:
    fma: PipeSpec
    alu: PipeSpec
    sfu: PipeSpec
    dp4a: PipeSpec | None
    hfma2: PipeSpec | None

class PowerSpec:
    limit_w: int
    burst_percent: int
    reaction_ms: int
    max_mhz: int
    tensor_max_mhz: int
    static_w: int
    voltage_mhz: int
    floor_mhz: int
    floor_voltage_percent: int
    scale_percent: int
    sm_cycle_pj: int
    instruction_pj: int
    fma_pj: int
    tensor_fma_fj: int
    tensor_fp8_percent: int
    shared_byte_fj: int
    l2_byte_fj: int
    dram_byte_fj: int

class SharedSpec:
    capacity: Limit
    per_cta: Limit
    reserved_per_cta: int
    carveout: int
    bytes_per_clk: Rate
    latency: int
    store_latency: int
    conflict_latency: int
    ldmatrix: bool

class SmSpec:
    count: int
    sms_per_tpc: int
    gpcs: int
    tpcs_per_cpc: int
    sub_partitions: int
    issue: Literal["scoreboard", "serial"]
    scheduler: Literal["gto", "lrr"]
    issue_per_clk: Rate
    warps: Limit
    ctas: Limit
    registers: Limit
    registers_per_thread: int
    register_granule: int
    register_bank_operands_per_clk: Rate

class TensorModeSpec:
    input: DType
    accumulate: DType
    sparse: bool
    m: int
    n: int
    k: int
    fma_per_clk: Rate
    peak_fma_per_clk: Rate
    latency: int

class TensorSpec:
    modes: tuple[TensorModeSpec, ...]
    reissue: int
    wgmma: WgmmaSpec | None

class TmaSpec:
    copies_per_clk: Rate
    bytes_per_clk: Rate
    queue: Limit
    stored_lines: Limit
    overhead: int
    copy_bytes_per_clk: Rate
    rows_per_clk: Rate
    write_bytes_per_clk: Rate
    tensor_overhead: int
    dimension_overhead: int

class WgmmaSpec:
    interval: int
    latency: int
    shared_latency: int
