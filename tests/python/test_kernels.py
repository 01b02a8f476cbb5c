"""Kernels other than matrix products, from Python."""

import pytest

import gpusim
from gpusim import functional, schedules


def test_every_kernel_is_made_from_members_and_computes_what_it_says():
    made = [
        (functional.check_copy, schedules.copy, schedules.CopyProblem(kind="triad", elements=1000), {"threads": 64}),
        (
            functional.check_elementwise,
            schedules.elementwise,
            schedules.ElementwiseProblem(operation="gelu", rows=4, columns=64),
            {"unroll": 2},
        ),
        (functional.check_transpose, schedules.transpose, schedules.TransposeProblem(rows=40, columns=64), {}),
        (functional.check_reduce, schedules.reduce, schedules.ReduceProblem(rows=3, columns=300), {"splits": 2}),
        (
            functional.check_softmax,
            schedules.softmax,
            schedules.SoftmaxProblem(rows=4, columns=300),
            {"place": "shared", "online": True},
        ),
        (
            functional.check_layernorm,
            schedules.layernorm,
            schedules.NormProblem(rows=4, columns=256, norm="rms"),
            {"rows_per_cta": 2, "threads": 32},
        ),
        (functional.check_gemv, schedules.gemv, schedules.GemvProblem(m=3, n=10, k=512), {"columns": 4}),
    ]
    for check, make, problem, choices in made:
        assert check(make(problem, **choices), problem).wrong == 0


def test_attention_is_chosen_for_a_gpu():
    problem = schedules.AttentionProblem(heads=2, queries=128, head_dim=64, causal=True)
    tiling = schedules.choose_attention(gpusim.load_profile("hopper"), problem, tile_n=64)
    assert (tiling.variant, tiling.tile_n) == ("flash3", 64)
    kernels = schedules.attention_kernels(problem, tiling)
    assert len(kernels) == 1
    assert functional.check_attention(kernels, problem).wrong == 0


def test_instructions_beside_are_a_struct_of_their_own():
    tiling = schedules.SoftmaxTiling(threads=32, beside=schedules.RowInstructions(load=3))
    tiling.beside.store = 2
    assert tiling.beside == schedules.RowInstructions(load=3, store=2)
    problem = schedules.SoftmaxProblem(rows=4, columns=1024)
    kernel = schedules.softmax(problem, tiling)
    assert dict(kernel.choices)["beside.load"] == "3"
    with pytest.raises(gpusim.ScheduleError, match=r"beside\.element"):
        schedules.reduce(columns=64, beside=schedules.RowInstructions(element=1))


def test_members_and_structs_may_not_be_mixed():
    problem = schedules.CopyProblem(elements=64)
    assert schedules.copy(problem).digest == schedules.copy(elements=64).digest
    with pytest.raises(TypeError, match="not both"):
        schedules.copy(problem, elements=32)
    with pytest.raises(TypeError, match="needs a SoftmaxProblem, or its members columns"):
        schedules.softmax(rows=4)
    with pytest.raises(TypeError, match="unexpected keyword argument 'thread'; did you mean 'threads'"):
        schedules.transpose(rows=32, columns=32, thread=64)
    with pytest.raises(TypeError, match="^beside: 3 is not a RowInstructions$"):
        schedules.reduce(columns=64, beside=3)


def test_what_no_gpu_can_do_is_refused():
    with pytest.raises(gpusim.ScheduleError, match="a CTA has 32 to 1024 threads"):
        schedules.copy(elements=64, threads=48)
