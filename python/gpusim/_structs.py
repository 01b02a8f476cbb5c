"""Structs of choices, given as they are or by their members' names."""

from typing import Any, TypeVar

from ._gpusim import nearest
from ._gpusim.schedules import (
    AttentionProblem,
    CopyProblem,
    ElementwiseProblem,
    GemmProblem,
    GemvProblem,
    NormProblem,
    ReduceProblem,
    SoftmaxProblem,
    TransposeProblem,
)

_REQUIRED: dict[type, tuple[str, ...]] = {
    GemmProblem: ("m", "n", "k"),
    CopyProblem: ("elements",),
    ElementwiseProblem: ("rows", "columns"),
    ReduceProblem: ("columns",),
    TransposeProblem: ("rows", "columns"),
    SoftmaxProblem: ("rows", "columns"),
    NormProblem: ("rows", "columns"),
    GemvProblem: ("n", "k"),
    AttentionProblem: ("queries",),
}

_Problem = TypeVar("_Problem")
_Choices = TypeVar("_Choices")


def both(
    function: str,
    problem: type[_Problem],
    given: _Problem | None,
    choices: type[_Choices],
    chosen: _Choices | None,
    members: dict[str, Any],
    *,
    besides: tuple[str, ...] = (),
) -> tuple[_Problem, _Choices]:
    """The two structs of a function, each the one given, or made from those of `members` that are its own.

    `besides` are other arguments that the function takes by name, which may have been meant.
    """
    names = {kind: _members(kind) for kind in (problem, choices)}
    known = [*names[problem], *names[choices], *besides]
    for name in members:
        if name not in known:
            near = nearest(name, known)
            meant = f"; did you mean '{near}'?" if near else ""
            raise TypeError(f"{function}() got an unexpected keyword argument '{name}'{meant}")
    own = [{name: members[name] for name in names[kind] if name in members} for kind in (problem, choices)]
    return _made(function, problem, given, own[0]), _made(function, choices, chosen, own[1])


def _members(kind: type) -> list[str]:
    """What may be set."""
    return [name for name, value in vars(kind).items() if isinstance(value, property) and value.fset]


def _made(function: str, kind: type[_Problem], given: _Problem | None, own: dict[str, Any]) -> _Problem:
    if given is not None:
        if not isinstance(given, kind):
            raise TypeError(f"{function}() takes a {kind.__name__}, not {given!r}")
        if own:
            raise TypeError(f"{function}() takes a {kind.__name__} or its members ({', '.join(own)}), not both")
        return given
    missing = [name for name in _REQUIRED.get(kind, ()) if name not in own]
    if missing:
        raise TypeError(f"{function}() needs a {kind.__name__}, or its members {', '.join(missing)}")
    return kind(**own)
