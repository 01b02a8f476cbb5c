#!/usr/bin/env python3
"""Runs the benchmarks and keeps what they measured, with machine, compiler and commit.

Usage: bench.py BUILD_DIR RESULTS_DIR. Writes RESULTS_DIR/<date>-<commit>.json and prints one line a benchmark.
"""

import json
import os
import platform
import re
import subprocess
import sys
from datetime import date
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


def compiler(build: Path) -> str:
    match = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.M)
    return output_of(match[1], "--version").splitlines()[0] if match else "unknown"


def measurements(report: dict) -> list[dict]:
    """Google Benchmark's report without what is about the process rather than the program."""
    bookkeeping = ("family_index", "per_family_instance_index", "run_name", "run_type", "repetitions",
                   "repetition_index", "threads")  # fmt: skip
    return [{key: value for key, value in row.items() if key not in bookkeeping} for row in report["benchmarks"]]


def main() -> int:
    build, results = Path(sys.argv[1]), Path(sys.argv[2])
    report = json.loads(output_of(str(build / "tests/benchmarks"), "--benchmark_format=json"))
    record = {
        "date": date.today().isoformat(),
        "commit": commit_name(),
        "machine": {"processor": processor(), "cores": os.cpu_count(), "system": platform.system()},
        "compiler": compiler(build),
        "benchmarks": measurements(report),
    }
    results.mkdir(parents=True, exist_ok=True)
    path = results / f"{record['date']}-{record['commit']}.json"
    path.write_text(json.dumps(record, indent=2) + "\n")
    for row in record["benchmarks"]:
        print(f"{row['name']}: {row['real_time']:.0f} {row['time_unit']},", end=" ")
        print(f"{row['warp_instructions_per_second'] / 1e6:.1f} M warp instructions/s")
    print(f"kept in {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
