"""Matrix products of cuBLAS through PyTorch, for gpusim validate --gemm: gemm.py FOLDER [--seed N] [--limit SECONDS]."""

from __future__ import annotations

import argparse
import csv
import math
import pathlib
import time
from collections.abc import Callable

import torch

from board import Board
from clock import ClockMeter
from shapes import Product, products
from timing import kernel_times, replayed

STORED = {
    "bf16": torch.bfloat16,
    "fp16": torch.float16,
    "tf32": torch.float32,
    "fp32": torch.float32,
    "int8": torch.int8,
    "fp8": torch.float8_e4m3fn,
}
OUT = {"bf16": "bf16", "fp16": "fp16", "tf32": "fp32", "fp32": "fp32", "int8": "int32", "fp8": "bf16"}
SIZE = {"bf16": 2, "fp16": 2, "tf32": 4, "fp32": 4, "int8": 1, "fp8": 1}
COLUMNS = [
    "gpu", "m", "n", "k", "batch", "dtype_in", "dtype_acc", "dtype_out", "layout", "library_or_kernel", "schedule_notes", "time_us",
    "measured_mhz", "nvml_mhz", "launch", "l2", "data", "watts", "kernel_us", "tier", "source",
]  # fmt: skip


def matrix(rows: int, columns: int, product: Product) -> torch.Tensor:
    if product.data == "zeros":
        return torch.zeros(
            rows, columns, device="cuda", dtype=torch.bfloat16 if product.dtype == "fp8" else STORED[product.dtype]
        ).to(STORED[product.dtype])
    if product.dtype == "int8":
        return torch.randint(-128, 128, (rows, columns), device="cuda", dtype=torch.int8)
    if product.dtype in ("tf32", "fp32"):
        return torch.randn(rows, columns, device="cuda")
    return torch.randn(rows, columns, device="cuda", dtype=torch.bfloat16).to(STORED[product.dtype])


def call(product: Product) -> Callable[[], object]:
    """One product with arrays of its own."""
    a = matrix(product.m, product.k, product)
    b = matrix(product.n, product.k, product).t() if product.layout == "NT" else matrix(product.k, product.n, product)
    if product.dtype == "fp8":
        one = torch.ones((), device="cuda")
        return lambda: torch._scaled_mm(a, b, scale_a=one, scale_b=one, out_dtype=torch.bfloat16, use_fast_accum=True)
    if product.dtype == "int8":
        c = torch.empty(product.m, product.n, device="cuda", dtype=torch.int32)
        return lambda: torch._int_mm(a, b, out=c)
    c = torch.empty(product.m, product.n, device="cuda", dtype=a.dtype)
    return lambda: torch.mm(a, b, out=c)


def copies(product: Product, l2_bytes: int) -> int:
    """Of a cold product as many as make three times L2, each with arrays of its own."""
    size = SIZE[product.dtype]
    out = {"bf16": 2, "fp16": 2, "fp32": 4, "int32": 4}[OUT[product.dtype]]
    total = size * product.k * (product.m + product.n) + out * product.m * product.n
    return min(200, math.ceil(3 * l2_bytes / total)) + 1 if product.l2 == "cold" else 1


def prepare(product: Product) -> None:
    torch.backends.cuda.matmul.allow_tf32 = product.dtype == "tf32"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=20261127)
    parser.add_argument("--limit", type=float, default=240, help="seconds after which no further product is begun")
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    board = Board()
    meter = ClockMeter()
    machine = board.describe() | {"torch": torch.__version__, "cuda": str(torch.version.cuda)}
    machine["l2_bytes"] = str(torch.cuda.get_device_properties(0).L2_cache_size)
    with open(options.folder / "gemm_machine.csv", "w") as file:
        file.write(",".join(machine) + "\n" + ",".join(machine.values()) + "\n")
    begin = time.perf_counter()
    rows: list[dict[str, object]] = []
    done: list[Product] = []
    for product in products(options.seed):
        if time.perf_counter() - begin > options.limit:
            print("out of time at", product)
            break
        try:
            prepare(product)
            calls = [call(product) for _ in range(copies(product, int(machine["l2_bytes"])))]
            us, mhz, nvml_mhz, watts = replayed(board, meter, calls)
        except Exception as error:  # what the library refuses is told, and the others are measured
            print(product, "failed:", str(error).splitlines()[0])
            torch.cuda.synchronize()
            continue
        done.append(product)
        rows.append({
            "gpu": machine["gpu"], "m": product.m, "n": product.n, "k": product.k, "batch": 1, "dtype_in": product.dtype,
            "dtype_acc": "int32" if product.dtype == "int8" else "fp32", "dtype_out": OUT[product.dtype],
            "layout": product.layout, "library_or_kernel": "", "schedule_notes": "", "time_us": f"{us:.4f}",
            "measured_mhz": f"{mhz:.0f}", "nvml_mhz": f"{nvml_mhz:.0f}", "launch": "graph", "l2": product.l2, "data": product.data, "watts": f"{watts:.0f}", "kernel_us": "",
            "tier": "A", "source": "gpusim:tests/validation/measure",
        })  # fmt: skip
        del calls

    def write() -> None:
        with open(options.folder / "gemm.csv", "w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)

    write()
    board.close()

    def made(product: Product) -> Callable[[], Callable[[], object]]:
        def make() -> Callable[[], object]:
            prepare(product)
            return call(product)

        return make

    for row, kernels in zip(rows, kernel_times([made(p) for p in done]), strict=True):
        row["library_or_kernel"] = f"cuBLAS (CUDA {machine['cuda']}): " + " + ".join(
            name for name, _ in kernels
        ).replace(",", ";")
        row["kernel_us"] = f"{sum(us for _, us in kernels):.3f}"
    write()
    print(len(rows), "products in", round(time.perf_counter() - begin), "s")


if __name__ == "__main__":
    main()
