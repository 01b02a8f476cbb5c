"""The pages of documentation, taken apart: fenced blocks, tables, links."""

import re
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

FENCE = re.compile(r"^( *)(`{3,})\s*(\S*)")
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$")


@dataclass
class Block:
    """A fenced block. `first` is the index of its first line of content, `end` of its closing fence."""

    language: str
    first: int
    end: int
    lines: list[str]
    introduction: str  # the last line of text before it


@dataclass
class Page:
    path: Path
    lines: list[str]
    blocks: list[Block] = field(default_factory=list)

    @property
    def name(self) -> str:
        return str(self.path.relative_to(ROOT))

    def place(self, line: int) -> str:
        return f"{self.name}:{line + 1}"

    def follows(self, block: Block, language: str) -> Block | None:
        """The block of `language` that stands right after `block`, with nothing between but empty lines."""
        for other in self.blocks:
            if other.first > block.end:
                between = self.lines[block.end + 1 : other.first - 1]
                return other if other.language == language and not any(map(str.strip, between)) else None
        return None

    def text_lines(self) -> list[tuple[int, str]]:
        """Numbered lines outside fenced blocks."""
        inside = {line for block in self.blocks for line in range(block.first - 1, block.end + 1)}
        return [(number, line) for number, line in enumerate(self.lines) if number not in inside]


def parse(path: Path) -> Page:
    page = Page(path, path.read_text(encoding="utf-8").split("\n"))
    opened: Block | None = None
    fence = introduction = ""
    for number, line in enumerate(page.lines):
        match = FENCE.match(line)
        if opened is None and match:
            fence = match[2]
            opened = Block(match[3], number + 1, number + 1, [], introduction)
        elif opened is not None and line.strip() == fence:
            opened.end = number
            page.blocks.append(opened)
            opened, introduction = None, ""
        elif opened is not None:
            opened.lines.append(line)
        elif line.strip():
            introduction = line
    if opened is not None:
        raise ValueError(f"{page.place(opened.first - 1)}: this block is never closed")
    return page


def all_pages() -> list[Page]:
    """Every page of the project, in a fixed order."""
    paths = [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/**/*.md")), *sorted(ROOT.glob("examples/**/*.md"))]
    return [parse(path) for path in paths]


def anchors(page: Page) -> set[str]:
    """What `page#...` may name: headings, as web pages of repositories spell them."""
    found = set()
    for _, line in page.text_lines():
        heading = HEADING.match(line)
        if heading:
            words = re.sub(r"[^\w\- ]", "", heading[1].replace("`", "").lower())
            found.add(words.replace(" ", "-"))
    return found


def links(page: Page) -> list[tuple[int, str]]:
    """Numbered targets of the page's links; code spans are no links."""
    found = []
    for number, line in page.text_lines():
        for match in LINK.finditer(re.sub(r"`[^`]*`", "", line)):
            found.append((number, match[1] or match[2]))
    return found


@dataclass
class Row:
    line: int
    cells: dict[str, str]


def tables(page: Page) -> list[list[Row]]:
    """The page's tables; cells by the text of their column's head, code marks taken off."""
    found: list[list[Row]] = []
    heads: list[str] = []
    for number, line in [*page.text_lines(), (len(page.lines), "")]:
        if not line.startswith("|"):
            heads = []
            continue
        cells = [cell.strip().strip("`*") for cell in line.strip().strip("|").split("|")]
        if not heads:
            heads = cells
            found.append([])
        elif not all(re.fullmatch(r":?-+:?", cell) for cell in cells):
            found[-1].append(Row(number, dict(zip(heads, cells))))
    return found
