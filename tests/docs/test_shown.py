#!/usr/bin/env python3
"""Tests of the documentation's own test: it must see what is wrong, and renew only what it understands."""

import tempfile
import unittest
from pathlib import Path

import commands
import pages
import shown

PRINTED = ["title", "cycles   504", "", "busy   12.5 %", "end"]


class Shown(unittest.TestCase):
    def test_all_lines_shown_match(self):
        self.assertEqual(shown.align(PRINTED, PRINTED), [0, 1, 2, 3, 4])

    def test_a_changed_number_is_seen(self):
        self.assertIsNone(shown.align(["title", "cycles   505", "..."], PRINTED))
        self.assertIn("505", shown.difference(["title", "cycles   505", "..."], PRINTED))

    def test_a_line_left_out_without_a_mark_is_seen(self):
        self.assertIsNone(shown.align(PRINTED[:-1], PRINTED))
        self.assertIsNone(shown.align(PRINTED[:1] + PRINTED[2:], PRINTED))

    def test_an_elision_stands_for_lines_at_the_beginning_middle_and_end(self):
        self.assertIsNotNone(shown.align(["...", "end"], PRINTED))
        self.assertIsNotNone(shown.align(["title", "...", "end"], PRINTED))
        self.assertIsNotNone(shown.align(["title", "..."], PRINTED))

    def test_lines_between_elisions_stand_together(self):
        self.assertIsNotNone(shown.align(["...", "", "busy   12.5 %", "..."], PRINTED))
        self.assertIsNone(shown.align(["...", "title", "busy   12.5 %", "..."], PRINTED))

    def test_renewing_keeps_elisions(self):
        self.assertEqual(shown.renewed(["cycles 9", "..."], PRINTED[1:]), ["cycles   504", "..."])

    def test_what_has_other_words_now_is_not_renewed(self):
        self.assertIsNone(shown.renewed(["time 9", "..."], PRINTED))


class Reading(unittest.TestCase):
    def page(self, text: str) -> pages.Page:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "page.md")
            path.write_text(text)
            return pages.parse(path)

    def test_a_console_block_is_commands_and_their_output(self):
        page = self.page("```console\n$ gpusim a \\\n    b\none\ntwo\n\n$ gpusim c\n```\n")
        first, second = commands.commands_of(page.blocks[0])
        self.assertEqual((first.text, page.lines[first.first : first.end]), ("gpusim a \\\n    b", ["one", "two"]))
        self.assertEqual((second.text, second.first), ("gpusim c", second.end))

    def test_a_sh_block_is_commands_alone(self):
        page = self.page("```sh\ngpusim a\ngpusim b\n```\n")
        self.assertEqual([command.text for command in commands.commands_of(page.blocks[0])], ["gpusim a", "gpusim b"])

    def test_commands_without_shown_output_need_not_finish(self):
        self.assertEqual(commands.shortened("gpusim run matmul --m 9"), f"gpusim run matmul {commands.FEW_CYCLES} --m 9")
        self.assertEqual(commands.shortened("gpusim run a.json"), f"gpusim run {commands.FEW_CYCLES} a.json")
        self.assertEqual(commands.shortened("gpusim arch list"), "gpusim arch list")

    def test_links_in_code_are_none(self):
        self.assertEqual(pages.links(self.page("a [b](c.md) `[d](e.md)`\n```\n[f](g.md)\n```\n")), [(0, "c.md")])

    def test_headings_are_anchors(self):
        self.assertIn("who-computes-what", pages.anchors(self.page("### Who computes what\n")))

    def test_rows_are_read_by_the_heads_of_their_columns(self):
        page = self.page("| `gpusim x` | sum |\n|---|--:|\n| `--a` | 1 + 2 |\n")
        self.assertEqual(pages.tables(page)[0][0].cells, {"gpusim x": "--a", "sum": "1 + 2"})


if __name__ == "__main__":
    unittest.main()
