#!/usr/bin/env python3
"""Measures the engine's parts and whole commands, keeps the numbers, and compares them with the last ones kept.

Usage: bench.py BUILD_DIR RESULTS_DIR. Writes RESULTS_DIR/<date>-<commit>.json: of each part the time of an item, of
each command the best of five runs (of one where a run is long).
"""

import json
import os
import subprocess
import sys
import time
from datetime import date
from pathlib import Path

from bench_commands import TIMED
from build_facts import commit_name, compiler, machine, output_of

RUNS = 5
LONG_SECONDS = 4.0


def one_run(program: Path, command: str) -> dict:
    began = time.monotonic()
    process = subprocess.Popen([str(program), *command.split(), "--json", "-"], stdout=subprocess.PIPE)
    result = json.loads(process.stdout.read())
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - began
    if status != 0:
        raise RuntimeError(f"gpusim {command}: status {status}")
    instructions = sum(role["instructions"] for kernel in result["kernels"] for role in kernel["roles"].values())
    return {
        "wall_seconds": wall,
        "user_seconds": usage.ru_utime,
        "peak_kib": usage.ru_maxrss,
        "warp_instructions": instructions,
        "warp_instructions_per_second": instructions / wall,
    }


def best_run(program: Path, command: str) -> dict:
    runs = [one_run(program, command)]
    while len(runs) < RUNS and runs[0]["wall_seconds"] < LONG_SECONDS:
        runs.append(one_run(program, command))
    return min(runs, key=lambda run: run["wall_seconds"])


def parts(build: Path) -> dict:
    report = json.loads(output_of(str(build / "tests/benchmarks"), "--benchmark_format=json"))
    return {row["name"]: {"items_per_second": row["items_per_second"]} for row in report["benchmarks"]}


def last_record(results: Path) -> dict:
    kept = sorted(results.glob("*.json"), key=lambda path: path.stat().st_mtime)
    return json.loads(kept[-1].read_text()) if kept else {"parts": {}, "commands": {}}


def ratio(now: float, before: dict | None, key: str) -> str:
    return f"{now / before[key]:.2f} of the last" if before and key in before else "first"


def main() -> int:
    build, results = Path(sys.argv[1]), Path(sys.argv[2])
    results.mkdir(parents=True, exist_ok=True)
    last = last_record(results)
    record = {
        "date": date.today().isoformat(),
        "commit": commit_name(),
        "machine": machine(),
        "compiler": compiler(build),
        "parts": parts(build),
        "commands": {},
    }
    for name, part in record["parts"].items():
        compared = ratio(part["items_per_second"], last["parts"].get(name), "items_per_second")
        print(f"{name:28} {part['items_per_second'] / 1e6:10.1f} M a second, {compared}")
    for name, command in TIMED.items():
        run = record["commands"][name] = best_run(build / "gpusim", command)
        compared = ratio(run["wall_seconds"], last["commands"].get(name), "wall_seconds")
        print(f"{name:20} {run['wall_seconds']:8.2f} s, {run['peak_kib'] / 1024:6.0f} MiB,", end=" ")
        print(f"{run['warp_instructions_per_second'] / 1e6:10.1f} M warp instructions a second; time {compared}")
    path = results / f"{record['date']}-{record['commit']}.json"
    path.write_text(json.dumps(record, indent=2) + "\n")
    print(f"kept in {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
