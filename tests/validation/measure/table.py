"""A table of calls that are timed one after another, and whose kernels a profiler names afterwards."""

from __future__ import annotations

import csv
import pathlib
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import torch
from board import Board
from clock import ClockMeter
from timing import kernel_times, replayed

CONDITIONS = ["measured_mhz", "nvml_mhz", "launch", "l2", "data", "watts", "kernels", "kernel_us", "tier", "source"]


@dataclass(frozen=True)
class Item:
    """What a row says of itself, and how to make its call, with arrays of its own; copies of it run by turns."""

    row: dict[str, object]
    make: Callable[[], Callable[[], object]]
    copies: int = 1


def write(path: pathlib.Path, columns: list[str], rows: list[dict[str, object]]) -> None:
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, [*columns, *CONDITIONS], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def measure(path: pathlib.Path, columns: list[str], items: Iterable[Item], limit_s: float) -> None:
    """Times each, until `limit_s` seconds have gone by; what a library refuses is told, and the others are measured.

    Exits with 1 when time ran out before the last one, or when all were refused.
    """
    board, meter = Board(), ClockMeter()
    begin = time.perf_counter()
    rows: list[dict[str, object]] = []
    done: list[Item] = []
    out_of_time = False
    for item in items:
        if time.perf_counter() - begin > limit_s:
            print("out of time at", item.row, file=sys.stderr)
            out_of_time = True
            break
        try:
            us, mhz, nvml_mhz, watts = replayed(board, meter, [item.make() for _ in range(item.copies)])
        except Exception as error:
            print(item.row, "failed:", (str(error).splitlines() or [repr(error)])[0], file=sys.stderr)
            torch.cuda.synchronize()
            continue
        done.append(item)
        timed = {"time_us": f"{us:.4f}", "measured_mhz": f"{mhz:.0f}", "nvml_mhz": f"{nvml_mhz:.0f}"}
        beside = {"launch": "graph", "watts": f"{watts:.0f}", "tier": "A", "source": "gpusim:tests/validation/measure"}
        rows.append({"gpu": board.describe()["gpu"], "data": "random", **item.row, **timed, **beside})
    write(path, columns, rows)
    board.close()
    for row, kernels in zip(rows, kernel_times([item.make for item in done]), strict=True):
        row["kernels"] = " + ".join(name for name, _ in kernels).replace(",", ";")[:400]
        row["kernel_us"] = f"{sum(us for _, us in kernels):.3f}"
    write(path, columns, rows)
    print(len(rows), "rows of", path.name, "in", round(time.perf_counter() - begin), "s")
    if out_of_time or not rows:
        sys.exit(f"{path.name}: " + ("not all were measured in time" if rows else "nothing was measured"))
