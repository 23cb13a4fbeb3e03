"""A claim of a paper, what can be said of it, and the results that say so."""

import re
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import NamedTuple, Protocol

from ...campaigns.results import END
from ...instances.reading.parse import read_text
from ..reproductions import REPRODUCTIONS

PAGES = Path(__file__).parents[2] / "docs"
"""The pages of a checkout, which show what was measured; an installed wheel has none."""


class ClaimVerdict(StrEnum):
    """What is said of a claim."""

    REPRODUCED = "reproduced"
    ELSEWHERE = "not under these conditions, but under those"
    FALSE = "false"
    UNCHECKABLE = "not checkable"
    OPEN = "open"
    """It could be checked, and was not, or came out otherwise for reasons that are not known."""


class Ruled(NamedTuple):
    """A verdict, and what it rests on."""

    verdict: ClaimVerdict
    why: str


class Decider(Protocol):
    """Decides a claim by the results at hand."""

    def ruled(self, measured: "MeasuredParts") -> Ruled:
        """Return the verdict."""

    def command(self) -> str:
        """Return the command that makes what decides; empty where nothing does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperClaim:
    """A number, a figure, an algorithm or a theorem of a paper."""

    paper: str
    says: str
    place: str
    """Where the paper says so."""
    decider: Decider
    recalled: bool = False
    """Whether the text was recalled, or worked out again, rather than read."""

    @property
    def source(self) -> str:
        """Where the paper says so, and how that is known."""
        return f"{self.place} (recalled)" if self.recalled else self.place


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredParts:
    """What other reproductions left: parts of pages, or, without pages, files of a folder."""

    docs: Path | None = None
    out: Path = field(default_factory=Path)

    def part(self, name: str, part: str) -> str | None:
        """Return the Markdown of a part of a reproduction; None if it was not made."""
        if self.docs is None:
            path = self.out / name / f"{part}.md"
            return _text(path) if path.is_file() else None
        one = next(one for one in REPRODUCTIONS if one.name == name)
        for page in one.pages:
            _, mark, rest = self.page(page).partition(f"<!-- {part} -->\n")
            if mark:
                return rest.partition(END)[0]
        return None

    def page(self, name: str) -> str:
        """Return the text of a page, empty where there are no pages."""
        return _text(self.docs / name) if self.docs is not None else ""

    def rows(self, name: str, part: str) -> list[dict[str, str]]:
        """Return the rows of a table by the heads of its columns; none if it was not made."""
        lines = [line for line in (self.part(name, part) or "").splitlines() if line[:1] == "|"]
        cells = [[cell.strip(" *") for cell in line.strip("| ").split("|")] for line in lines]
        return [dict(zip(cells[0], row, strict=True)) for row in cells[2:]]

    def sentences(self, name: str) -> list[str]:
        """Return what a reproduction says in sentences."""
        lines = (self.part(name, "statements") or "").splitlines()
        return [line[2:] for line in lines if line.startswith("- ")]


class ShownNumber(NamedTuple):
    """A number as it is shown, with its interval, or without."""

    mean: float
    low: float
    high: float


SHOWN = re.compile(r"(-?[\d.]+)(?: \((-?[\d.]+) to (-?[\d.]+)\))?")


def span(cell: str) -> ShownNumber:
    """Read a number as tables show it."""
    found = SHOWN.fullmatch(cell)
    if found is None:
        raise ValueError(f"{cell!r} is no number with or without an interval")
    mean, low, high = found.groups()
    return ShownNumber(float(mean), float(low or mean), float(high or mean))


def _text(path: Path) -> str:
    return _read(path, path.stat().st_mtime_ns)


@cache
def _read(path: Path, _: int) -> str:
    return read_text(path, regular=True)
