"""The functional twin: a schedule executed on real numbers, so that timing and meaning cannot drift apart."""

from ._gpusim.functional import GemmCheck, activated, check_gemm, execute, random_matrix, rounded

__all__ = ["GemmCheck", "activated", "check_gemm", "execute", "random_matrix", "rounded"]
