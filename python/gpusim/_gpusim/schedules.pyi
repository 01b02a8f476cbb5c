from typing import ClassVar

from ..types import (
    Activation,
    AttentionVariant,
    DType,
    ElementOrder,
    ElementwiseOperation,
    Epilogue,
    GemmLayout,
    GemmVariant,
    MulticastBy,
    NormKind,
    ReduceFinish,
    ReduceOperation,
    RowMeeting,
    RowPlace,
    SharedLayout,
    SplitReduction,
    StreamKind,
    TileOrder,
    TransposeVariant,
)
from . import Profile, Schedule

class GemmProblem:
    m: int
    n: int
    k: int
    dtype: DType
    accumulate: DType
    result: DType | None
    alpha: float
    beta: float
    layout: GemmLayout
    batch: int
    batch_interleave: int
    bias: bool
    activation: Activation
    sparse: bool
    block_scales: bool
    __hash__: ClassVar[None]  # type: ignore[assignment]
    def __init__(
        self,
        *,
        m: int = 0,
        n: int = 0,
        k: int = 0,
        dtype: DType = "fp16",
        accumulate: DType = "fp32",
        result: DType | None = None,
        alpha: float = 1.0,
        beta: float = 0.0,
        layout: GemmLayout = "nn",
        batch: int = 1,
        batch_interleave: int = 1,
        bias: bool = False,
        activation: Activation = "none",
        sparse: bool = False,
        block_scales: bool = False,
    ) -> None: ...
    def __eq__(self, other: object) -> bool: ...

class GemmTiling:
    tile: tuple[int, int, int]
    variant: GemmVariant
    stages: int
    specialize: bool
    fragment_k: int
    registers: int
    reserved: int
    instruction: tuple[int, int, int]
    warp_tile: tuple[int, int]
    thread_tile: tuple[int, int]
    cta_slices: int
    order_m: ElementOrder
    order_n: ElementOrder
    vector_a: int
    vector_b: int
    copy_lanes_a: int
    copy_lanes_b: int
    pair_lanes: bool
    read_a: int
    read_b: int
    shared_a: SharedLayout
    shared_b: SharedLayout
    transpose_a: bool
    transpose_b: bool
    stage_a: bool
    stage_b: bool
    overfetch: bool
    through_local: bool
    reuse_operands: bool
    prefetch: bool
    load_batch: int
    index_overhead: int
    double_buffer: bool
    unroll: int
    carry_over: bool
    interleave: bool
    whole_lines: bool
    ldmatrix: bool
    matrices_a: int
    matrices_b: int
    swap_ab: bool
    consumers: int
    pingpong: bool
    consumers_arrive: bool
    promote: bool
    producer_registers: int
    consumer_registers: int
    cluster: tuple[int, int]
    multicast: bool
    multicast_by: MulticastBy
    ctas: int
    consecutive: bool
    order: TileOrder
    group: int
    split_k: int
    reduction: SplitReduction
    stream_k: bool
    epilogue: Epilogue
    epilogue_columns: int
    stmatrix: bool
    @property
    def summary(self) -> str: ...
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
        reserved: int = 0,
        instruction: tuple[int, int, int] = (16, 8, 16),
        warp_tile: tuple[int, int] = (0, 0),
        thread_tile: tuple[int, int] = (0, 0),
        cta_slices: int = 1,
        order_m: ElementOrder = "automatic",
        order_n: ElementOrder = "automatic",
        vector_a: int = 0,
        vector_b: int = 0,
        copy_lanes_a: int = 0,
        copy_lanes_b: int = 0,
        pair_lanes: bool = False,
        read_a: int = 0,
        read_b: int = 0,
        shared_a: SharedLayout = "automatic",
        shared_b: SharedLayout = "automatic",
        transpose_a: bool = False,
        transpose_b: bool = False,
        stage_a: bool = True,
        stage_b: bool = True,
        overfetch: bool = False,
        through_local: bool = False,
        reuse_operands: bool = True,
        prefetch: bool = False,
        load_batch: int = 0,
        index_overhead: int = 0,
        double_buffer: bool = False,
        unroll: int = 0,
        carry_over: bool = True,
        interleave: bool = False,
        whole_lines: bool = False,
        ldmatrix: bool = True,
        matrices_a: int = 4,
        matrices_b: int = 4,
        swap_ab: bool = False,
        consumers: int = 1,
        pingpong: bool = False,
        consumers_arrive: bool = False,
        promote: bool = False,
        producer_registers: int = 0,
        consumer_registers: int = 0,
        cluster: tuple[int, int] = (1, 1),
        multicast: bool = True,
        multicast_by: MulticastBy = "each",
        ctas: int = 0,
        consecutive: bool = False,
        order: TileOrder = "row",
        group: int = 8,
        split_k: int = 1,
        reduction: SplitReduction = "kernel",
        stream_k: bool = False,
        epilogue: Epilogue = "direct",
        epilogue_columns: int = 0,
        stmatrix: bool = False,
    ) -> None: ...
    def __eq__(self, other: object) -> bool: ...

class GemmRequest:
    tile: tuple[int, int, int]
    variant: GemmVariant | None
    stages: int | None
    specialize: bool | None
    registers: int | None
    reserved: int | None
    fragment_k: int | None
    instruction: tuple[int, int, int] | None
    warp_tile: tuple[int, int] | None
    thread_tile: tuple[int, int] | None
    cta_slices: int | None
    order_m: ElementOrder | None
    order_n: ElementOrder | None
    vector_a: int | None
    vector_b: int | None
    copy_lanes_a: int | None
    copy_lanes_b: int | None
    pair_lanes: bool | None
    read_a: int | None
    read_b: int | None
    shared_a: SharedLayout | None
    shared_b: SharedLayout | None
    transpose_a: bool | None
    transpose_b: bool | None
    stage_a: bool | None
    stage_b: bool | None
    overfetch: bool | None
    through_local: bool | None
    reuse_operands: bool | None
    prefetch: bool | None
    load_batch: int | None
    index_overhead: int | None
    double_buffer: bool | None
    unroll: int | None
    carry_over: bool | None
    interleave: bool | None
    whole_lines: bool | None
    ldmatrix: bool | None
    matrices_a: int | None
    matrices_b: int | None
    swap_ab: bool | None
    consumers: int | None
    pingpong: bool | None
    consumers_arrive: bool | None
    promote: bool | None
    producer_registers: int | None
    consumer_registers: int | None
    cluster: tuple[int, int] | None
    multicast: bool | None
    multicast_by: MulticastBy | None
    ctas: int | None
    persistent: bool
    consecutive: bool | None
    order: TileOrder | None
    group: int | None
    split_k: int | None
    reduction: SplitReduction | None
    stream_k: bool | None
    epilogue: Epilogue | None
    epilogue_columns: int | None
    stmatrix: bool | None
    __hash__: ClassVar[None]  # type: ignore[assignment]
    def __init__(
        self,
        *,
        tile: int | tuple[int, int, int] = (128, 128, 32),
        variant: GemmVariant | None = None,
        stages: int | None = None,
        specialize: bool | None = None,
        registers: int | None = None,
        reserved: int | None = None,
        fragment_k: int | None = None,
        instruction: tuple[int, int, int] | None = None,
        warp_tile: tuple[int, int] | None = None,
        thread_tile: tuple[int, int] | None = None,
        cta_slices: int | None = None,
        order_m: ElementOrder | None = None,
        order_n: ElementOrder | None = None,
        vector_a: int | None = None,
        vector_b: int | None = None,
        copy_lanes_a: int | None = None,
        copy_lanes_b: int | None = None,
        pair_lanes: bool | None = None,
        read_a: int | None = None,
        read_b: int | None = None,
        shared_a: SharedLayout | None = None,
        shared_b: SharedLayout | None = None,
        transpose_a: bool | None = None,
        transpose_b: bool | None = None,
        stage_a: bool | None = None,
        stage_b: bool | None = None,
        overfetch: bool | None = None,
        through_local: bool | None = None,
        reuse_operands: bool | None = None,
        prefetch: bool | None = None,
        load_batch: int | None = None,
        index_overhead: int | None = None,
        double_buffer: bool | None = None,
        unroll: int | None = None,
        carry_over: bool | None = None,
        interleave: bool | None = None,
        whole_lines: bool | None = None,
        ldmatrix: bool | None = None,
        matrices_a: int | None = None,
        matrices_b: int | None = None,
        swap_ab: bool | None = None,
        consumers: int | None = None,
        pingpong: bool | None = None,
        consumers_arrive: bool | None = None,
        promote: bool | None = None,
        producer_registers: int | None = None,
        consumer_registers: int | None = None,
        cluster: tuple[int, int] | None = None,
        multicast: bool | None = None,
        multicast_by: MulticastBy | None = None,
        ctas: int | None = None,
        persistent: bool = False,
        consecutive: bool | None = None,
        order: TileOrder | None = None,
        group: int | None = None,
        split_k: int | None = None,
        reduction: SplitReduction | None = None,
        stream_k: bool | None = None,
        epilogue: Epilogue | None = None,
        epilogue_columns: int | None = None,
        stmatrix: bool | None = None,
    ) -> None: ...
    def __eq__(self, other: object) -> bool: ...

def gemm(problem: GemmProblem, tiling: GemmTiling) -> Schedule: ...
def gemm_kernels(problem: GemmProblem, tiling: GemmTiling) -> list[Schedule]: ...
def choose(profile: Profile, problem: GemmProblem, request: GemmRequest) -> GemmTiling: ...
def default_dtypes(profile: Profile) -> tuple[DType, DType]: ...
def variants(profile: Profile, input: DType, accumulate: DType) -> list[GemmVariant]: ...
def tiled_problem(problem: GemmProblem, tiling: GemmTiling) -> GemmProblem: ...
def estimate_registers(problem: GemmProblem, tiling: GemmTiling) -> int: ...

class CopyProblem:
    kind: StreamKind
    elements: int
    dtype: DType
    scalar: float
    __hash__: ClassVar[None]  # type: ignore[assignment]
    def __init__(
        self,
        *,
        kind: StreamKind = "copy",
        elements: int = 0,
        dtype: DType = "fp32",
        scalar: float = 3.0,
    ) -> None: ...
    def __eq__(self, other: object) -> bool: ...

class StreamTiling:
    vector: int
    threads: int
    unroll: int
    ctas: int
    registers: int
    __hash__: ClassVar[None]  # type: ignore[assignment]
    def __init__(
        self,
        *,
        vector: int = 0,
        threads: int = 256,
        unroll: int = 1,
        ctas: int = 0,
        registers: int = 0,
    ) -> None: ...
    def __eq__(self, other: object) -> bool: ...

class ElementwiseProblem:
    operation: ElementwiseOperation
    rows: int
    columns: int
    dtype: DType
    result: DType | None
    scalar: bool
    gated: bool
    by_row: bool
    scaled: bool
    __hash__: ClassVar[None]  # type: ignore[assignment]
    def __init__(
        self,
        *,
        operation: ElementwiseOperation = "add",
        rows: int = 0,
        columns: int = 0,
        dtype: DType = "fp32",
        result: DType | None = None,
        scalar: bool = False,
        gated: bool = False,
        by_row: bool = False,
        scaled: bool = False,
    ) -> None: ...
    def __eq__(self, other: object) -> bool: ...

class RowInstructions:
    begin: int
    load: int
    element: int
    store: int
    meet: int
    __hash__: ClassVar[None]  # type: ignore[assignment]
    def __init__(
        self,
        *,
        begin: int = 0,
        load: int = 0,
        element: int = 0,
        store: int = 0,
        meet: int = 0,
    ) -> None: ...
    def __eq__(self, other: object) -> bool: ...

class ReduceProblem:
    rows: int
    columns: int
    operation: ReduceOperation
    dtype: DType
    __hash__: ClassVar[None]  # type: ignore[assignment]
    def __init__(
        self,
        *,
        rows: int = 1,
        columns: int = 0,
        operation: ReduceOperation = "sum",
        dtype: DType = "fp32",
    ) -> None: ...
    def __eq__(self, other: object) -> bool: ...

class ReduceTiling:
    vector: int
    threads: int
    unroll: int
    splits: int
    registers: int
    meeting: RowMeeting
    rows_per_cta: int
    finish: ReduceFinish
    beside: RowInstructions
    __hash__: ClassVar[None]  # type: ignore[assignment]
    def __init__(
        self,
        *,
        vector: int = 0,
        threads: int = 256,
        unroll: int = 4,
        splits: int = 1,
        registers: int = 0,
        meeting: RowMeeting = "shuffles",
        rows_per_cta: int = 1,
        finish: ReduceFinish = "atomics",
        beside: RowInstructions = ...,
    ) -> None: ...
    def __eq__(self, other: object) -> bool: ...

class TransposeProblem:
    rows: int
    columns: int
    dtype: DType
    __hash__: ClassVar[None]  # type: ignore[assignment]
    def __init__(
        self,
        *,
        rows: int = 0,
        columns: int = 0,
        dtype: DType = "fp32",
    ) -> None: ...
    def __eq__(self, other: object) -> bool: ...

class TransposeTiling:
    variant: TransposeVariant
    tile: int
    threads: int
    __hash__: ClassVar[None]  # type: ignore[assignment]
    def __init__(
        self,
        *,
        variant: TransposeVariant = "padded",
        tile: int = 0,
        threads: int = 256,
    ) -> None: ...
    def __eq__(self, other: object) -> bool: ...

class SoftmaxProblem:
    rows: int
    columns: int
    dtype: DType
    __hash__: ClassVar[None]  # type: ignore[assignment]
    def __init__(
        self,
        *,
        rows: int = 0,
        columns: int = 0,
        dtype: DType = "fp32",
    ) -> None: ...
    def __eq__(self, other: object) -> bool: ...

class SoftmaxTiling:
    place: RowPlace
    vector: int
    threads: int
    rows_per_cta: int
    unroll: int
    registers: int
    rest_vector: int
    meeting: RowMeeting
    reserved: int
    beside: RowInstructions
    online: bool
    divides: bool
    precise: bool
    twice: bool
    __hash__: ClassVar[None]  # type: ignore[assignment]
    def __init__(
        self,
        *,
        place: RowPlace = "registers",
        vector: int = 0,
        threads: int = 0,
        rows_per_cta: int = 1,
        unroll: int = 4,
        registers: int = 0,
        rest_vector: int = 0,
        meeting: RowMeeting = "shuffles",
        reserved: int = 0,
        beside: RowInstructions = ...,
        online: bool = False,
        divides: bool = False,
        precise: bool = False,
        twice: bool = False,
    ) -> None: ...
    def __eq__(self, other: object) -> bool: ...

class NormProblem:
    rows: int
    columns: int
    norm: NormKind
    dtype: DType
    residual: bool
    __hash__: ClassVar[None]  # type: ignore[assignment]
    def __init__(
        self,
        *,
        rows: int = 0,
        columns: int = 0,
        norm: NormKind = "layer",
        dtype: DType = "fp32",
        residual: bool = False,
    ) -> None: ...
    def __eq__(self, other: object) -> bool: ...

class NormTiling:
    place: RowPlace
    vector: int
    threads: int
    rows_per_cta: int
    unroll: int
    registers: int
    rest_vector: int
    meeting: RowMeeting
    reserved: int
    beside: RowInstructions
    welford: bool
    scalar_weights: bool
    __hash__: ClassVar[None]  # type: ignore[assignment]
    def __init__(
        self,
        *,
        place: RowPlace = "registers",
        vector: int = 0,
        threads: int = 0,
        rows_per_cta: int = 1,
        unroll: int = 4,
        registers: int = 0,
        rest_vector: int = 0,
        meeting: RowMeeting = "shuffles",
        reserved: int = 0,
        beside: RowInstructions = ...,
        welford: bool = False,
        scalar_weights: bool = False,
    ) -> None: ...
    def __eq__(self, other: object) -> bool: ...

class GemvProblem:
    m: int
    n: int
    k: int
    dtype: DType
    result: DType | None
    __hash__: ClassVar[None]  # type: ignore[assignment]
    def __init__(
        self, *, m: int = 1, n: int = 0, k: int = 0, dtype: DType = "fp16", result: DType | None = None
    ) -> None: ...
    def __eq__(self, other: object) -> bool: ...

class GemvTiling:
    columns: int
    threads: int
    vector: int
    registers: int
    __hash__: ClassVar[None]  # type: ignore[assignment]
    def __init__(
        self, *, columns: int = 2, threads: int = 128, vector: int = 0, registers: int = 0
    ) -> None: ...
    def __eq__(self, other: object) -> bool: ...

class AttentionProblem:
    batch: int
    heads: int
    kv_heads: int
    queries: int
    keys: int
    head_dim: int
    dtype: DType
    causal: bool
    __hash__: ClassVar[None]  # type: ignore[assignment]
    def __init__(
        self,
        *,
        batch: int = 1,
        heads: int = 1,
        kv_heads: int = 0,
        queries: int = 0,
        keys: int = 0,
        head_dim: int = 128,
        dtype: DType = "fp16",
        causal: bool = False,
    ) -> None: ...
    def __eq__(self, other: object) -> bool: ...

class AttentionTiling:
    variant: AttentionVariant
    tile_m: int
    tile_n: int
    warps: int
    stages: int
    overlap: bool
    pack_gqa: bool
    splits: int
    heavy_first: bool
    registers: int
    __hash__: ClassVar[None]  # type: ignore[assignment]
    def __init__(
        self,
        *,
        variant: AttentionVariant = "flash2",
        tile_m: int = 128,
        tile_n: int = 64,
        warps: int = 4,
        stages: int = 2,
        overlap: bool = True,
        pack_gqa: bool = False,
        splits: int = 1,
        heavy_first: bool = False,
        registers: int = 0,
    ) -> None: ...
    def __eq__(self, other: object) -> bool: ...

class AttentionRequest:
    variant: AttentionVariant | None
    tile_m: int | None
    tile_n: int | None
    warps: int | None
    stages: int | None
    overlap: bool | None
    pack_gqa: bool | None
    splits: int | None
    heavy_first: bool | None
    registers: int | None
    __hash__: ClassVar[None]  # type: ignore[assignment]
    def __init__(
        self,
        *,
        variant: AttentionVariant | None = None,
        tile_m: int | None = None,
        tile_n: int | None = None,
        warps: int | None = None,
        stages: int | None = None,
        overlap: bool | None = None,
        pack_gqa: bool | None = None,
        splits: int | None = None,
        heavy_first: bool | None = None,
        registers: int | None = None,
    ) -> None: ...
    def __eq__(self, other: object) -> bool: ...

def copy(problem: CopyProblem, tiling: StreamTiling) -> Schedule: ...
def elementwise(problem: ElementwiseProblem, tiling: StreamTiling) -> Schedule: ...
def reduce(problem: ReduceProblem, tiling: ReduceTiling) -> Schedule: ...
def transpose(problem: TransposeProblem, tiling: TransposeTiling) -> Schedule: ...
def softmax(problem: SoftmaxProblem, tiling: SoftmaxTiling) -> Schedule: ...
def layernorm(problem: NormProblem, tiling: NormTiling) -> Schedule: ...
def gemv(problem: GemvProblem, tiling: GemvTiling) -> Schedule: ...
def attention(problem: AttentionProblem, tiling: AttentionTiling) -> Schedule: ...
def attention_kernels(problem: AttentionProblem, tiling: AttentionTiling) -> list[Schedule]: ...
def choose_attention(
    profile: Profile, problem: AttentionProblem, request: AttentionRequest
) -> AttentionTiling: ...
