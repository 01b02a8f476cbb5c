"""Whole commands that are measured, and how many of their instructions are counted."""

_AMPERE_ASYNC = "--arch ampere --dtype fp16 --schedule async --tile 128x128x32"
_AMPERE_SIMT = "--arch ampere --dtype fp32 --schedule simt --tile 128x128x8"
_HOPPER_TMA = "--arch hopper --dtype bf16 --schedule tma --tile 128x256x64"


def _product(size: int, options: str) -> str:
    return f"run matmul --m {size} --n {size} --k {size} {options}"


# Simulated to the end, cycle by cycle and with skipping, and timed.
TIMED = {
    "async_1024": _product(1024, _AMPERE_ASYNC),
    "async_1024_exact": _product(1024, f"{_AMPERE_ASYNC} --exact"),
    "simt_512_exact": _product(512, f"{_AMPERE_SIMT} --exact"),
    "tma_1024_exact": _product(1024, f"{_HOPPER_TMA} --exact"),
    "tma_2048_exact": _product(2048, f"{_HOPPER_TMA} --exact"),
    "tma_4096_exact": _product(4096, f"{_HOPPER_TMA} --exact"),
    "tma_8192_exact": _product(8192, f"{_HOPPER_TMA} --exact"),
    "tma_4096": _product(4096, _HOPPER_TMA),
    "tma_8192": _product(8192, _HOPPER_TMA),
    "tma_16384": _product(16384, _HOPPER_TMA),
}

# Short enough to be run under a tool that counts the instructions of the host.
COUNTED = {
    "arch_list": "arch list",
    "textbook": "run matmul --arch textbook-2023 --m 32 --n 32 --k 32 --tile 32 --schedule simt --l2 warm",
    "async_1024_exact": TIMED["async_1024_exact"],
    "simt_512_exact": TIMED["simt_512_exact"],
    "tma_8192_begins": f"{TIMED['tma_8192_exact']} --max-cycles 20000",
}
