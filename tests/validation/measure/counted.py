"""A few products, one launch each, for a profiler that counts what they do: ncu ... python3 counted.py."""

from __future__ import annotations

from shapes import Product

PRODUCTS = [
    Product(1024, 1024, 1024, "bf16"),
    Product(2048, 2048, 2048, "bf16"),
    Product(4096, 4096, 4096, "bf16"),
    Product(8192, 8192, 8192, "bf16"),
    Product(8192, 8192, 8192, "bf16", "NN"),
    Product(16384, 16384, 4096, "bf16"),
    Product(64, 14336, 4096, "bf16"),
    Product(16, 4096, 14336, "bf16"),
    Product(256, 28672, 8192, "bf16"),
    Product(2048, 28672, 8192, "bf16"),
    Product(2048, 8192, 28672, "bf16"),
    Product(1000, 3000, 5000, "bf16"),
    Product(8192, 8192, 8192, "fp8"),
    Product(512, 51200, 51200, "fp8"),
    Product(4096, 65536, 10240, "fp8"),
    Product(128, 10240, 8192, "fp8"),
    Product(4096, 4096, 4096, "int8"),
    Product(4096, 4096, 4096, "tf32"),
    Product(2048, 2048, 2048, "fp32"),
    Product(4096, 4096, 4096, "fp32"),
    Product(512, 3072, 768, "fp32"),
    Product(8192, 8192, 8192, "fp16"),
]

if __name__ == "__main__":
    import torch
    from gemm import call, prepare

    for product in PRODUCTS:
        prepare(product)
        run = call(product)
        run()
        torch.cuda.synchronize()
        del run
        print(product, flush=True)
