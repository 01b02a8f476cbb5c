"""Generators of schedules: a problem and the choices made for it give a Schedule."""

from typing import Any, Unpack, overload

from ._gemm_members import ChooseMembers, GemmMembers, RequestMembers, TilingMembers
from ._gpusim import Profile, Schedule
from ._gpusim import schedules as _schedules
from ._gpusim.schedules import (
    AttentionProblem,
    AttentionRequest,
    AttentionTiling,
    CopyProblem,
    ElementwiseProblem,
    GemmProblem,
    GemmRequest,
    GemmTiling,
    GemvProblem,
    GemvTiling,
    NormProblem,
    NormTiling,
    ReduceProblem,
    ReduceTiling,
    RowInstructions,
    SoftmaxProblem,
    SoftmaxTiling,
    StreamTiling,
    TransposeProblem,
    TransposeTiling,
    default_dtypes,
    estimate_registers,
    tiled_problem,
    variants,
)
from ._kernels import (
    attention,
    attention_kernels,
    choose_attention,
    copy,
    elementwise,
    gemv,
    layernorm,
    reduce,
    softmax,
    transpose,
)
from ._structs import both

__all__ = [
    "AttentionProblem",
    "AttentionRequest",
    "AttentionTiling",
    "CopyProblem",
    "ElementwiseProblem",
    "GemmProblem",
    "GemmRequest",
    "GemmTiling",
    "GemvProblem",
    "GemvTiling",
    "NormProblem",
    "NormTiling",
    "ReduceProblem",
    "ReduceTiling",
    "RowInstructions",
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
    "gemv",
    "layernorm",
    "reduce",
    "softmax",
    "tiled_problem",
    "transpose",
    "variants",
]


@overload
def gemm(problem: GemmProblem, tiling: GemmTiling) -> Schedule: ...
@overload
def gemm(problem: GemmProblem, **tiling: Unpack[TilingMembers]) -> Schedule: ...
@overload
def gemm(**members: Unpack[GemmMembers]) -> Schedule: ...
def gemm(problem: GemmProblem | None = None, tiling: GemmTiling | None = None, **members: Any) -> Schedule:
    """The schedule of a matrix product, C = activation(alpha A B + beta C + bias).

    Takes a GemmProblem and a GemmTiling, or their members by name; what is not given has the default of its class::

        gemm(m=4096, n=4096, k=4096, tile=(128, 128, 32))
        gemm(problem, choose(profile, problem, tile=128))

    Raises ScheduleError when problem or tiling make no sense on any GPU; what one GPU cannot hold is check()'s to say.
    """
    made = both("gemm", GemmProblem, problem, GemmTiling, tiling, members)
    return _schedules.gemm(*made)


@overload
def gemm_kernels(problem: GemmProblem, tiling: GemmTiling) -> list[Schedule]: ...
@overload
def gemm_kernels(problem: GemmProblem, **tiling: Unpack[TilingMembers]) -> list[Schedule]: ...
@overload
def gemm_kernels(**members: Unpack[GemmMembers]) -> list[Schedule]: ...
def gemm_kernels(
    problem: GemmProblem | None = None, tiling: GemmTiling | None = None, **members: Any
) -> list[Schedule]:
    """All kernels of the product, in order: gemm(), and where slices of k are added up by a kernel, that one.

    Takes what gemm() takes.
    """
    made = both("gemm_kernels", GemmProblem, problem, GemmTiling, tiling, members)
    return _schedules.gemm_kernels(*made)


@overload
def choose(profile: Profile, problem: GemmProblem, request: GemmRequest) -> GemmTiling: ...
@overload
def choose(profile: Profile, problem: GemmProblem, **request: Unpack[RequestMembers]) -> GemmTiling: ...
@overload
def choose(profile: Profile, **members: Unpack[ChooseMembers]) -> GemmTiling: ...
def choose(
    profile: Profile, problem: GemmProblem | None = None, request: GemmRequest | None = None, **members: Any
) -> GemmTiling:
    """The tiling for a GPU: what is asked for, and for the rest what its rules say; nothing is tried.

    It takes no wgmma unasked, and so leaves half of Hopper's speed: gpusim.choose_gemm() tries, as the command's
    `--schedule auto` does.

    Takes a GemmProblem and a GemmRequest, or their members by name. Raises ScheduleError when the GPU lacks the type or
    variant (naming those it has) or the tile does not fit (saying by how much, and what would).
    """
    made = both("choose", GemmProblem, problem, GemmRequest, request, members)
    return _schedules.choose(profile, *made)
