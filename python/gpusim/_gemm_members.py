"""The members of GemmProblem, GemmTiling and GemmRequest by name, for those who check types."""

from typing import Required, TypedDict

from .types import (
    Activation,
    DType,
    ElementOrder,
    Epilogue,
    GemmLayout,
    GemmVariant,
    MulticastBy,
    SharedLayout,
    SplitReduction,
    TileOrder,
)


class ProblemMembers(TypedDict, total=False):
    m: Required[int]
    n: Required[int]
    k: Required[int]
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


class TilingMembers(TypedDict, total=False):
    tile: int | tuple[int, int, int]
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


class RequestMembersButTile(TypedDict, total=False):
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


class RequestMembers(RequestMembersButTile, total=False):
    tile: int | tuple[int, int, int]


class GemmMembers(ProblemMembers, TilingMembers):
    pass


class ChooseMembers(ProblemMembers, RequestMembers):
    pass
