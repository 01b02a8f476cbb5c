"""Gpu.run: its options, stopping it, and other Python threads."""

import json
import multiprocessing
import os
import pickle
import re
import signal
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pytest

import gpusim


def test_l2_may_be_warm_cold_or_by_buffer(ada, small_product):
    gpu = gpusim.Gpu(ada)
    cold = gpu.run(small_product)
    warm = gpu.run(small_product, l2="warm")
    only_a = gpu.run(small_product, l2={"A": "warm"})
    assert cold.l2_before == {"A": "cold", "B": "cold", "C": "cold"}
    assert only_a.l2_before == {"A": "warm", "B": "cold", "C": "cold"}
    size = {buffer.name: 2 * buffer.rows * buffer.pitch for buffer in small_product.buffers}
    assert cold.traffic.dram_read_bytes == size["A"] + size["B"]
    assert only_a.traffic.dram_read_bytes == size["B"]
    assert warm.traffic.dram_read_bytes == 0
    assert warm.cycles < cold.cycles


def test_a_gpu_is_made_of_a_profile_its_name_or_its_file(ada, small_product, tmp_path):
    assert gpusim.Gpu("ada").run(small_product).digest == gpusim.Gpu(ada).run(small_product).digest
    file = tmp_path / "mine.json"
    file.write_text('{"base": "ada", "name": "mine", "title": "Mine"}')
    assert gpusim.Gpu(file).profile.name == "mine"
    with pytest.raises(gpusim.ProfileError, match='did you mean "ada"'):
        gpusim.Gpu("adda")
    with pytest.raises(TypeError):
        gpusim.Gpu(4)


def test_other_processes_run_a_pickled_gpu(ada, small_product):
    gpu = gpusim.Gpu(ada)
    result = gpu.run(small_product)
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        assert [each.digest for each in pool.map(gpu.run, [small_product] * 2)] == [result.digest] * 2
    assert pickle.loads(pickle.dumps(small_product)).digest == small_product.digest
    profile = pickle.loads(pickle.dumps(ada))
    assert profile.to_json() == ada.to_json()
    profile.l2.latency = 250  # a copy of its own, and still the user's
    frozen = pickle.loads(pickle.dumps(result.profile))
    with pytest.raises(AttributeError):
        frozen.l2.latency = 250
    problem = gpusim.schedules.GemmProblem(m=3, n=2, k=1, dtype="bf16")
    assert pickle.loads(pickle.dumps(problem)) == problem


def test_the_clock_turns_cycles_into_time(ada, small_product):
    gpu = gpusim.Gpu(ada)
    assert gpu.run(small_product).clock_mhz == ada.clock.boost_mhz
    slow = gpu.run(small_product, clock_mhz=1000)
    assert slow.clock_mhz == 1000
    assert slow.time_us == pytest.approx(slow.cycles / 1000)


def test_max_cycles_ends_a_run(ada, large_product):
    result = gpusim.Gpu(ada).run(large_product, max_cycles=1000)
    assert result.termination == "max_cycles"
    assert (result.max_cycles, result.max_ctas) == (1000, None)
    assert result.kernels[0].ctas_done < result.kernels[0].ctas


def test_max_ctas_runs_the_first_ones(ada, large_product):
    result = gpusim.Gpu(ada).run(large_product, max_ctas=7)
    assert result.termination == "max_ctas"
    assert (result.max_cycles, result.max_ctas) == (None, 7)
    assert result.kernels[0].ctas_done == 7 < result.kernels[0].ctas


def test_schedules_of_one_run_share_l2(ada, small_product):
    both = gpusim.Gpu(ada).run([small_product, small_product])
    first, second = both.kernels
    assert first.traffic.dram_read_bytes > second.traffic.dram_read_bytes == 0
    assert both.cycles == first.cycles + second.cycles
    assert both.traffic.dram_read_bytes == first.traffic.dram_read_bytes
    assert both.stalls["selected"] == first.stalls["selected"] + second.stalls["selected"]


def test_stop_sees_progress_and_ends_a_run(ada, large_product):
    seen = []

    def stop(progress):
        seen.append((progress.now, progress.ctas_done, progress.ctas))
        return len(seen) == 3

    result = gpusim.Gpu(ada).run(large_product, stop=stop)
    assert result.termination == "stopped"
    assert seen == sorted(seen)
    assert len(seen) == 3
    assert {ctas for _, _, ctas in seen} == {large_product.cta_count}


def test_what_stop_raises_arrives(ada, large_product):
    def stop(progress):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        gpusim.Gpu(ada).run(large_product, stop=stop)


def test_ctrl_c_ends_a_run(ada, large_product):
    gpu = gpusim.Gpu(ada)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        gpu.run(large_product)
    timer.join()
    assert time.monotonic() - began < 20


def test_other_threads_run_meanwhile(ada, large_product):
    """Without the lock released, the main thread could not count, nor end the run."""
    enough = threading.Event()
    result = []

    def simulate():
        result.append(gpusim.Gpu(ada).run(large_product, stop=lambda progress: enough.is_set()))

    thread = threading.Thread(target=simulate)
    thread.start()
    counted = sum(1 for _ in range(100_000))
    enough.set()
    thread.join()
    assert counted == 100_000
    assert result[0].termination == "stopped"


def test_eight_threads_share_one_gpu_and_agree(ada):
    gpu = gpusim.Gpu(ada)
    schedule = gpusim.schedules.gemm(m=512, n=512, k=256, tile=64)
    with ThreadPoolExecutor(8) as pool:
        digests = list(pool.map(lambda _: gpu.run(schedule).digest, range(8)))
    assert len(set(digests)) == 1
    assert digests[0] == gpu.run(schedule).digest


def test_what_others_left_dirty_is_written_first(ada, small_product):
    gpu = gpusim.Gpu(ada)
    clean, dirty = (gpu.run(small_product, l2_dirty_percent=percent) for percent in (0, 100))
    assert (clean.l2_dirty_percent, dirty.l2_dirty_percent) == (0, 100)
    assert json.loads(dirty.to_json())["options"]["l2_dirty_percent"] == 100
    assert clean.kernels[0].traffic.dram_write_bytes == 0
    assert dirty.kernels[0].traffic.dram_write_bytes > 0
    assert "100 % of L2 dirty with others' results" in str(dirty)
    assert gpusim.run_under_power(gpu, small_product, l2_dirty_percent=50).l2_dirty_percent == 50
    with pytest.raises(gpusim.ScheduleError, match="l2_dirty_percent: 101 is not within 0 and 100"):
        gpu.run(small_product, l2_dirty_percent=101)


def test_cold_code_has_to_come_first(ada, small_product):
    gpu = gpusim.Gpu(ada)
    warm = gpu.run(small_product, l2="warm")
    cold = gpu.run(small_product, l2="warm", code="cold")
    assert (warm.code_before, cold.code_before) == ("warm", "cold")
    assert cold.cycles > warm.cycles


def test_repeated_code_is_what_the_kernel_before_left(ada):
    gpu = gpusim.Gpu(ada)
    one = gpusim.schedules.gemm(m=256, n=256, k=128, tile=64)
    other = gpusim.schedules.gemm(m=256, n=256, k=128, tile=128)
    alone = gpu.run(one, l2="warm", code="repeated")
    assert alone.code_before == "repeated"
    assert alone.cycles == gpu.run(one, l2="warm").cycles
    both = gpu.run([one, other], l2="warm", code="repeated")
    assert both.kernels[0].cycles == gpu.run(one, l2="warm", code="cold").cycles
    with pytest.raises(ValueError, match="repeated"):
        gpu.run(one, code="hot")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_cycles": "many"}, "max_cycles: 'many' is not an int, or None"),
        ({"exact": "yes"}, "exact: 'yes' is not True or False"),
        ({"exact": None}, "exact: None is not True or False"),
        ({"clock_mhz": True}, "clock_mhz: True is not an int, or None"),
        ({"max_cycles": 1 << 70}, f"max_cycles: {1 << 70} does not fit in 64 bits"),
        ({"l2": 5}, "l2: 5 is not one of 'cold', 'warm', 'dirty', or a dict of them by buffer"),
        ({"stop": 3}, "stop: 3 is not a function, or None"),
    ],
)
def test_what_is_of_the_wrong_type_is_refused_by_its_name(ada, small_product, options, message):
    with pytest.raises(TypeError, match="^" + re.escape(message) + "$"):
        gpusim.Gpu(ada).run(small_product, **options)


def test_what_is_no_schedule_is_not_run(ada):
    gpu = gpusim.Gpu(ada)
    with pytest.raises(TypeError, match="^schedules: 'gemm' is not a Schedule or a list of them$"):
        gpu.run("gemm")
    with pytest.raises(TypeError, match="^watts: 'all' is not a number$"):
        gpusim.run_under_power(gpu, [], watts="all")
    with pytest.raises(TypeError, match=r"^run\(\) got an unexpected keyword argument 'max_cycle'; did you mean 'max_cycles'"):
        gpu.run([], max_cycle=3)
