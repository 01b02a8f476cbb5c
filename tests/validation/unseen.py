#!/usr/bin/env python3
"""How the model does on products beside the first sample, and without what was fitted on a GPU, for docs/validation.md.

Usage: unseen.py draw N             prints N rows of data/gemm_tensor.csv of 10 us and more, drawn at random from those whose GPU,
                                    kernel, type and size data/compared/gemm.csv does not have
       unseen.py draw N tables      prints N of the rows of the three tables of the first sample, whether in it or not
       unseen.py draw others        prints the rows beside the three tables
       unseen.py draw N fp32        prints one of every N neighbours in time of each GPU's rows of data/gemm_fp32.csv that a
                                    library multiplied, of GPUs that have a profile
       unseen.py draw pairs         prints every second of the products in fp32 of 10 us to 20 ms that were measured both on a
                                    V100 and on an A100, in the order of their times on the V100
       unseen.py keep NAME ROWS...  keeps what `gpusim validate --gemm FILE --rows ROWS` wrote; NAME is unseen, tables, others,
                                    fp32, pairs, left_out or silicon
       unseen.py page               writes the sections of docs/validation.md from what is kept
       unseen.py check              whether the page says what is kept

data/compared/NAME.csv is what is kept, as analysis.py has it. Rows of left_out are of the first sample, too, and known there by
their measured times: their errors there are beside these.
"""

import csv
import json
import random
import statistics
import sys
from collections import defaultdict
from pathlib import Path

import analysis

SEED = 20261126
SEED_OF_TABLES = 34
SEED_OF_FP32 = 39
NAMES = {
    "unseen": "rows drawn afterwards",
    "tables": "rows of the three tables",
    "others": "rows beside the three tables",
    "fp32": "products in fp32",
    "pairs": "products in fp32 on two GPUs",
    "left_out": "without what was fitted on a GPU",
    "silicon": "products whose clock is known",
}
KEY = ["gpu", "kernel", "dtype", "size"]  # operands may lie in several ways, which the time tells apart
WORST = 15
TABLES = ("ai-dynamo/aiconfigurator", "microsoft/vidur", "baidu-research/DeepBench")  # what the first sample is of
LIBRARIES_IN_FP32 = ("sitar-lab/NeuSight", "baidu-research/DeepBench")
PAIR = ("V100-PCIE-32GB", "A100-PCIE-40GB")
LONGEST_OF_PAIR_US = 20_000
OUT_OF_SCOPE = ("P100-PCIE-16GB", "P4")  # Pascal has no profile
PROFILES = {"A100": "a100-sxm-40gb", "H100": "h800-pcie", "L40S": "rtx4090", "T4": "t4", "V100": "v100-sxm2"}  # that say it
# What is fitted on products of one GPU, as changed for its turn: the median of what was fitted on the others, or what
# profiles have where nothing is known.
LEFT_OUT = {
    "A100": "power.tensor_fma_fj=1660 power.reaction_ms=50 dram.activate_ps=0",
    "H100": "tma.copies_per_clk=1/48 dram.activate_ps=4580",
    "L40S": "power.tensor_fma_fj=1600 power.tensor_fp8_percent=50 dram.activate_ps=0",
    "T4": "power.tensor_fma_fj=1660 power.scale_percent=125 dram.activate_ps=0",
    "V100": "power.tensor_fma_fj=1660 power.scale_percent=134 dram.activate_ps=0",
}


def key(row: dict) -> tuple:
    return tuple(row[column] for column in KEY)


def measured_key(row: dict) -> tuple:
    """The same of a row as measured."""
    return row["gpu"], row["library_or_kernel"], row["dtype_in"], analysis.size(row)


def fitted_row(row: dict, sample: list[dict]) -> dict:
    """The row of the first sample that is of the same measurement; of two that took as long, either."""
    for each in sample:
        if key(each) == key(row) and each["measured_us"] == row["measured_us"]:
            return each
    sys.exit(f"{row['gpu']} {row['size']} {row['measured_us']} us: not in the first sample")


def draw(count: int, of_tables: bool) -> None:
    seen = {key(row) for row in analysis.kept()["gemm"]}
    rows = analysis.read(analysis.DATA / "gemm_tensor.csv")
    left = [row for row in rows if float(row["time_us"]) >= analysis.SHORTEST_US]
    if of_tables:
        left = [row for row in left if of_three_tables(row["source"])]
    else:
        left = [row for row in left if measured_key(row) not in seen]
    random.Random(SEED_OF_TABLES if of_tables else SEED).shuffle(left)
    writer = csv.DictWriter(sys.stdout, rows[0], lineterminator="\n")
    writer.writeheader()
    writer.writerows(left[:count])


def of_three_tables(source: str) -> bool:
    return analysis.repository(source) in TABLES


def draw_others() -> None:
    rows = analysis.read(analysis.DATA / "gemm_tensor.csv")
    writer = csv.DictWriter(sys.stdout, rows[0], lineterminator="\n")
    writer.writeheader()
    writer.writerows(
        row for row in rows if float(row["time_us"]) >= analysis.SHORTEST_US and not of_three_tables(row["source"])
    )


def draw_fp32(neighbours: int) -> None:
    rows = analysis.read(analysis.DATA / "gemm_fp32.csv")
    groups = defaultdict(list)
    for row in rows:
        known = row["gpu"] not in OUT_OF_SCOPE and analysis.repository(row["source"]) in LIBRARIES_IN_FP32
        if known and float(row["time_us"]) >= analysis.SHORTEST_US:
            groups[row["gpu"]].append(row)
    chance = random.Random(SEED_OF_FP32)
    drawn = []
    for group in groups.values():
        group.sort(key=lambda row: float(row["time_us"]))
        drawn += [chance.choice(group[begin : begin + neighbours]) for begin in range(0, len(group), neighbours)]
    chance.shuffle(drawn)
    writer = csv.DictWriter(sys.stdout, rows[0], lineterminator="\n")
    writer.writeheader()
    writer.writerows(drawn)


def draw_pairs() -> None:
    rows = analysis.read(analysis.DATA / "gemm_fp32.csv")
    products = defaultdict(dict)
    for row in rows:
        if row["gpu"] in PAIR and analysis.SHORTEST_US <= float(row["time_us"]) <= LONGEST_OF_PAIR_US:
            products[analysis.size(row), row["layout"], row["library_or_kernel"]][row["gpu"]] = row
    pairs = sorted((pair for pair in products.values() if len(pair) == len(PAIR)), key=lambda pair: float(pair[PAIR[0]]["time_us"]))
    writer = csv.DictWriter(sys.stdout, rows[0], lineterminator="\n")
    writer.writeheader()
    writer.writerows(pair[gpu] for gpu in PAIR for pair in pairs[::2])


def keep(name: str, files: list[str]) -> None:
    rows = [analysis.slim(row) for each in files for row in analysis.read(Path(each))]
    with (analysis.KEPT / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, analysis.COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def family(row: dict) -> str:
    for name in LEFT_OUT:
        if row["gpu"].startswith(name):
            return name
    sys.exit(f"{row['gpu']}: nothing is left out of it")


def mean(rows: list[dict]) -> str:
    return analysis.percent(statistics.fmean(analysis.absolute(row) for row in rows))


def signed(rows: list[dict]) -> str:
    return f"{100 * statistics.median(analysis.error(row) for row in rows):+.1f}"


def others_median(parameter: str, gpu: str) -> float:
    """Of what was fitted on other GPUs, or derived from measurements of their power or from measured products: what profiles give
    themselves."""
    values = {}
    for path in (analysis.ROOT / "arch").glob("*.json"):
        group, name = parameter.split(".")
        entry = json.loads(path.read_text(encoding="utf-8")).get(group) or {}
        here = entry.get(name, {})
        measured = "ref:silicon, power" in here.get("source", "") and here["method"] != "inherited"
        derived = here.get("method") == "derived" and "measured GEMM times" in here["source"]
        if here.get("method") == "fitted" or measured or derived:
            values[path.stem] = entry[name]["value"]
    return statistics.median(value for name, value in values.items() if name != PROFILES[gpu])


def unseen(rows: list[dict]) -> list[str]:
    """By GPU and type; the worst with their cause."""
    groups = defaultdict(list)
    for row in rows:
        groups[row["gpu"], row["dtype"]].append(row)
    lines = ["| GPU | type | rows | refused | mean | median | p95 | max | signed | rank |", "|---|---|" + "--:|" * 8]
    lines += [analysis.line(list(group), groups[group]) for group in sorted(groups)]
    own = [row for row in rows if of_three_tables(row["source"])]
    lines += [analysis.line(["all of the three tables", ""], own), analysis.line(["all", ""], rows), "", f"The {WORST} worst:", ""]
    worst = analysis.worst("gemm", rows, analysis.read(analysis.CAUSES))
    return lines + worst[: 2 + WORST]


def fp32(rows: list[dict]) -> list[str]:
    """By GPU and source; the worst with their cause."""
    groups = defaultdict(list)
    for row in rows:
        groups[row["gpu"], analysis.repository(row["source"])].append(row)
    lines = ["| GPU | source | rows | refused | mean | median | p95 | max | signed | rank |", "|---|---|" + "--:|" * 8]
    lines += [analysis.line(list(group), groups[group]) for group in sorted(groups)]
    lines += [analysis.line(["all", ""], rows), "", f"The {WORST} worst:", ""]
    return lines + analysis.worst("gemm", rows, analysis.read(analysis.CAUSES))[: 2 + WORST]


def of_tables(rows: list[dict]) -> list[str]:
    """By GPU, with those of the first sample apart, and by type."""
    known = {key(row) for row in analysis.kept()["gemm"]}
    groups = defaultdict(list)
    for row in rows:
        groups[family(row), "all types"].append(row)
        groups[family(row), row["dtype"]].append(row)
    lines = ["| GPU | type | rows | refused | mean | median | p95 | max | signed | rank |", "|---|---|" + "--:|" * 8]
    lines += [analysis.line(list(group), groups[group]) for group in sorted(groups)]
    beside = [row for row in rows if key(row) not in known]
    return lines + [analysis.line(["all", "not in the first sample"], beside), analysis.line(["all", ""], rows)]


def others(rows: list[dict]) -> list[str]:
    """By GPU, type and source, and with the three tables; the worst with their cause."""
    groups = defaultdict(list)
    for row in rows:
        groups[row["gpu"], row["dtype"], analysis.repository(row["source"])].append(row)
    lines = ["| GPU | type | source | rows | refused | mean | median | p95 | max | signed | rank |", "|---|---|---|" + "--:|" * 8]
    lines += [analysis.line(list(group), groups[group]) for group in sorted(groups)]
    lines.append(analysis.line(["all", "", ""], rows))
    every = rows + analysis.read(analysis.KEPT / "tables.csv")
    lines += [analysis.line(["all, and the three tables", "", ""], every), "", f"The {WORST} worst:", ""]
    return lines + analysis.worst("gemm", rows, analysis.read(analysis.CAUSES))[: 2 + WORST]


def left_out(rows: list[dict]) -> list[str]:
    sample = analysis.kept()["gemm"]
    groups = defaultdict(list)
    for row in rows:
        groups[family(row)].append(row)
    lines = ["| GPU | rows | changed | mean, fitted | signed | mean, left out | signed |", "|---|--:|---|" + "--:|" * 4]
    for gpu, own in sorted(groups.items()):
        before = [fitted_row(row, sample) for row in own]
        changed = " ".join(f"`{each}`" for each in LEFT_OUT[gpu].split())
        lines.append(f"| {gpu} | {len(own)} | {changed} | {mean(before)} | {signed(before)} | {mean(own)} | {signed(own)} |")
    return lines


def silicon(rows: list[dict]) -> list[str]:
    """By GPU and type, and short products apart."""
    short_us = 10
    groups = defaultdict(list)
    for row in rows:
        groups[row["gpu"], row["dtype"]].append(row)
    lines = ["| GPU | type | rows | refused | mean | median | p95 | max | signed | rank |", "|---|---|" + "--:|" * 8]
    lines += [analysis.line(list(group), groups[group]) for group in sorted(groups)]
    long = [row for row in rows if float(row["measured_us"]) >= short_us]
    lines += [analysis.line(["all", f"{short_us} us and more"], long), analysis.line(["all", ""], rows), "", f"The {WORST} worst:", ""]
    return lines + analysis.worst("gemm", rows, analysis.read(analysis.CAUSES))[: 2 + WORST]


def page() -> str:
    text = analysis.PAGE.read_text(encoding="utf-8")
    sections = {"unseen": unseen, "tables": of_tables, "others": others, "fp32": fp32, "left_out": left_out, "silicon": silicon}
    for name, lines in sections.items():
        rows = analysis.read(analysis.KEPT / f"{name}.csv")
        text = analysis.replaced(text, name, "\n".join(lines(rows)) + "\n", Path(__file__).name)
    return text


def main(arguments: list[str]) -> int:
    match arguments:
        case ["draw", "others"]:
            draw_others()
        case ["draw", "pairs"]:
            draw_pairs()
        case ["draw", count, "fp32"] if count.isdecimal():
            draw_fp32(int(count))
        case ["draw", count, *of] if count.isdecimal() and of in ([], ["tables"]):
            draw(int(count), of_tables=of != [])
        case ["keep", name, _, *_] if name in NAMES:
            keep(name, arguments[2:])
        case ["page" | "check" as action]:
            return analysis.write_or_check(page(), action, Path(__file__).name)
        case _:
            print(__doc__)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
