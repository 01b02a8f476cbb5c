"""Output as a page shows it, against what is really printed. A line `...` stands for any number of lines."""

import re

ELISION = "..."


def same(shown: str, printed: str) -> bool:
    return shown.rstrip() == printed.rstrip()


def alike(shown: str, printed: str) -> bool:
    """The same but for numbers and the spaces that line them up: a line that an update may renew."""

    def words(line: str) -> str:
        return " ".join(re.sub(r"[-+]?\d[\d,.]*", "#", line).split())

    return words(shown) == words(printed)


def align(shown: list[str], printed: list[str], equal=same) -> list[int | None] | None:
    """For each shown line the index of the printed line it stands for (None: an elision), or None: they differ."""
    places: list[int | None] = []
    at = 0
    open_end = False  # an elision came just before
    for index, line in enumerate(shown):
        if line.strip() == ELISION:
            places.append(None)
            open_end = True
            continue
        # After an elision, the run of lines up to the next one must stand together somewhere.
        if open_end:
            stop = next((i for i in range(index, len(shown)) if shown[i].strip() == ELISION), len(shown))
            run = shown[index:stop]
            last = len(printed) - len(run)
            starts = range(last, last + 1) if stop == len(shown) else range(at, last + 1)
            fits = (s for s in starts if s >= at and all(map(equal, run, printed[s : s + len(run)])))
            start = next(fits, None)
            if start is None:
                return None
            at = start
            open_end = False
        if at >= len(printed) or not equal(line, printed[at]):
            return None
        places.append(at)
        at += 1
    return places if open_end or at == len(printed) else None


def renewed(shown: list[str], printed: list[str]) -> list[str] | None:
    """`shown` with what is printed now, elisions kept; None when it has changed in more than its numbers."""
    if ELISION not in (line.strip() for line in shown):
        return printed
    places = align(shown, printed, alike)
    if places is None:
        return None
    return [line if place is None else printed[place] for line, place in zip(shown, places)]


def difference(shown: list[str], printed: list[str]) -> str:
    """Where the two part, for people."""
    for line in shown:
        if line.strip() != ELISION and not any(same(line, other) for other in printed):
            near = next((other for other in printed if alike(line, other)), None)
            return f"shown:   {line}\n  printed: {near}" if near is not None else f"not printed: {line}"
    return "the lines shown are printed, but not in this order or not all of them\n  " + "\n  ".join(printed[:20])
