"""Puts what run left into tests/validation/data/silicon: keep.py FOLDER NAME. Of long raw files what is used."""

from __future__ import annotations

import csv
import pathlib
import shutil
import sys

from counted import PRODUCTS

SILICON = pathlib.Path(__file__).resolve().parent.parent / "data" / "silicon"
PERCENTILES = (1, 5, 10, 25, 50, 75, 90, 95, 99)
PROFILES = {"NVIDIA H200": "H200", "NVIDIA H100 80GB HBM3": "H100-SXM5-80GB"}
TENSOR_ACTIVE = (
    "sm__pipe_tensor_type_hmma_hgmma_qgmma_imma_igmma_bmma_bgmma_cycles_active.avg.pct_of_peak_sustained_elapsed"
)
COUNTS = {
    "Kernel Name": "kernel",
    "Grid Size": "grid",
    "Block Size": "block",
    "gpu__time_duration.sum": "time_ns",
    "gpc__cycles_elapsed.max": "cycles",
    "sm__cycles_active.avg": "sm_active_cycles",
    "lts__cycles_elapsed.avg.per_second": "l2_hz",
    "dram__bytes_read.sum": "dram_read",
    "dram__bytes_write.sum": "dram_write",
    "lts__t_sectors_op_read.sum": "l2_read_sectors",
    "lts__t_sectors_op_write.sum": "l2_write_sectors",
    "lts__t_sector_hit_rate.pct": "l2_hit_percent",
    "smsp__inst_executed.sum": "instructions",
    TENSOR_ACTIVE: "tensor_percent",
    "l1tex__data_bank_reads.avg.pct_of_peak_sustained_elapsed": "data_bank_read_percent",
    "l1tex__data_bank_writes.avg.pct_of_peak_sustained_elapsed": "data_bank_write_percent",
    "launch__registers_per_thread": "registers",
    "launch__shared_mem_per_block_dynamic": "dynamic_shared",
}


def rows_of(path: pathlib.Path) -> list[dict[str, str]]:
    with open(path, newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("==")))


def write(path: pathlib.Path, header: list[str], rows: list[list[str]]) -> None:
    with open(path, "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])


def single_loads(source: pathlib.Path, target: pathlib.Path) -> None:
    """Percentiles of each SM's loads, and its lap without a load, which is to be subtracted."""
    laps: dict[str, dict[bool, list[float]]] = {}
    for row in rows_of(source):
        laps.setdefault(row["sm"], {True: [], False: []})[int(row["line_index"]) < 0].append(float(row["cycles"]))
    kept = []
    for sm, of_sm in laps.items():
        loads = sorted(of_sm[False])
        kept.append(
            [sm, *(f"{x:g}" for x in of_sm[True][:1] + [loads[p * (len(loads) - 1) // 100] for p in PERCENTILES])]
        )
    write(target, ["sm", "empty_lap", *(f"p{p:02}" for p in PERCENTILES)], kept)


def throttled(source: pathlib.Path, target: pathlib.Path) -> None:
    """Each kernel of the first 40 ms, and one every 10 ms after."""
    kept = [
        [r["load"], f"{float(r['time_ms']):.3f}", f"{float(r['kernel_ms']):.4f}", f"{float(r['sm_mhz']):.0f}"]
        for r in rows_of(source)
        if float(r["time_ms"]) < 40 or float(r["time_ms"]) % 10 < 1
    ]
    write(target, ["load", "time_ms", "kernel_ms", "sm_mhz"], kept)


def counts(source: pathlib.Path, target: pathlib.Path) -> None:
    """Of the products in order; a kernel that reduces slices of k is not among those that were counted."""
    counted = [row for row in rows_of(source) if row["ID"]]  # the line before them has units
    there = [name for name in COUNTS if name in counted[0]]
    kept = []
    for product, row in zip(PRODUCTS, counted, strict=True):
        cells = [
            row[name].replace(", ", "x").strip("()") if name.endswith("Size") else row[name].replace(",", "")
            for name in there
        ]
        kept.append([str(product.m), str(product.n), str(product.k), product.dtype, product.layout, *cells])
    write(target, ["m", "n", "k", "dtype", "layout", *(COUNTS[name] for name in there)], kept)


def named(source: pathlib.Path, target: pathlib.Path) -> None:
    """GPUs by the names of tables."""
    text = source.read_text()
    for name in sorted({row["gpu"] for row in rows_of(source)} - {*PROFILES, *PROFILES.values()}):
        print(f"{source}: no name of {name!r} in tables is known (PROFILES): it stays as it is", file=sys.stderr)
    for name, known in PROFILES.items():
        text = text.replace(f"\n{name},", f"\n{known},")
    target.write_text(text)


SPECIAL = {
    "latency_parts.csv": single_loads,
    "latency_miss.csv": single_loads,
    "throttle.csv": throttled,
    "counted.csv": counts,
    "gemm.csv": named,
    "kernels.csv": named,
    "throttle_board.csv": None,
}


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    source, target = pathlib.Path(sys.argv[1]), SILICON / sys.argv[2]
    if not source.is_dir():
        sys.exit(f"{source}: no such folder")
    paths = sorted(source.glob("*.csv"))
    if not paths:
        sys.exit(f"{source}: no CSV files; run leaves them in its FOLDER")
    target.mkdir(parents=True, exist_ok=True)
    for path in paths:
        if path.name not in SPECIAL:
            shutil.copy(path, target / path.name)
        elif (keep := SPECIAL[path.name]) is not None:
            keep(path, target / path.name)


if __name__ == "__main__":
    main()
