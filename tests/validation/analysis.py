#!/usr/bin/env python3
"""How far simulated times are from measured ones: tables, plots and the worst rows, for docs/validation.md.

Usage: analysis.py keep KIND ROWS.csv   keeps what `gpusim validate --KIND FILE --rows ROWS.csv` wrote; KIND is gemm, kernels or ladders
       analysis.py page                 writes the sections of docs/validation.md from what is kept
       analysis.py plots                draws docs/images/errors_KIND.png; needs matplotlib (tests/tools/setup.sh analysis)
       analysis.py check                whether the page says what is kept

data/compared/KIND.csv is what is kept: a line for each row, without the columns nobody looks at here. data/causes.csv is written by
people: why a row is off, as far as that is known. It is looked up by kind and by all of its other columns that are not empty, which
are parts of the row's own text; the first that fits holds.
"""

import csv
import statistics
import sys
from collections import Counter, defaultdict
from pathlib import Path

from errors import absolute, error, quantile, spearman

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/validation.md"
IMAGES = ROOT / "docs/images"
DATA = Path(__file__).resolve().parent / "data"
KEPT = DATA / "compared"
CAUSES = DATA / "causes.csv"
KINDS = {"gemm": "matrix products", "kernels": "other kernels", "ladders": "steps of ladders"}
SHORTEST_US = 10  # below it a time is launch, and what measured it
WORST = 20
FAR = 0.25  # rows further off than this are what the ledger of gaps counts
UNKNOWN = "not looked into"
COLUMNS = ["gpu", "kernel", "dtype", "source", "size", "measured_us", "simulated_us", "bound", "schedule", "refused"]


# What is kept ------------------------------------------------------------------------------------------------------------


def read(path: Path) -> list[dict]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def repository(source: str) -> str:
    return source.split(":")[0].split(" ")[0]


def measured_us(row: dict) -> float:
    if "time_us" in row:
        return float(row["time_us"])
    return 2e-3 * int(row["m"]) * int(row["n"]) * int(row["k"]) / float(row["gflops"])


def size(row: dict) -> str:
    if "shape" in row:
        return row["shape"]
    batch = row.get("batch") or "1"
    return f"{row['m']}x{row['n']}x{row['k']}" + ("" if batch == "1" else f" x {batch}")


def slim(row: dict) -> dict:
    kernel = row.get("op") or row.get("kernel_name") or row.get("library_or_kernel") or ""
    return {
        "gpu": row["gpu"],
        "kernel": kernel,
        "dtype": row.get("dtype") or row["dtype_in"],
        "source": repository(row.get("source", "")),
        "size": size(row),
        "measured_us": f"{measured_us(row):.6g}",
        "simulated_us": f"{float(row['simulated_us']):.6g}" if row["simulated_us"] else "",
        "bound": row["bound"],
        "schedule": row["schedule"],
        "refused": row["refused"],
    }


def keep(kind: str, rows: str) -> None:
    KEPT.mkdir(exist_ok=True)
    with (KEPT / f"{kind}.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(slim(row) for row in read(Path(rows)))


def kept() -> dict[str, list[dict]]:
    return {kind: read(KEPT / f"{kind}.csv") for kind in KINDS if (KEPT / f"{kind}.csv").exists()}


# Tables of errors --------------------------------------------------------------------------------------------------------


def percent(value: float, digits: int = 1) -> str:
    return f"{100 * value:.{digits}f}"


def line(head: list[str], rows: list[dict]) -> str:
    errors = [absolute(row) for row in rows]
    signed = [value for row in rows if (value := error(row)) is not None]
    rank = spearman(rows)
    cells = head + [
        str(len(rows)),
        str(len(rows) - len(signed)),
        percent(statistics.fmean(errors)),
        percent(statistics.median(errors)),
        percent(quantile(errors, 0.95)),
        percent(max(errors)),
        f"{100 * statistics.median(signed):+.1f}" if signed else "-",
        "-" if rank is None else f"{rank:.3f}",
    ]
    return "| " + " | ".join(cells) + " |"


def table(kind: str, rows: list[dict]) -> list[str]:
    """By GPU, kernel where there are several, type and source, of times that are long enough."""
    by_kernel = kind != "gemm"
    groups = defaultdict(list)
    for row in rows:
        kernel = [row["kernel"].split("(")[0].split(" ")[0]] if kind == "kernels" else []
        groups[tuple([row["gpu"]] + kernel + [row["dtype"], row["source"]])].append(row)
    heads = ["GPU"] + (["kernel"] if by_kernel and kind == "kernels" else []) + ["type", "source"]
    lines = [
        "| " + " | ".join(heads + ["rows", "refused", "mean", "median", "p95", "max", "signed", "rank"]) + " |",
        "|" + "---|" * len(heads) + "--:|" * 8,
    ]
    lines += [line(list(key), groups[key]) for key in sorted(groups)]
    lines.append(line(["all"] + [""] * (len(heads) - 1), rows))
    return lines


# Causes ------------------------------------------------------------------------------------------------------------------


def cause(kind: str, row: dict, causes: list[dict]) -> str:
    for each in causes:
        parts = {key: value for key, value in each.items() if key not in ("kind", "cause") and value}
        if each["kind"] == kind and all(value in row[key] for key, value in parts.items()):
            return each["cause"]
    return f"refused: {row['refused']}" if row["refused"] else UNKNOWN


def worst(kind: str, rows: list[dict], causes: list[dict]) -> list[str]:
    chosen = sorted((row for row in rows if row["simulated_us"]), key=absolute, reverse=True)[:WORST]
    lines = ["| GPU | kernel | size | type | measured us | simulated us | error | bound by | cause |", "|---|---|---|---|--:|--:|--:|---|---|"]
    for row in chosen:
        lines.append(
            f"| {row['gpu']} | {row['kernel']} | {row['size']} | {row['dtype']} | {row['measured_us']} | {row['simulated_us']} | "
            f"{100 * error(row):+.0f} % | {row['bound']} | {cause(kind, row, causes)} |"
        )
    return lines


def gaps(kind: str, rows: list[dict], causes: list[dict]) -> list[str]:
    """How much of the error each cause is, of rows that are far off."""
    far = [row for row in rows if absolute(row) > FAR]
    total = sum(absolute(row) for row in rows)
    counts, sums = Counter(), Counter()
    for row in far:
        why = cause(kind, row, causes)
        counts[why] += 1
        sums[why] += absolute(row)
    lines = ["| cause | rows | of all error |", "|---|--:|--:|"]
    lines += [f"| {why} | {counts[why]} | {percent(sums[why] / total, 0)} % |" for why, _ in sums.most_common()]
    return lines


# The page ----------------------------------------------------------------------------------------------------------------


def marks(name: str, script: str = "analysis.py") -> tuple[str, str]:
    return f"<!-- tests/validation/{script} writes {name} from here -->\n", f"<!-- to here: {name} -->\n"


def replaced(text: str, name: str, lines: str, script: str) -> str:
    """The page's text with these lines between the marks that a script has there."""
    begin, end = marks(name, script)
    if text.count(begin) != 1 or text.count(end) != 1:
        sys.exit(f"{PAGE}: the marks of {name} are not there once each")
    before, rest = text.split(begin)
    return before + begin + "\n" + lines + "\n" + end + rest.split(end)[1]


def section(kind: str, rows: list[dict], causes: list[dict]) -> str:
    long_enough = [row for row in rows if float(row["measured_us"]) >= SHORTEST_US]
    parts = [
        f"{len(rows)} {KINDS[kind]}, {len(long_enough)} of {SHORTEST_US} us and more, of which these are the errors of time in percent:",
        "",
        *table(kind, long_enough),
        "",
        f"The {WORST} worst of them that were simulated:",
        "",
        *worst(kind, long_enough, causes),
        "",
        f"What is known of the rows more than {percent(FAR, 0)} % off:",
        "",
        *gaps(kind, long_enough, causes),
        "",
    ]
    image = f"images/errors_{kind}.png"
    if (PAGE.parent / image).exists():
        parts += [f"![Simulated and measured times of {KINDS[kind]}, and errors over measured times]({image})", ""]
    return "\n".join(parts)


def page() -> str:
    text = PAGE.read_text(encoding="utf-8")
    causes = read(CAUSES)
    for kind, rows in kept().items():
        text = replaced(text, kind, section(kind, rows, causes), Path(__file__).name)
    return text


def plots() -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    IMAGES.mkdir(exist_ok=True)
    for kind, rows in kept().items():
        done = [row for row in rows if row["simulated_us"]]
        figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 3.6), dpi=90)
        for gpu in sorted({row["gpu"] for row in done}):
            mine = [row for row in done if row["gpu"] == gpu]
            times = [float(row["measured_us"]) for row in mine]
            left.loglog(times, [float(row["simulated_us"]) for row in mine], ".", markersize=3, label=gpu)
            right.semilogx(times, [100 * error(row) for row in mine], ".", markersize=3)
        ends = [min(float(row["measured_us"]) for row in done), max(float(row["measured_us"]) for row in done)]
        left.loglog(ends, ends, "k-", linewidth=0.5)
        right.axhline(0, color="black", linewidth=0.5)
        right.set_ylim(-100, 150)
        left.set(xlabel="measured us", ylabel="simulated us")
        right.set(xlabel="measured us", ylabel="error, %")
        left.legend(fontsize=5, markerscale=3)
        figure.tight_layout()
        figure.savefig(IMAGES / f"errors_{kind}.png")
        pyplot.close(figure)


def write_or_check(text: str, action: str, script: str) -> int:
    """Makes `text` the page's when the action is "page"; else says whether it is. The exit code."""
    if action == "page":
        PAGE.write_text(text, encoding="utf-8")
    elif text != PAGE.read_text(encoding="utf-8"):
        print(f"{PAGE} does not say what is kept: run {script} page")
        return 1
    return 0


def main(arguments: list[str]) -> int:
    if len(arguments) == 3 and arguments[0] == "keep" and arguments[1] in KINDS:
        keep(arguments[1], arguments[2])
    elif arguments == ["plots"]:
        plots()
    elif arguments in (["page"], ["check"]):
        if not kept():
            print(f"{KEPT}: nothing is kept")
            return 1
        return write_or_check(page(), arguments[0], Path(__file__).name)
    else:
        print(__doc__)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
