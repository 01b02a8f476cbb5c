"""`pip install .` into a fresh environment."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

PROGRAM = """
import gpusim

assert "site-packages" in gpusim.__file__, gpusim.__file__
gpu = gpusim.Gpu(gpusim.load_profile("textbook-2023"))
schedule = gpusim.schedules.gemm(m=32, n=32, k=32, dtype="fp32", tile=32, variant="simt")
assert gpu.run(schedule, l2="warm").cycles == 504
print(gpusim.__version__)
"""


@pytest.mark.slow
def test_pip_installs_a_package_that_works(tmp_path):
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}

    def run(*command, check=True):
        return subprocess.run(command, env=environment, cwd=tmp_path, check=check, text=True, stdout=subprocess.PIPE)

    run(sys.executable, "-m", "venv", "fresh")
    python = str(tmp_path / "fresh/bin/python")
    pip = [python, "-m", "pip", "--disable-pip-version-check"]
    if run(*pip, "download", "--quiet", "--no-deps", "scikit-build-core", check=False).returncode != 0:
        pytest.skip("no package index can be reached")

    # As the tests' own build has it: what that one compiled need not be compiled again.
    settings = ["--config-settings=cmake.define.GPUSIM_WARNINGS_AS_ERRORS=ON"]
    if pybind11 := os.environ.get("GPUSIM_PYBIND11_DIR"):
        settings.append(f"--config-settings=cmake.define.pybind11_DIR={pybind11}")
    run(*pip, "install", *settings, str(ROOT))

    from gpusim import __version__

    assert run(python, "-c", PROGRAM).stdout.split() == [__version__]
