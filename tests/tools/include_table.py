"""The layer table: what each layer may include, as docs/design has it.

A layer is a public header or folder of them ("schedule", "spec"), or a private folder ("src/sm"). What a listed layer
may include is allowed too. Layers of one row (mates) may include each other, without cycles. A private folder may also
include its public headers and their rows (HEADS).
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    may: tuple[str, ...] = ()
    mates: tuple[str, ...] = ()


def rows(*table: tuple[str, str]) -> dict[str, Row]:
    """Rows from pairs "layers of the row", "what they may include"."""
    result = {}
    for layers, may in table:
        for layer in layers.split():
            result[layer] = Row(tuple(may.split()), tuple(mate for mate in layers.split() if mate != layer))
    return result


ROWS = rows(
    # The first row reads downwards only, so it is a row for each.
    ("version", ""),
    ("units", ""),
    ("ids", "units"),
    ("src/edit_distance", ""),
    ("error", "units ids src/edit_distance"),
    ("dtype", "units error"),
    ("layout", "units ids error dtype"),
    ("access", "units ids error layout dtype"),
    ("arithmetic", "units ids error layout dtype access"),
    ("action spec profile", "arithmetic"),
    ("program", "action"),
    ("schedule schedules", "program layout profile"),
    ("profile_io", "profile error"),
    ("schedule_io", "schedule error"),
    ("banks", "schedule"),
    ("run_options", "units"),
    ("receipt stall observer", "units ids"),
    ("result", "receipt stall profile schedule"),
    ("gpu", "profile schedule observer result run_options"),
    ("functional functional_kernels", "program schedule schedules"),
    ("view estimate", "result observer profile schedule run_options"),
    (
        "tune under_power measured validate validate_anchors validate_kernels validate_ladders ladders probe",
        "gpu schedules estimate view functional profile_io",
    ),
    ("src/sizes", ""),
    ("src/gpu_features", ""),
    ("src/binary_units", ""),
    ("src/integers", ""),
    ("src/clocks", "units error"),
    ("src/core", "units ids error"),
    ("src/messages", "units ids receipt src/sizes"),
    ("src/sm", "src/core src/messages program stall observer spec"),
    ("src/fabric", "src/core src/messages spec receipt observer"),
    # profile_io: a Gpu checks the profile it is given and puts its digest into the result.
    ("src/machine", "src/sm src/fabric src/clocks profile profile_io schedule result run_options"),
    # What one of the three writes as JSON the others embed: a result holds its profile.
    ("src/profile src/schedule src/view", "profile_io schedule_io src/sizes src/gpu_features src/binary_units"),
    ("src/schedules", "src/sizes src/gpu_features src/integers"),
    ("src/functional", "src/sizes"),
    ("src/estimate", "src/sizes src/clocks"),
    (
        "src/tune src/validate src/probe",
        "src/sizes src/binary_units src/integers src/clocks src/view src/edit_distance",
    ),
)

# The public headers that a private folder implements.
HEADS = {
    "src/machine": ("gpu", "banks"),
    "src/profile": ("profile", "profile_io"),
    "src/schedule": ("schedule", "schedule_io"),
    "src/view": ("view",),
    "src/schedules": ("schedules",),
    "src/functional": ("functional", "functional_kernels"),
    "src/estimate": ("estimate",),
    "src/tune": ("tune", "under_power"),
    "src/validate": (
        "measured",
        "validate",
        "validate_anchors",
        "validate_kernels",
        "validate_ladders",
        "ladders",
    ),
    "src/probe": ("probe",),
}

# Whose header an include in angle brackets is.
VENDORS = {
    "standard": r"[a-z_0-9]+$",
    "nlohmann/json": r"nlohmann/",
    "Eigen": r"Eigen/",
    "Boost": r"boost/",
    "fmt": r"fmt/",
    "pybind11": r"pybind11/",
    "SSE2": r"emmintrin\.h$",
    "glibc": r"malloc\.h$",
    "POSIX": r"(unistd\.h|fcntl\.h|sys/[a-z_]+\.h)$",
}

# Who may use it. (Tests may use anything.)
THIRD_PARTY = {
    "nlohmann/json": {"src/profile", "src/schedule", "src/view", "src/tune", "src/validate", "app"},
    "Eigen": {"functional", "src/functional"},
    "Boost": {"app"},
    "fmt": {"app"},
    "pybind11": {"python"},
    "SSE2": {"src/core"},  # where the compiler has it: beside code that needs nothing
    "glibc": {"app"},  # where it is the C library
    "POSIX": {"app"},
}

# Standard headers that few layers of the library may use: threads where work is shared out, output nowhere.
_THREADS = {"src/tune", "src/validate"}
LIBRARY_REFUSES = {
    "thread": _THREADS,
    "future": _THREADS,
    "mutex": _THREADS,
    "condition_variable": _THREADS,
    "iostream": set(),
    "print": set(),
}
