"""Does the error analysis count right, and does its check see what it is there to see?"""

import tempfile
import unittest
from pathlib import Path
from unittest import mock

import analysis
import errors
import summary
import tilings
import unseen

HEADER = "gpu,op,shape,dtype,time_us,source,simulated_us,error,clock_mhz,schedule,bound,refused\n"


def row(simulated: str, measured: str = "100", **more: str) -> dict:
    return {
        "gpu": "V100",
        "kernel": "add(torch)",
        "dtype": "fp32",
        "source": "a/b",
        "size": "8x8",
        "measured_us": measured,
        "simulated_us": simulated,
        "bound": "latency",
        "schedule": "",
        "refused": "" if simulated else "no schedule",
    } | more


class LeftOut(unittest.TestCase):
    def test_a_row_is_known_by_its_measured_time_among_those_of_its_size(self):
        sample = [row("90", "100"), row("300", "200")]
        self.assertIs(unseen.fitted_row(row("250", "200"), sample), sample[1])
        with self.assertRaises(SystemExit):
            unseen.fitted_row(row("250", "201"), sample)

    def test_errors_with_and_without_lie_side_by_side(self):
        with mock.patch.object(analysis, "kept", return_value={"gemm": [row("90", "100"), row("300", "200")]}):
            lines = unseen.left_out([row("120", "100"), row("220", "200")])
        self.assertIn("| V100 | 2 |", lines[2])
        self.assertTrue(lines[2].endswith("| 30.0 | +20.0 | 15.0 | +15.0 |"), lines[2])

    def test_what_was_fitted_on_a_gpu_is_replaced_by_the_others_median(self):
        for gpu, changes in unseen.LEFT_OUT.items():
            for parameter, value in (each.split("=") for each in changes.split()):
                if parameter in ("power.tensor_fma_fj", "power.scale_percent"):
                    self.assertEqual(float(value), unseen.others_median(parameter, gpu), f"{gpu} {parameter}: run left_out again")

    def test_what_is_kept_stays_when_a_file_is_not_there(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(analysis, "KEPT", Path(folder)):
            (Path(folder) / "unseen.csv").write_text("old")
            with self.assertRaises(FileNotFoundError):
                unseen.keep("unseen", ["/no/such/file"])
            self.assertEqual((Path(folder) / "unseen.csv").read_text(), "old")


class Summary(unittest.TestCase):
    def test_a_ratio_is_as_far_off_as_both_times_are_in_opposite_directions(self):
        rows = [row("90"), row("110", gpu="A100-SXM4-80GB"), row("100", gpu="H100"), row("100", gpu="A100", size="9x9")]
        self.assertAlmostEqual(summary.ratio_errors(rows, "V100", "A100")[0], 1 - 0.9 / 1.1)
        self.assertEqual(len(summary.ratio_errors(rows, "A100", "H100")), 1)
        self.assertEqual(summary.ratio_errors([row(""), row("110", gpu="A100")], "V100", "A100"), [])

    def test_kernels_are_attention_or_not_and_long_enough(self):
        rows = [row("90"), row("90", kernel="attention(x)"), row("9", "9")]
        with mock.patch.object(analysis, "read", return_value=rows):
            self.assertEqual(summary.rows_of(["kernels"], True), [rows[1]])
            self.assertEqual(summary.rows_of(["kernels"], False), [rows[0]])
            self.assertEqual(summary.rows_of(["kernels", "kernels"], None), [rows[0], rows[1]] * 2)

    def test_every_line_leads_to_a_section_that_is_there(self):
        text = analysis.PAGE.read_text(encoding="utf-8")
        titles = {line.lstrip("# ").lower().replace(",", "").replace(" ", "-") for line in text.splitlines() if line.startswith("#")}
        self.assertLessEqual({place for *_, place in summary.SETS}, titles)


class Errors(unittest.TestCase):
    def test_a_refused_row_is_off_by_all(self):
        self.assertEqual([errors.absolute(each) for each in (row("110"), row("80"), row(""))], [0.10000000000000009, 0.19999999999999996, 1])

    def test_quantiles_are_between_ranks(self):
        self.assertAlmostEqual(errors.quantile([0.4, 0.1, 0.2], 0.95), 0.2 + 0.9 * 0.2)

    def test_ranks_of_equal_times_are_their_mean(self):
        self.assertEqual(errors.ranks([5, 1, 5]), [1.5, 0, 1.5])
        self.assertAlmostEqual(errors.spearman([row("1", "1"), row("3", "2"), row("2", "3")]), 0.5)

    def test_a_line_has_counts_and_errors(self):
        self.assertEqual(analysis.line(["V100"], [row("110"), row("")]), "| V100 | 2 | 1 | 55.0 | 55.0 | 95.5 | 100.0 | +10.0 | - |")

    def test_the_worst_come_first_with_their_cause(self):
        causes = [{"kind": "kernels", "gpu": "", "kernel": "add", "source": "", "size": "9x9", "cause": "why"}]
        lines = analysis.worst("kernels", [row("110"), row("150", size="9x9")], causes)
        self.assertIn("| +50 % | latency | why |", lines[2])
        self.assertIn(analysis.UNKNOWN, lines[3])

    def test_gaps_count_what_is_far_off(self):
        lines = analysis.gaps("kernels", [row("110"), row("200"), row("")], [])
        self.assertEqual(lines[2:], ["| not looked into | 1 | 48 % |", "| refused: no schedule | 1 | 48 % |"])


class Page(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        root = Path(folder.name)
        self.page = root / "validation.md"
        begin, end = analysis.marks("kernels")
        self.page.write_text("before\n" + begin + end + "after\n")
        (root / "causes.csv").write_text("kind,gpu,kernel,source,size,cause\n")
        (root / "rows.csv").write_text(HEADER + "V100,add(torch),8x8,fp32,100,a/b:c,110,0.1,1380,add,latency,\n")
        for name, path in (("PAGE", self.page), ("KEPT", root / "compared"), ("CAUSES", root / "causes.csv")):
            patch = mock.patch.object(analysis, name, path)
            patch.start()
            self.addCleanup(patch.stop)
        analysis.keep("kernels", str(root / "rows.csv"))

    def test_the_page_says_what_is_kept(self):
        self.assertEqual(analysis.main(["check"]), 1)
        self.assertEqual(analysis.main(["page"]), 0)
        self.assertEqual(analysis.main(["check"]), 0)
        text = self.page.read_text()
        self.assertTrue(text.startswith("before\n") and text.endswith("after\n"))
        self.assertIn("| V100 | add | fp32 | a/b | 1 | 0 | 10.0 |", text)

    def test_a_page_that_was_changed_is_seen(self):
        analysis.main(["page"])
        self.page.write_text(self.page.read_text().replace("10.0", "1.0"))
        self.assertEqual(analysis.main(["check"]), 1)

    def test_a_page_without_marks_is_not_written(self):
        self.page.write_text("nothing\n")
        with self.assertRaises(SystemExit):
            analysis.main(["page"])


class Tilings(unittest.TestCase):
    NOTES = "cta_tile=64x64x32 threads=8x8 thread_tile=8x8 KWI=2 vecM=1 vecN=1 smemA=1 smemB=0"

    def tiling(self, measured: float, simulated: float | None, notes: str = NOTES, gpu: str = "RTX 3090") -> dict:
        return {"gpu": gpu, "notes": notes, "measured_us": str(measured), "simulated_us": "" if simulated is None else str(simulated)}

    def test_tilings_are_told_apart_by_what_they_stage_and_whether_they_spill(self):
        for notes, kind in (
            (self.NOTES, "one staged"),
            (self.NOTES.replace("smemB=0", "smemB=1"), "both staged"),
            (self.NOTES.replace("smemA=1", "smemA=0"), "none staged"),
            (self.NOTES.replace("thread_tile=8x8", "thread_tile=16x16"), "threads of 16x16, which spill"),
        ):
            self.assertEqual(tilings.kind(self.tiling(1, 1, notes)), kind)

    def test_pairs_in_the_other_order_count_against_those_in_the_same(self):
        rows = [self.tiling(*times) for times in ((1, 10), (2, 30), (3, 20))]
        self.assertAlmostEqual(tilings.kendall(rows), 1 / 3)
        self.assertAlmostEqual(tilings.kendall(rows[:2]), 1)
        tied = [self.tiling(*times) for times in ((1, 10), (2, 10), (3, 20))]
        self.assertAlmostEqual(tilings.kendall(tied), 2 / 6**0.5)

    def test_of_those_ranked_first_the_mean_counts_and_a_refused_one_ranks_last(self):
        rows = [self.tiling(10, None), self.tiling(12, 5), self.tiling(14, 5), self.tiling(11, 6)]
        self.assertAlmostEqual(tilings.best_ranked(rows), 1.3)
        self.assertIn("| 4 | 1 |", tilings.line("RTX 3090", "all", rows))

    def test_the_page_says_what_is_kept(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        root = Path(folder.name)
        page = root / "validation.md"
        page.write_text("before\n" + "".join(analysis.marks("tilings", "tilings.py")) + "after\n")
        header = "gpu,schedule_notes,time_us,simulated_us,clock_mhz,bound,refused\n"
        times = ((100, 110), (200, 190), (300, 330))
        rows = "".join(f"RTX 3090,{self.NOTES},{measured},{simulated},1695,sm.fma,\n" for measured, simulated in times)
        (root / "rows.csv").write_text(header + rows)
        with mock.patch.object(analysis, "PAGE", page), mock.patch.object(tilings, "KEPT", root / "tilings.csv"):
            self.assertEqual(tilings.main(["keep", str(root / "rows.csv")]), 0)
            (root / "again.csv").write_text(header + f"RTX 3090,{self.NOTES},200,180,1695,sm.fma,\n")
            self.assertEqual(tilings.main(["add", str(root / "again.csv")]), 0)
            self.assertEqual(tilings.main(["check"]), 1)
            self.assertEqual(tilings.main(["page"]), 0)
            self.assertEqual(tilings.main(["check"]), 0)
            self.assertIn("| RTX 3090 | one staged | 3 | 0 | 10.0 | +10.0 | 1.00 | 1.00 |", page.read_text())
            page.write_text("nothing\n")
            with self.assertRaises(SystemExit):
                tilings.main(["page"])


if __name__ == "__main__":
    unittest.main()
