"""The functional twin: a schedule executed on real numbers, so that timing and meaning cannot drift apart."""

from ._gpusim.functional import (
    GemmCheck,
    KernelCheck,
    activated,
    check_attention,
    check_copy,
    check_elementwise,
    check_gemm,
    check_gemv,
    check_layernorm,
    check_reduce,
    check_softmax,
    check_transpose,
    execute,
    random_matrix,
    rounded,
)

__all__ = [
    "GemmCheck",
    "KernelCheck",
    "activated",
    "check_attention",
    "check_copy",
    "check_elementwise",
    "check_gemm",
    "check_gemv",
    "check_layernorm",
    "check_reduce",
    "check_softmax",
    "check_transpose",
    "execute",
    "random_matrix",
    "rounded",
]
