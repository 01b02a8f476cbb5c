"""C++ and Python in pages.

A `cpp` block with a main is a program; its output is the `text` block right after it, if there is one. The other `cpp`
blocks of a page make up one function, so that one may use what an earlier one made. The `python` blocks of a page are one
session.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from pages import Block, Page, all_pages
from problems import Edits, Problems, compare

SECONDS = 600

SESSION = """
import contextlib, io, json, sys
names, printed = {"__name__": "__main__"}, []
for place, source in json.load(open(sys.argv[1])):
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(source, place, "exec"), names)
    printed.append(output.getvalue())
json.dump(printed, sys.stdout)
"""


def file_name(page: Page) -> str:
    return re.sub(r"\W+", "_", page.name.removesuffix(".md"))


def programs(page: Page) -> dict[str, Block]:
    """The page's programs by file name."""
    blocks = [block for block in page.blocks if block.language == "cpp" and "int main(" in "\n".join(block.lines)]
    return {f"{file_name(page)}_{number}.cpp": block for number, block in enumerate(blocks, 1)}


def snippets(page: Page) -> str:
    """The other C++ of the page as one source, or nothing."""
    blocks = [block for block in page.blocks if block.language == "cpp" and block not in programs(page).values()]
    if not blocks:
        return ""
    lines = [(number, line) for block in blocks for number, line in enumerate(block.lines, block.first + 1)]
    includes = "".join(f"{line}\n" for _, line in lines if line.startswith("#include"))
    body = "".join(
        f'#line {number} "{page.name}"\n{line}\n' for number, line in lines if not line.startswith("#include"))
    return f"{includes}void {file_name(page)}();\nvoid {file_name(page)}() {{\n{body}}}\n"


def write_sources(folder: Path) -> list[str]:
    """Writes what differs; returns all file names, programs and functions alike."""
    sources = {}
    for page in all_pages():
        for name, block in programs(page).items():
            sources[name] = "\n".join(block.lines) + "\n"
        if text := snippets(page):
            sources[f"{file_name(page)}.cpp"] = text
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in sources.items():
        path = folder / name
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
    return list(sources)


def check_program(name: str, binary: Path, update: bool, problems: Problems) -> None:
    page, block = next((page, programs(page)[name]) for page in all_pages() if name in programs(page))
    done = subprocess.run([binary], timeout=SECONDS, capture_output=True, text=True)
    if done.returncode != 0:
        return problems.add(page.place(block.first), f"exit code {done.returncode}\n{done.stderr}")
    output = page.follows(block, "text")
    if output is None:
        return None
    edits = Edits(page)
    edits.replace(output.first, output.end, compare(page, output.first, output.end, done.stdout, update, problems))
    edits.write()
    return None


def environment(package: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"}


def has_package(package: Path) -> bool:
    """Whether the extension module was built. Whether it works is for the blocks to show."""
    return any(package.glob("gpusim/_gpusim*"))


def check_python(page: Page, package: Path, update: bool, problems: Problems) -> None:
    blocks = [block for block in page.blocks if block.language == "python"]
    if not blocks:
        return
    with tempfile.TemporaryDirectory() as folder:
        session = Path(folder, "session.json")
        # Empty lines in front make a traceback name the page's line.
        session.write_text(json.dumps([(page.name, "\n" * block.first + "\n".join(block.lines)) for block in blocks]))
        done = subprocess.run(
            [sys.executable, "-c", SESSION, session], cwd=folder, env=environment(package), timeout=SECONDS,
            capture_output=True, text=True)
    if done.returncode != 0:
        return problems.add(page.name, done.stderr)
    edits = Edits(page)
    for block, printed in zip(blocks, json.loads(done.stdout)):
        output = page.follows(block, "text")
        if output is not None:
            edits.replace(output.first, output.end, compare(page, output.first, output.end, printed, update, problems))
    edits.write()
