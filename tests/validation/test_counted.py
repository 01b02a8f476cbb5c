"""Are kernels' names read right, and a profiler's counts?"""

import unittest

import counted

COUNTS = {"l2_read_sectors": "1000", "l2_write_sectors": "200", "l2_hit_percent": "75"}
COUNTS |= {"dram_read": str(100 * 32), "dram_write": str(500 * 32)}
HERE = {"l2_read_sectors": 900, "l2_coalesced_sectors": 200, "l2_far_sectors": 150}
HERE |= {"dram_read_bytes": 90 * 32, "dram_write_bytes": 400 * 32}


def named(kernel: str, grid: str = "2x66x1") -> dict:
    return {"m": "16", "n": "4096", "k": "14336", "dtype": "bf16", "layout": "NT", "kernel": kernel, "grid": grid} | COUNTS


def option(options: list[str], name: str) -> str:
    return options[options.index(name) + 1]


def those(options: list[str], *names: str) -> list[str]:
    return [option(options, name) for name in names]


class Names(unittest.TestCase):
    def test_columns_come_first_and_clusters_turn_with_them(self):
        options = counted.options_of(named("nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_TNT"))
        self.assertEqual(those(options, "--tile", "--cluster", "--stages"), ["128x256x64", "2x1", "4"])
        self.assertEqual(option(options, "--consumers"), "2")
        self.assertEqual(option(options, "--epilogue-columns"), "32")
        self.assertIn("--persistent", options)

    def test_what_is_not_named_coop_is_one_groups_in_turns_and_three_stand_for_two_of_192_rows(self):
        alone = counted.options_of(named("nvjet_sm90_tst_128x64_64x8_1x2_h_bz_TNT"))
        self.assertEqual(option(alone, "--consumers"), "1")
        self.assertIn("--pingpong", alone)
        shared = counted.options_of(named("nvjet_sm90_tst_192x192_64x4_2x1_v_bz_coopB_TNN"))
        self.assertEqual(option(shared, "--consumers"), "3")
        self.assertNotIn("--pingpong", shared)

    def test_few_rows_are_worked_out_with_a_and_b_swapped_and_slices_follow_from_the_grid(self):
        options = counted.options_of(named("nvjet_sm90_tst_64x16_64x16_2x1_v_bz_splitK_TNT", "2x64x1"))
        self.assertIn("--swap-ab", options)
        self.assertEqual(those(options, "--tile", "--cluster", "--split-k"), ["64x16x64", "2x1", "2"])
        self.assertNotIn("--persistent", options)
        self.assertNotIn("--pingpong", options)

    def test_columns_that_a_cluster_cannot_share_out_are_brought_by_its_first(self):
        options = counted.options_of(named("nvjet_sm90_tst_200x128_64x5_1x4_h_bz_coopA_TNN"))
        self.assertEqual(option(options, "--multicast-by"), "first")
        self.assertEqual(option(options, "--epilogue-columns"), "8")

    def test_other_libraries_kernels(self):
        tf32 = "sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize128x256x32_warpgroupsize2x1x1_execute_segment_k_off"
        options = counted.options_of(named(tf32, "66x2x1"))
        self.assertEqual(those(options, "--tile", "--cluster", "--consumers"), ["128x256x32", "2x1", "2"])
        int8 = "void cutlass::Kernel2<cutlass_80_tensorop_i16832gemm_s8_128x256_128x3_tn_align16>(T1::Params)"
        self.assertEqual(option(counted.options_of(named(int8)), "--tile"), "256x128x128")
        self.assertEqual(counted.short(int8), "128x256_128x3")
        self.assertEqual(counted.short(tf32), "128x256x32")
        self.assertIsNone(counted.options_of(named("sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x128x8_stage3")))


class Counts(unittest.TestCase):
    def test_what_misses_without_dram_is_sent_for(self):
        kept = counted.compared("h100", named("nvjet_sm90_tst_64x16_64x16_2x1_v_bz_TNT"), HERE)
        # 300 of 1200 lookups miss, 100 of them for DRAM: 200 of the 1000 reads are of slices that ask others.
        self.assertEqual([kept[name] for name in ("asked", "reads", "far", "dram")], [900, 800, 200, 100])
        self.assertEqual([kept[f"simulated_{name}"] for name in ("reads", "far", "dram")], [700, 150, 90])

    def test_shares_are_of_what_is_asked_for(self):
        kept = counted.compared("h200", named("nvjet_sm90_tst_64x16_64x16_2x1_v_bz_TNT"), HERE)
        line = counted.table([{name: str(value) for name, value in kept.items()}])[-1]
        shares = "| 89 | 78 | 22 | 17 | 11 | 10 | 0.016 MB | 0.0128 MB |"
        self.assertEqual(line, "| H200 | 16x4096x14336 | bf16 | NT | 64x16_64x16_2x1 | 0.0288 MB " + shares)


if __name__ == "__main__":
    unittest.main()
