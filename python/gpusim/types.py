"""Types of arguments and attributes, for annotations. Words are those of C++, JSON and the command line."""

from fractions import Fraction
from typing import Literal, TypeAlias

__all__ = [
    "Activation",
    "AttentionVariant",
    "CodeState",
    "DType",
    "ElementOrder",
    "ElementwiseOperation",
    "Epilogue",
    "GemmLayout",
    "GemmLibrary",
    "GemmVariant",
    "Hop",
    "L2Before",
    "L2State",
    "Limit",
    "Method",
    "MulticastBy",
    "NormKind",
    "Pipe",
    "Rate",
    "Reason",
    "ReduceFinish",
    "ReduceOperation",
    "RowMeeting",
    "RowPlace",
    "SharedLayout",
    "SplitReduction",
    "StreamKind",
    "TileOrder",
    "TransposeVariant",
]

Activation: TypeAlias = Literal["none", "relu", "gelu", "silu"]
CodeState: TypeAlias = Literal["warm", "cold", "repeated"]
"""What an SM's instruction caches hold of a kernel when it begins."""
DType: TypeAlias = Literal["fp64", "fp32", "tf32", "bf16", "fp16", "fp8", "int8", "int32", "int4", "b1"]
ElementOrder: TypeAlias = Literal["automatic", "strided", "vectors", "contiguous"]
Epilogue: TypeAlias = Literal["direct", "staged", "tma"]
GemmLayout: TypeAlias = Literal["nn", "nt", "tn", "tt"]
GemmLibrary: TypeAlias = Literal[
    "recent", "cublas-12.1", "vllm-fp8", "deep-gemm", "cublas-10", "cublas-12", "cublas-12-ada"
]
"""Whose kernels there are to choose from."""
GemmVariant: TypeAlias = Literal["naive", "coalesced", "simt", "tensor", "async", "tma", "wgmma"]
Hop: TypeAlias = Literal["sm", "l1", "request", "l2", "dram", "reply"]
L2State: TypeAlias = Literal["cold", "warm", "dirty"]
L2Before: TypeAlias = L2State | dict[str, L2State]
"""What L2 holds before a run: one state for all buffers, or by name; buffers not named are cold."""
Limit: TypeAlias = int | Literal["unlimited"]
"""A capacity or number of places."""
Method: TypeAlias = Literal["vendor", "microbenchmark", "derived", "inherited", "fitted", "assumed", "textbook", "user"]
"""How a number came to be known."""
MulticastBy: TypeAlias = Literal["each", "first"]
Pipe: TypeAlias = Literal["fma", "alu", "sfu", "tensor"]
Rate: TypeAlias = int | Fraction | Literal["unlimited"]
"""Amount per cycle."""
Reason: TypeAlias = Literal[
    "selected",
    "not_selected",
    "wait",
    "math_pipe_throttle",
    "short_scoreboard",
    "long_scoreboard",
    "mio_throttle",
    "lg_throttle",
    "barrier",
    "mbarrier",
    "tma_throttle",
    "no_instruction",
]
SharedLayout: TypeAlias = Literal["automatic", "plain", "padded", "swizzle32", "swizzle64", "swizzle128"]
SplitReduction: TypeAlias = Literal["kernel", "atomics"]
TileOrder: TypeAlias = Literal["row", "column", "grouped", "hilbert"]
StreamKind: TypeAlias = Literal["read", "write", "copy", "scale", "add", "triad"]
ElementwiseOperation: TypeAlias = Literal["add", "subtract", "multiply", "divide", "power", "relu", "gelu", "silu", "tanh", "exp", "cast"]
TransposeVariant: TypeAlias = Literal["naive", "plain", "padded", "swizzled", "gathered"]
RowMeeting: TypeAlias = Literal[
    "shuffles", "one_warp", "halving", "doubling", "divergent", "first_warp", "halving_warps"
]
RowPlace: TypeAlias = Literal["registers", "shared", "memory"]
NormKind: TypeAlias = Literal["layer", "rms"]
ReduceOperation: TypeAlias = Literal["sum", "maximum"]
ReduceFinish: TypeAlias = Literal["atomics", "last_cta"]
AttentionVariant: TypeAlias = Literal["flash2", "flash3", "mmha", "xqa"]
