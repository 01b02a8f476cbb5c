"""Kernels other than matrix products, from a problem and its choices, or from their members by name."""

from typing import Any, Unpack, overload

from ._gpusim import Profile, Schedule
from ._gpusim import schedules as _schedules
from ._gpusim.schedules import (
    AttentionProblem,
    AttentionRequest,
    AttentionTiling,
    CopyProblem,
    ElementwiseProblem,
    GemvProblem,
    GemvTiling,
    NormProblem,
    NormTiling,
    ReduceProblem,
    ReduceTiling,
    SoftmaxProblem,
    SoftmaxTiling,
    StreamTiling,
    TransposeProblem,
    TransposeTiling,
)
from ._kernel_members import (
    AttentionProblemAttentionRequestMembers,
    AttentionProblemAttentionTilingMembers,
    AttentionRequestMembers,
    AttentionTilingMembers,
    CopyProblemStreamTilingMembers,
    ElementwiseProblemStreamTilingMembers,
    GemvProblemGemvTilingMembers,
    GemvTilingMembers,
    NormProblemNormTilingMembers,
    NormTilingMembers,
    ReduceProblemReduceTilingMembers,
    ReduceTilingMembers,
    SoftmaxProblemSoftmaxTilingMembers,
    SoftmaxTilingMembers,
    StreamTilingMembers,
    TransposeProblemTransposeTilingMembers,
    TransposeTilingMembers,
)
from ._structs import both


@overload
def copy(problem: CopyProblem, tiling: StreamTiling) -> Schedule: ...
@overload
def copy(problem: CopyProblem, **tiling: Unpack[StreamTilingMembers]) -> Schedule: ...
@overload
def copy(**members: Unpack[CopyProblemStreamTilingMembers]) -> Schedule: ...
def copy(problem: CopyProblem | None = None, tiling: StreamTiling | None = None, **members: Any) -> Schedule:
    """The schedule of a stream.

    Takes a CopyProblem and a StreamTiling, or their members by name. Raises ScheduleError
    when they make no sense on any GPU; what one GPU cannot hold is check()'s to say.
    """
    return _schedules.copy(*both("copy", CopyProblem, problem, StreamTiling, tiling, members))


@overload
def elementwise(problem: ElementwiseProblem, tiling: StreamTiling) -> Schedule: ...
@overload
def elementwise(problem: ElementwiseProblem, **tiling: Unpack[StreamTilingMembers]) -> Schedule: ...
@overload
def elementwise(**members: Unpack[ElementwiseProblemStreamTilingMembers]) -> Schedule: ...
def elementwise(
    problem: ElementwiseProblem | None = None, tiling: StreamTiling | None = None, **members: Any
) -> Schedule:
    """The schedule of an elementwise kernel.

    Takes an ElementwiseProblem and a StreamTiling, or their members by name. Raises ScheduleError
    when they make no sense on any GPU; what one GPU cannot hold is check()'s to say.
    """
    return _schedules.elementwise(*both("elementwise", ElementwiseProblem, problem, StreamTiling, tiling, members))


@overload
def reduce(problem: ReduceProblem, tiling: ReduceTiling) -> Schedule: ...
@overload
def reduce(problem: ReduceProblem, **tiling: Unpack[ReduceTilingMembers]) -> Schedule: ...
@overload
def reduce(**members: Unpack[ReduceProblemReduceTilingMembers]) -> Schedule: ...
def reduce(problem: ReduceProblem | None = None, tiling: ReduceTiling | None = None, **members: Any) -> Schedule:
    """The schedule of a reduction.

    Takes a ReduceProblem and a ReduceTiling, or their members by name. Raises ScheduleError
    when they make no sense on any GPU; what one GPU cannot hold is check()'s to say.
    """
    return _schedules.reduce(*both("reduce", ReduceProblem, problem, ReduceTiling, tiling, members))


@overload
def transpose(problem: TransposeProblem, tiling: TransposeTiling) -> Schedule: ...
@overload
def transpose(problem: TransposeProblem, **tiling: Unpack[TransposeTilingMembers]) -> Schedule: ...
@overload
def transpose(**members: Unpack[TransposeProblemTransposeTilingMembers]) -> Schedule: ...
def transpose(
    problem: TransposeProblem | None = None, tiling: TransposeTiling | None = None, **members: Any
) -> Schedule:
    """The schedule of a transposition.

    Takes a TransposeProblem and a TransposeTiling, or their members by name. Raises ScheduleError
    when they make no sense on any GPU; what one GPU cannot hold is check()'s to say.
    """
    return _schedules.transpose(*both("transpose", TransposeProblem, problem, TransposeTiling, tiling, members))


@overload
def softmax(problem: SoftmaxProblem, tiling: SoftmaxTiling) -> Schedule: ...
@overload
def softmax(problem: SoftmaxProblem, **tiling: Unpack[SoftmaxTilingMembers]) -> Schedule: ...
@overload
def softmax(**members: Unpack[SoftmaxProblemSoftmaxTilingMembers]) -> Schedule: ...
def softmax(problem: SoftmaxProblem | None = None, tiling: SoftmaxTiling | None = None, **members: Any) -> Schedule:
    """The schedule of a softmax.

    Takes a SoftmaxProblem and a SoftmaxTiling, or their members by name. Raises ScheduleError
    when they make no sense on any GPU; what one GPU cannot hold is check()'s to say.
    """
    return _schedules.softmax(*both("softmax", SoftmaxProblem, problem, SoftmaxTiling, tiling, members))


@overload
def layernorm(problem: NormProblem, tiling: NormTiling) -> Schedule: ...
@overload
def layernorm(problem: NormProblem, **tiling: Unpack[NormTilingMembers]) -> Schedule: ...
@overload
def layernorm(**members: Unpack[NormProblemNormTilingMembers]) -> Schedule: ...
def layernorm(problem: NormProblem | None = None, tiling: NormTiling | None = None, **members: Any) -> Schedule:
    """The schedule of a layer norm or RMS norm.

    Takes a NormProblem and a NormTiling, or their members by name. Raises ScheduleError
    when they make no sense on any GPU; what one GPU cannot hold is check()'s to say.
    """
    return _schedules.layernorm(*both("layernorm", NormProblem, problem, NormTiling, tiling, members))


@overload
def gemv(problem: GemvProblem, tiling: GemvTiling) -> Schedule: ...
@overload
def gemv(problem: GemvProblem, **tiling: Unpack[GemvTilingMembers]) -> Schedule: ...
@overload
def gemv(**members: Unpack[GemvProblemGemvTilingMembers]) -> Schedule: ...
def gemv(problem: GemvProblem | None = None, tiling: GemvTiling | None = None, **members: Any) -> Schedule:
    """The schedule of a few rows times a matrix on CUDA cores, C = A B^T.

    Takes a GemvProblem and a GemvTiling, or their members by name. Raises ScheduleError
    when they make no sense on any GPU; what one GPU cannot hold is check()'s to say.
    """
    return _schedules.gemv(*both("gemv", GemvProblem, problem, GemvTiling, tiling, members))


@overload
def attention(problem: AttentionProblem, tiling: AttentionTiling) -> Schedule: ...
@overload
def attention(problem: AttentionProblem, **tiling: Unpack[AttentionTilingMembers]) -> Schedule: ...
@overload
def attention(**members: Unpack[AttentionProblemAttentionTilingMembers]) -> Schedule: ...
def attention(
    problem: AttentionProblem | None = None, tiling: AttentionTiling | None = None, **members: Any
) -> Schedule:
    """The schedule of the kernel that attends.

    Takes an AttentionProblem and an AttentionTiling, or their members by name. Raises ScheduleError
    when they make no sense on any GPU; what one GPU cannot hold is check()'s to say.
    """
    return _schedules.attention(*both("attention", AttentionProblem, problem, AttentionTiling, tiling, members))


@overload
def attention_kernels(problem: AttentionProblem, tiling: AttentionTiling) -> list[Schedule]: ...
@overload
def attention_kernels(problem: AttentionProblem, **tiling: Unpack[AttentionTilingMembers]) -> list[Schedule]: ...
@overload
def attention_kernels(**members: Unpack[AttentionProblemAttentionTilingMembers]) -> list[Schedule]: ...
def attention_kernels(
    problem: AttentionProblem | None = None, tiling: AttentionTiling | None = None, **members: Any
) -> list[Schedule]:
    """All kernels of attention: attention(), and with splits the kernel that combines.

    Takes an AttentionProblem and an AttentionTiling, or their members by name. Raises ScheduleError
    when they make no sense on any GPU; what one GPU cannot hold is check()'s to say.
    """
    made = both("attention_kernels", AttentionProblem, problem, AttentionTiling, tiling, members)
    return _schedules.attention_kernels(*made)


@overload
def choose_attention(profile: Profile, problem: AttentionProblem, request: AttentionRequest) -> AttentionTiling: ...
@overload
def choose_attention(
    profile: Profile, problem: AttentionProblem, **request: Unpack[AttentionRequestMembers]
) -> AttentionTiling: ...
@overload
def choose_attention(
    profile: Profile, **members: Unpack[AttentionProblemAttentionRequestMembers]
) -> AttentionTiling: ...
def choose_attention(
    profile: Profile, problem: AttentionProblem | None = None, request: AttentionRequest | None = None, **members: Any
) -> AttentionTiling:
    """The tiling of attention for a GPU: what is asked for, and the best choice for the rest.

    Takes an AttentionProblem and an AttentionRequest, or their members by name. Raises ScheduleError when the GPU
    lacks what the variant needs.
    """
    made = both("choose_attention", AttentionProblem, problem, AttentionRequest, request, members)
    return _schedules.choose_attention(profile, *made)
