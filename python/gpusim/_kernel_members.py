"""Members of kernels' problems and tilings, by name, for annotations."""

from typing import Required, TypedDict

from ._gpusim.schedules import RowInstructions
from .types import (
    AttentionVariant,
    DType,
    ElementwiseOperation,
    NormKind,
    ReduceFinish,
    ReduceOperation,
    RowMeeting,
    RowPlace,
    StreamKind,
    TransposeVariant,
)


class CopyProblemMembers(TypedDict, total=False):
    kind: StreamKind
    elements: Required[int]
    dtype: DType
    scalar: float


class StreamTilingMembers(TypedDict, total=False):
    vector: int
    threads: int
    unroll: int
    ctas: int
    registers: int


class ElementwiseProblemMembers(TypedDict, total=False):
    operation: ElementwiseOperation
    rows: Required[int]
    columns: Required[int]
    dtype: DType
    result: DType | None
    scalar: bool
    gated: bool
    by_row: bool
    scaled: bool


class ReduceProblemMembers(TypedDict, total=False):
    rows: int
    columns: Required[int]
    operation: ReduceOperation
    dtype: DType


class ReduceTilingMembers(TypedDict, total=False):
    vector: int
    threads: int
    unroll: int
    splits: int
    registers: int
    meeting: RowMeeting
    rows_per_cta: int
    finish: ReduceFinish
    beside: RowInstructions


class TransposeProblemMembers(TypedDict, total=False):
    rows: Required[int]
    columns: Required[int]
    dtype: DType


class TransposeTilingMembers(TypedDict, total=False):
    variant: TransposeVariant
    tile: int
    threads: int


class SoftmaxProblemMembers(TypedDict, total=False):
    rows: Required[int]
    columns: Required[int]
    dtype: DType


class SoftmaxTilingMembers(TypedDict, total=False):
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


class NormProblemMembers(TypedDict, total=False):
    rows: Required[int]
    columns: Required[int]
    norm: NormKind
    dtype: DType
    residual: bool


class NormTilingMembers(TypedDict, total=False):
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


class GemvProblemMembers(TypedDict, total=False):
    m: int
    n: Required[int]
    k: Required[int]
    dtype: DType
    result: DType | None


class GemvTilingMembers(TypedDict, total=False):
    columns: int
    threads: int
    vector: int
    registers: int


class AttentionProblemMembers(TypedDict, total=False):
    batch: int
    heads: int
    kv_heads: int
    queries: Required[int]
    keys: int
    head_dim: int
    dtype: DType
    causal: bool


class AttentionTilingMembers(TypedDict, total=False):
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


class AttentionRequestMembers(TypedDict, total=False):
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


class CopyProblemStreamTilingMembers(CopyProblemMembers, StreamTilingMembers):
    pass


class ElementwiseProblemStreamTilingMembers(ElementwiseProblemMembers, StreamTilingMembers):
    pass


class ReduceProblemReduceTilingMembers(ReduceProblemMembers, ReduceTilingMembers):
    pass


class TransposeProblemTransposeTilingMembers(TransposeProblemMembers, TransposeTilingMembers):
    pass


class SoftmaxProblemSoftmaxTilingMembers(SoftmaxProblemMembers, SoftmaxTilingMembers):
    pass


class NormProblemNormTilingMembers(NormProblemMembers, NormTilingMembers):
    pass


class GemvProblemGemvTilingMembers(GemvProblemMembers, GemvTilingMembers):
    pass


class AttentionProblemAttentionTilingMembers(AttentionProblemMembers, AttentionTilingMembers):
    pass


class AttentionProblemAttentionRequestMembers(AttentionProblemMembers, AttentionRequestMembers):
    pass
