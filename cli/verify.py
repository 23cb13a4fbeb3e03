"""`ringyard verify`: hold runs of methods against what is proved or printed about them."""

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from ..instances.errors import InputError, Problem
from .options import at_least_one, seed_problems, time_limit_problems
from .output import emit, note
from .progress import progress
from .verdicts import plain, sentence, show_findings, show_rows, summary

if TYPE_CHECKING:
    from ..campaigns.tally import Findings
    from ..campaigns.verify import Row
    from ..instances import MakespanInstance

INSTANCES = (
    "hand-theorem5",
    "hand-lpt",
    "hand-exclusion",
    "hand-contend",
    "hand-spread",
    "hand-overtake",
    "small-06x3",
    "small-08x4",
    "small-10x3",
)
"""What is verified where nothing is named."""

EXACT = "branch-and-bound"
"""The search that joins the schedulers there."""


def verify_command(
    *instances: str,
    method: tuple[str, ...] = (),
    runs: int | None = None,
    seed: int = 0,
    time_limit: float = 10.0,
    json: Annotated[bool, Parameter(negative=())] = False,
) -> int:
    """Hold runs of methods against what is proved or printed about them.

    A verdict is `holds` (value at most factor times a certified bound), `violated` (value more
    than factor times that of a checked schedule) or `inconclusive`. Ends with exit code 1 if
    something that is proved here is violated; a printed theorem that fails is a finding.

    Parameters
    ----------
    instances
        Names of the catalogue, or files. Without any, and without --runs, a few small ones.
    method
        A method, with its options behind it; may be repeated. Without any, all schedulers about
        which a theorem is stated.
    runs
        Make so many runs on random instances, and show what they say together.
    seed
        Seed of the random instances and of the random steps.
    time_limit
        Seconds for each run, and for each stronger bound where one is needed.
    json
        Print one JSON object.
    """
    problems = seed_problems(seed) + time_limit_problems(time_limit) + at_least_one("--runs", runs)
    problems += _unclaimed(method)
    if problems:
        raise InputError("ringyard verify", problems)
    from ..campaigns.random_runs import claimed_policies
    from ..campaigns.tally import Findings
    from ..instances.catalogue import load_rings
    from ..methods import find_method

    chosen = [find_method(name, "makespan").name for name in method] or claimed_policies()
    asked = chosen if method else [*chosen, EXACT]
    yards = [load_rings(name) for name in instances or (() if runs else INSTANCES)]
    rows: list[Row] = []
    found, code = Findings(), 0
    try:
        for more in _named(yards, asked, seed, time_limit):
            rows += more
        for part in _random(runs or 0, chosen, seed, time_limit):
            found.join(part)
    except KeyboardInterrupt:
        code = 130
        note("interrupted: what was finished is shown")
    if json:
        emit({"rows": [plain(row) for row in rows]} | (summary(found) if runs else {}))
    else:
        show_rows(rows)
        show_findings(found)
    broken = [row for row in rows if row.broken] + found.broken
    for row in broken:
        note(f"error: {sentence(row)}, although it is proved; please report it")
    return 1 if broken else code


def _unclaimed(methods: tuple[str, ...]) -> list[Problem]:
    """Return the methods about which nothing is claimed."""
    from ..analysis.guarantees import guarantees_of
    from ..methods import find_method

    wanted, advice = "a method that a theorem speaks of", "see `ringyard list guarantees`"
    names = [find_method(name, "makespan").name for name in methods]
    return [Problem("--method", n, wanted, advice) for n in names if not guarantees_of(n)]


def _named(
    yards: "list[MakespanInstance]", methods: list[str], seed: int, time_limit: float
) -> "Iterator[list[Row]]":
    from ..campaigns.verify import verify

    for yard in yards:
        with progress(yard.name):
            rows = verify(yard, methods, seed=seed, time_limit=time_limit)
        yield rows


def _random(runs: int, methods: list[str], seed: int, time_limit: float) -> "Iterator[Findings]":
    """Yield what each random instance says; count them on standard error for a terminal."""
    from ..campaigns.random_runs import instances_for, random_runs

    count = instances_for(runs, methods)
    parts = random_runs(range(count), methods, seed=seed, time_limit=time_limit)
    if not sys.stderr.isatty():
        yield from parts
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(parts, "instances", total=count, console=Console(stderr=True), transient=True)
