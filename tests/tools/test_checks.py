"""Do the house checks see what they are there to see?"""

import tempfile
import unittest
from pathlib import Path

import check_files
import check_includes
import test_totals


def includes_problems(files: dict[str, str]) -> list[str]:
    """What check_includes says about a tree of these files."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        return check_includes.check(root)


UNITS = {"libsim/include/gpusim/units.h": "#pragma once\n#include <cstdint>\n"}
PROFILE = {"libsim/include/gpusim/profile.h": '#include "gpusim/units.h"\n', **UNITS}


class IncludeTable(unittest.TestCase):
    def test_what_a_listed_layer_may_include_is_allowed(self):
        gpu = {"libsim/include/gpusim/gpu.h": '#include "gpusim/profile.h"\n#include "gpusim/units.h"\n'}
        self.assertEqual(includes_problems({**gpu, **PROFILE}), [])

    def test_a_lower_layer_may_not_include_a_higher_one(self):
        units = {"libsim/include/gpusim/units.h": '#include "gpusim/profile.h"\n'}
        self.assertIn("units may not include profile", includes_problems({**PROFILE, **units})[0])

    def test_the_sm_may_not_see_the_fabric(self):
        tree = {"libsim/src/fabric/slice.h": "", "libsim/src/sm/lsu.cpp": '#include "fabric/slice.h"\n'}
        self.assertIn("src/sm may not include src/fabric", includes_problems(tree)[0])

    def test_private_headers_are_closed_to_the_command(self):
        tree = {"libsim/src/view/table.h": "", "app/run.cpp": '#include "../libsim/src/view/table.h"\n'}
        self.assertIn("public headers only", includes_problems(tree)[0])

    def test_json_stays_out_of_public_headers(self):
        tree = {"libsim/include/gpusim/profile.h": "#include <nlohmann/json.hpp>\n"}
        self.assertIn("profile may not use nlohmann/json", includes_problems(tree)[0])

    def test_the_library_has_no_iostream(self):
        self.assertIn("<iostream>", includes_problems({"libsim/src/core/pool.cpp": "#include <iostream>\n"})[0])

    def test_a_folder_without_a_row_is_named(self):
        self.assertIn("src/misc", includes_problems({"libsim/src/misc/a.h": ""})[0])

    def test_headers_in_a_circle_are_named(self):
        tree = {"libsim/src/core/a.h": '#include "core/b.h"\n', "libsim/src/core/b.h": '#include "core/a.h"\n'}
        self.assertIn("include cycle", includes_problems(tree)[0])

    def test_an_include_of_nothing_is_named(self):
        self.assertIn("no such file", includes_problems({"libsim/src/core/a.h": '#include "core/b.h"\n'})[0])


class FileSizes(unittest.TestCase):
    def test_a_file_over_the_limit_is_refused(self):
        self.assertEqual(len(check_files.check({"a.h": 501, "b.h": 1, "c.h": 1})), 1)

    def test_a_file_at_the_limit_is_not(self):
        self.assertEqual(check_files.check({"a.h": 500, "b.h": 1, "c.h": 1}), [])

    def test_a_high_median_is_refused(self):
        self.assertIn("median", check_files.check({"a.h": 121, "b.h": 121, "c.h": 1})[0])


class Totals(unittest.TestCase):
    LOG = (
        "1/2 Testing: unit.pool\n"
        "[doctest] test cases:  3 |  2 passed | 1 failed | 0 skipped\n"
        "[doctest] assertions: 10 |  9 passed | 1 failed |\n"
        "Test Failed.\n"
        "2/2 Testing: python\n"
        "===== 4 passed, 1 skipped in 0.12s =====\n"
        "Test Passed.\n"
    )

    def test_sums_are_those_of_the_log(self):
        totals = test_totals.count(self.LOG)
        self.assertEqual((totals.entries, totals.failed_entries), (2, 1))
        self.assertEqual((totals.cases, totals.failed_cases, totals.assertions), (3, 1, 10))
        self.assertEqual((totals.python, totals.failed_python), (4, 0))


if __name__ == "__main__":
    unittest.main()
