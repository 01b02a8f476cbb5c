"""Results: attributes, the same as JSON, and views."""

import json
import pickle

import pytest

import gpusim


@pytest.fixture(scope="module")
def result():
    gpu = gpusim.Gpu(gpusim.load_profile("ada"))
    return gpu.run(gpusim.schedules.gemm(m=256, n=256, k=128, tile=64), l2={"A": "warm"})


def test_attributes_say_what_json_says(result):
    page = result.to_dict()
    assert page == json.loads(result.to_json()) == json.loads(gpusim.view.json(result))
    assert page["schema_version"] == gpusim.view.json_schema_version
    for name in ("version", "digest", "profile_digest", "termination", "cycles", "time_us", "tflops", "peak_tflops"):
        assert getattr(result, name) == page[name], name
    assert page["options"]["l2"] == result.l2_before
    assert page["options"]["clock_mhz"] == result.clock_mhz
    assert page["profile"] == json.loads(result.profile.to_json())

    kernel = result.kernels[0]
    called_otherwise = {"launch_cycles": "launch", "drain_cycles": "drain", "receipts": "hops"}
    assert not [name for name in page["kernels"][0] if not hasattr(kernel, called_otherwise.get(name, name))]
    for name in ("schedule", "schedule_digest", "choices", "ctas", "ctas_done", "work_share", "multiply_adds", "compulsory_bytes", "sms_used", "kernel_launch_ns"):
        assert getattr(kernel, name) == page[name], name
    assert page["steady_cycles_per_tile"] == kernel.steady_cycles_per_tile
    assert page["traffic"] == {name: getattr(kernel.traffic, name) for name in page["traffic"]}
    assert page["occupancy"] == {"ctas": kernel.occupancy.ctas, "limiter": kernel.occupancy.limiter}
    assert page["receipts"] == {
        name: {"receipts": hop.receipts, "latency": hop.latency, "waiting": hop.waiting}
        for name, hop in kernel.hops.items()
    }
    assert page["stalls"] == {role.role: role.stalls for role in kernel.roles}
    for row, shown in zip(result.servers, page["servers"], strict=True):
        for name in ("name", "unit", "servers", "work", "busy", "waited"):
            assert getattr(row, name) == shown[name], (row.name, name)
        assert gpusim.utilisation(row, result.cycles) == pytest.approx(shown["utilisation"])
    for row, shown in zip(result.pools, page["pools"], strict=True):
        for name in ("name", "pools", "taken", "peak", "refused"):
            assert getattr(row, name) == shown[name], (row.name, name)


def test_a_pickled_result_is_the_result(result, textbook):
    problem = gpusim.schedules.GemmProblem(m=32, n=32, k=32, dtype="fp32")
    tiling = gpusim.schedules.choose(textbook, problem, tile=32)
    unlimited = gpusim.Gpu(textbook).run(gpusim.schedules.gemm(problem, tiling))
    for each in (result, unlimited):
        again = pickle.loads(pickle.dumps(each))
        assert again.to_json() == each.to_json()
        assert str(again) == str(each)
        assert repr(again.servers) == repr(each.servers)
        assert again.kernels[0].hops["l2"].waiting == each.kernels[0].hops["l2"].waiting


def test_a_foreign_pickled_state_is_refused(result):
    row = result.servers[0]
    state = row.__getstate__()
    restored = gpusim.ServerRow.__new__(gpusim.ServerRow)
    restored.__setstate__(state)
    assert repr(restored) == repr(row)
    with pytest.raises(ValueError, match="another version"):
        gpusim.ServerRow.__new__(gpusim.ServerRow).__setstate__(("0.0.1", *state[1:]))
    for wrong in ((), state[:-1], (None, *state[1:]), (state[0], *["x"] * (len(state) - 1))):
        with pytest.raises(ValueError, match="not a pickled state"):
            gpusim.ServerRow.__new__(gpusim.ServerRow).__setstate__(wrong)


def test_every_warp_cycle_has_one_reason(result):
    for role in result.kernels[0].roles:
        assert list(role.stalls) == list(gpusim.reason_names)
        assert sum(role.stalls.values()) == role.warp_cycles
    assert sum(result.stalls.values()) == sum(role.warp_cycles for role in result.kernels[0].roles)


def test_one_kernels_traffic_is_the_runs(result):
    assert result.traffic == result.kernels[0].traffic
    assert list(result.kernels[0].hops) == list(gpusim.hop_names)


def test_rates_and_capacities_may_be_unlimited(textbook):
    schedule = gpusim.schedules.gemm(m=32, n=32, k=32, dtype="fp32", tile=32, variant="simt")
    result = gpusim.Gpu(textbook).run(schedule)
    assert "unlimited" in {server.rate for server in result.servers}
    assert "unlimited" in {pool.capacity for pool in result.pools}


def test_print_shows_a_page_and_a_notebook_too(result):
    assert str(result) == gpusim.view.text(result)
    assert repr(result) == f"<gpusim.Result rtx4090: {result.cycles} cycles>"
    html = result._repr_html_()
    assert html.startswith("<pre>gpusim ")
    assert html.endswith("</pre>")


def test_markup_in_names_is_only_text(ada):
    ada.name = ada.title = "<b>mine</b>"
    result = gpusim.Gpu(ada).run(gpusim.schedules.gemm(m=64, n=64, k=64, tile=64))
    assert "<b>" not in result._repr_html_()
    assert "&lt;b&gt;mine" in result._repr_html_()


def test_a_result_keeps_what_it_is_made_of():
    gpu = gpusim.Gpu(gpusim.load_profile("ada"))
    hops = gpu.run(gpusim.schedules.gemm(m=64, n=64, k=64, tile=64)).kernels[0].hops
    del gpu
    assert hops["l2"].receipts > 0


def test_the_roofline_is_the_larger_of_compute_and_memory(ada, small_product):
    roofline = gpusim.estimate.roofline(small_product, ada, ada.clock.boost_mhz)
    assert roofline.us == max(roofline.compute_us, roofline.memory_us)
    assert roofline.bound == "memory"
