#!/usr/bin/env python3
"""Holds every #include against the layer table of docs/design: who may include whom.

Usage: check_includes.py [ROOT]. Prints one line for each edge that is not allowed; exits 1 when there is one.
"""

import re
import sys
from pathlib import Path

from include_table import HEADS, LIBRARY_REFUSES, ROWS, THIRD_PARTY, VENDORS

PUBLIC = "libsim/include/gpusim/"
SOURCE = "libsim/src/"
PRODUCTS = ("app", "python", "examples", "tests")
# Each a layer of its own.
PRIVATE_HEADERS = (
    "messages.h",
    "sizes.h",
    "gpu_features.h",
    "binary_units.h",
    "integers.h",
    "clocks.h",
    "edit_distance.h",
)
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def layer_of(path: str) -> str:
    """The layer a file belongs to: "schedule" (public), "src/sm" (private) or a product such as "app"."""
    if path.startswith(PUBLIC):
        return path.removeprefix(PUBLIC).split("/")[0].removesuffix(".h")
    if path.startswith(SOURCE):
        first = path.removeprefix(SOURCE).split("/")[0]
        if "/" in path.removeprefix(SOURCE) or first in PRIVATE_HEADERS:
            return "src/" + first.removesuffix(".h")
        return Path(first).stem  # src/error.cpp is of the layer of error.h
    return path.split("/")[0]


def reach(layers: set[str]) -> set[str]:
    """The layers and all that they may include."""
    found: set[str] = set()
    todo = list(layers)
    while todo:
        layer = todo.pop()
        if layer not in found:
            found.add(layer)
            todo.extend(ROWS[layer].may)
    return found


def allowed_layers(layer: str) -> set[str]:
    row = ROWS[layer]
    heads = {mate for head in HEADS.get(layer, ()) for mate in (head, *ROWS[head].mates)}
    return reach({layer, *row.mates, *heads} | set(row.may)) | {"version"}


def resolve(root: Path, includer: str, text: str) -> str | None:
    """The file of ours that an include means, or None."""
    candidates = [str(Path(includer).parent / text), SOURCE + text, PUBLIC.removesuffix("gpusim/") + text]
    if includer.startswith("tests/"):
        candidates.append("tests/" + text)
    if includer.startswith("app/"):
        candidates.append("app/" + text)
    for candidate in candidates:
        path = (root / candidate).resolve()
        if path.is_file() and path.is_relative_to(root):
            return str(path.relative_to(root))
    return None


def refused(layer: str, includer: str, target: str | None, text: str, quoted: bool) -> str | None:
    """Why `includer` may not include this, or None when it may."""
    if layer == "tests":
        return None
    if target is not None:
        to = layer_of(target)
        if layer in PRODUCTS:
            return None if to == layer or target.startswith(PUBLIC) else f"{layer} may include public headers only"
        return None if to in allowed_layers(layer) else f"{layer} may not include {to}"
    if quoted:
        return "no such file"
    vendor = next((name for name, pattern in VENDORS.items() if re.match(pattern, text)), None)
    if vendor == "standard":
        if includer.startswith("libsim/") and text in LIBRARY_REFUSES and layer not in LIBRARY_REFUSES[text]:
            return f"{layer} may not use <{text}>"
        return None
    if vendor is None:
        return "a library the table does not name"
    return None if layer in THIRD_PARTY[vendor] else f"{layer} may not use {vendor}"


def cycles(graph: dict[str, list[str]]) -> list[list[str]]:
    """Every header cycle found by depth-first search, once."""
    found: list[list[str]] = []
    state: dict[str, str] = {}

    def visit(node: str, path: list[str]) -> None:
        state[node] = "open"
        for to in graph.get(node, []):
            if state.get(to) == "open":
                found.append([*path[path.index(to) :], to])
            elif to not in state:
                visit(to, [*path, to])
        state[node] = "done"

    for node in sorted(graph):
        if node not in state:
            visit(node, [node])
    return found


def check(root: Path) -> list[str]:
    root = root.resolve()
    problems: list[str] = []
    graph: dict[str, list[str]] = {}
    for folder in ("libsim", *PRODUCTS):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".h", ".cpp"):
                continue
            name = str(path.relative_to(root))
            layer = layer_of(name)
            if layer not in PRODUCTS and layer not in ROWS:
                problems.append(f"{name}: no row of the table is about '{layer}'")
                continue
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                match = INCLUDE.match(line)
                if not match:
                    continue
                target = resolve(root, name, match[2])
                why = refused(layer, name, target, match[2], match[1] == '"')
                if why:
                    problems.append(f"{name}:{number}: {match[2]}: {why}")
                if target is not None and target.endswith(".h"):
                    graph.setdefault(name, []).append(target)
    problems += ["include cycle: " + " -> ".join(cycle) for cycle in cycles(graph)]
    return problems


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[2]
    problems = check(root)
    print("\n".join(problems) if problems else "every include is allowed by the table")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
