"""What made a build, and on what: for records that are compared."""

import os
import platform
import re
import subprocess
from pathlib import Path


def output_of(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def commit_name() -> str:
    try:
        name = output_of("git", "rev-parse", "--short=12", "HEAD")
        # Results of earlier runs do not make the code another.
        changed = output_of("git", "status", "--porcelain", "--", ".", ":!tests/benchmark/results")
    except (OSError, subprocess.CalledProcessError):
        return "unversioned"
    return name + ("-changed" if changed else "")


def processor() -> str:
    info = Path("/proc/cpuinfo")
    match = re.search(r"^model name\s*: (.*)$", info.read_text(), re.M) if info.is_file() else None
    return match[1] if match else platform.processor()


def machine() -> dict:
    return {"processor": processor(), "cores": os.cpu_count(), "system": platform.system()}


def compiler(build: Path) -> str:
    match = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.M)
    return output_of(match[1], "--version").splitlines()[0] if match else "unknown"
