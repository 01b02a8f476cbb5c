#!/usr/bin/env python3
"""How Kernel Tuner's tilings of a product rank, measured and simulated, for docs/validation.md.

Usage: tilings.py keep ROWS...   keeps what `gpusim validate --gemm FILE --waves --rows ROWS` wrote of rows of benchmark_hub
       tilings.py add ROWS...    keeps them beside what is kept, in place of the same tilings
       tilings.py page           writes the section of docs/validation.md from what is kept
       tilings.py check          whether the page says what is kept

data/compared/tilings.csv is what is kept: a line for each row, with the notes that state its tiling.
"""

import csv
import math
import re
import statistics
import sys
from pathlib import Path

import analysis

KEPT = analysis.KEPT / "tilings.csv"
COLUMNS = ["gpu", "notes", "measured_us", "simulated_us", "clock_mhz", "bound", "refused"]
SPILLS = 256  # accumulators of a thread: more than it has registers for


def key(row: dict) -> tuple:
    return row["gpu"], float(row["measured_us"]), row["notes"]


def keep(files: list[str], before: list[dict]) -> None:
    rows = {key(row): row for row in before}
    for row in (row for each in files for row in analysis.read(Path(each))):
        simulated = f"{float(row['simulated_us']):.6g}" if row["simulated_us"] else ""
        values = row["gpu"], row["schedule_notes"], f"{float(row['time_us']):.6g}", simulated, row["clock_mhz"], row["bound"], row["refused"]
        kept = dict(zip(COLUMNS, values))
        rows[key(kept)] = kept
    with KEPT.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[each] for each in sorted(rows))


def number(notes: str, name: str) -> int:
    return int(re.search(rf"\b{name}=(\d+)", notes)[1])


def kind(row: dict) -> str:
    """What of a tiling decides most: whether its threads spill, and which operands pass through shared memory."""
    rows, columns = re.search(r"thread_tile=(\d+)x(\d+)", row["notes"]).groups()
    if int(rows) * int(columns) >= SPILLS:
        return "threads of 16x16, which spill"
    staged = number(row["notes"], "smemA") + number(row["notes"], "smemB")
    return ["none staged", "one staged", "both staged"][staged]


def simulated(row: dict) -> float:
    return float(row["simulated_us"]) if row["simulated_us"] else math.inf


def measured(row: dict) -> float:
    return float(row["measured_us"])


def kendall(rows: list[dict]) -> float:
    """Rank correlation (tau b) of simulated and measured times."""
    def sign(a: float, b: float) -> int:
        return (a > b) - (a < b)

    pairs = [
        (sign(simulated(a), simulated(b)), sign(measured(a), measured(b))) for i, a in enumerate(rows) for b in rows[:i]
    ]
    agreeing = sum(by_model * by_gpu for by_model, by_gpu in pairs)
    return agreeing / math.sqrt(sum(abs(each) for each, _ in pairs) * sum(abs(each) for _, each in pairs))


def best_ranked(rows: list[dict]) -> float:
    """The time of the tiling that the model ranks first, of the best measured; of several that tie the mean."""
    least = min(map(simulated, rows))
    return statistics.fmean(measured(row) for row in rows if simulated(row) == least) / min(map(measured, rows))


def line(gpu: str, name: str, rows: list[dict]) -> str:
    errors = [analysis.absolute(row) for row in rows]
    signed = statistics.median(analysis.error(row) for row in rows if row["simulated_us"])
    cells = [gpu, name, str(len(rows)), str(sum(not row["simulated_us"] for row in rows))]
    cells += [analysis.percent(statistics.fmean(errors)), f"{100 * signed:+.1f}", f"{kendall(rows):.2f}"]
    return f"| {' | '.join(cells)} | {best_ranked(rows):.2f} |"


def table(rows: list[dict]) -> list[str]:
    lines = ["| GPU | tilings | rows | refused | mean error, % | signed | tau | best-ranked, of the best measured |", "|---|---|" + "--:|" * 6]
    for gpu in sorted({row["gpu"] for row in rows}):
        own = [row for row in rows if row["gpu"] == gpu]
        for name in sorted({kind(row) for row in own}):
            lines.append(line(gpu, name, [row for row in own if kind(row) == name]))
        lines.append(line(gpu, "all", own))
    return lines


def page() -> str:
    text = analysis.PAGE.read_text(encoding="utf-8")
    return analysis.replaced(text, "tilings", "\n".join(table(analysis.read(KEPT))) + "\n", Path(__file__).name)


def main(arguments: list[str]) -> int:
    match arguments:
        case ["keep", _, *_]:
            keep(arguments[1:], before=[])
        case ["add", _, *_]:
            keep(arguments[1:], before=analysis.read(KEPT))
        case ["page" | "check" as action]:
            return analysis.write_or_check(page(), action, Path(__file__).name)
        case _:
            print(__doc__)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
