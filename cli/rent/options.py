"""The options of `ringyard rent`, and their validation."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from ...analysis.figures.canvas import figure_format
from ...campaigns.rent.long_run import Drawing
from ...instances import RentalInstance
from ...instances.arguments import at_least_one, seed_problems, time_limit_problems
from ...instances.errors import Problem, Words, raise_any
from ..shared.options import (
    Flag,
    Number,
    Seconds,
    Whole,
    out_problems,
    place_problems,
    write_entity,
)

LEAST = 2
"""Least number of simulated jobs."""


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class SimulationOptions:
    """A long simulation.

    Parameters
    ----------
    simulate
        Draw random jobs, run them by the plan, and measure times and spend.
    policy
        Another rule that chooses widths: a method of `ringyard list methods` for rental instances,
        whose plan is simulated, or a method for fleet instances.
    jobs
        Number of jobs (default: 10000).
    seed
        Seed of the jobs and their random samples (default: 0).
    arrivals
        poisson (default), bursty or even, or a `trace` instance, by name or file, whose arrival
        times are scaled to the mean rate.
    sizes
        Distribution of the work of jobs around its mean (default: exponential).
    tick_s
        Seconds of a time step (default: 1).
    provision_s
        Seconds between the request of a GPU, when billing starts, and its availability (default: as
        in a `fleet` instance, else 0).
    node_gpus
        GPUs per leased node (default: as in a `fleet` instance, else any number of GPUs is leased).
    billing_s
        Billing period of a lease in seconds: every period that has begun is paid for (default: as
        in a `fleet` instance, else one time step).
    for_terms
        Search for the largest budget whose plan, with delays, nodes and billing periods, costs at
        most the given budget. The search uses other jobs than the measured ones.
    log
        Write the schedule (job, GPUs, times) to this file (.json or .json.gz). The judge checks it.
    save_fleet
        Write the jobs as a `fleet` instance to this file.
    """

    simulate: Flag = False
    policy: str | None = None
    jobs: Whole | None = None
    seed: Whole | None = None
    arrivals: str | None = None
    sizes: Literal["exponential", "fixed", "pareto", "lognormal"] | None = None
    tick_s: Seconds | None = None
    provision_s: Seconds | None = None
    node_gpus: Whole | None = None
    billing_s: Seconds | None = None
    for_terms: Flag = False
    log: Path | None = None
    save_fleet: Path | None = None

    def given(self) -> dict[str, Any]:
        """Return the options on jobs and leases that are given."""
        names = [field.name for field in fields(self)]
        chosen = names[names.index("jobs") : names.index("for_terms")]
        return {name: value for name in chosen if (value := getattr(self, name)) is not None}

    def problems(self, instance: str) -> Iterator[Problem]:
        """Yield invalid options."""
        others = ("policy", "for_terms", "log", "save_fleet")
        beside = [*self.given(), *[name for name in others if getattr(self, name)]]
        if beside and not self.simulate:
            option, expected = option_of(beside[0]), "--simulate as well"
            yield Problem(option, Words("no --simulate"), expected, "add --simulate")
        if self.for_terms and self.policy is not None:
            found, expected = (
                Words("and --policy"),
                "one of them: --for-terms changes the plan of the budget",
            )
            yield Problem("--for-terms", found, expected, "leave one out")
        yield from at_least_one("--node-gpus", self.node_gpus)
        yield from seed_problems(self.seed or 0)
        if self.jobs is not None and self.jobs < LEAST:
            yield Problem("--jobs", self.jobs, f"an integer at least {LEAST}", "draw more jobs")
        for name in ("tick_s", "billing_s", "provision_s"):
            value, least = getattr(self, name), "above" if name != "provision_s" else "at least"
            if value is not None and (value < 0 or (value == 0 and least == "above")):
                found = Words(f"{value:f}")
                yield Problem(option_of(name), found, f"seconds {least} 0", "give a longer time")
        yield from out_problems(instance, self.log, "--log")
        yield from out_problems(instance, self.save_fleet, "--save-fleet")

    def drawing(self) -> Drawing:
        """Return the distribution of the jobs."""
        return Drawing(**self.given())


SIMULATE = SimulationOptions()


def option_of(name: str) -> str:
    """Return the option of a field."""
    return f"--{name.replace('_', '-')}"


MOST = 10**9


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetOptions:
    """The budget.

    Parameters
    ----------
    budget
        Rented GPUs on average over time (default: as in the instance).
    dollars_per_hour
        The budget as spend per hour, at the instance's price of a GPU.
    target_jct
        Instead of a budget: find the least budget for a mean completion time of this many hours.
    whole
        Use integer widths, whatever the instance specifies.
    rescale_s
        Seconds that a job pauses when its GPUs change, whatever the instance specifies.
    time_limit
        Seconds for all steps: the budget for a target, the plan and its marginal saving, the curve,
        its figure and, with --simulate, another policy. Each step gets an equal share of the
        remaining time (default: no limit).
    """

    budget: Number | None = None
    dollars_per_hour: Number | None = None
    target_jct: Number | None = None
    whole: Flag = False
    rescale_s: Seconds | None = None
    time_limit: float | None = None

    def problems(self) -> Iterator[Problem]:
        """Yield invalid options."""
        given = {
            "--budget": self.budget,
            "--dollars-per-hour": self.dollars_per_hour,
            "--target-jct": self.target_jct,
        }
        chosen = {option: value for option, value in given.items() if value is not None}
        if len(chosen) > 1:
            first, second, *_ = chosen
            yield Problem(first, Words(f"and {second}"), "one of them", "leave one out")
        for option, value in chosen.items():
            if not 0 < value <= MOST:
                found = Words(f"{value:f}")
                yield Problem(option, found, f"a number above 0, at most {MOST:,}", "change it")
        if self.rescale_s is not None and self.rescale_s < 0:
            found = Words(f"{self.rescale_s:f}")
            yield Problem("--rescale-s", found, "seconds at least 0", "give a longer time")
        yield from time_limit_problems(self.time_limit)


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class CurveOptions:
    """The trade-off curve.

    Parameters
    ----------
    curve
        Also print the least mean completion time for other budgets.
    points
        With --curve or --plot: the number of budgets.
    from_
        The first budget, in GPUs (default: slightly above the minimum).
    to
        The last budget, in GPUs (default: twice the budget).
    """

    curve: Flag = False
    points: Whole = 20
    from_: Annotated[Number | None, Parameter(name="--from")] = None
    to: Number | None = None

    def problems(self, *, drawn: bool) -> Iterator[Problem]:
        """Yield invalid options, with or without a figure."""
        chosen = {
            "--points": self.points != 20,
            "--from": self.from_ is not None,
            "--to": bool(self.to),
        }
        if any(chosen.values()) and not (self.curve or drawn):
            option = next(name for name, given in chosen.items() if given)
            expected = "--curve or --plot as well"
            yield Problem(option, Words("neither"), expected, "add --curve")
        if not 2 <= self.points <= 100_000:
            expected = "an integer from 2 to 100000"
            yield Problem("--points", self.points, expected, "give 20, for example")
        for option, value in (("--from", self.from_), ("--to", self.to)):
            if value is not None and not 0 < value <= MOST:
                found = Words(f"{value:f}")
                yield Problem(option, found, f"a number above 0, at most {MOST:,}", "change it")


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class FileOptions:
    """Output files.

    Parameters
    ----------
    plot
        Draw the trade-off curve to this file: .svg, .pdf or .png.
    latex
        Write the table of types (with --curve: of the curve) as LaTeX.
    csv
        Write the same table as CSV.
    out
        Write the plan to this file (.json or .json.gz).
    save_instance
        Write the planned instance, with the chosen budget and widths, to this file.
    """

    plot: Path | None = None
    latex: Path | None = None
    csv: Path | None = None
    out: Path | None = None
    save_instance: Path | None = None

    def problems(self, instance: str) -> list[Problem]:
        """Return invalid options."""
        found = out_problems(instance, self.out)
        found += out_problems(instance, self.save_instance, "--save-instance")
        for option, path in (("--plot", self.plot), ("--latex", self.latex), ("--csv", self.csv)):
            found += place_problems(option, instance, path)
        return found

    def write(self, plan: Any, instance: RentalInstance) -> None:
        """Write plan and instance, if requested."""
        for path, thing in ((self.out, plan), (self.save_instance, instance)):
            if path is not None:
                write_entity(thing, path)


BUDGET, CURVE, FILES = BudgetOptions(), CurveOptions(), FileOptions()

Stretched = Annotated[CurveOptions, Parameter(name="*")]


def refuse(
    instance: str,
    ask: BudgetOptions,
    curve: CurveOptions,
    files: FileOptions,
    run: SimulationOptions,
) -> None:
    """Raise an error for invalid or conflicting options."""
    problems = [
        *ask.problems(),
        *curve.problems(drawn=files.plot is not None),
        *files.problems(instance),
    ]
    problems += run.problems(instance)
    raise_any("ringyard rent", problems)
    if files.plot is not None:
        figure_format(files.plot)
