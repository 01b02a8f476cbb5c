#!/usr/bin/env python3
"""Keeps what the published ladders give here, and writes it into docs/validation.md.

Usage: ladders.py run BUILD [--exact] [NAME...]
                              runs these ladders, or all, which takes an hour and more, keeps them, and writes the page;
                              --exact skips nothing and takes many times as long
       ladders.py page        writes the page from what is kept
       ladders.py check       whether the page says what is kept, and what is kept is whole

data/ladders/NAME.json is what `gpusim ladder run NAME --json -` printed; its `exact` says whether nothing was skipped.
data/ladders/NAME.notes.json is written by people: `about` the ladder, and for `steps` that are wrong, why.
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/validation.md"
KEPT = Path(__file__).resolve().parent / "data/ladders"
PUBLISHED = ROOT / "libsim/data/ladders"
BEGIN = "<!-- tests/validation/ladders.py writes what follows, up to the next section. -->\n"
MOST_FACTOR = 2  # a time further off than this is wrong


def names() -> list[str]:
    return sorted(path.stem for path in PUBLISHED.glob("*.json"))


def read(path: Path) -> dict:
    return json.loads(path.read_text(encoding="utf-8"))


def kept(name: str) -> dict | None:
    path = KEPT / f"{name}.json"
    return read(path) if path.exists() else None


def notes(name: str) -> dict:
    path = KEPT / f"{name}.notes.json"
    return {"about": [], "steps": {}} | (read(path) if path.exists() else {})


def run(build: str, name: str, options: list[str]) -> None:
    command = [str(Path(build) / "gpusim"), "ladder", "run", name, *options, "--json", "-"]
    print(" ".join(command), flush=True)
    printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    KEPT.mkdir(exist_ok=True)
    (KEPT / f"{name}.json").write_text(printed, encoding="utf-8")


# What is wrong with a step ---------------------------------------------------------------------------------------------


def factor(error: float) -> float:
    ratio = 1 + error / 100
    return max(ratio, 1 / ratio)


def verdict(step: dict) -> str:
    """Of the gain, and of the time when it is far off; empty where there is nothing to judge."""
    words = []
    if step["gain"]:
        words.append("right" if step["gain"]["right"] else "**wrong**")
    if step["error"] is not None and factor(step["error"]) > MOST_FACTOR:
        words.append("**beyond 2x**")
    return ", ".join(words)


def is_wrong(step: dict) -> bool:
    return "**" in verdict(step)


# The page --------------------------------------------------------------------------------------------------------------


def size(step: dict) -> str:
    sides = [step["m"], step["n"], step["k"]]
    return str(sides[0]) if len(set(sides)) == 1 else "x".join(map(str, sides))


def cell(text: str) -> str:
    return text.replace("|", "\\|")


def teraflops(gflops: float | None) -> str:
    return "-" if gflops is None else f"{gflops / 1000:.4g}"


def percent(value: float | None) -> str:
    return "-" if value is None else f"{value:+.1f} %"


def what(step: dict) -> str:
    return step["published"] if step["title"] in (step["step"], "") or step["title"].startswith("emmy") else step["title"]


def row(step: dict) -> str:
    gain = step["gain"] or {"measured": None, "simulated": None}
    cells = [step["step"], what(step), size(step), teraflops(step["measured_gflops"])]
    cells += [teraflops(step["simulated_gflops"]), percent(step["error"])]
    cells += [percent(gain["measured"]), percent(gain["simulated"]), verdict(step)]
    return "| " + " | ".join(map(cell, cells)) + " |\n"


def remarks(ladder: dict) -> str:
    """Why steps were not simulated, how presets differ from their sources, and why steps are wrong."""
    lines: dict[str, list[str]] = {}
    why = notes(ladder["ladder"])["steps"]
    for step in ladder["steps"]:
        if step["library"]:
            continue
        texts = [step["note"]] if step["note"] else []
        if step["error"] is None and step["refused"] != step["note"]:
            texts.append(step["refused"])
        texts += [why[step["step"]]] if step["step"] in why else []
        for text in texts:
            about = lines.setdefault(text, [])
            if step["step"] not in about:
                about.append(step["step"])
    return "".join(f"* {', '.join(steps)}: {text}\n" for text, steps in lines.items())


def ladder_text(ladder: dict) -> str:
    text = f"### {ladder['ladder']}\n\n{ladder['title']}; {ladder['source']}.\n"
    if ladder["note"]:
        text += ladder["note"] + "\n"
    text += "".join(f"{line}\n" for line in notes(ladder["ladder"])["about"])
    if not ladder.get("exact"):
        text += "What repeats was skipped, not simulated.\n"
    text += "\n| step | what | m = n = k | TFLOPS | simulated | time | gain | simulated | |\n"
    text += "|---|---|--:|--:|--:|--:|--:|--:|---|\n"
    text += "".join(map(row, ladder["steps"]))
    about = remarks(ladder)
    return text + ("\n" + about if about else "") + "\n"


def share(right: int, of: int) -> str:
    return f"{right} of {of}" if of else "-"


def overview(ladders: list[dict]) -> str:
    text = "| ladder | GPU | simulated | median error | worst | changes right | small steps right |\n"
    text += "|---|---|--:|--:|--:|--:|--:|\n"
    keys = ("simulated", "figures", "changes_right", "changes", "steady_right", "steady")
    total = dict.fromkeys(keys, 0)
    for ladder in ladders:
        summary = ladder["summary"]
        for key in keys:
            total[key] += summary[key]
        median = "-" if summary["median_error"] is None else f"{summary['median_error']:.1f} %"
        text += f"| {ladder['ladder']} | {ladder['gpu']} | {share(summary['simulated'], summary['figures'])} | {median} | "
        text += f"{percent(summary['worst_error'])} | {share(summary['changes_right'], summary['changes'])} | "
        text += f"{share(summary['steady_right'], summary['steady'])} |\n"
    text += f"| all | | {share(total['simulated'], total['figures'])} | | | "
    text += f"{share(total['changes_right'], total['changes'])} | {share(total['steady_right'], total['steady'])} |\n\n"
    return text


def generated() -> str:
    ladders = [ladder for ladder in map(kept, names()) if ladder]
    return (overview(ladders) + "".join(map(ladder_text, ladders))).rstrip("\n") + "\n"


def parts(page: str) -> tuple[str, str, str]:
    """Before the generated part, it, and after."""
    begin = page.index(BEGIN) + len(BEGIN)
    end = page.find("\n## ", begin)
    end = len(page) if end < 0 else end
    return page[:begin], page[begin:end], page[end:]


def write_page() -> None:
    before, _, after = parts(PAGE.read_text(encoding="utf-8"))
    PAGE.write_text(f"{before}\n{generated()}{after}", encoding="utf-8")


# Checks ----------------------------------------------------------------------------------------------------------------


def figures(ladder: dict) -> list[tuple]:
    """What was published at the sizes that a run takes unless asked otherwise."""
    only = ladder.get("size")
    return [
        (step["name"], figure["m"], figure["n"], figure["k"], figure["gflops"])
        for step in ladder["steps"]
        for figure in step["figures"]
        if only is None or figure["m"] == figure["n"] == figure["k"] == only
    ]


def problems_of(name: str) -> list[str]:
    ladder = kept(name)
    if ladder is None:
        return [f"{name}: nothing is kept; run it"]
    there = [(s["step"], s["m"], s["n"], s["k"], s["measured_gflops"]) for s in ladder["steps"]]
    problems = []
    if there != figures(read(PUBLISHED / f"{name}.json")):
        problems.append(f"{name}: what is kept is not what was published; run it again")
    why = notes(name)["steps"]
    steps = {step["step"] for step in ladder["steps"]}
    problems += [f"{name}: a note on step {step}, which there is none" for step in why if step not in steps]
    wrong = {step["step"] for step in ladder["steps"] if is_wrong(step)}
    return problems + [f"{name}: step {step} is wrong, and no note says why" for step in sorted(wrong - set(why))]


def problems() -> list[str]:
    found = [problem for name in names() for problem in problems_of(name)]
    if parts(PAGE.read_text(encoding="utf-8"))[1] != "\n" + generated():
        found.append("docs/validation.md does not say what is kept; tests/validation/ladders.py page")
    return found


def main(arguments: list[str]) -> int:
    match arguments:
        case ["run", build, *chosen]:
            options = ["--exact"] if "--exact" in chosen else []
            for name in [each for each in chosen if each not in options] or names():
                run(build, name, options)
            write_page()
        case ["page"]:
            write_page()
        case ["check"]:
            found = problems()
            print("\n".join(found) or "ladders: the page says what is kept")
            return 1 if found else 0
        case _:
            print(__doc__, end="", file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
