from typing import ClassVar

from ..types import (
    Activation,
    DType,
    ElementOrder,
    Epilogue,
    GemmLayout,
    GemmVariant,
    SharedLayout,
    SplitReduction,
    TileOrder,
)
from . import Profile, Schedule

class GemmProblem:
    m: int
    n: int
    k: int
    dtype: DType
    accumulate: DType
    alpha: float
    beta: float
    layout: GemmLayout
    batch: int
    bias: bool
    activation: Activation
    sparse: bool
    __hash__: ClassVar[None]  # type: ignore[assignment]
    def __init__(
        self,
        *,
        m: int = 0,
        n: int = 0,
        k: int = 0,
        dtype: DType = "fp16",
        accumulate: DType = "fp32",
        alpha: float = 1.0,
        beta: float = 0.0,
        layout: GemmLayout = "nn",
        batch: int = 1,
        bias: bool = False,
        activation: Activation = "none",
        sparse: bool = False,
    ) -> None: ...
    def __eq__(self, other: object) -> bool: ...

class GemmTiling:
    tile: tuple[int, int, int]
    variant: GemmVariant
    stages: int
    specialize: bool
    fragment_k: int
    registers: int
    instruction: tuple[int, int, int]
    warp_tile: tuple[int, int]
    thread_tile: tuple[int, int]
    order_m: ElementOrder
    order_n: ElementOrder
    vector_a: int
    vector_b: int
    read_a: int
    read_b: int
    shared_a: SharedLayout
    shared_b: SharedLayout
    transpose_a: bool
    stage_a: bool
    stage_b: bool
    prefetch: bool
    load_batch: int
    double_buffer: bool
    carry_over: bool
    ldmatrix: bool
    consumers: int
    producer_registers: int
    consumer_registers: int
    cluster: tuple[int, int]
    multicast: bool
    ctas: int
    consecutive: bool
    order: TileOrder
    group: int
    split_k: int
    reduction: SplitReduction
    stream_k: bool
    epilogue: Epilogue
    __hash__: ClassVar[None]  # type: ignore[assignment]
    def __init__(
        self,
        *,
        tile: int | tuple[int, int, int] = (128, 128, 32),
        variant: GemmVariant = "async",
        stages: int = 0,
        specialize: bool = False,
        fragment_k: int = 0,
        registers: int = 0,
        instruction: tuple[int, int, int] = (16, 8, 16),
        warp_tile: tuple[int, int] = (0, 0),
        thread_tile: tuple[int, int] = (0, 0),
        order_m: ElementOrder = "automatic",
        order_n: ElementOrder = "automatic",
        vector_a: int = 0,
        vector_b: int = 0,
        read_a: int = 0,
        read_b: int = 0,
        shared_a: SharedLayout = "automatic",
        shared_b: SharedLayout = "automatic",
        transpose_a: bool = False,
        stage_a: bool = True,
        stage_b: bool = True,
        prefetch: bool = False,
        load_batch: int = 0,
        double_buffer: bool = False,
        carry_over: bool = True,
        ldmatrix: bool = True,
        consumers: int = 1,
        producer_registers: int = 0,
        consumer_registers: int = 0,
        cluster: tuple[int, int] = (1, 1),
        multicast: bool = True,
        ctas: int = 0,
        consecutive: bool = False,
        order: TileOrder = "row",
        group: int = 8,
        split_k: int = 1,
        reduction: SplitReduction = "kernel",
        stream_k: bool = False,
        epilogue: Epilogue = "direct",
    ) -> None: ...
    def __eq__(self, other: object) -> bool: ...

class GemmRequest:
    tile: tuple[int, int, int]
    variant: GemmVariant | None
    stages: int | None
    specialize: bool | None
    registers: int | None
    fragment_k: int | None
    instruction: tuple[int, int, int] | None
    warp_tile: tuple[int, int] | None
    thread_tile: tuple[int, int] | None
    order_m: ElementOrder | None
    order_n: ElementOrder | None
    vector_a: int | None
    vector_b: int | None
    read_a: int | None
    read_b: int | None
    shared_a: SharedLayout | None
    shared_b: SharedLayout | None
    transpose_a: bool | None
    stage_a: bool | None
    stage_b: bool | None
    prefetch: bool | None
    load_batch: int | None
    double_buffer: bool | None
    carry_over: bool | None
    ldmatrix: bool | None
    consumers: int | None
    producer_registers: int | None
    consumer_registers: int | None
    cluster: tuple[int, int] | None
    multicast: bool | None
    ctas: int | None
    persistent: bool
    consecutive: bool | None
    order: TileOrder | None
    group: int | None
    split_k: int | None
    reduction: SplitReduction | None
    stream_k: bool | None
    epilogue: Epilogue | None
    __hash__: ClassVar[None]  # type: ignore[assignment]
    def __init__(
        self,
        *,
        tile: int | tuple[int, int, int] = (128, 128, 32),
        variant: GemmVariant | None = None,
        stages: int | None = None,
        specialize: bool | None = None,
        registers: int | None = None,
        fragment_k: int | None = None,
        instruction: tuple[int, int, int] | None = None,
        warp_tile: tuple[int, int] | None = None,
        thread_tile: tuple[int, int] | None = None,
        order_m: ElementOrder | None = None,
        order_n: ElementOrder | None = None,
        vector_a: int | None = None,
        vector_b: int | None = None,
        read_a: int | None = None,
        read_b: int | None = None,
        shared_a: SharedLayout | None = None,
        shared_b: SharedLayout | None = None,
        transpose_a: bool | None = None,
        stage_a: bool | None = None,
        stage_b: bool | None = None,
        prefetch: bool | None = None,
        load_batch: int | None = None,
        double_buffer: bool | None = None,
        carry_over: bool | None = None,
        ldmatrix: bool | None = None,
        consumers: int | None = None,
        producer_registers: int | None = None,
        consumer_registers: int | None = None,
        cluster: tuple[int, int] | None = None,
        multicast: bool | None = None,
        ctas: int | None = None,
        persistent: bool = False,
        consecutive: bool | None = None,
        order: TileOrder | None = None,
        group: int | None = None,
        split_k: int | None = None,
        reduction: SplitReduction | None = None,
        stream_k: bool | None = None,
        epilogue: Epilogue | None = None,
    ) -> None: ...
    def __eq__(self, other: object) -> bool: ...

def gemm(problem: GemmProblem, tiling: GemmTiling) -> Schedule: ...
def gemm_kernels(problem: GemmProblem, tiling: GemmTiling) -> list[Schedule]: ...
def choose(profile: Profile, problem: GemmProblem, request: GemmRequest) -> GemmTiling: ...
def default_dtypes(profile: Profile) -> tuple[DType, DType]: ...
def variants(profile: Profile, input: DType, accumulate: DType) -> list[GemmVariant]: ...
def estimate_registers(problem: GemmProblem, tiling: GemmTiling) -> int: ...
