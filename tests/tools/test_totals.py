#!/usr/bin/env python3
"""Prints the totals of the last ctest run in a build folder.

Usage: test_totals.py BUILD_DIR. Reads ctest's log, in which doctest and pytest have left their own counts.
"""

import re
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Totals:
    entries: int = 0  # CTest tests
    failed_entries: int = 0
    cases: int = 0  # doctest test cases
    failed_cases: int = 0
    assertions: int = 0
    python: int = 0  # pytest tests
    failed_python: int = 0

    def __str__(self) -> str:
        parts = [f"{self.entries} test programs ({self.failed_entries} failed)"]
        parts.append(f"{self.cases} test cases ({self.failed_cases} failed), {self.assertions} assertions")
        if self.python:
            parts.append(f"{self.python} Python tests ({self.failed_python} failed)")
        return "; ".join(parts)


def count(log: str) -> Totals:
    totals = Totals()
    totals.entries = len(re.findall(r"^\d+/\d+ Testing: ", log, re.M))
    totals.failed_entries = totals.entries - len(re.findall(r"^Test Passed\.$", log, re.M))
    for cases, failed in re.findall(r"^\[doctest\] test cases: +(\d+) \|.*?(\d+) failed", log, re.M):
        totals.cases += int(cases)
        totals.failed_cases += int(failed)
    for assertions in re.findall(r"^\[doctest\] assertions: +(\d+)", log, re.M):
        totals.assertions += int(assertions)
    for line in re.findall(r"^=+ (.*(?:passed|failed|error).*) in [\d.]+s.*=+$", log, re.M):
        failed = sum(int(number) for number in re.findall(r"(\d+) (?:failed|errors?)", line))
        totals.python += failed + sum(int(number) for number in re.findall(r"(\d+) passed", line))
        totals.failed_python += failed
    return totals


def main() -> int:
    log = Path(sys.argv[1]) / "Testing/Temporary/LastTest.log"
    if not log.is_file():
        print("Tests: none have run")
        return 1
    print("Tests:", count(log.read_text(encoding="utf-8", errors="replace")))
    return 0


if __name__ == "__main__":
    sys.exit(main())
