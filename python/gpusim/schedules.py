"""Generators of schedules: a problem and the choices made for it give a Schedule."""

from typing import Any, Required, TypedDict, TypeVar, Unpack, overload

from ._gpusim import Profile, Schedule
from ._gpusim import schedules as _schedules
from ._gpusim.schedules import GemmProblem, GemmRequest, GemmTiling, default_dtypes, estimate_registers, variants
from ._kernels import (
    AttentionProblem,
    AttentionRequest,
    AttentionTiling,
    CopyProblem,
    ElementwiseProblem,
    NormProblem,
    NormTiling,
    ReduceProblem,
    ReduceTiling,
    SoftmaxProblem,
    SoftmaxTiling,
    StreamTiling,
    TransposeProblem,
    TransposeTiling,
    attention,
    attention_kernels,
    choose_attention,
    copy,
    elementwise,
    layernorm,
    reduce,
    softmax,
    transpose,
)
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

__all__ = [
    "AttentionProblem",
    "AttentionRequest",
    "AttentionTiling",
    "CopyProblem",
    "ElementwiseProblem",
    "GemmProblem",
    "GemmRequest",
    "GemmTiling",
    "NormProblem",
    "NormTiling",
    "ReduceProblem",
    "ReduceTiling",
    "SoftmaxProblem",
    "SoftmaxTiling",
    "StreamTiling",
    "TransposeProblem",
    "TransposeTiling",
    "attention",
    "attention_kernels",
    "choose",
    "choose_attention",
    "copy",
    "default_dtypes",
    "elementwise",
    "estimate_registers",
    "gemm",
    "gemm_kernels",
    "layernorm",
    "reduce",
    "softmax",
    "transpose",
    "variants",
]


class _ProblemMembers(TypedDict, total=False):
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
    bias: bool
    activation: Activation
    sparse: bool
    block_scales: bool


class _TilingMembers(TypedDict, total=False):
    tile: int | tuple[int, int, int]
    variant: GemmVariant
    stages: int
    specialize: bool
    fragment_k: int
    registers: int
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
    consumers: int
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


class _RequestMembers(TypedDict, total=False):
    tile: int | tuple[int, int, int]
    variant: GemmVariant | None
    stages: int | None
    specialize: bool | None
    registers: int | None
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
    consumers: int | None
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


class _GemmMembers(_ProblemMembers, _TilingMembers):
    pass


class _ChooseMembers(_ProblemMembers, _RequestMembers):
    pass


@overload
def gemm(problem: GemmProblem, tiling: GemmTiling) -> Schedule: ...
@overload
def gemm(problem: GemmProblem, **tiling: Unpack[_TilingMembers]) -> Schedule: ...
@overload
def gemm(**members: Unpack[_GemmMembers]) -> Schedule: ...
def gemm(problem: GemmProblem | None = None, tiling: GemmTiling | None = None, **members: Any) -> Schedule:
    """The schedule of a matrix product, C = activation(alpha A B + beta C + bias).

    Takes a GemmProblem and a GemmTiling, or their members by name; what is not given has the default of its class::

        gemm(m=4096, n=4096, k=4096, tile=(128, 128, 32))
        gemm(problem, choose(profile, problem, tile=128))

    Raises ScheduleError when problem or tiling make no sense on any GPU; what one GPU cannot hold is check()'s to say.
    """
    made = _made("gemm", GemmProblem, problem, members), _made("gemm", GemmTiling, tiling, members)
    _refuse_rest("gemm", members)
    return _schedules.gemm(*made)


@overload
def gemm_kernels(problem: GemmProblem, tiling: GemmTiling) -> list[Schedule]: ...
@overload
def gemm_kernels(problem: GemmProblem, **tiling: Unpack[_TilingMembers]) -> list[Schedule]: ...
@overload
def gemm_kernels(**members: Unpack[_GemmMembers]) -> list[Schedule]: ...
def gemm_kernels(
    problem: GemmProblem | None = None, tiling: GemmTiling | None = None, **members: Any
) -> list[Schedule]:
    """All kernels of the product, in order: gemm(), and where slices of k are added up by a kernel, that one.

    Takes what gemm() takes.
    """
    made = _made("gemm_kernels", GemmProblem, problem, members), _made("gemm_kernels", GemmTiling, tiling, members)
    _refuse_rest("gemm_kernels", members)
    return _schedules.gemm_kernels(*made)


@overload
def choose(profile: Profile, problem: GemmProblem, request: GemmRequest) -> GemmTiling: ...
@overload
def choose(profile: Profile, problem: GemmProblem, **request: Unpack[_RequestMembers]) -> GemmTiling: ...
@overload
def choose(profile: Profile, **members: Unpack[_ChooseMembers]) -> GemmTiling: ...
def choose(
    profile: Profile, problem: GemmProblem | None = None, request: GemmRequest | None = None, **members: Any
) -> GemmTiling:
    """The tiling for a GPU: what is asked for, and the best choice for the rest.

    Takes a GemmProblem and a GemmRequest, or their members by name. Raises ScheduleError when the GPU lacks the type or
    variant (naming those it has) or the tile does not fit (saying by how much, and what would).
    """
    made = _made("choose", GemmProblem, problem, members), _made("choose", GemmRequest, request, members)
    _refuse_rest("choose", members)
    return _schedules.choose(profile, *made)


_MEMBERS = {GemmProblem: _ProblemMembers, GemmTiling: _TilingMembers, GemmRequest: _RequestMembers}
_REQUIRED = {GemmProblem: ("m", "n", "k"), GemmTiling: (), GemmRequest: ()}

_Struct = TypeVar("_Struct", GemmProblem, GemmTiling, GemmRequest)


def _made(function: str, kind: type[_Struct], given: _Struct | None, members: dict[str, Any]) -> _Struct:
    """The struct given, or one made from those of the members that are its own, which are taken out."""
    own = {name: members.pop(name) for name in _MEMBERS[kind].__annotations__ if name in members}
    if given is not None:
        if own:
            raise TypeError(f"{function}() takes a {kind.__name__} or its members ({', '.join(own)}), not both")
        return given
    missing = [name for name in _REQUIRED[kind] if name not in own]
    if missing:
        raise TypeError(f"{function}() needs a {kind.__name__}, or its members {', '.join(missing)}")
    return kind(**own)


def _refuse_rest(function: str, members: dict[str, Any]) -> None:
    if members:
        raise TypeError(f"{function}() got an unexpected keyword argument '{next(iter(members))}'")
