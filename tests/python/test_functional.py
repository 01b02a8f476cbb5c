"""The functional twin from Python; only arrays need numpy."""

import math
import subprocess
import sys

import pytest

import gpusim
from gpusim import functional

SHAPE = {"m": 70, "n": 50, "k": 40}


@pytest.mark.parametrize("variant", ["simt", "tensor", "async", "tma"])
def test_a_ragged_product_is_right_in_every_variant(variant):
    schedule = gpusim.schedules.gemm(**SHAPE, alpha=2, beta=0.5, tile=(64, 64, 32), variant=variant)
    check = functional.check_gemm(schedule, alpha=2, beta=0.5)
    assert (check.elements, check.wrong) == (70 * 50, 0)


def test_a_check_can_fail():
    schedule = gpusim.schedules.gemm(**SHAPE, alpha=2, tile=(64, 64, 32))
    check = functional.check_gemm(schedule, alpha=3)
    assert check.wrong > 0
    assert check.expected != check.actual


def test_execute_multiplies_arrays():
    numpy = pytest.importorskip("numpy")
    schedule = gpusim.schedules.gemm(**SHAPE, beta=1, tile=(64, 64, 32))
    before = {
        "A": functional.random_matrix(70, 40, seed=1),
        "B": numpy.asfortranarray(functional.random_matrix(40, 50, seed=2)),
        "C": numpy.ones((70, 50), dtype=int),
    }
    after = functional.execute(schedule, before)
    assert (after["C"] == before["A"] @ before["B"] + 1).all()
    assert (before["C"] == 1).all()


def test_execute_refuses_missing_and_misshapen_buffers():
    numpy = pytest.importorskip("numpy")
    schedule = gpusim.schedules.gemm(**SHAPE, tile=(64, 64, 32))
    with pytest.raises(gpusim.ScheduleError):
        functional.execute(schedule, {"A": numpy.zeros((70, 40))})
    with pytest.raises(gpusim.ScheduleError):
        functional.execute(schedule, {name: numpy.zeros((3, 3)) for name in "ABC"})


def test_slices_of_a_cta_are_added_up():
    members = {"dtype": "fp32", "tile": (32, 16, 8), "variant": "simt", "thread_tile": (4, 4)}
    sliced = gpusim.schedules.gemm(**SHAPE, **members, cta_slices=2)
    assert sliced.warps_per_cta == 2 * gpusim.schedules.gemm(**SHAPE, **members).warps_per_cta
    assert functional.check_gemm(sliced).wrong == 0


def test_kernels_of_a_batch_with_slices_are_checked_together():
    problem = gpusim.schedules.GemmProblem(**SHAPE, batch=2, bias=True, activation="relu")
    kernels = gpusim.schedules.gemm_kernels(problem, tile=(64, 64, 16), variant="tensor", split_k=2)
    assert len(kernels) == 2
    assert functional.check_gemm(kernels, problem).wrong == 0
    other = gpusim.schedules.GemmProblem(**SHAPE, batch=2, bias=True)
    assert functional.check_gemm(kernels, other).wrong > 0


def test_activations():
    assert functional.activated(-2.0, "relu") == 0.0
    assert math.isclose(functional.activated(1.0, "silu"), 1 / (1 + math.exp(-1)))


def test_rounding_is_to_nearest_even():
    assert functional.rounded(2049.0, "fp16") == 2048.0
    assert functional.rounded(2051.0, "fp16") == 2052.0
    assert math.isclose(functional.rounded(math.pi, "bf16"), math.pi, rel_tol=2**-8)


def test_numpy_is_not_needed_to_simulate_and_check():
    program = (
        "import sys; sys.modules['numpy'] = None\n"
        "import gpusim\n"
        "schedule = gpusim.schedules.gemm(m=64, n=64, k=32, tile=64)\n"
        "assert gpusim.functional.check_gemm(schedule).wrong == 0\n"
        "assert gpusim.Gpu(gpusim.load_profile('ada')).run(schedule).cycles > 0\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
