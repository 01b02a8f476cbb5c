"""The parts of a Profile, for annotations and help(). They are reached as its attributes: profile.l2.latency."""

from ._gpusim.spec import (
    AsyncCopySpec,
    BarrierSpec,
    ClockSpec,
    CrossbarSpec,
    DramSpec,
    L1Spec,
    L2Spec,
    LaunchSpec,
    LsuSpec,
    PipeSpec,
    PipesSpec,
    SharedSpec,
    SmSpec,
    TensorModeSpec,
    TensorSpec,
    TmaSpec,
)

__all__ = [
    "AsyncCopySpec",
    "BarrierSpec",
    "ClockSpec",
    "CrossbarSpec",
    "DramSpec",
    "L1Spec",
    "L2Spec",
    "LaunchSpec",
    "LsuSpec",
    "PipeSpec",
    "PipesSpec",
    "SharedSpec",
    "SmSpec",
    "TensorModeSpec",
    "TensorSpec",
    "TmaSpec",
]
