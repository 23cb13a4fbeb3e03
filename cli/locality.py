"""`ringyard locality`: the cost of restricting jobs to regions."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from ..campaigns.locality import (
    OptimumSearch,
    RegionPrice,
    bound_jobs,
    locality_table,
    places_of,
    plain,
    priced,
)
from ..families import FAMILIES, family_of
from ..instances import Instance
from ..instances.arguments import seed_problems, time_limit_problems
from ..instances.catalogue import load
from ..instances.errors import ABSENT, InputError, Problem, Words, raise_any
from ..instances.regions import with_regions
from ..interrupts import keeping
from .shared.options import AsJson, Whole, place_problems, write_table
from .shared.output import emit, note, show_table
from .shared.progress import progress

FEWEST = 2
"""Least number of regions. With one region no job is restricted."""

SHARES = "0,0.25,0.5,1"


def locality_command(
    *instances: str,
    regions: Whole | None = None,
    local: str | None = None,
    method: str | None = None,
    time_limit: float = 60.0,
    seed: Whole = 0,
    latex: Path | None = None,
    csv: Path | None = None,
    json: AsJson = False,
) -> int:
    """Measure the price of locality: the cost of restricting jobs to regions.

    Solves each instance with its restrictions and without. If both optima are proved, the price is
    their ratio. Otherwise values and proved bounds give an interval. The exit code is 1 if the
    judge rejects a schedule, 3 if an instance has no schedule, and 130 after an interrupt, with the
    completed lines.

    Parameters
    ----------
    instances
        Catalogue names, or files, of the families makespan, online and trace.
    regions
        For instances without regions: distribute their servers over this many.
    local
        Fractions of jobs that are bound to a random region, separated by commas (default:
        0,0.25,0.5,1).
    method
        A name from `ringyard list methods`. By default, a method that proves optima, then the
        family's default if the time limit is reached.
    time_limit
        Seconds for each run, and for the bounds if no optimum is proved.
    seed
        Seed of the random steps, and of the regions.
    latex
        Write the table as LaTeX to this file.
    csv
        Write the table as CSV to this file.
    """
    wrong = seed_problems(seed) + time_limit_problems(time_limit)
    if not instances:
        advice = "see `ringyard list instances`"
        wrong.append(Problem("INSTANCE", ABSENT, "at least one instance", advice))
    if regions is not None and regions < FEWEST:
        wrong.append(Problem("--regions", regions, "an integer at least 2", "give 2 or more"))
    if regions is None and local is not None:
        expected = "--regions as well"
        wrong.append(Problem("--local", Words("no --regions"), expected, "add --regions"))
    for option, path in (("--latex", latex), ("--csv", csv)):
        wrong += [p for name in instances for p in place_problems(option, name, path)]
    raise_any("ringyard locality", wrong)

    shares = [] if regions is None else list(map(_share, (local or SHARES).split(",")))
    asked = [_problems(name, regions, shares, seed) for name in instances]
    found: list[RegionPrice] = []
    with suppress(KeyboardInterrupt), keeping(), progress("locality") as watch:
        report = None if watch is None else lambda _, incumbent: watch(incumbent)
        ways = OptimumSearch(method=method, time_limit=time_limit, seed=seed, watch=report)
        for problems in asked:
            found += (done := priced(problems, ways))
            if len(done) < len(problems):
                break
    lines = sum(map(len, asked))
    if not found:
        raise KeyboardInterrupt
    table = locality_table(found, "The price of locality")
    write_table(table, "tab:locality", latex, csv)
    if json:
        emit({"rows": [plain(one) for one in found]})
    else:
        show_table(table)
    sides = [side for one in found for side in (one.bound, one.free)]
    if not all(side.valid for side in sides):
        note("error: the judge rejected a schedule. See `ringyard solve`.")
        return 1
    if len(found) < lines:
        note(f"interrupted: {len(found)} of {lines} lines are done")
        return 130
    return 3 if any(side.value is None for side in sides) else 0


def _share(text: str) -> Decimal:
    try:
        share = Decimal(text)
        meant = 0 <= share <= 1
    except InvalidOperation:
        meant = False
    if not meant:
        expected, advice = "numbers from 0 to 1, separated by commas", "give 0,0.5,1, for example"
        raise InputError("ringyard locality", [Problem("--local", text, expected, advice)])
    return share


def _problems(
    name: str, regions: int | None, shares: Sequence[Decimal], seed: int
) -> list[Instance]:
    """Return the instance unchanged, or with random regions."""
    given = load(name)
    if family_of(given).places is None:
        *some, last = (repr(kind) for kind, family in FAMILIES.items() if family.places is not None)
        expected, advice = f"{', '.join(some)} or {last}", "name an instance of these families"
        raise InputError(name, [Problem("kind", given.kind, expected, advice)])
    raise_any(name, _unfit(given, regions))
    if regions is None:
        return [given]
    drawn: Any = given
    return [with_regions(drawn, regions, share, seed) for share in shares]


def _unfit(given: Instance, regions: int | None) -> Iterator[Problem]:
    """Yield the reasons why regions cannot be drawn for an instance, or must be."""
    places = places_of(given)
    if regions is None and not bound_jobs(given):
        expected, advice = "a job with allowed_regions", "draw some: --regions 2"
        yield Problem("jobs", Words("no job bound to a region"), expected, advice)
    if regions is not None and any(place.region for place in places):
        expected = "an instance whose servers are in no region"
        yield Problem(
            "--regions", regions, expected, "leave it out: the instance already has regions"
        )
    if regions is not None and regions > len(places):
        expected = f"at most the number of servers ({len(places)})"
        yield Problem("--regions", regions, expected, "give fewer")
