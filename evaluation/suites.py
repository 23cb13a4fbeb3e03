"""The suites: frozen lists of recipes, of which seeds make instances.

What a suite is does not change: another one has another version, or another name.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from ..instances.errors import InputError, unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """What an instance is drawn from, but for its seed."""

    family: str
    """A name of `ringyard list families`."""
    options: Mapping[str, Any] = field(default_factory=dict)
    times: int = 2
    """How many instances are drawn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """Instances of one problem family, methods to be compared with, and limits of a run."""

    name: str
    version: int
    kind: str
    about: str
    recipes: tuple[Recipe, ...]
    baselines: tuple[str, ...]
    strong: bool = False
    """Whether the bounds that take their time take little of it on these instances."""
    time_limit: float = 10.0
    memory_limit: float = 2000.0

    @property
    def drawn(self) -> list[Recipe]:
        """The recipe of each instance."""
        return [recipe for recipe in self.recipes for _ in range(recipe.times)]


RINGS = ("gang-lpt", "sjf-bco", "first-fit", "list-scheduling", "random")
TRACE = ("fifo", "best-effort", "2d-las", "tiresias-l", "srsf")

SUITES = (
    Suite(
        name="makespan-quick",
        version=1,
        kind="makespan",
        about="a few rings on a few servers; to try things out",
        recipes=(
            Recipe(family="small", options={"jobs": 8, "servers": 4}),
            Recipe(family="knot", options={"jobs": 12, "servers": 4}),
        ),
        baselines=RINGS,
        strong=True,
        time_limit=5.0,
    ),
    Suite(
        name="makespan",
        version=1,
        kind="makespan",
        about="36 to 60 rings: packing, contention, releases, gangs that do not come out even",
        recipes=(
            Recipe(family="mobihoc", options={"jobs": 60, "servers": 8}),
            Recipe(family="tight", options={"jobs": 40, "servers": 12}),
            Recipe(
                family="tight", options={"jobs": 40, "servers": 12, "communication": Decimal("0.5")}
            ),
            Recipe(
                family="tight", options={"jobs": 48, "servers": 8, "release_slots": Decimal(200)}
            ),
            Recipe(family="knot", options={"jobs": 36, "servers": 8}),
            Recipe(
                family="knot", options={"jobs": 36, "servers": 8, "communication": Decimal("0.5")}
            ),
        ),
        baselines=RINGS,
        strong=True,
    ),
    Suite(
        name="trace",
        version=1,
        kind="trace",
        about="60 to 80 jobs that arrive over time, may be stopped, and have tails of four laws",
        recipes=(
            Recipe(family="tiresias", options={"jobs": 60, "servers": 4}),
            Recipe(
                family="tiresias",
                options={
                    "jobs": 80,
                    "servers": 8,
                    "server_gpus": 8,
                    "rack_servers": 2,
                    "contention": "racks",
                },
            ),
            Recipe(
                family="philly",
                options={
                    "jobs": 60,
                    "servers": 2,
                    "most_s": Decimal(20000),
                    "gap_s": Decimal(20),
                },
            ),
            Recipe(family="pai", options={"jobs": 60, "servers": 3, "most_s": Decimal(20000)}),
        ),
        baselines=TRACE,
        strong=True,
    ),
    Suite(
        name="online",
        version=1,
        kind="online",
        about="12 to 25 jobs with workers and servers, worth less the later they complete",
        recipes=(
            Recipe(family="pdors-small", options={"jobs": 12, "machines": 4}, times=3),
            Recipe(family="pdors-small", options={"jobs": 20, "machines": 6}, times=3),
            Recipe(family="pdors", options={"jobs": 25, "machines": 25, "slots": 12}),
        ),
        baselines=("fifo", "drf", "dorm", "oasis", "pd-ors"),
    ),
    Suite(
        name="fleet",
        version=1,
        kind="fleet",
        about="60 jobs of several types on GPUs leased under a budget",
        recipes=(
            Recipe(family="fleet-amdahl", options={"jobs": 60}),
            Recipe(family="fleet-mixed", options={"jobs": 60}),
            Recipe(family="fleet-pollux", options={"jobs": 60}),
        ),
        baselines=("boa-integer", "equal-width", "as-asked", "static-fair", "pollux"),
    ),
)


def find_suite(name: str) -> Suite:
    """Return a suite by name."""
    known = {suite.name: suite for suite in SUITES}
    if name not in known:
        expected = "one of " + ", ".join(known)
        hint = "see `ringyard list suites`"
        raise InputError("evaluate", [unknown("suite", name, known, hint, expected)])
    return known[name]


def baselines_of(suite: Suite, method: object, asked: Sequence[str] | None) -> list[str]:
    """Return what a method is compared with: a method is no baseline of itself."""
    names = suite.baselines if asked is None else asked
    return [name for name in names if name != method]


def runs_of(name: str, method: str, asked: Sequence[str] | None) -> int:
    """Return how many runs an evaluation makes."""
    suite = find_suite(name)
    return len(suite.drawn) * (1 + len(baselines_of(suite, method, asked)))
