"""What goes wrong arrives as exceptions that carry everything C++ knows."""

import pickle

import pytest

import gpusim


def test_a_profile_error_has_all_problems_with_places(tmp_path):
    path = tmp_path / "bad.json"
    path.write_text('{"name": "bad", "title": "Bad", "base": "ada", "l2": {"capcity": 1}, "l3": 2}')
    with pytest.raises(gpusim.ProfileError) as caught:
        gpusim.load_profile(path)
    what = {problem.where: problem.what for problem in caught.value.problems}
    assert set(what) == {f"{path}#/l2/capcity", f"{path}#/l3"}
    assert "capacity" in what[f"{path}#/l2/capcity"]
    assert str(caught.value).splitlines() == [f"{where}: {what}" for where, what in caught.value.problems]


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("latency", -3, "an integer from 2 to 1000000"),
        ("latency", 3.5, "an integer"),
        ("latency", "soon", "an integer"),
        ("latency", None, "an integer"),
        ("latency", True, "an integer"),
        ("latency", [1], "an integer"),
        ("capacity", "6 bananas", "bytes"),
        ("slice_bytes_per_clk", 0, "a rate above 0"),
    ],
)
def test_a_value_that_cannot_be_is_refused_and_changes_nothing(ada, key, value, expected):
    before = ada.digest
    with pytest.raises(gpusim.ProfileError, match=expected):
        setattr(ada.l2, key, value)
    assert ada.digest == before


def test_unknown_names_are_refused_with_the_nearest(ada):
    with pytest.raises(gpusim.ProfileError, match=r'did you mean "l2.latency"'):
        gpusim.set(ada, "l2.latncy=4")
    with pytest.raises(AttributeError, match="latncy"):
        ada.l2.latncy = 4
    with pytest.raises(gpusim.ProfileError, match="did you mean"):
        gpusim.load_profile("adda")
    with pytest.raises(gpusim.ScheduleError, match="did you mean 'async'") as caught:
        gpusim.schedules.gemm(m=1, n=1, k=1, variant="asinc")
    assert caught.value.problems[0].where == "variant"


def test_a_profile_that_contradicts_itself_makes_no_gpu(ada):
    ada.dram.channels = 4096
    problems = gpusim.check(ada)
    assert [problem.where for problem in problems] == ["dram.channels"]
    with pytest.raises(gpusim.ProfileError) as caught:
        gpusim.Gpu(ada)
    assert caught.value.problems == problems


def test_what_does_not_fit_says_what_would(ada):
    with pytest.raises(gpusim.ScheduleError, match="would fit"):
        gpusim.schedules.choose(ada, m=4096, n=4096, k=4096, tile=(256, 256, 64), stages=4)
    schedule = gpusim.schedules.gemm(m=4096, n=4096, k=4096, tile=(256, 256, 64))
    problems = gpusim.check(schedule, ada)
    assert "schedule.shared" in [problem.where for problem in problems]
    assert not gpusim.check(schedule)
    with pytest.raises(gpusim.ScheduleError) as caught:
        gpusim.Gpu(ada).run(schedule)
    assert caught.value.problems == problems


def test_a_gpu_names_the_variants_it_has():
    with pytest.raises(gpusim.ScheduleError, match="tma needs a tensor memory accelerator, .*; there are tensor, simt"):
        gpusim.schedules.choose(gpusim.load_profile("volta"), m=64, n=64, k=64, variant="tma")


def test_run_options_that_make_no_sense_are_schedule_errors(ada, small_product):
    gpu = gpusim.Gpu(ada)
    for options in ({"l2": "hot"}, {"l2": {"D": "warm"}}, {"l2": {"A": "hot"}}, {"clock_mhz": 0}, {"max_cycles": 0}):
        with pytest.raises(gpusim.ScheduleError):
            gpu.run(small_product, **options)
    with pytest.raises(gpusim.ScheduleError, match="there is none to run"):
        gpu.run([])


def test_wrong_types_are_type_errors(ada, small_product):
    gpu = gpusim.Gpu(ada)
    for arguments in (("gemm",), (None,), ([None],), (small_product, "warm")):
        with pytest.raises(TypeError):
            gpu.run(*arguments)
    with pytest.raises(TypeError, match="unexpected keyword argument 'tiles'"):
        gpusim.schedules.gemm(m=1, n=1, k=1, tiles=3)
    with pytest.raises(TypeError, match="needs a GemmProblem, or its members k"):
        gpusim.schedules.gemm(m=1, n=1)
    with pytest.raises(TypeError, match="not both"):
        gpusim.schedules.gemm(gpusim.schedules.GemmProblem(m=1, n=1, k=1), m=2)
    with pytest.raises(TypeError):
        gpusim.schedules.gemm(m=1.5, n=1, k=1)


def test_a_deadlock_says_who_waits_for_whom(textbook):
    problem = gpusim.schedules.GemmProblem(m=32, n=32, k=32, dtype="fp32")
    tiling = gpusim.schedules.choose(textbook, problem, tile=32, variant="tma")
    text = gpusim.schedules.gemm(problem, tiling).to_json()
    arrivals = '"arrivals": 1'
    assert arrivals in text
    schedule = gpusim.parse_schedule(text.replace(arrivals, '"arrivals": 2'))
    with pytest.raises(gpusim.DeadlockError, match="deadlock") as caught:
        gpusim.Gpu(textbook).run(schedule)
    assert isinstance(caught.value, RuntimeError)
    assert caught.value.waits
    assert all("warp" in wait for wait in caught.value.waits)


def test_input_errors_are_value_errors_and_can_be_pickled():
    problems = [("l2.latency", "must be less")]
    for kind in (gpusim.InputError, gpusim.ProfileError, gpusim.ScheduleError):
        error = kind(problems)
        assert isinstance(error, ValueError)
        assert isinstance(error, gpusim.InputError)
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is kind
        assert again.problems == [gpusim.Problem("l2.latency", "must be less")]
    assert pickle.loads(pickle.dumps(gpusim.DeadlockError(["warp 0"]))).waits == ["warp 0"]
