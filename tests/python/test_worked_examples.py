"""The worked examples: one 32 x 32 x 32 product, exact to the cycle."""

import pytest

import gpusim

L2, SHARED, FFMA, TENSOR_CORE = 200, 34, 4, 1  # cycles of latency in textbook-2023
STEPS = 8  # dependent (shared access, FFMA) steps of the product


def run(profile, **members):
    problem = gpusim.schedules.GemmProblem(m=32, n=32, k=members.pop("k", 32), dtype="fp32")
    tiling = gpusim.schedules.choose(profile, problem, tile=32, **members)
    return gpusim.Gpu(profile).run(gpusim.schedules.gemm(problem, tiling), l2="warm")


@pytest.mark.parametrize(
    ("variant", "cycles"),
    [("simt", L2 + STEPS * SHARED + STEPS * FFMA), ("tensor", L2 + SHARED + TENSOR_CORE)],
)
def test_one_tile_takes_the_sum_of_its_latencies(textbook, variant, cycles):
    assert run(textbook, variant=variant).cycles == cycles


def test_a_second_buffer_hides_computing_behind_the_next_tiles_copy(textbook):
    tiles = 100
    result = run(textbook, variant="async", stages=2, k=32 * tiles)
    assert result.cycles == (L2 + SHARED + TENSOR_CORE) + (tiles - 1) * L2
    assert result.kernels[0].steady_cycles_per_tile == (L2 - SHARED - TENSOR_CORE) + SHARED + TENSOR_CORE


def test_the_closed_form_agrees_and_names_its_terms(textbook):
    schedule = gpusim.schedules.gemm(m=32, n=32, k=32, dtype="fp32", tile=32, variant="simt")
    path = gpusim.estimate.critical_path(schedule, textbook, l2="warm")
    assert path.total == L2 + STEPS * SHARED + STEPS * FFMA
    assert {term.field: (term.count, term.each) for term in path.cta} == {
        "l2.latency": (1, L2),
        "shared.latency": (STEPS, SHARED),
        "pipes.fma.latency": (STEPS, FFMA),
    }
    result = gpusim.Gpu(textbook).run(schedule, l2="warm")
    assert "504 = 200 + 8*34 + 8*4" in gpusim.view.derivation(result, path)


def test_from_cold_dram_serves_the_tile(textbook):
    schedule = gpusim.schedules.gemm(m=32, n=32, k=32, dtype="fp32", tile=32, variant="simt")
    cold = gpusim.Gpu(textbook).run(schedule)
    assert cold.cycles == textbook.dram.latency + STEPS * SHARED + STEPS * FFMA
