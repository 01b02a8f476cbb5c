"""Command lines in pages: run in a folder of their own, and their output compared."""

import json
import os
import re
import shlex
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from pages import Block, Page, Row, tables
from problems import Edits, Problems, compare

SECONDS = 600
# A command whose output is not shown is only asked whether it takes its options; it need not finish.
FEW_CYCLES = "--max-cycles 1000"
FILE_NAME = re.compile(r"`([\w.-]+\.(?:json|csv))`")


@dataclass
class Command:
    line: int  # of the page
    text: str
    first: int  # shown output: lines [first, end) of the page
    end: int
    shows_output: bool


def commands_of(block: Block) -> list[Command]:
    """A `console` block: what follows `$ ` up to the next one is output. A `sh` block: commands alone."""
    prompt = "$ " if block.language == "console" else ""
    found: list[Command] = []
    continues = False
    for number, line in enumerate(block.lines, block.first):
        if continues:
            found[-1].text += "\n" + line
            found[-1].first = found[-1].end = number + 1
        elif line.startswith(prompt) and line.strip():
            found.append(Command(number, line[len(prompt) :], number + 1, number + 1, bool(prompt)))
        elif found:
            found[-1].end = number + 1
        continues = bool(found) and found[-1].first == number + 1 and line.endswith("\\")
    for command in found:  # an empty line before the next prompt is no output
        while command.end > command.first and not block.lines[command.end - 1 - block.first].strip():
            command.end -= 1
    return found


class Runner:
    """Runs commands in one folder; what is run twice with the same words is run once."""

    _printed: dict[str, tuple[int, str]] = {}

    def __init__(self, gpusim: Path, folder: Path):
        self._folder = folder
        self._environment = {**os.environ, "PATH": f"{gpusim.parent}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}

    def run(self, command: str) -> tuple[int, str]:
        touches_files = any(part in command for part in (".json", ".csv", ">"))
        if touches_files or command not in self._printed:
            done = subprocess.run(
                ["bash", "-o", "pipefail", "-c", command], cwd=self._folder, env=self._environment, timeout=SECONDS,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self._printed[command] = done.returncode, done.stdout
        return self._printed[command]


def shortened(command: str) -> str:
    words = shlex.split(command, comments=True)
    if words[1:2] != ["run"] or "--max-cycles" in words or "--help" in words:
        return command
    return re.sub(r"gpusim run( [a-z]+(?= |$))?", rf"gpusim run\1 {FEW_CYCLES}", command, count=1)


def check_row(page: Page, row: Row, runner: Runner, problems: Problems) -> None:
    """A row of a table whose first head is a command: its options, the cycles, and the sum they come from."""
    head = next(iter(row.cells))
    code, printed = runner.run(f"{head} {row.cells[head]} --json -")
    if code != 0:
        return problems.add(page.place(row.line), printed)
    cycles = json.loads(printed)["cycles"]
    if int(row.cells["cycles"]) != cycles:
        problems.add(page.place(row.line), f"{row.cells['cycles']} cycles are shown, {cycles} it takes")
    terms = row.cells["sum"]
    if not re.fullmatch(r"[\d+*() -]+", terms) or eval(terms) != cycles:  # digits and operators only
        problems.add(page.place(row.line), f"{terms} is not {cycles}")


def check(page: Page, gpusim: Path, update: bool, problems: Problems) -> None:
    edits = Edits(page)
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(gpusim, Path(folder))
        for block in page.blocks:
            named = FILE_NAME.findall(block.introduction)
            if block.language in ("json", "csv") and named:
                Path(folder, named[-1]).write_text("\n".join(block.lines))
        for block in page.blocks:
            if block.language not in ("console", "sh"):
                continue
            for command in commands_of(block):
                if not re.match(r"gpusim\b", command.text):
                    continue
                code, printed = runner.run(command.text if command.shows_output else shortened(command.text))
                is_refusal = command.shows_output and page.lines[command.first].startswith("gpusim:")
                if (code != 0) != is_refusal:
                    problems.add(page.place(command.line), f"exit code {code}\n{printed}")
                elif command.shows_output:
                    lines = compare(page, command.first, command.end, printed, update, problems)
                    edits.replace(command.first, command.end, lines)
        for table in tables(page):
            for row in table:
                if next(iter(row.cells)).startswith("gpusim "):
                    check_row(page, row, runner, problems)
    edits.write()
