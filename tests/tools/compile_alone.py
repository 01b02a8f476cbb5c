#!/usr/bin/env python3
"""Compiles files one by one, as far as the compiler finds errors and warnings in them: what a unity build cannot see,
a header that only another file of the folder includes, is seen here.

Usage: compile_alone.py BUILD_DIR FILE...   (configured without CMAKE_UNITY_BUILD; files it does not compile are passed over)
"""

import json
import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


def command_for(entry: dict[str, str]) -> list[str]:
    """The entry's command without its output, and without ccache."""
    words = shlex.split(entry["command"])
    first = next(i for i, word in enumerate(words) if not word.endswith("ccache"))
    output = words.index("-o")
    return [*words[first:output], *words[output + 2 :], "-fsyntax-only"]


def compiles(entry: dict[str, str]) -> bool:
    return subprocess.run(command_for(entry), cwd=entry["directory"], check=False).returncode == 0


def main() -> int:
    entries = json.loads((Path(sys.argv[1]) / "compile_commands.json").read_text(encoding="utf-8"))
    wanted = {os.path.realpath(name) for name in sys.argv[2:]}
    chosen = [entry for entry in entries if os.path.realpath(entry["file"]) in wanted]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return 0 if all(list(pool.map(compiles, chosen))) else 1


if __name__ == "__main__":
    sys.exit(main())
