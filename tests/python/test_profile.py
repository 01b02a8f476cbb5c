"""Profiles: attributes that follow from the Specs' lists of fields, and changing them."""

import copy
import json
from fractions import Fraction

import pytest

import gpusim


def value_at(profile, key):
    """What attributes say at a dotted key."""
    value = profile
    for part in key.split("."):
        value = value[int(part)] if part.isdigit() else getattr(value, part)
    return value


def as_text(value):
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    return str(value)


@pytest.mark.parametrize("name", [each.name for each in gpusim.list_profiles()])
def test_every_entry_is_an_attribute_that_can_be_written_back(name):
    profile = gpusim.load_profile(name)
    digest = profile.digest
    for entry in gpusim.entries(profile):
        value = value_at(profile, entry.key)
        gpusim.set(profile, f"{entry.key}={entry.value}")
        assert value_at(profile, entry.key) == value, entry.key
        gpusim.set(profile, f"{entry.key}={as_text(value)}")
        assert value_at(profile, entry.key) == value, entry.key
    assert profile.digest == digest


def test_numbers_are_int_fraction_unlimited_or_none(ada, textbook):
    assert ada.l2.latency == 285
    assert ada.l2.capacity == 72 << 20
    assert ada.lsu.issue_per_clk == Fraction(1, 4)
    assert textbook.lsu.queue == "unlimited"
    assert textbook.crossbar.sm_read_bytes_per_clk == "unlimited"
    assert gpusim.load_profile("volta").tma is None
    assert ada.sm.issue == "scoreboard"
    assert [mode.input for mode in ada.tensor.modes][:1] == ["fp16"]
    assert ada.tensor.modes[0].sparse is False
    assert ada.cluster is None
    assert ada.tensor.wgmma is None
    assert gpusim.load_profile("hopper").cluster.ctas == 16


def test_assigning_is_setting(ada):
    ada.l2.latency = 300
    ada.l2.capacity = "6MiB"
    ada.lsu.issue_per_clk = Fraction(1, 2)
    ada.lsu.queue = "unlimited"
    ada.sm.scheduler = "lrr"
    ada.tensor.modes[0].latency = 20
    gpusim.set(ada, "dram.channels=12")
    assert (ada.l2.latency, ada.l2.capacity, ada.lsu.issue_per_clk) == (300, 6 << 20, Fraction(1, 2))
    assert (ada.lsu.queue, ada.sm.scheduler, ada.tensor.modes[0].latency) == ("unlimited", "lrr", 20)
    assert ada.dram.channels == 12
    changed = {difference.key for difference in gpusim.diff(gpusim.load_profile("ada"), ada)}
    assert changed == {
        "l2.latency",
        "l2.capacity",
        "lsu.issue_per_clk",
        "lsu.queue",
        "sm.scheduler",
        "tensor.modes.0.latency",
        "dram.channels",
    }
    assert ada.provenance["l2.latency"].method == "user"


def test_hardware_can_be_removed_and_taken_from_another_gpu(ada):
    l2 = ada.l2
    ada.l2 = None
    assert ada.l2 is None
    assert not [key for key in ada.provenance if key.startswith("l2.")]
    with pytest.raises(gpusim.ProfileError, match="l2: is not in this profile any more"):
        _ = l2.latency

    hopper = gpusim.load_profile("hopper")
    ada.l2 = hopper.l2
    assert ada.l2.latency == hopper.l2.latency
    assert ada.provenance["l2.latency"].source == hopper.provenance["l2.latency"].source
    hopper.l2.latency = 1000
    assert ada.l2.latency != 1000


def test_a_part_outlives_its_profiles_name():
    latency = gpusim.load_profile("ada").l2.latency
    assert gpusim.load_profile("ada").l2.latency == latency
    modes = gpusim.load_profile("ada").tensor.modes
    assert modes[0].latency > 0


def test_a_gpus_profile_does_not_change(ada):
    gpu = gpusim.Gpu(ada)
    ada.l2.latency = 1000
    assert gpu.profile.l2.latency == 285
    with pytest.raises(AttributeError, match="does not change"):
        gpu.profile.l2.latency = 1000
    with pytest.raises(AttributeError, match="does not change"):
        gpusim.set(gpu.profile, "l2.latency=1000")
    with pytest.raises(AttributeError, match="does not change"):
        gpu.profile.l2 = None
    with pytest.raises(AttributeError, match="does not change"):
        gpu.profile.name = "mine"


def test_a_copy_is_ones_own(ada):
    for profile in (copy.copy(gpusim.Gpu(ada).profile), copy.deepcopy(ada)):
        profile.l2.latency = 1000
        assert profile.l2.latency == 1000
    assert ada.l2.latency == 285


def test_json_round_trip_keeps_numbers_and_sources(ada):
    again = gpusim.parse_profile(ada.to_json())
    assert again.to_json() == ada.to_json()
    assert again.digest == ada.digest
    assert again.provenance["l2.latency"].source == ada.provenance["l2.latency"].source


def test_a_profile_may_come_from_a_file_with_a_base(tmp_path):
    path = tmp_path / "mine.json"
    size = {"value": "6MiB", "method": "assumed", "source": "a smaller cache"}
    path.write_text(json.dumps({"name": "mine", "title": "Mine", "base": "ada", "l2": {"capacity": size}}))
    profile = gpusim.load_profile(path)
    assert profile.name == "mine"
    assert profile.l2.capacity == 6 << 20
    assert profile.provenance["l2.capacity"].source == "a smaller cache"


def test_the_schema_is_json():
    assert json.loads(gpusim.profile_schema())["$schema"].endswith("2020-12/schema")


def test_aliases_load_the_same_profile():
    for each in gpusim.list_profiles():
        for alias in each.aliases:
            assert gpusim.load_profile(alias).name == each.name


def test_peak_flops_counts_a_multiply_add_as_two(ada):
    mode = ada.tensor.modes[0]
    peak = gpusim.peak_flops(ada, tensor=True, input=mode.input, accumulate=mode.accumulate, clock_mhz=1000)
    assert peak == 2 * mode.peak_fma_per_clk * ada.sm.count * 1000e6


def test_repr_shows_the_numbers(ada):
    assert repr(ada) == "<gpusim.Profile rtx4090>"
    assert repr(ada.barrier) == (
        f"BarrierSpec(latency={ada.barrier.latency}, per_warp={ada.barrier.per_warp}, "
        f"mbarrier_latency={ada.barrier.mbarrier_latency})"
    )
