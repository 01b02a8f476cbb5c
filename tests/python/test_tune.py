"""choose_gemm: a product's schedule chosen by trying, as the command's --schedule auto and tune do."""

import json
import math
import os
import pickle
import signal
import subprocess
import threading
import time
import typing

import pytest

import gpusim
from gpusim.schedules import GemmProblem, GemmRequest, GemmTiling

COMMAND = os.environ.get("GPUSIM_COMMAND")


@pytest.fixture(scope="module")
def gpu():
    return gpusim.Gpu(gpusim.load_profile("turing"))


@pytest.fixture(scope="module")
def small():
    return GemmProblem(m=256, n=256, k=256)


@pytest.fixture(scope="module")
def large():
    """Minutes, simulated whole."""
    return GemmProblem(m=16384, n=16384, k=16384)


@pytest.fixture(scope="module")
def choice(gpu, small):
    return gpusim.choose_gemm(gpu, small, within=0.5)


def command(*words):
    done = subprocess.run([COMMAND, *words, "--json", "-"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.skipif(COMMAND is None, reason="the command is not built")
def test_it_chooses_what_the_command_does(gpu, small):
    product = ("matmul", "--arch", "turing", "--m", "256", "--n", "256", "--k", "256")
    auto = gpusim.choose_gemm(gpu, small, settle_within=gpusim.settled_within)
    assert json.loads(auto.to_json()) == command("run", *product, "--schedule", "auto")["choice"]
    limit = gpu.profile.power.limit_w
    tuned = gpusim.choose_gemm(gpu, small, simulated=4, usual=True, within=math.inf, tile=64, watts=limit)
    fixed = ("--tile", "64x64x32", "--clock", "power")
    assert json.loads(tuned.to_json()) == command("tune", *product, *fixed, "--top", "4")
    assert tuned.trials[0].clock_mhz is not None


def test_a_choice_has_what_its_json_has(choice):
    page = json.loads(choice.to_json())
    assert (page["reason"], page["stopped"]) == (choice.reason, choice.stopped) == (choice.reason, False)
    for trial, shown in zip(choice.trials, page["trials"], strict=True):
        assert trial.tiling.summary == shown["summary"]
        for name in ("quick_us", "simulated_us", "clock_mhz", "choices", "piece"):
            assert getattr(trial, name) == shown[name], name
    assert choice.tiling == choice.trials[0].tiling
    assert sum(trial.simulated_us is not None for trial in choice.trials) == 3
    assert choice.to_csv().count("\n") == 1 + len(choice.trials)


def test_a_choice_prints_its_reason_and_first_trials(choice):
    assert str(choice) == choice.to_text(5)
    assert choice.reason in choice.to_text(most=1)
    assert choice.trials[1].tiling.summary not in choice.to_text(1).splitlines()[-2]
    assert (
        repr(choice) == f"<gpusim.GemmChoice {choice.tiling.summary}: {choice.trials[0].simulated_us:.1f} us simulated>"
    )
    assert repr(choice.trials[-1]).endswith(f"{choice.trials[-1].quick_us:.1f} us by the quick model>")


def test_what_is_chosen_is_run_and_can_be_changed(gpu, small, choice):
    trial = choice.trials[0]
    result = gpu.run(gpusim.schedules.gemm_kernels(small, choice.tiling))
    between = (len(result.kernels) - 1) * gpu.profile.launch.gap_ns / 1000
    assert result.time_us + between == pytest.approx(trial.simulated_us)
    assert result.kernels[0].choices == trial.choices
    tiling = choice.tiling
    tiling.stages = 7
    assert choice.tiling.stages != 7


def test_members_and_structs_say_the_same(gpu, small, choice):
    by_member = gpusim.choose_gemm(gpu, m=256, n=256, k=256, within=0.5, variant="tensor")
    by_struct = gpusim.choose_gemm(gpu, small, GemmRequest(variant="tensor"), within=0.5)
    assert by_member.to_json() == by_struct.to_json() == choice.to_json()
    assert gpusim.choose_gemm(gpu, small, tile=64, simulated=0).tiling.tile == (64, 64, 32)
    assert gpusim.choose_gemm(gpu, small, variant="simt", simulated=0).tiling.variant == "simt"


def test_threads_change_nothing_and_progress_is_told(gpu, small, choice):
    for jobs in (1, 3):
        told = []
        again = gpusim.choose_gemm(
            gpu, small, within=0.5, jobs=jobs, progress=lambda done, of, told=told: told.append((done, of))
        )
        assert again.to_json() == choice.to_json()
        assert told == [(1, 3), (2, 3), (3, 3)]


def test_a_problem_may_change_meanwhile(gpu, choice):
    mine = GemmProblem(m=256, n=256, k=256)

    def shrink(done, of):
        mine.m = 64

    assert gpusim.choose_gemm(gpu, mine, within=0.5, progress=shrink).to_json() == choice.to_json()
    assert mine.m == 64


def test_options_have_their_names_in_one_place():
    assert set(gpusim._tune.ChoiceMembers.__annotations__) - set(
        gpusim._gemm_members.RequestMembersButTile.__annotations__
    ) == set(gpusim.choose_gemm.__kwdefaults__)


def test_results_of_whole_products_are_kept_and_pickled(gpu, small, choice):
    assert choice.trials[0].result is None
    kept = gpusim.choose_gemm(gpu, small, within=0.5, keep_results=True, code="cold", clock_mhz=1000)
    result = kept.trials[0].result
    run = gpu.run(gpusim.schedules.gemm_kernels(small, kept.tiling), code="cold", clock_mhz=1000)
    assert result.digest == run.digest
    again = pickle.loads(pickle.dumps(kept))
    assert again.to_json() == kept.to_json()
    assert again.trials[0].result.digest == result.digest


def test_a_large_product_is_tried_by_a_piece(gpu):
    choice = gpusim.choose_gemm(gpu, m=8192, n=4096, k=4096, simulated=2, within=1, variant="tensor")
    piece = choice.trials[0].piece
    assert piece.m * piece.n < 8192 * 4096
    assert piece.k_short < piece.k_long < 4096
    assert "of a piece" in str(choice)


def test_watts_may_depend_on_the_time(gpu, small):
    seen = []

    def watts(us):
        seen.append(us)
        return 40

    choice = gpusim.choose_gemm(gpu, small, simulated=2, within=1, watts=watts)
    assert len(seen) == 2
    assert choice.to_json() == gpusim.choose_gemm(gpu, small, simulated=2, within=1, watts=40).to_json()
    assert choice.trials[0].clock_mhz < gpu.profile.clock.boost_mhz


def test_stop_ends_all_of_it(gpu, large):
    began = time.monotonic()
    choice = gpusim.choose_gemm(gpu, large, whole=True, jobs=2, stop=lambda progress: progress.now > 1000)
    assert choice.stopped
    assert choice.trials[0].simulated_us is None
    assert time.monotonic() - began < 20


def test_what_was_simulated_before_a_stop_has_its_time_under_power(gpu):
    told = []
    choice = gpusim.choose_gemm(
        gpu,
        GemmProblem(m=1024, n=1024, k=1024),
        within=1,
        whole=True,
        jobs=1,
        watts=lambda us: 90,
        progress=lambda done, of: told.append(done),
        stop=lambda progress: len(told) == 1,
    )
    assert choice.stopped
    assert [trial.simulated_us is not None for trial in choice.trials[:2]] == [True, False]
    assert choice.trials[0].clock_mhz < gpu.profile.clock.boost_mhz
    assert told == [1, 2, 3]


@pytest.mark.parametrize("function", ["progress", "stop", "watts"])
def test_what_a_function_raises_arrives(gpu, function):
    def fail(*arguments):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        gpusim.choose_gemm(gpu, m=1024, n=1024, k=1024, within=1, jobs=3, **{function: fail})


@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_ends_it(gpu, large, jobs):
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        gpusim.choose_gemm(gpu, large, whole=True, jobs=jobs)
    timer.join()
    assert time.monotonic() - began < 20


def test_bad_requests_are_schedule_errors(gpu, small):
    with pytest.raises(gpusim.ScheduleError, match="did you mean 'cublas-12'") as caught:
        gpusim.choose_gemm(gpu, small, library="cublas12")
    [problem] = caught.value.problems
    assert problem.where == "library"
    assert f"(there are {', '.join(typing.get_args(gpusim.types.GemmLibrary))})" in problem.what
    with pytest.raises(gpusim.ScheduleError, match="wgmma needs warp-group multiplies"):
        gpusim.choose_gemm(gpu, small, variant="wgmma")
    with pytest.raises(gpusim.ScheduleError) as caught:
        gpusim.choose_gemm(gpu, small, simulated=-1, within=math.nan, settle_within=-0.1, jobs=-1)
    assert [each.where for each in caught.value.problems] == ["simulated", "within", "settle_within", "jobs"]
    with pytest.raises(gpusim.ScheduleError, match="watts: must be a number above 0"):
        gpusim.choose_gemm(gpu, small, watts=0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"m": 1, "n": 1}, r"choose_gemm\(\) needs a GemmProblem, or its members k"),
        ({"problem": GemmProblem(m=1, n=1, k=1), "m": 2}, "not both"),
        (
            {"problem": GemmProblem(m=1, n=1, k=1), "request": GemmRequest(tile=64)},
            r"request's tile; give tile=\(64, 64, 32\)$",
        ),
        ({"problem": GemmTiling()}, r"choose_gemm\(\) takes a GemmProblem, not GemmTiling"),
        ({"m": 1, "n": 1, "k": 1, "simulate": 2}, "keyword argument 'simulate'; did you mean 'simulated'"),
        ({"m": 1, "n": 1, "k": 1, "simulated": 2.5}, r"^simulated: 2\.5 is not an int$"),
        ({"m": 1, "n": 1, "k": 1, "tile": (64, 64)}, r"^tile: \(64, 64\) is not an int or \(m, n, k\), or None$"),
        ({"m": 1, "n": 1, "k": 1, "l2": 3}, "^l2: 3 is not one of 'cold', 'warm', 'dirty', or a dict"),
        ({"m": 1, "n": 1, "k": 1, "watts": "all"}, "^watts: 'all' is not a number$"),
        ({"m": 1, "n": 1, "k": 1, "progress": 1}, "^progress: 1 is not a function, or None$"),
    ],
)
def test_wrong_types_are_named(gpu, arguments, message):
    with pytest.raises(TypeError, match=message):
        gpusim.choose_gemm(gpu, **arguments)


@pytest.mark.parametrize(
    ("arguments", "place"),
    [
        ({"tile": 0}, "tile.m"),
        ({"tile": (128, 0, 32)}, "tile.n"),
        ({"tile": (128, 128, -32)}, "tile.k"),
        ({"variant": "simt", "cta_slices": 0}, "cta_slices"),
        ({"split_k": -1}, "split_k"),
        ({"clock_mhz": -5, "simulated": 0}, "clock"),
    ],
)
def test_numbers_out_of_range_are_schedule_errors(gpu, small, arguments, place):
    with pytest.raises(gpusim.ScheduleError) as raised:
        gpusim.choose_gemm(gpu, small, **arguments)
    assert place in [problem.where for problem in raised.value.problems]


def test_it_takes_a_gpu(gpu, small):
    with pytest.raises(TypeError, match=r"choose_gemm\(\) takes a Gpu, not <"):
        gpusim.choose_gemm(gpu.profile, small)
