"""Cycle-level simulation of GPU memory hierarchies.

    import gpusim

    gpu      = gpusim.Gpu(gpusim.load_profile("ada"))
    schedule = gpusim.schedules.gemm(m=4096, n=4096, k=4096, tile=(128, 128, 32))
    result   = gpu.run(schedule)
    print(result)

Names are those of C++, JSON and the command line. Times are SM cycles, sizes bytes, unless a name says otherwise.
"""

from . import errors, estimate, functional, schedules, spec, types, view
from ._gpusim import (
    Buffer,
    FrozenProfile,
    Gpu,
    HopTotals,
    KernelResult,
    Occupancy,
    PoolRow,
    Profile,
    ProfileDifference,
    ProfileEntry,
    ProfileName,
    Progress,
    Provenance,
    Result,
    Role,
    RoleRow,
    Schedule,
    ServerRow,
    SharedTile,
    Skipped,
    Traffic,
    Work,
    WorkItem,
    all_dtypes,
    check,
    diff,
    entries,
    hop_names,
    list_profiles,
    load_profile,
    occupancy,
    parse_profile,
    parse_schedule,
    peak_flops,
    profile_schema,
    reason_names,
    run_under_power,
    utilisation,
    work_items,
)
from ._gpusim import set as set
from ._gpusim import version as __version__
from .errors import DeadlockError, InputError, Problem, ProfileError, ScheduleError

# gpusim.set is public, too, but `from gpusim import *` must not hide Python's own.
__all__ = [
    "Buffer",
    "DeadlockError",
    "FrozenProfile",
    "Gpu",
    "HopTotals",
    "InputError",
    "KernelResult",
    "Occupancy",
    "PoolRow",
    "Problem",
    "Profile",
    "ProfileDifference",
    "ProfileEntry",
    "ProfileError",
    "ProfileName",
    "Progress",
    "Provenance",
    "Result",
    "Role",
    "RoleRow",
    "Schedule",
    "ScheduleError",
    "ServerRow",
    "SharedTile",
    "Skipped",
    "Traffic",
    "Work",
    "WorkItem",
    "__version__",
    "all_dtypes",
    "check",
    "diff",
    "entries",
    "errors",
    "estimate",
    "functional",
    "hop_names",
    "list_profiles",
    "load_profile",
    "occupancy",
    "parse_profile",
    "parse_schedule",
    "peak_flops",
    "profile_schema",
    "reason_names",
    "run_under_power",
    "schedules",
    "spec",
    "types",
    "utilisation",
    "view",
    "work_items",
]
