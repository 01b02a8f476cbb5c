"""Power: what a run draws, and the clock a board's limit leaves it."""

import pytest

import gpusim


def product() -> gpusim.Schedule:
    return gpusim.schedules.gemm(m=512, n=512, k=512, dtype="fp32", tile=(64, 64, 8), variant="simt")


def test_terms_add_up_to_the_watts() -> None:
    result = gpusim.Gpu(gpusim.load_profile("t4")).run(product())
    drawn = gpusim.estimate.power(result)
    assert drawn is not None
    assert drawn.clock_mhz == result.clock_mhz
    assert sum(term.watts for term in drawn.terms) == pytest.approx(drawn.watts)
    assert {term.name for term in drawn.terms} >= {"static", "fma", "tensor", "dram"}


def test_a_lower_clock_draws_less() -> None:
    result = gpusim.Gpu(gpusim.load_profile("t4")).run(product())
    fast, slow = gpusim.estimate.power(result), gpusim.estimate.power(result, 600)
    assert fast is not None and slow is not None
    assert slow.watts < fast.watts
    assert gpusim.estimate.clock_under_power(result, slow.watts) in (599, 600)
    assert gpusim.estimate.time_ratio(result, 600) == pytest.approx(slow.us / fast.us)


def test_a_loop_draws_what_its_trips_do() -> None:
    gpu = gpusim.Gpu(gpusim.load_profile("t4"))

    def run(k: int) -> gpusim.Result:
        return gpu.run(gpusim.schedules.gemm(m=512, n=512, k=k, dtype="fp32", tile=(64, 64, 8), variant="simt"))

    short, long = run(64), run(256)
    once = gpusim.estimate.loop_under_power(short, long, 1, 30)
    assert once.clock_mhz == gpusim.estimate.clock_under_power(long, 30)
    assert once.time_ratio == pytest.approx(gpusim.estimate.time_ratio(long, once.clock_mhz))
    assert gpusim.estimate.loop_under_power(short, long, 50, 30).clock_mhz <= once.clock_mhz


def test_a_board_may_go_beyond_the_boost_clock() -> None:
    boosted, bound = gpusim.load_profile("rtx2080ti"), gpusim.load_profile("t4")
    assert gpusim.estimate.highest_clock(boosted) > boosted.clock.boost_mhz
    assert gpusim.estimate.highest_clock(bound) == bound.clock.boost_mhz


def test_tensor_cores_may_go_less_high_than_the_board() -> None:
    profile = gpusim.load_profile("h100-sxm")
    run = gpusim.Gpu(profile).run(gpusim.schedules.gemm(m=256, n=256, k=256))
    assert gpusim.estimate.highest_clock(run) == profile.power.tensor_max_mhz < gpusim.estimate.highest_clock(profile)


@pytest.mark.parametrize("watts", [0, -1, float("nan")])
def test_a_board_that_may_draw_nothing_is_refused(watts: float) -> None:
    with pytest.raises(gpusim.ScheduleError, match="watts: must be a number above 0"):
        gpusim.run_under_power(gpusim.Gpu(gpusim.load_profile("ada")), product(), watts=watts)


def test_infinite_watts_are_no_limit() -> None:
    gpu = gpusim.Gpu(gpusim.load_profile("t4"))
    free = gpusim.run_under_power(gpu, product(), watts=float("inf"))
    assert free.clock_mhz == gpusim.estimate.highest_clock(free)


def test_another_clock_is_one_that_a_gpu_may_have() -> None:
    result = gpusim.Gpu(gpusim.load_profile("t4")).run(product())
    with pytest.raises(gpusim.ScheduleError, match="a clock is 1 to 100000 MHz"):
        gpusim.estimate.power(result, 10**12)
    with pytest.raises(gpusim.ScheduleError, match="a clock is 1 to 100000 MHz"):
        gpusim.estimate.roofline(product(), result.profile, 0)


def test_run_under_power_obeys_the_watts_asked() -> None:
    gpu = gpusim.Gpu(gpusim.load_profile("t4"))
    held = gpusim.run_under_power(gpu, product(), watts=30)
    assert held.clock_mhz < gpu.profile.clock.boost_mhz
    assert gpusim.run_under_power(gpu, [product()], watts=1000).clock_mhz == gpu.profile.clock.boost_mhz


def test_the_textbook_says_nothing_of_power() -> None:
    textbook = gpusim.load_profile("textbook-2023")
    assert textbook.power is None
    schedule = gpusim.schedules.gemm(m=32, n=32, k=32, tile=(32, 32, 32), variant="simt")
    assert gpusim.estimate.power(gpusim.Gpu(textbook).run(schedule)) is None


def test_the_watts_may_depend_on_the_time() -> None:
    gpu = gpusim.Gpu(gpusim.load_profile("t4"))
    asked: list[float] = []

    def watts(us: float) -> float:
        asked.append(us)
        return 30

    held = gpusim.run_under_power(gpu, product(), watts=watts)
    assert held.clock_mhz == gpusim.run_under_power(gpu, product(), watts=30).clock_mhz
    assert asked
    with pytest.raises(ZeroDivisionError):
        gpusim.run_under_power(gpu, product(), watts=lambda us: 1 / 0)
