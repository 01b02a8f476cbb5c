#!/usr/bin/env python3
"""Writes gpusim/_gpusim/spec.pyi from the Specs' lists of fields, as the built package has them.

Usage: PYTHONPATH=build/python python3 tests/python/spec_stub.py
"""

from pathlib import Path

import gpusim.spec

STUB = Path(__file__).parents[2] / "python/gpusim/_gpusim/spec.pyi"


def stub_text() -> str:
    classes = [getattr(gpusim.spec, name) for name in gpusim.spec.__all__]
    annotations = [annotation for kind in classes for annotation in kind.__annotations__.values()]
    imports = sorted({"DType", "Limit", "Rate"} & set(annotations))
    parts = [f"from typing import Literal\n\nfrom ..types import {', '.join(imports)}\n"]
    for kind in classes:
        members = "".join(f"    {name}: {annotation}\n" for name, annotation in kind.__annotations__.items())
        parts.append(f"class {kind.__name__}:\n{members}")
    return "\n".join(parts)


if __name__ == "__main__":
    STUB.write_text(stub_text(), encoding="utf-8")
