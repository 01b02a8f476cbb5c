"""How far a compared row is off, and what such errors have in common: quantiles, ranks."""

import statistics


def error(row: dict) -> float | None:
    """Of the time, as a share of the measured one; none where it was refused."""
    return float(row["simulated_us"]) / float(row["measured_us"]) - 1 if row["simulated_us"] else None


def absolute(row: dict) -> float:
    """A row that was refused counts as 100 %."""
    value = error(row)
    return 1 if value is None else abs(value)


def quantile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def ranks(values: list[float]) -> list[float]:
    order = sorted(range(len(values)), key=values.__getitem__)
    result = [0.0] * len(values)
    first = 0
    while first < len(order):
        last = first
        while last + 1 < len(order) and values[order[last + 1]] == values[order[first]]:
            last += 1
        for place in order[first : last + 1]:
            result[place] = (first + last) / 2
        first = last + 1
    return result


def spearman(rows: list[dict]) -> float | None:
    done = [row for row in rows if row["simulated_us"]]
    sides = [ranks([float(row[key]) for row in done]) for key in ("measured_us", "simulated_us")]
    if len(done) < 3 or min(len(set(side)) for side in sides) < 2:
        return None
    return statistics.correlation(*sides)
