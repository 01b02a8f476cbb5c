"""A matrix product's schedule, chosen by trying."""

from collections.abc import Callable
from typing import Any, Unpack, overload

from . import _gpusim
from ._gemm_members import ProblemMembers, RequestMembersButTile
from ._gpusim import GemmChoice, Gpu, Progress
from ._gpusim.schedules import GemmProblem, GemmRequest
from ._structs import both
from .types import CodeState, GemmLibrary, L2Before


class ChoiceMembers(RequestMembersButTile, total=False):
    """What choose_gemm() takes beside a problem."""

    tile: int | tuple[int, int, int] | None
    library: GemmLibrary
    simulated: int
    usual: bool
    within: float
    whole: bool
    settle_within: float
    l2: L2Before
    l2_dirty_percent: int
    clock_mhz: int | None
    code: CodeState
    exact: bool
    watts: float | Callable[[float], float] | None
    keep_results: bool
    jobs: int
    progress: Callable[[int, int], object] | None
    stop: Callable[[Progress], bool] | None


class ProblemChoiceMembers(ProblemMembers, ChoiceMembers):
    pass


@overload
def choose_gemm(
    gpu: Gpu, problem: GemmProblem, request: GemmRequest | None = None, **options: Unpack[ChoiceMembers]
) -> GemmChoice: ...
@overload
def choose_gemm(gpu: Gpu, **members: Unpack[ProblemChoiceMembers]) -> GemmChoice: ...
def choose_gemm(
    gpu: Gpu,
    problem: GemmProblem | None = None,
    request: GemmRequest | None = None,
    *,
    tile: int | tuple[int, int, int] | None = None,
    library: GemmLibrary = "recent",
    simulated: int = 3,
    usual: bool = False,
    within: float = 0.3,
    whole: bool = False,
    settle_within: float = 0.0,
    l2: L2Before = "cold",
    l2_dirty_percent: int = 0,
    clock_mhz: int | None = None,
    code: CodeState = "warm",
    exact: bool = False,
    watts: float | Callable[[float], float] | None = None,
    keep_results: bool = False,
    jobs: int = 0,
    progress: Callable[[int, int], object] | None = None,
    stop: Callable[[Progress], bool] | None = None,
    **members: Any,
) -> GemmChoice:
    """The tiling of a product that is the fastest when tried, of those a good library has, as a GemmChoice.

    Takes a GemmProblem and a GemmRequest, or their members by name; what is fixed is fixed in all that is tried::

        choose_gemm(gpu, m=4096, n=4096, k=4096, dtype="bf16", settle_within=gpusim.settled_within)

    which chooses what the command's `--schedule auto` does; simulated=10, usual=True, within=math.inf is its `tune`.

    tile           only this one, T being (T, T, 32); its k 0: any. None: all. A request's own is not taken
    library        whose kernels there are to choose from
    simulated      at most so many are, the best by the quick model; one alone, with none to compare it with, is not
    usual          try what schedules.choose takes, too, and simulate it beside so many
    within         of the best quick estimate: what the quick model cannot tell apart; others are not simulated
    whole          simulate the whole product, however large, not a piece of it
    settle_within  what pieces put within this share of the best time is simulated whole after that: they tell times to
                   some per cent (gpusim.settled_within). That takes as long as whole runs do
    l2, l2_dirty_percent, clock_mhz, code, exact
                   as the product will be run: those of Gpu.run
    watts          that the board may draw, or a function that says so of a time in microseconds: trials are compared
                   at the clock they leave each (profile.power.limit_w: the board's limit). None: at clock_mhz
    keep_results   GemmTrial.result of what was simulated whole
    jobs           threads; 0: one for each core. They change nothing but how long it takes
    progress       called with how many simulations are done, and of how many
    stop           called now and then with a Progress of one of them, in several threads; true stops all, and what was
                   simulated until then decides

    Python's lock is released meanwhile, and Ctrl-C ends it. Raises ScheduleError when the GPU cannot multiply the types
    or nothing fits what is asked for, and what Gpu.run does.
    """
    if not isinstance(gpu, Gpu):
        raise TypeError(f"choose_gemm() takes a Gpu, not {gpu!r}")
    if tile is None and isinstance(request, GemmRequest) and request.tile != GemmRequest().tile:
        raise TypeError(f"choose_gemm() does not look at the request's tile; give tile={request.tile}")
    options: dict[str, Any] = {
        "library": library,
        "simulated": simulated,
        "usual": usual,
        "within": within,
        "whole": whole,
        "settle_within": settle_within,
        "l2": l2,
        "l2_dirty_percent": l2_dirty_percent,
        "clock_mhz": clock_mhz,
        "code": code,
        "exact": exact,
        "watts": watts,
        "keep_results": keep_results,
        "jobs": jobs,
        "progress": progress,
        "stop": stop,
    }
    made = both("choose_gemm", GemmProblem, problem, GemmRequest, request, members, besides=tuple(options))
    return _gpusim.choose_gemm(gpu, *made, tile=tile, **options)
