#!/usr/bin/env python3
"""The whole of validation in a few lines, for the top of docs/validation.md.

Usage: summary.py page     writes them from what is kept
       summary.py check    whether the page says what is kept
"""

import statistics
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import analysis
import ladders
import tilings
from errors import absolute, error, quantile, spearman

# What is compared, files of data/compared, whether rows are attention where that matters, the mean error asked for, and where
# more is said.
SETS = [
    ("Products on tensor cores: three tables of libraries' kernels", ["tables"], None, "8", "the-three-tables-whole"),
    ("the same, and kernels that somebody wrote", ["tables", "others"], None, "8", "beside-the-three-tables"),
    ("Products in fp32, a sample", ["fp32"], None, "12", "matrix-products"),
    ("Products on an H100 and an H200 of ours, at their measured clock", ["silicon"], None, "", "measured-by-ourselves"),
    ("Other kernels, a sample", ["kernels"], False, "12", "other-kernels"),
    ("Attention, a sample", ["kernels"], True, "15", "other-kernels"),
]
PAIRS = [("V100", "A100"), ("A100", "H100")]
COLUMNS_OF_A_MEASUREMENT = ["gpu", "kernel", "dtype", "size", "source", "measured_us"]  # which two files may have
PAIRED = ["tables", "others", "fp32", "pairs"]


def rows_of(files: list[str], attention: bool | None) -> list[dict]:
    """Those long enough; of kernels those that are attention, or are not."""
    rows = [row for name in files for row in analysis.read(analysis.KEPT / f"{name}.csv")]
    if attention is not None:
        rows = [row for row in rows if ("attention" in row["kernel"]) == attention]
    return [row for row in rows if float(row["measured_us"]) >= analysis.SHORTEST_US]


def sets() -> Iterator[str]:
    yield "| of 10 us and more | rows | mean error, % | asked | p95 | signed median | rank |"
    yield "|---|" + "--:|" * 6
    for title, files, attention, asked, place in SETS:
        rows = rows_of(files, attention)
        errors = [absolute(row) for row in rows]
        signed = statistics.median(value for row in rows if (value := error(row)) is not None)
        cells = [f"{len(rows):,}", f"{100 * statistics.fmean(errors):.1f}", asked, f"{100 * quantile(errors, 0.95):.1f}"]
        yield f"| [{title}](#{place}) | " + " | ".join(cells) + f" | {100 * signed:+.1f} | {spearman(rows):.3f} |"


def family(row: dict) -> str:
    return next((name for name in ("V100", "A100", "H100") if name in row["gpu"]), "")


def ratio_errors(rows: list[dict], slower: str, faster: str) -> list[float]:
    """Of each row of one GPU and each of the other of the same product, source and library: how far off the simulated ratio of
    their times is."""
    groups = defaultdict(lambda: defaultdict(list))
    kept = {tuple(row[column] for column in COLUMNS_OF_A_MEASUREMENT): row for row in rows}
    for row in kept.values():
        if row["simulated_us"]:
            groups[row["size"], row["dtype"], row["source"], row["kernel"]][family(row)].append(row)
    return [
        abs((1 + error(one)) / (1 + error(other)) - 1) for group in groups.values() for one in group[slower] for other in group[faster]
    ]


def ratios() -> Iterator[str]:
    rows = rows_of(PAIRED, None)
    yield "| the same product on two GPUs | pairs | median error of the ratio of times, % | asked |"
    yield "|---|--:|--:|--:|"
    for slower, faster in PAIRS:
        errors = ratio_errors(rows, slower, faster)
        yield f"| {slower} and {faster} | {len(errors)} | {100 * statistics.median(errors):.1f} | 10 |"


def steps() -> str:
    kept = [ladder["summary"] for ladder in map(ladders.kept, ladders.names()) if ladder]
    right, changes = (sum(summary[key] for summary in kept) for key in ("changes_right", "changes"))
    return f"Of {changes} steps of [published ladders](#ladders) that change a kernel's time by more than 5 %, {right} change it the same way here."


def ranks() -> str:
    rows = analysis.read(tilings.KEPT)
    taus = [f"{tilings.kendall([row for row in rows if row['gpu'] == gpu]):.2f} on the {gpu}" for gpu in sorted({row["gpu"] for row in rows})]
    return f"Kendall's tau of 4096^3 in fp32 by {len(rows)} [tilings](#tilings-by-rank): {' and '.join(taus)}."


def page() -> str:
    lines = [*sets(), "", *ratios(), "", steps(), ranks()]
    return analysis.replaced(analysis.PAGE.read_text(encoding="utf-8"), "summary", "\n".join(lines) + "\n", Path(__file__).name)


def main(arguments: list[str]) -> int:
    if arguments in (["page"], ["check"]):
        return analysis.write_or_check(page(), arguments[0], Path(__file__).name)
    print(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
