"""Schedules: made by keywords or structs, chosen for a GPU, saved and read."""

import json
import re

import pytest

import gpusim
from gpusim.schedules import GemmProblem, GemmRequest, GemmTiling, choose, gemm


def test_keywords_and_structs_make_the_same_schedule():
    problem = GemmProblem(m=300, n=200, k=100, dtype="bf16", beta=0.5)
    tiling = GemmTiling(tile=(64, 128, 32), variant="tensor")
    by_struct = gemm(problem, tiling)
    by_keyword = gemm(m=300, n=200, k=100, dtype="bf16", beta=0.5, tile=(64, 128, 32), variant="tensor")
    mixed = gemm(problem, tile=(64, 128, 32), variant="tensor")
    assert by_struct.digest == by_keyword.digest == mixed.digest
    assert by_struct.digest != gemm(m=300, n=200, k=100, tile=(64, 128, 32), variant="tensor").digest


def test_one_number_is_a_square_tile_of_depth_32():
    assert GemmTiling(tile=64) == GemmTiling(tile=(64, 64, 32))
    assert gemm(m=64, n=64, k=64, tile=64).choices["tile"] == "64x64x32"


def test_structs_can_be_changed_and_compared():
    tiling = GemmTiling(stages=2)
    assert tiling != GemmTiling(stages=3)
    tiling.stages = 3
    assert tiling == GemmTiling(stages=3)
    assert repr(GemmRequest(stages=2)).startswith("GemmRequest(tile=(128, 128, 32), variant=None, stages=2")
    with pytest.raises(AttributeError):
        tiling.stage = 2


def test_choose_takes_the_best_the_gpu_has(ada):
    problem = GemmProblem(m=512, n=512, k=512)
    assert choose(ada, problem).variant == "async"
    assert choose(gpusim.load_profile("volta"), problem).variant == "tensor"
    assert choose(ada, problem, GemmRequest(variant="simt")) == choose(ada, problem, variant="simt")
    assert choose(ada, problem, tile=64) == choose(ada, m=512, n=512, k=512, tile=64)
    assert gpusim.schedules.variants(ada, "fp16", "fp32") == ["async", "tensor", "simt"]
    assert gpusim.schedules.default_dtypes(ada) == ("fp16", "fp32")


def test_registers_are_estimated_unless_given(ada):
    problem = GemmProblem(m=512, n=512, k=512)
    tiling = choose(ada, problem)
    assert tiling.registers == gpusim.schedules.estimate_registers(problem, tiling)
    assert gemm(problem, tiling).registers_per_thread == tiling.registers
    assert choose(ada, problem, registers=200).registers == 200


def test_a_schedule_says_what_it_is(ada):
    schedule = gemm(m=300, n=200, k=100, tile=(128, 64, 32), stages=3)
    assert [(each.name, each.rows, each.columns) for each in schedule.buffers] == [
        ("A", 300, 100),
        ("B", 100, 200),
        ("C", 300, 200),
    ]
    assert (schedule.grid_m, schedule.grid_n) == (-(-300 // 128), -(-200 // 64))
    assert schedule.cta_count == schedule.grid_m * schedule.grid_n
    assert schedule.warps_per_cta == sum(role.warps for role in schedule.roles)
    assert schedule.shared_bytes == 3 * (128 * 32 + 32 * 64) * 2
    assert schedule.work.flops == 2 * 300 * 200 * 100
    assert schedule.order in ("row", "column")
    assert gpusim.occupancy(schedule, ada).ctas >= 1
    assert "LDGSTS" in str(schedule)
    assert "LDGSTS" in schedule.roles[0].program


def test_json_round_trip_keeps_the_digest(small_product):
    again = gpusim.parse_schedule(small_product.to_json())
    assert again.to_json() == small_product.to_json()
    assert again.digest == small_product.digest
    with pytest.raises(gpusim.ScheduleError, match="mine"):
        gpusim.parse_schedule('{"name": 1}', origin="mine")


def test_clusters_and_where_rows_lie(small_product, ada):
    buffer = small_product.buffers[0]
    assert (small_product.cluster, buffer.placement, buffer.slice) == (1, "linear", 0)
    saved = json.loads(small_product.to_json())
    saved["cluster"] = 4
    clustered = gpusim.parse_schedule(json.dumps(saved))
    assert clustered.cluster == 4
    assert [problem.where for problem in gpusim.check(clustered, ada)] == ["schedule.cluster"]
    assert gpusim.check(clustered, gpusim.load_profile("hopper")) == []


def test_schedules_do_not_change(small_product):
    with pytest.raises(AttributeError):
        small_product.name = "mine"


def test_work_items_cover_the_grid(small_product):
    items = [gpusim.work_items(small_product, cta) for cta in range(small_product.cta_count)]
    assert all(len(each) == 1 for each in items)
    places = {(item.block_m, item.block_n, item.block_z) for [item] in items}
    assert len(places) == small_product.tile_count == small_product.cta_count
    assert not items[0][0].partial
    with pytest.raises(IndexError):
        gpusim.work_items(small_product, small_product.cta_count)


def test_what_walks_and_lies_in_layers_is_read(small_product):
    assert (small_product.grid_z, small_product.cluster_m, small_product.ctas) == (1, 0, 0)
    assert (small_product.splits, small_product.stream_k, small_product.consecutive) == (1, False, False)
    saved = json.loads(small_product.to_json())
    saved.update(order="grouped", group=2, grid_z=2, k_tiles=4, splits=2)
    sliced = gpusim.parse_schedule(json.dumps(saved))
    assert (sliced.order, sliced.group, sliced.k_tiles) == ("grouped", 2, 4)
    assert sliced.tile_count == 2 * small_product.tile_count
    [first] = gpusim.work_items(sliced, 0)
    assert (first.k_first, first.k_tiles, first.partial) == (0, 2, True)
    assert sliced.buffers[0].layers == 1


def test_kernels_of_a_product_are_those_of_its_slices():
    members = {"m": 128, "n": 128, "k": 256, "tile": 64, "variant": "tensor"}
    assert [each.digest for each in gpusim.schedules.gemm_kernels(**members)] == [gemm(**members).digest]
    assert len(gpusim.schedules.gemm_kernels(**members, split_k=2)) == 2
    with pytest.raises(gpusim.ScheduleError, match="hilbert"):
        GemmTiling(order="hillbert")


@pytest.mark.parametrize(
    ("member", "value", "message"),
    [
        ("tile", (64, 64), r"tile: (64, 64) is not an int or (m, n, k)"),
        ("warp_tile", 64, "warp_tile: 64 is not (m, n)"),
        ("instruction", "16x8x16", "instruction: '16x8x16' is not (m, n, k)"),
        ("stages", 2.5, "stages: 2.5 is not an int"),
        ("stages", 1 << 40, "stages: 1099511627776 does not fit in 32 bits"),
        ("specialize", "no", "specialize: 'no' is not True or False"),
        ("epilogue", 1, "epilogue: 1 is not one of 'direct', 'staged', 'tma'"),
        ("dtype", None, "dtype: None is not one of 'fp64', 'fp32',"),
        ("alpha", "1", "alpha: '1' is not a number"),
    ],
)
def test_a_member_of_the_wrong_type_is_named(member, value, message):
    kind = GemmTiling if hasattr(GemmTiling, member) else GemmProblem
    with pytest.raises(TypeError, match="^" + re.escape(message)):
        gemm(**{"m": 64, "n": 64, "k": 64, member: value})
    with pytest.raises(TypeError, match="^" + re.escape(message)):
        setattr(kind(), member, value)


def test_what_may_be_none_says_so():
    with pytest.raises(TypeError, match=r"^stages: 'two' is not an int, or None$"):
        GemmRequest(stages="two")
    assert GemmRequest(stages=None) == GemmRequest()


def test_an_unknown_word_is_refused_at_its_member():
    with pytest.raises(gpusim.ScheduleError, match="did you mean 'padded'") as caught:
        GemmTiling(shared_b="paded")
    assert caught.value.problems[0].where == "shared_b"


def test_structs_take_their_members_by_name():
    with pytest.raises(TypeError, match=r"GemmProblem\(\) takes its members by name, as in GemmProblem\(m=512\)"):
        GemmProblem(512, 512, 512)
    with pytest.raises(
        TypeError, match=r"GemmTiling\(\) got an unexpected keyword argument 'tiles'; did you mean 'tile'"
    ):
        GemmTiling(tiles=64)
    with pytest.raises(TypeError, match=r"gemm\(\) got an unexpected keyword argument 'widget'$"):
        gemm(m=64, n=64, k=64, widget=1)
    with pytest.raises(TypeError, match=r"gemm\(\) takes a GemmTiling, not 64"):
        gemm(GemmProblem(m=64, n=64, k=64), 64)


def test_a_tiling_has_a_summary():
    assert GemmTiling(tile=64, stages=3, split_k=2).summary == "async 64x64x32, 3 stages, 2 slices of k"
    with pytest.raises(AttributeError):
        GemmTiling().summary = "mine"


def test_a_type_by_another_name_is_told_its_own():
    with pytest.raises(gpusim.ScheduleError, match="^dtype: unknown 'half'; did you mean 'fp16'"):
        gpusim.schedules.GemmProblem(m=8, n=8, k=8, dtype="half")


def test_what_is_too_large_says_so():
    with pytest.raises(TypeError, match="^stages: 1099511627776 does not fit in 32 bits$"):
        gpusim.schedules.GemmRequest(stages=1 << 40)
    with pytest.raises(TypeError, match="^specialize: 3 is not True or False, or None$"):
        gpusim.schedules.GemmRequest(specialize=3)


def test_numpy_says_true_and_how_many_as_python_does():
    numpy = pytest.importorskip("numpy")
    request = gpusim.schedules.GemmRequest(specialize=numpy.bool_(True), stages=numpy.int64(3))
    assert request == gpusim.schedules.GemmRequest(specialize=True, stages=3)
