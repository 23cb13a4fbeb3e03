"""The options of `ringyard rent --simulate`: which jobs come, on which terms, by which policy."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from ...campaigns.rent.path import Drawing
from ...instances.arguments import at_least_one, seed_problems
from ...instances.errors import Problem, Words
from ..shared.options import Flag, Seconds, Whole, out_problems

LEAST = 2
"""Fewer jobs make no path."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulate:
    """A long run.

    Parameters
    ----------
    simulate
        Let jobs come and run as the plan says, and measure.
    policy
        Another way to choose widths: a method of `ringyard list methods` for rental instances,
        whose plan is played, or one for fleet instances.
    jobs
        How many are drawn; 10000 if it is left out.
    seed
        Seed of the jobs, and of the lots they draw; 0 if it is left out.
    arrivals
        poisson (if it is left out), bursty or even; or a `trace` instance, by name or file, whose
        times of arrival are stretched to the mean rate.
    sizes
        Law of the work of jobs around its mean; exponential if it is left out.
    tick_s
        Time goes in steps of this many seconds; 1 if it is left out.
    provision_s
        GPUs are of use only so long after they are asked and paid for.
    node_gpus
        GPUs are leased in nodes of this many.
    billing_s
        Leases are billed in multiples of this time.
    for_terms
        Plan for so much less that, with what these terms add, the budget is kept: the largest
        budget for GPUs that jobs hold is sought, on other jobs than those that are measured.
    log
        Write who ran when on what to this file (.json or .json.gz); the judge checks it.
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
        """Return what was said about jobs and leases, by option."""
        names = [field.name for field in fields(self)]
        told = names[names.index("jobs") : names.index("for_terms")]
        return {name: value for name in told if (value := getattr(self, name)) is not None}

    def problems(self, instance: str) -> Iterator[Problem]:
        """Yield what is wrong."""
        others = ("policy", "for_terms", "log", "save_fleet")
        beside = [*self.given(), *[name for name in others if getattr(self, name)]]
        if beside and not self.simulate:
            option, expected = option_of(beside[0]), "--simulate beside it"
            yield Problem(option, Words("no --simulate"), expected, "add --simulate")
        if self.for_terms and self.policy is not None:
            found, expected = Words("and --policy"), "one of them: it is for the plan of the budget"
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
        """Return how jobs are drawn."""
        return Drawing(**self.given())


SIMULATE = Simulate()

LongRun = Annotated[Simulate, Parameter(name="*")]


def option_of(name: str) -> str:
    """Return the option that a field is for."""
    return f"--{name.replace('_', '-')}"
