"""The table of contents: every program by name; its code is imported when it is used."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from typing import Any, Literal

from ..instances import RefusedError
from ..instances.errors import InputError, Problem, nearest
from .program import Matrix

Form = Literal["nonlinear", "disjunctive", "linear"]

MOST_PLACES = 3_000_000
"""Triples of job, server or machine, and slot; models of more would not fit into memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Formulation:
    """One way to state instances of a family in algebra."""

    name: str
    module: str
    family: str
    about: str
    source: str
    form: Form
    exact: bool
    """Whether its optimum is that of the instance, given a horizon that is long enough."""

    @property
    def mathematics(self) -> str:
        """The docstring of its file: data, variables, objective and constraints by name."""
        text: str = self._load().__doc__
        return text

    def build(self, instance: Any, horizon: Any = None) -> Any:
        """Return the Pyomo model of an instance; its jobs are to end by `horizon`.

        An instance with a horizon of its own takes no other.

        Raises:
            RefusedError: If the program cannot state the instance, or would be too large.
        """
        self.check(instance, horizon)
        given = () if horizon is None else (horizon,)
        return self._load().build(instance, *given)

    def check(self, instance: Any, horizon: Any = None) -> None:
        """Raise an error if the program cannot be built."""
        if horizon is not None and not (isinstance(horizon, int | Fraction) and horizon > 0):
            expected, advice = "a number of slots above 0", "give a later slot"
            raise InputError(self.name, [Problem("horizon", horizon, expected, advice)])
        if instance.kind == self.family:
            _check_size(instance, horizon)
        reason = self.refuses(instance)
        if reason is not None:
            raise RefusedError(f"{instance.name}: {reason}")

    @property
    def write(self) -> Callable[[Any, Any], None]:
        """The function ``write(model, schedule)`` that puts a schedule into the variables."""
        found: Callable[[Any, Any], None] = self._load().write
        return found

    @property
    def read(self) -> Callable[[Any], Any]:
        """The function ``read(model)`` that takes a schedule out of the variables."""
        found: Callable[[Any], Any] = self._load().read
        return found

    @property
    def twin(self) -> Callable[..., Matrix] | None:
        """The function ``twin(instance, horizon=None)`` that gives arrays at once, or None."""
        found: Callable[..., Matrix] | None = getattr(self._load(), "twin", None)
        return found

    def refuses(self, instance: Any) -> str | None:
        """Say why the program cannot state `instance`, or None if it can."""
        if instance.kind != self.family:
            return f"{self.name} states {self.family!r} instances, not {instance.kind!r} ones"
        reason: str | None = self._load().refuses(instance)
        return reason

    def _load(self) -> Any:
        return import_module(self.module, __package__)


def _check_size(instance: Any, horizon: Any) -> None:
    """Raise an error if programs would be too large, or if there is a second horizon."""
    if instance.kind in ("online", "rental", "shuffle", "transfers") and horizon is not None:
        why = "the instance has its own" if instance.kind == "online" else "time has no end here"
        problem = Problem("horizon", horizon, f"none: {why}", "leave it out")
        raise InputError(instance.name, [problem])
    if instance.kind in ("rental", "shuffle", "transfers"):
        return
    if instance.kind == "trace":
        from .trace.demand import serial_horizon as end_of

        # GPUs are counted, but a job's work up to each tick is a sum over all ticks before it.
        slots = end_of(instance) if horizon is None else int(horizon)
        held, holders = "earlier ticks", range(slots)
    elif instance.kind == "online":
        held, holders, slots = "machines", instance.machines, instance.horizon_slots
    else:
        from .makespan.parts.data import serial_horizon

        held, holders = "servers", instance.cluster.servers
        slots = serial_horizon(instance) if horizon is None else int(horizon)
    places = len(instance.jobs) * len(holders) * slots
    if places > MOST_PLACES:
        raise RefusedError(
            f"{len(instance.jobs)} jobs, {len(holders)} {held} and {slots} slots are "
            f"{places:,} places, more than {MOST_PLACES:,}; "
            "give a shorter horizon or split the instance"
        )


FORMULATIONS: tuple[Formulation, ...] = (
    Formulation(
        name="nonconvex",
        module=".nonconvex",
        family="makespan",
        about="the program as printed: products, maxima and indicators of integers",
        source="SJF-BCO (arXiv 2207.07817), (1)-(9)",
        form="nonlinear",
        exact=True,
    ),
    Formulation(
        name="disjunctive",
        module=".disjunctive",
        family="makespan",
        about="the same as either-or; big-M and hull models come by transformation",
        source="SJF-BCO (arXiv 2207.07817), (1)-(9)",
        form="disjunctive",
        exact=True,
    ),
    Formulation(
        name="linearised",
        module=".linearised",
        family="makespan",
        about="exact linearisation with computed big-M, rates by levels of contention",
        source="SJF-BCO (arXiv 2207.07817), (1)-(9); the linearisation is ours",
        form="linear",
        exact=True,
    ),
    Formulation(
        name="patterns",
        module=".patterns",
        family="makespan",
        about="a stronger time-indexed form over placements",
        source="ours",
        form="linear",
        exact=True,
    ),
    Formulation(
        name="occupancy",
        module=".occupancy",
        family="makespan",
        about="a time-indexed relaxation: best-case durations, no contention",
        source="ours",
        form="linear",
        exact=False,
    ),
    Formulation(
        name="load-limit",
        module=".load_limit",
        family="makespan",
        about="an assignment of jobs to GPUs under a load limit, bisected",
        source="SJF-BCO (arXiv 2207.07817), (14)-(16)",
        form="linear",
        exact=False,
    ),
    Formulation(
        name="columns",
        module=".columns",
        family="makespan",
        about="configurations of servers; its linear bound comes by column generation",
        source="ours",
        form="linear",
        exact=False,
    ),
    Formulation(
        name="server-configurations",
        module=".server_configurations",
        family="makespan",
        about="configurations of single servers; its linear bound comes by column generation",
        source="ours",
        form="linear",
        exact=False,
    ),
    Formulation(
        name="offline",
        module=".online.offline",
        family="online",
        about="all slots at once, every arrival known",
        source="PD-ORS, (B1)-(B5); rates by choice of place are ours",
        form="linear",
        exact=True,
    ),
    Formulation(
        name="schedules",
        module=".online.schedules",
        family="online",
        about="whole schedules of jobs as columns; its dual variables are prices",
        source="PD-ORS, OASiS",
        form="linear",
        exact=True,
    ),
    Formulation(
        name="oasis",
        module=".online.oasis",
        family="online",
        about="workers and parameter servers always across machines",
        source="OASiS",
        form="linear",
        exact=False,
    ),
    Formulation(
        name="tickwise",
        module=".trace.tickwise",
        family="trace",
        about="who runs in every tick, where counting GPUs is enough",
        source="ours",
        form="linear",
        exact=True,
    ),
    Formulation(
        name="shares",
        module=".rental.shares",
        family="rental",
        about="shares of work by whole width, a knapsack with choices, relaxed",
        source="ours, after BOA (arXiv 2406.15560)",
        form="linear",
        exact=True,
    ),
    Formulation(
        name="pure",
        module=".rental.pure",
        family="rental",
        about="one whole width for each type of jobs, a knapsack with choices",
        source="ours, after BOA (arXiv 2406.15560)",
        form="linear",
        exact=False,
    ),
    Formulation(
        name="cover",
        module=".shuffle.cover",
        family="shuffle",
        about="sums for cliques of workers that can share one, and unicasts",
        source="Birk and Kol 1998; unicasts beside it are ours",
        form="linear",
        exact=False,
    ),
    Formulation(
        name="order",
        module=".transfers.order",
        family="transfers",
        about="positions of updates on the last link to the server, and which to drop",
        source="ours, after MLfabric",
        form="linear",
        exact=False,
    ),
    Formulation(
        name="groups",
        module=".transfers.groups",
        family="transfers",
        about="ways of updates, alone or by aggregators, for the earliest last arrival",
        source="ours, after MLfabric",
        form="linear",
        exact=False,
    ),
    Formulation(
        name="copies",
        module=".transfers.copies",
        family="transfers",
        about="the fewest gigabytes to copy so that the replica keeps up, a knapsack",
        source="ours, after MLfabric",
        form="linear",
        exact=False,
    ),
)


def find_formulation(name: str) -> Formulation:
    """Return a formulation by name."""
    known = {formulation.name: formulation for formulation in FORMULATIONS}
    if name not in known:
        like = nearest(name, list(known))
        advice = f"did you mean {like!r}?" if like else "see `ringyard list formulations`"
        expected = "one of " + ", ".join(known)
        raise InputError("--formulation", [Problem("formulation", name, expected, advice)])
    return known[name]
