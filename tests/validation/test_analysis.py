"""Does the error analysis count right, and does its check see what it is there to see?"""

import tempfile
import unittest
from pathlib import Path
from unittest import mock

import analysis
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


class Errors(unittest.TestCase):
    def test_a_refused_row_is_off_by_all(self):
        self.assertEqual([analysis.absolute(each) for each in (row("110"), row("80"), row(""))], [0.10000000000000009, 0.19999999999999996, 1])

    def test_quantiles_are_between_ranks(self):
        self.assertAlmostEqual(analysis.quantile([0.4, 0.1, 0.2], 0.95), 0.2 + 0.9 * 0.2)

    def test_ranks_of_equal_times_are_their_mean(self):
        self.assertEqual(analysis.ranks([5, 1, 5]), [1.5, 0, 1.5])
        self.assertAlmostEqual(analysis.spearman([row("1", "1"), row("3", "2"), row("2", "3")]), 0.5)

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


if __name__ == "__main__":
    unittest.main()
