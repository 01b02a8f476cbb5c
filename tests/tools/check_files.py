#!/usr/bin/env python3
"""Holds the file-size rule: no file over 500 lines, a median of at most 120; names those over 300.

Usage: check_files.py [ROOT]. Counts *.h, *.cpp and *.py outside data folders; exits 1 when the rule is broken.
"""

import statistics
import sys
from pathlib import Path

LIMIT = 500
LARGE = 300
MEDIAN = 120
FOLDERS = ("libsim", "app", "examples", "python", "tests")


def count_lines(root: Path) -> dict[str, int]:
    lines = {}
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root)
            if path.suffix in (".h", ".cpp", ".py") and "data" not in name.parts:
                lines[str(name)] = len(path.read_bytes().splitlines())
    return lines


def check(lines: dict[str, int]) -> list[str]:
    problems = [f"{name}: {count} lines; the limit is {LIMIT}" for name, count in lines.items() if count > LIMIT]
    median = statistics.median(lines.values()) if lines else 0
    if median > MEDIAN:
        problems.append(f"the median file has {median:g} lines; the limit is {MEDIAN}")
    return problems


def main() -> int:
    lines = count_lines(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[2])
    for name, count in lines.items():
        if LARGE < count <= LIMIT:
            print(f"{name}: {count} lines; consider splitting it")
    problems = check(lines)
    print("\n".join(problems) if problems else f"{len(lines)} files, none over {LIMIT} lines")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
