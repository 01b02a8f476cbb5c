"""What goes wrong, and how it is said.

Input is checked completely before anything is refused: an InputError carries all problems found. A RuntimeError without
a class of its own is a defect of gpusim.
"""

from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["DeadlockError", "InputError", "Problem", "ProfileError", "ScheduleError"]


class Problem(NamedTuple):
    """One thing wrong with an input."""

    where: str
    """ "my-gpu.json#/l2/capcity", "tile", "/roles/0/body/3"."""
    what: str
    """One sentence, with the nearest valid choice where there is one."""


class InputError(ValueError):
    """Bad input. Its text is the problems, one a line, "where: what"."""

    def __init__(self, problems: Iterable[tuple[str, str]]) -> None:
        self.problems: list[Problem] = [Problem(*problem) for problem in problems]
        super().__init__(self.problems)

    def __str__(self) -> str:
        return "\n".join(f"{where}: {what}" for where, what in self.problems)


class ProfileError(InputError):
    """A profile's file, key or value is wrong."""


class ScheduleError(InputError):
    """A schedule does not fit the machine, or its description or an option is wrong."""


class DeadlockError(RuntimeError):
    """Nothing can happen any more and some warps have not ended."""

    def __init__(self, waits: Iterable[str]) -> None:
        self.waits: list[str] = list(waits)
        """One sentence a stuck warp: who waits for whom."""
        super().__init__(self.waits)

    def __str__(self) -> str:
        return "\n".join(["deadlock: no event is left and these warps have not ended", *self.waits])
