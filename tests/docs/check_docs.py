#!/usr/bin/env python3
"""Checks that the documentation is true: what it shows is run, where it points is there.

  check_docs.py links
  check_docs.py commands --gpusim BINARY [--update]        `console`, `sh` blocks; tables of cycles
  check_docs.py python --package FOLDER [--update]         `python` blocks; exits 77 when there is no package
  check_docs.py sources FOLDER                             writes the C++ of `cpp` blocks; prints the files
  check_docs.py program FILE --binary BINARY [--update]    runs one of those programs

docs/README.md says how blocks are read. --update puts into the pages what is printed now.
"""

import argparse
import sys
from pathlib import Path

import code_blocks
import commands
from pages import ROOT, all_pages, anchors, links, parse
from problems import Problems

NO_PACKAGE = 77  # what CTest takes for a skipped test


def check_links(problems: Problems) -> None:
    for page in all_pages():
        for number, target in links(page):
            if "://" in target or target.startswith("mailto:"):
                continue
            file, _, anchor = target.partition("#")
            path = (page.path.parent / file).resolve() if file else page.path
            if not path.exists():
                problems.add(page.place(number), f"{target}: there is no such file")
            elif anchor and path.suffix == ".md" and anchor not in anchors(parse(path)):
                problems.add(page.place(number), f"{target}: {path.relative_to(ROOT)} has no such heading")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = parser.add_subparsers(dest="part", required=True)
    parts.add_parser("links")
    for name, option in (("commands", "--gpusim"), ("python", "--package"), ("program", "--binary")):
        part = parts.add_parser(name)
        part.add_argument(option, type=Path, required=True, dest="subject")
        part.add_argument("--update", action="store_true")
        if name == "program":
            part.add_argument("file")
    parts.add_parser("sources").add_argument("folder", type=Path)
    return parser.parse_args()


def main() -> int:
    chosen = arguments()
    problems = Problems()
    if chosen.part == "links":
        check_links(problems)
    elif chosen.part == "commands":
        for page in all_pages():
            commands.check(page, chosen.subject.resolve(), chosen.update, problems)
    elif chosen.part == "python":
        if not code_blocks.has_package(chosen.subject.resolve()):
            print("the Python package is not built")
            return NO_PACKAGE
        for page in all_pages():
            code_blocks.check_python(page, chosen.subject.resolve(), chosen.update, problems)
    elif chosen.part == "sources":
        print("\n".join(code_blocks.write_sources(chosen.folder)))
    else:
        code_blocks.check_program(chosen.file, chosen.subject.resolve(), chosen.update, problems)
    print(problems.text(), end="")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
