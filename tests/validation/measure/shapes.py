"""Which products are measured: squares, a language model's layers, and sizes drawn at random."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

LAYERS = [
    (4096, 4096),
    (6144, 4096),
    (14336, 4096),
    (4096, 14336),
    (28672, 4096),
    (8192, 8192),
    (10240, 8192),
    (28672, 8192),
    (8192, 28672),
    (5120, 5120),
    (13824, 5120),
    (5120, 13824),
    (3072, 768),
    (768, 3072),
    (50304, 768),
    (2112, 7168),
    (7168, 2048),
    (51200, 51200),
    (65536, 10240),
]


@dataclass(frozen=True)
class Product:
    """C[m,n] = A[m,k] B: `layout` NT has k along the rows of both, NN has not."""

    m: int
    n: int
    k: int
    dtype: str
    layout: str = "NT"
    data: str = "random"  # or zeros
    l2: str = "warm"  # or cold


def _drawn(rng: random.Random, low: int, high: int, step: int) -> int:
    return max(step, round(math.exp(rng.uniform(math.log(low), math.log(high))) / step) * step)


def _random(rng: random.Random, dtype: str, count: int) -> list[Product]:
    layouts = ["NT"] if dtype in ("fp8", "int8") else ["NT", "NT", "NN"]
    largest = 2e12 if dtype in ("bf16", "fp16", "fp8", "int8") else 2e11
    found: list[Product] = []
    while len(found) < count:
        step = rng.choice([16, 64, 128])
        m, n, k = _drawn(rng, 32, 16384, step), _drawn(rng, 128, 32768, step), _drawn(rng, 64, 32768, step)
        if 2e7 < float(m) * n * k < largest:
            found.append(Product(m, n, k, dtype, rng.choice(layouts), "random", rng.choice(["warm", "cold"])))
    return found


def _layers(rng: random.Random, dtype: str, count: int) -> list[Product]:
    found: list[Product] = []
    while len(found) < count:
        n, k = rng.choice(LAYERS)
        m = rng.choice([16, 32, 64, 128, 256, 384, 512, 768, 1024, 2048, 3072, 4096, 8192])
        if (
            (dtype == "int8" and m <= 16)
            or float(m) * n * k > 4e12
            or (dtype in ("fp32", "tf32") and float(m) * n * k > 2e11)
        ):
            continue
        found.append(Product(m, n, k, dtype, "NT", "random", rng.choice(["warm", "cold"])))
    return found


def products(seed: int) -> list[Product]:
    """Each once, in the order in which they are measured."""
    rng = random.Random(seed)
    found = [
        Product(s, s, s, "bf16", layout)
        for s in (256, 512, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288)
        for layout in ("NT", "NN")
    ]
    found += [
        Product(s, s, s, dtype) for dtype in ("fp16", "fp8", "int8", "tf32", "fp32") for s in (1024, 2048, 4096, 8192)
    ]
    found += [Product(s, s, s, dtype, data="zeros") for dtype in ("bf16", "fp8", "int8", "tf32") for s in (2048, 8192)]
    for dtype, layers, drawn in (
        ("bf16", 50, 50),
        ("fp16", 10, 10),
        ("fp8", 30, 20),
        ("int8", 10, 10),
        ("tf32", 8, 12),
        ("fp32", 10, 25),
    ):
        found += _layers(rng, dtype, layers) + _random(rng, dtype, drawn)
    return list(dict.fromkeys(found))
