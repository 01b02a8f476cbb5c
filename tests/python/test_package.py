"""The package as a whole: what it offers, and the five lines it is for."""

import re
from pathlib import Path

import pytest

import gpusim

ROOT = Path(__file__).parents[2]
MODULES = [gpusim, gpusim.errors, gpusim.estimate, gpusim.functional, gpusim.schedules, gpusim.spec, gpusim.types]
MODULES.append(gpusim.view)


def test_the_five_lines(capsys):
    gpu = gpusim.Gpu(gpusim.load_profile("ada"))
    schedule = gpusim.schedules.gemm(m=4096, n=4096, k=4096, tile=(128, 128, 32))
    result = gpu.run(schedule)
    print(result)
    assert f"cycles               {result.cycles:,}" in capsys.readouterr().out
    assert 0.5 * result.peak_tflops < result.tflops < result.peak_tflops


def test_the_version_is_the_projects():
    project = re.search(r"project\(gpusim VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())
    assert gpusim.__version__ == project[1]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_all_lists_every_public_name_once_in_order(module):
    assert len(set(module.__all__)) == len(module.__all__)
    assert module.__all__ == sorted(module.__all__)
    missing = [name for name in module.__all__ if not hasattr(module, name)]
    assert not missing


def test_importing_everything_hides_no_builtin():
    import builtins

    assert not [name for name in gpusim.__all__ if hasattr(builtins, name)]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_everything_public_is_documented(module):
    """Types for annotations have their text in the source, where help() does not look."""
    names = [] if module is gpusim.types else module.__all__
    undocumented = []
    for name in names:
        value = getattr(module, name)
        if callable(value) and not (value.__doc__ or "").strip():
            undocumented.append(name)
        if isinstance(value, type):
            properties = {key: each for key, each in vars(value).items() if isinstance(each, property)}
            undocumented += [f"{name}.{key}" for key, each in properties.items() if not each.__doc__]
    assert not undocumented
