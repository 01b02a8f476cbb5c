"""cuBLAS' matrix products through PyTorch, for gpusim validate --gemm: gemm.py FOLDER [--seed N] [--limit SECONDS]."""

from __future__ import annotations

import argparse
import math
import pathlib
from collections.abc import Callable

import torch
from board import Board
from shapes import Product, products
from table import Item, measure

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
    "gpu",
    "m",
    "n",
    "k",
    "batch",
    "dtype_in",
    "dtype_acc",
    "dtype_out",
    "layout",
    "library_or_kernel",
    "time_us",
]


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


def item(product: Product, l2_bytes: int, library: str) -> Item:
    def make() -> Callable[[], object]:
        prepare(product)
        return call(product)

    row: dict[str, object] = {"m": product.m, "n": product.n, "k": product.k, "batch": 1, "dtype_in": product.dtype}
    row |= {"dtype_acc": "int32" if product.dtype == "int8" else "fp32", "dtype_out": OUT[product.dtype]}
    row |= {"layout": product.layout, "library_or_kernel": library, "l2": product.l2, "data": product.data}
    return Item(row, make, copies(product, l2_bytes))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=20261127)
    parser.add_argument("--limit", type=float, default=240, help="seconds after which no further product is begun")
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    board = Board()
    machine = board.describe() | {"torch": torch.__version__, "cuda": str(torch.version.cuda)}
    board.close()
    l2_bytes = torch.cuda.get_device_properties(0).L2_cache_size
    machine["l2_bytes"] = str(l2_bytes)
    with open(options.folder / "gemm_machine.csv", "w") as file:
        file.write(",".join(machine) + "\n" + ",".join(machine.values()) + "\n")
    items = [item(product, l2_bytes, f"cuBLAS (CUDA {machine['cuda']})") for product in products(options.seed)]
    measure(options.folder / "gemm.csv", COLUMNS, items, options.limit)


if __name__ == "__main__":
    main()
