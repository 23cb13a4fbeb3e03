"""Claims on SJF-BCO's figures: as regenerated, or else as a search over conditions has them."""

from dataclasses import dataclass

from ..mobihoc.conditions import CONFIRMED
from .claim import ClaimVerdict, Decider, MeasuredParts, Ruled
from .deciders import Reproduced, agrees

OPEN, ELSEWHERE = ClaimVerdict.OPEN, ClaimVerdict.ELSEWHERE

REGION = "sjf-bco-region"

UNDER = f"with {CONFIRMED.about}"
"""Where one point was looked at again, by other seeds."""


def plain(cell: str) -> str:
    """Return the text of a cell without the marks that Markdown needs."""
    return cell.replace("\\", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class BySearch(Reproduced):
    """What the paper's conditions do not show, and others may."""

    by: str = REGION
    first: Decider
    """Decides by the conditions of the paper."""

    def command(self) -> str:
        """Return the command of both."""
        return f"{self.first.command()}, {Reproduced.command(self)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ByOrders(BySearch):
    """Orders that hold as the paper has it, or else all at one point of the search."""

    orders: tuple[str, ...]
    """Their names in the search."""
    alone: bool = False
    """Whether the claim is of a single draw, so that one on which they hold is enough."""

    def ruled(self, measured: MeasuredParts) -> Ruled:
        """Look at the paper's conditions first, at the point, and then at all points."""
        first = self.first.ruled(measured)
        rows = measured.rows(self.by, "confirmed")
        if first.verdict is not OPEN or not rows:
            return first
        found = {plain(row["order"]): row["verdict"] for row in rows}
        lost = [name for name in self.orders if found[name] != "holds"]
        if not lost:
            return Ruled(ELSEWHERE, f"{first.why}; holds {UNDER}")
        return self._anywhere(measured, f"{first.why}; not {UNDER}: {', '.join(lost)}")

    def _anywhere(self, measured: MeasuredParts, why: str) -> Ruled:
        """Say whether all orders of the figure hold at any point; single draws may be chance."""
        figure = self.orders[0].removeprefix("Figure ").partition(":")[0]
        (row,) = (row for row in measured.rows(self.by, "figures") if row["figures"] == figure)
        points, draws = (f"{row[one]} of {row[f'of {one}']}" for one in ("points", "draws"))
        said = f"{why}; all of Figure {figure} holds at {points} points, on {draws} single draws"
        if row["points"] != "0" or row["draws"] != "0":
            said += f", such as {row['the first']}"
        anywhere = row["points"] != "0" or (self.alone and row["draws"] != "0")
        return Ruled(ELSEWHERE if anywhere else OPEN, said)


@dataclass(frozen=True, slots=True, kw_only=True)
class ByNumbers(BySearch):
    """A number of a figure: as regenerated, or at the point that was looked at again."""

    figure: int
    at: str
    measure: str
    paper: float
    slack: float

    def ruled(self, measured: MeasuredParts) -> Ruled:
        """Look at the paper's conditions first, and then at the point."""
        first = self.first.ruled(measured)
        rows = measured.rows(self.by, "numbers")
        if first.verdict is not OPEN or not rows:
            return first
        wanted = str(self.figure), self.at, self.measure
        (row,) = (r for r in rows if (r["figure"], r["at"], r["measure"]) == wanted)
        said = f"{first.why}; {row['confirmed']} {UNDER}"
        if agrees(row["confirmed"], self.paper, self.slack):
            return Ruled(ELSEWHERE, said)
        why = f"it hangs on servers and jobs that are not published; {said}"
        near = f"{row['nearest']} at the point whose numbers are nearest to the paper's"
        return Ruled(ClaimVerdict.UNCHECKABLE, f"{why}; {near}")
