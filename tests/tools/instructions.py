#!/usr/bin/env python3
"""Counts the host's instructions of a few commands: the one figure of speed that no other process disturbs.

Usage: instructions.py check|record BUILD_DIR RECORD.json. `check` fails when a command takes over 10 % more than the
record says. Counts of another compiler say nothing: then it only prints them.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

from bench_commands import COUNTED
from build_facts import compiler

ALLOWED = 1.10


def instructions_of(program: Path, command: str) -> int:
    tool = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    run = subprocess.run([*tool, str(program), *command.split()], capture_output=True, text=True, check=True)
    return int(re.search(r"Collected : (\d+)", run.stderr)[1])


def main() -> int:
    task, build, path = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    counts = {name: instructions_of(build / "gpusim", command) for name, command in COUNTED.items()}
    if task == "record":
        path.write_text(json.dumps({"compiler": compiler(build), "instructions": counts}, indent=2) + "\n")
        print(f"kept in {path}")
        return 0
    record = json.loads(path.read_text())
    comparable = record["compiler"] == compiler(build)
    slower = []
    for name, count in counts.items():
        before = record["instructions"].get(name)
        ratio = f"{count / before:6.3f} of the record" if before else "not in the record"
        print(f"{name:20} {count / 1e6:10,.1f} M instructions, {ratio}")
        if before is None or count > ALLOWED * before:
            slower.append(name)
    if not comparable:
        print(f"The record was made with {record['compiler']}, this with {compiler(build)}: nothing is concluded.")
        return 0
    if slower:
        print(f"Over {ALLOWED - 1:.0%} more than the record, or not in it: {', '.join(slower)}.")
        print("If it must be so: make instructions-record")
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
