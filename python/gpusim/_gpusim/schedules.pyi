from typing import ClassVar

from ..types import DType, GemmVariant
from . import Profile, Schedule

class GemmProblem:
    m: int
    n: int
    k: int
    dtype: DType
    accumulate: DType
    alpha: float
    beta: float
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
    __hash__: ClassVar[None]  # type: ignore[assignment]
    def __init__(
        self,
        *,
        tile: int | tuple[int, int, int] = (128, 128, 32),
        variant: GemmVariant = "async",
        stages: int = 4,
        specialize: bool = False,
        fragment_k: int = 0,
        registers: int = 0,
        instruction: tuple[int, int, int] = (16, 8, 16),
    ) -> None: ...
    def __eq__(self, other: object) -> bool: ...

class GemmRequest:
    tile: tuple[int, int, int]
    variant: GemmVariant | None
    stages: int | None
    specialize: bool
    registers: int | None
    fragment_k: int | None
    __hash__: ClassVar[None]  # type: ignore[assignment]
    def __init__(
        self,
        *,
        tile: int | tuple[int, int, int] = (128, 128, 32),
        variant: GemmVariant | None = None,
        stages: int | None = None,
        specialize: bool = False,
        registers: int | None = None,
        fragment_k: int | None = None,
    ) -> None: ...
    def __eq__(self, other: object) -> bool: ...

def gemm(problem: GemmProblem, tiling: GemmTiling) -> Schedule: ...
def choose(profile: Profile, problem: GemmProblem, request: GemmRequest) -> GemmTiling: ...
def default_dtypes(profile: Profile) -> tuple[DType, DType]: ...
def variants(profile: Profile, input: DType, accumulate: DType) -> list[GemmVariant]: ...
def estimate_registers(problem: GemmProblem, tiling: GemmTiling) -> int: ...
