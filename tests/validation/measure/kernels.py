"""PyTorch's other kernels, for gpusim validate --kernels: kernels.py FOLDER [--limit SECONDS]."""

from __future__ import annotations

import argparse
import itertools
import pathlib
from collections.abc import Callable

import torch
import torch.nn.functional as F
from table import Item, measure
from torch.nn.attention import SDPBackend, sdpa_kernel

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16}
COLUMNS = ["gpu", "op", "shape", "dtype", "time_us"]


def elementwise(op: str, rows: int, columns: int, dtype: str) -> Callable[[], object]:
    x = torch.randn(rows, columns, device="cuda", dtype=DTYPES[dtype])
    y = torch.randn(rows, columns, device="cuda", dtype=DTYPES[dtype])
    out = torch.empty_like(x)
    weight = torch.randn(columns, device="cuda", dtype=DTYPES[dtype])
    if op == "copy":
        return lambda: out.copy_(x)
    if op == "add":
        return lambda: torch.add(x, y, out=out)
    if op == "relu":
        return lambda: torch.clamp_min(x, 0, out=out)
    if op == "gelu":
        return lambda: F.gelu(x)
    if op == "tanh":
        return lambda: torch.tanh(x, out=out)
    if op == "softmax":
        return lambda: torch.softmax(x, -1)
    if op == "layernorm":
        return lambda: F.layer_norm(x, (columns,), weight, weight)
    if op == "rowsum":
        return lambda: torch.sum(x, -1)
    if op == "sum":
        return lambda: torch.sum(x)
    if op == "transpose":
        turned = torch.empty(columns, rows, device="cuda", dtype=DTYPES[dtype])
        return lambda: turned.copy_(x.t())
    raise ValueError(op)


def attention(
    batch: int, heads: int, kv_heads: int, tokens: int, head: int, causal: bool, backend: SDPBackend
) -> Callable[[], object]:
    q = torch.randn(batch, heads, tokens, head, device="cuda", dtype=torch.bfloat16)
    k = torch.randn(batch, kv_heads, tokens, head, device="cuda", dtype=torch.bfloat16)
    v = torch.randn(batch, kv_heads, tokens, head, device="cuda", dtype=torch.bfloat16)

    def run() -> object:
        with sdpa_kernel(backend):
            return F.scaled_dot_product_attention(q, k, v, is_causal=causal, enable_gqa=heads != kv_heads)

    return run


def item(op: str, shape: str, dtype: str, make: Callable[[], Callable[[], object]]) -> Item:
    return Item({"op": op, "shape": shape, "dtype": dtype, "l2": "warm"}, make)


def kernels() -> list[Item]:
    found: list[Item] = []
    sizes = [
        (256, 1024),
        (1024, 1024),
        (4096, 1024),
        (4096, 4096),
        (16384, 4096),
        (65536, 4096),
        (32768, 16384),
        (2048, 50304),
        (65536, 256),
    ]
    ops = ["copy", "add", "relu", "gelu", "tanh", "softmax", "layernorm", "rowsum", "sum", "transpose"]
    for op, (rows, columns), dtype in itertools.product(ops, sizes, DTYPES):
        name = f"{op}(torch{torch.__version__.split('+')[0]})"
        found.append(
            item(name, f"{rows}x{columns}", dtype, lambda o=op, r=rows, c=columns, d=dtype: elementwise(o, r, c, d))
        )
    shapes = [
        (1, 16, 16, 1024, 128),
        (4, 32, 32, 2048, 128),
        (1, 32, 8, 8192, 128),
        (8, 16, 16, 1024, 64),
        (2, 16, 16, 4096, 64),
        (16, 32, 32, 512, 128),
        (1, 32, 32, 16384, 128),
    ]
    backends = {"flash2": SDPBackend.FLASH_ATTENTION, "cudnn": SDPBackend.CUDNN_ATTENTION}
    for shape, causal, (name, backend) in itertools.product(shapes, (False, True), backends.items()):
        batch, heads, kv_heads, tokens, head = shape
        op = ("attention_causal" if causal else "attention") + f"({name})"
        text = f"b{batch} s{tokens} h{heads} kvh{kv_heads} d{head}"
        found.append(item(op, text, "bf16", lambda s=shape, c=causal, b=backend: attention(*s, c, b)))
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--limit", type=float, default=100, help="seconds after which no further kernel is begun")
    options = parser.parse_args()
    measure(options.folder / "kernels.csv", COLUMNS, kernels(), options.limit)


if __name__ == "__main__":
    main()
