"""Closed forms to hold beside the simulation, which share no code with it; and what a run draws."""

from ._gpusim.estimate import (
    CriticalPath,
    EnergyTerm,
    LoopUnderPower,
    PathTerm,
    PowerEstimate,
    Roofline,
    clock_under_power,
    critical_path,
    highest_clock,
    loop_under_power,
    power,
    roofline,
    time_ratio,
)

__all__ = [
    "CriticalPath",
    "EnergyTerm",
    "LoopUnderPower",
    "PathTerm",
    "PowerEstimate",
    "Roofline",
    "clock_under_power",
    "critical_path",
    "highest_clock",
    "loop_under_power",
    "power",
    "roofline",
    "time_ratio",
]
