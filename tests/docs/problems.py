"""What is wrong with the pages, and the renewing of what they show."""

import shown
from pages import Page


class Problems(list):
    def add(self, place: str, what: str) -> None:
        self.append(f"{place}: {what}")

    def text(self) -> str:
        return "".join(f"{problem}\n" for problem in self)


def compare(page: Page, first: int, end: int, printed: str, update: bool, problems: Problems) -> list[str] | None:
    """Holds lines [first, end) of the page against what was printed. With `update`, the lines they should be."""
    lines = page.lines[first:end]
    real = printed.rstrip("\n").split("\n") if printed.strip() else []
    if shown.align(lines, real) is not None:
        return None
    if not update:
        problems.add(page.place(first), shown.difference(lines, real))
        return None
    renewed = shown.renewed(lines, real)
    if renewed is None:
        problems.add(page.place(first), "more than numbers have changed; renew by hand: " + shown.difference(lines, real))
    return renewed


class Edits:
    """New lines for a page, put in from the end so that places stay true."""

    def __init__(self, page: Page):
        self._page = page
        self._edits: list[tuple[int, int, list[str]]] = []

    def replace(self, first: int, end: int, lines: list[str] | None) -> None:
        if lines is not None:
            self._edits.append((first, end, lines))

    def write(self) -> None:
        lines = list(self._page.lines)
        for first, end, new in sorted(self._edits, reverse=True):
            lines[first:end] = new
        if self._edits:
            self._page.path.write_text("\n".join(lines), encoding="utf-8")
