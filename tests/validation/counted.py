#!/usr/bin/env python3
"""What a profiler counted of cuBLAS's kernels beside what they move here, for docs/validation.md.

Usage: counted.py run BUILD   simulates the kernels of data/silicon/*/counted.csv whose names tell their tiles, keeps
                              what both counts say, and writes the page; under a minute
       counted.py page        writes the section of docs/validation.md from what is kept
       counted.py check       whether the page says what is kept

data/compared/counted.csv is what is kept: sectors of 32 bytes that SMs ask for (what clusters share once), that L2's
slices give them, that slices send for in the other partition, that DRAM gives, and that it is given. The profiler counts a read that is
sent for twice, as a miss of both lookups or of the first alone: what misses without DRAM is sent for.
"""

import csv
import json
import math
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import analysis

KEPT = analysis.KEPT / "counted.csv"
PROFILES = {"h100": "H100-SXM5-80GB", "h200": "H200"}
SECTOR = 32
SHARES = ["reads", "far", "dram"]
COUNTS = [*SHARES, "written"]
COLUMNS = ["gpu", "size", "dtype", "layout", "kernel", "asked", *COUNTS, *(f"simulated_{name}" for name in COUNTS)]

NVJET = re.compile(r"nvjet_sm90_\w+?_(\d+)x(\d+)_(\d+)x(\d+)_(\d)x(\d)_[hv]_bz_(splitK_)?(coop)?")
XMMA = re.compile(r"sm90_xmma_gemm_\w+_tilesize(\d+)x(\d+)x(\d+)_warpgroupsize(\d)")
CUTLASS = re.compile(r"cutlass_80_tensorop_i16832gemm_s8_(\d+)x(\d+)_(\d+)x(\d+)_tn")
WGMMA_ROWS = 64
RESULTS = {"fp8": "bf16", "int8": "int32"}  # as torch has them
PIECE_OF_C = 8192  # bytes of shared memory: beside the stages there are two of them


def pieces(rows: int, columns: int, element: int) -> list[str]:
    """C leaves in equal pieces of whole groups of eight columns."""
    at_a_time = min(columns, PIECE_OF_C // (rows * element))
    most = max(piece for piece in range(8, at_a_time + 1, 8) if columns % piece == 0)
    return ["--epilogue-columns", str(most)] if most < columns else []


def groups(rows: int, shared: bool) -> int:
    """Of 192 rows three stand for the library's two, whose wgmma has its rows along n."""
    if not shared:
        return 1
    return 2 if rows % (2 * WGMMA_ROWS) == 0 else rows // WGMMA_ROWS


def nvjet(row: dict, found: re.Match) -> list[str]:
    """The library's matrices are columns first: its rows are C's columns here. What is not `coop` is one group's, and
    two take tiles in turns."""
    columns, rows, k, stages, along_n, along_m = map(int, found.groups()[:6])
    options = ["--schedule", "wgmma", "--specialize", "--stages", str(stages)]
    if rows % WGMMA_ROWS:
        options += ["--swap-ab", "--tile", f"{columns}x{rows}x{k}", "--cluster", f"{along_n}x{along_m}"]
    else:
        options += ["--tile", f"{rows}x{columns}x{k}", "--cluster", f"{along_m}x{along_n}"]
        if columns % (8 * along_m):
            options += ["--multicast-by", "first"]
    consumers = groups(rows, shared=bool(found[8]))
    options += ["--consumers", str(consumers)]
    if found[7]:
        ctas = math.prod(int(side) for side in row["grid"].split("x"))
        tiles = -(-int(row["m"]) // rows) * -(-int(row["n"]) // columns)
        return [*options, "--split-k", str(ctas // tiles)]
    options += ["--pingpong"] if consumers == 1 else []
    return [*options, "--persistent", "--tile-order", "grouped", "--epilogue", "tma", *pieces(rows, columns, 2)]


def xmma(row: dict, found: re.Match) -> list[str]:
    rows, columns = int(found[1]), int(found[2])
    cluster = row["grid"].split("x")[1]
    options = ["--schedule", "wgmma", "--specialize", "--consumers", found[4], "--tile", f"{rows}x{columns}x{found[3]}"]
    options += ["--cluster", f"{cluster}x1", "--persistent", "--tile-order", "grouped"]
    return [*options, "--epilogue", "tma", *pieces(rows, columns, 4)]


def cutlass(_row: dict, found: re.Match) -> list[str]:
    tile = f"{found[2]}x{found[1]}x{found[3]}"
    return ["--schedule", "async", "--tile", tile, "--stages", found[4], "--warp-tile", "64x64"]


def options_of(row: dict) -> list[str] | None:
    """The kernel as its name tells it; nothing where that leaves its tile open."""
    for pattern, options in ((NVJET, nvjet), (XMMA, xmma), (CUTLASS, cutlass)):
        if found := pattern.search(row["kernel"]):
            return options(row, found)
    return None


def size(row: dict) -> str:
    return "x".join(row[side] for side in "mnk")


def rows_of(profile: str) -> Iterator[dict]:
    for path in sorted((analysis.DATA / "silicon").glob(f"{profile}-*/counted.csv")):
        yield from analysis.read(path)


def traffic(build: str, profile: str, row: dict, options: list[str]) -> dict[str, int]:
    """Of all kernels of the product, at the clock that the measured one had. A profiler clears caches before each."""
    clock = round(float(row["cycles"]) / float(row["time_ns"]) * 1000)
    command = [str(Path(build) / "gpusim"), "run", "matmul", "--arch", profile, "--clock", str(clock), "--code", "cold"]
    command += ["--m", row["m"], "--n", row["n"], "--k", row["k"], "--dtype", row["dtype"]]
    command += ["--layout", row["layout"].lower(), *options, "--json", "-"]
    if result := RESULTS.get(row["dtype"]):
        command += ["--result", result]
    printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    kernels = [kernel["traffic"] for kernel in json.loads(printed)["kernels"]]
    return {name: sum(kernel[name] for kernel in kernels) for name in kernels[0]}


def compared(profile: str, row: dict, here: dict[str, int]) -> dict:
    read, written = int(row["l2_read_sectors"]), int(row["l2_write_sectors"])
    dram = round(int(row["dram_read"]) / SECTOR)
    far = round((1 - float(row["l2_hit_percent"]) / 100) * (read + written)) - dram
    values = [PROFILES[profile], size(row), row["dtype"], row["layout"], row["kernel"]]
    values += [here["l2_read_sectors"], read - far, far, dram, round(int(row["dram_write"]) / SECTOR)]
    values += [here["l2_read_sectors"] - here["l2_coalesced_sectors"], here["l2_far_sectors"]]
    values += [here["dram_read_bytes"] // SECTOR, here["dram_write_bytes"] // SECTOR]
    return dict(zip(COLUMNS, values, strict=True))


def run(build: str) -> None:
    kept = []
    for profile in PROFILES:
        for row in rows_of(profile):
            if options := options_of(row):
                print(PROFILES[profile], size(row), row["dtype"], flush=True)
                kept.append(compared(profile, row, traffic(build, profile, row, options)))
    with KEPT.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(kept)


# The page --------------------------------------------------------------------------------------------------------------


def short(kernel: str) -> str:
    """What of the name tells the tile."""
    for pattern in (r"\d+x\d+_\d+x\d+_\dx\d", r"tilesize([\dx]+)", r"\d+x\d+_\d+x\d+(?=_tn)"):
        if found := re.search(pattern, kernel):
            return found[found.lastindex or 0]
    return kernel


def percent(row: dict, column: str) -> str:
    return f"{100 * int(row[column]) / int(row['asked']):.0f}"


def megabytes(row: dict, column: str) -> str:
    return f"{int(row[column]) * SECTOR / 1e6:.4g} MB"


def table(rows: list[dict]) -> list[str]:
    lines = [
        "| GPU | product | type | layout | kernel | asked for | to the slices | here | far | here | DRAM | here |"
        " written | here |",
        "|---|---|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for row in rows:
        cells = [row["gpu"], row["size"], row["dtype"], row["layout"], short(row["kernel"])]
        cells += [megabytes(row, "asked")]
        for column in SHARES:
            cells += [percent(row, column), percent(row, f"simulated_{column}")]
        cells += [megabytes(row, "written"), megabytes(row, "simulated_written")]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def page() -> str:
    text = analysis.PAGE.read_text(encoding="utf-8")
    return analysis.replaced(text, "counted", "\n".join(table(analysis.read(KEPT))) + "\n", Path(__file__).name)


def main(arguments: list[str]) -> int:
    match arguments:
        case ["run", build]:
            run(build)
            return analysis.write_or_check(page(), "page", Path(__file__).name)
        case ["page" | "check" as action]:
            return analysis.write_or_check(page(), action, Path(__file__).name)
        case _:
            print(__doc__)
            return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
