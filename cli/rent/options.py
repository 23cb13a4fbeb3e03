"""The options of `ringyard rent`, and what is wrong with them."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ...analysis.figures.canvas import figure_format
from ...instances.arguments import time_limit_problems
from ...instances.errors import Problem, Words, raise_any
from ..shared.options import Flag, Number, Seconds, Whole, out_problems, place_problems
from .run import Simulate

MOST = 10**9


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetOptions:
    """What the budget is.

    Parameters
    ----------
    budget
        GPUs that may be paid for, on average over time; the instance's own if it is left out.
    dollars_per_hour
        The budget as what may be spent in an hour, at the instance's price of a GPU.
    target_jct
        Ask the other way round: the least budget for a mean completion time of this many hours.
    whole
        Jobs hold whole GPUs, whatever the instance says.
    rescale_s
        How long a job is paused when its GPUs change, whatever the instance says.
    time_limit
        Seconds for all steps: the budget for a target, the plan and its margin, the curve, its
        figure and, with --simulate, the plan or the log of another policy. Each may take an equal
        part of what is left when it begins.
    """

    budget: Number | None = None
    dollars_per_hour: Number | None = None
    target_jct: Number | None = None
    whole: Flag = False
    rescale_s: Seconds | None = None
    time_limit: float | None = None

    def problems(self) -> Iterator[Problem]:
        """Yield what is wrong."""
        given = {
            "--budget": self.budget,
            "--dollars-per-hour": self.dollars_per_hour,
            "--target-jct": self.target_jct,
        }
        said = {option: value for option, value in given.items() if value is not None}
        if len(said) > 1:
            first, second, *_ = said
            yield Problem(first, Words(f"and {second}"), "one of them", "leave one out")
        for option, value in said.items():
            if not 0 < value <= MOST:
                found = Words(f"{value:f}")
                yield Problem(option, found, f"a number above 0, at most {MOST:,}", "change it")
        if self.rescale_s is not None and self.rescale_s < 0:
            found = Words(f"{self.rescale_s:f}")
            yield Problem("--rescale-s", found, "seconds at least 0", "give a longer time")
        yield from time_limit_problems(self.time_limit)


@dataclass(frozen=True, slots=True, kw_only=True)
class Along:
    """The trade-off curve.

    Parameters
    ----------
    curve
        Also show the least mean completion time for other budgets.
    points
        The number of budgets.
    from_
        The first, in GPUs; a bit above the least there can be if it is left out.
    to
        The last, in GPUs; twice the budget if it is left out.
    """

    curve: Flag = False
    points: Whole = 20
    from_: Annotated[Number | None, Parameter(name="--from")] = None
    to: Number | None = None

    def problems(self, *, drawn: bool) -> Iterator[Problem]:
        """Yield what is wrong, where a figure is drawn or not."""
        told = {
            "--points": self.points != 20,
            "--from": self.from_ is not None,
            "--to": bool(self.to),
        }
        if any(told.values()) and not (self.curve or drawn):
            option = next(name for name, given in told.items() if given)
            expected = "--curve or --plot beside it"
            yield Problem(option, Words("neither"), expected, "add --curve")
        if not 2 <= self.points <= 100_000:
            expected = "an integer from 2 to 100000"
            yield Problem("--points", self.points, expected, "give for example 20")
        for option, value in (("--from", self.from_), ("--to", self.to)):
            if value is not None and not 0 < value <= MOST:
                found = Words(f"{value:f}")
                yield Problem(option, found, f"a number above 0, at most {MOST:,}", "change it")


@dataclass(frozen=True, slots=True, kw_only=True)
class RentFiles:
    """What is written.

    Parameters
    ----------
    plot
        Draw the trade-off curve to this file: .svg, .pdf or .png.
    latex
        Write the table of types, with --curve that of the curve, as LaTeX.
    csv
        The same as CSV.
    out
        Write the plan to this file (.json or .json.gz).
    save_instance
        Write the instance with the budget and the widths asked for, which the plan is for.
    """

    plot: Path | None = None
    latex: Path | None = None
    csv: Path | None = None
    out: Path | None = None
    save_instance: Path | None = None

    def problems(self, instance: str) -> list[Problem]:
        """Return what is wrong."""
        found = out_problems(instance, self.out)
        found += out_problems(instance, self.save_instance, "--save-instance")
        for option, path in (("--plot", self.plot), ("--latex", self.latex), ("--csv", self.csv)):
            found += place_problems(option, instance, path)
        return found


ASK, ALONG, FILES = BudgetOptions(), Along(), RentFiles()

Asked = Annotated[BudgetOptions, Parameter(name="*")]
Stretched = Annotated[Along, Parameter(name="*")]
Written = Annotated[RentFiles, Parameter(name="*")]


def refuse(
    instance: str, ask: BudgetOptions, along: Along, files: RentFiles, run: Simulate
) -> None:
    """Refuse options that cannot be meant."""
    problems = [
        *ask.problems(),
        *along.problems(drawn=files.plot is not None),
        *files.problems(instance),
    ]
    problems += run.problems(instance)
    raise_any("ringyard rent", problems)
    if files.plot is not None:
        figure_format(files.plot)
