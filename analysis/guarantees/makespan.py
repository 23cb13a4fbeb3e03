"""Theorems about rings, with factors and hypotheses computed exactly on the instance.

Proofs: `docs/theory/guarantees.md`, and `docs/theory/lp-rounding.md` for rounded relaxations.
"""

from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

from ...instances import FluidLinks, MakespanInstance, RefusedError
from ...instances.makespan import unlike
from ...instances.reading.encode import fraction_text
from . import SLOTTED, Guarantee, Hypothesis, only, optimal, optimal_by_solver


class Facts(NamedTuple):
    """The numbers in factors and hypotheses.

    Let p_j and D_j be the minimum and the maximum slots of job j over all placements and
    neighbours. `phi` is the largest D_j / p_j. The schedulers estimate job j by D_j, so an estimate
    lies between `low` (the paper's l) and `high` (u) times the job's actual slots. Estimates by p_j
    would lie between 1 / phi and 1 times the actual slots, with the same u/l.
    """

    gpus: int
    """GPUs of the cluster, N."""
    largest: int
    """GPUs of the largest job, n_g."""
    smallest: int
    """GPUs of the smallest job, w."""
    phi: Fraction
    low: Fraction
    high: Fraction
    loads: Fraction
    """The sum of all p_j, an upper bound on the load of any GPU for every estimate."""
    latest: Fraction
    """No list scheduler that idles only for want of GPUs ends later."""


@lru_cache(maxsize=8)
def facts(instance: MakespanInstance) -> Facts:
    """Return the facts of an instance. Raise `RefusedError` if a job may never progress."""
    from ...simulation.makespan.evaluate import extremes

    jobs = list(zip(instance.jobs, extremes(instance), strict=True))
    slots = []
    for job, extreme in jobs:
        if extreme.least_slots is None or extreme.most_slots is None:
            raise RefusedError(f"job {job.name!r} may never progress")
        slots.append((extreme.least_slots, extreme.most_slots))
    gpus = sum(server.gpus for server in instance.cluster.servers)
    largest = max(job.gpus for job in instance.jobs)
    phi = max(most / least for least, most in slots)
    area = sum(job.gpus * most for job, (_, most) in zip(instance.jobs, slots, strict=True))
    return Facts(
        gpus=gpus,
        largest=largest,
        smallest=min(job.gpus for job in instance.jobs),
        phi=phi,
        low=Fraction(1),
        high=phi,
        loads=sum((least for least, _ in slots), Fraction(0)),
        latest=Fraction(area) / (gpus - largest + 1) + max(most for _, most in slots),
    )


def _released(instance: MakespanInstance, _: Any) -> str | None:
    late = (job for job in instance.jobs if job.release_slot > 0)
    return next((f"job {job.name!r} is released at slot {job.release_slot}" for job in late), None)


def _stalled(instance: MakespanInstance, _: Any) -> str | None:
    try:
        facts(instance)
    except RefusedError as reason:
        return str(reason)
    return None


def _limited(instance: MakespanInstance, options: Any) -> str | None:
    """Explain why a load limit may bind: the largest limit is the horizon or all loads.

    One extra slot covers rounding.
    """
    known, horizon = facts(instance), instance.horizon_slots
    theta, kappa = getattr(options, "theta", "grid"), getattr(options, "kappa", None)
    enough = min(known.loads, known.latest) + 1
    if kappa is not None and kappa < known.largest:
        return f"kappa is {kappa}, but a job needs {known.largest} GPUs"
    if theta == "bisection":
        return "theta is 'bisection', which does not start at the largest limit"
    if theta == "none" or horizon is None or horizon >= enough:
        return None
    return f"horizon_slots is {horizon}, but a load may reach {fraction_text(enough)}"


def _departing(instance: MakespanInstance, options: Any) -> str | None:
    """The pseudo-code leaves other options open, but not these."""
    printed = (
        only("kappa", None),
        only("theta", "grid", "bisection"),
        only("mode", "least_exec"),
        only("assign", "idle"),
    )
    return next(filter(None, (unmet(instance, options) for unmet in printed)), None)


def _unusual(instance: MakespanInstance, options: Any) -> str | None:
    usual = only("assign", "idle"), only("order", "gpus")
    return next(filter(None, (unmet(instance, options) for unmet in usual)), None)


def _bound(instance: MakespanInstance, _: Any) -> str | None:
    bound = (job for job in instance.jobs if job.allowed_regions)
    return next((f"job {job.name!r} is bound to regions" for job in bound), None)


def _unlike(instance: MakespanInstance, _: Any) -> str | None:
    return unlike(instance)


def _begun(instance: MakespanInstance, _: Any) -> str | None:
    held = (job for job in instance.jobs if job.held is not None)
    return next((f"job {job.name!r} holds GPUs at slot 0" for job in held), None)


def _too_wide(instance: MakespanInstance, _: Any) -> str | None:
    smallest = min(instance.cluster.servers, key=lambda server: server.gpus)
    wide = (job for job in instance.jobs if job.gpus > smallest.gpus)
    return next(
        (
            f"job {job.name!r} needs {job.gpus} GPUs, server {smallest.name!r} has {smallest.gpus}"
            for job in wide
        ),
        None,
    )


def _ringed(instance: MakespanInstance, _: Any) -> str | None:
    wide = (job for job in instance.jobs if job.gpus > 1)
    return next((f"job {job.name!r} needs {job.gpus} GPUs" for job in wide), None)


def _unequal(instance: MakespanInstance, _: Any) -> str | None:
    first, *others = instance.cluster.servers
    unequal = (server for server in others if server.gpus != first.gpus)
    return next(
        (
            f"server {first.name!r} has {first.gpus} GPUs, server {server.name!r} {server.gpus}"
            for server in unequal
        ),
        None,
    )


def _entangled(instance: MakespanInstance, _: Any) -> str | None:
    fluid = isinstance(instance.contention, FluidLinks)
    return "the contention model is fluid" if fluid else None


def _even(instance: MakespanInstance, _: Any) -> str | None:
    costly = instance.overhead == "max_workers_per_server" and instance.overhead_s > 0
    return f"the overhead is {instance.overhead!r}" if costly else None


def _unbatched(_: Any, options: Any) -> str | None:
    return None if getattr(options, "batches", "no") == "yes" else "batches is 'no'"


OFFLINE = Hypothesis(name="all jobs released at 0", unmet=_released)
MOVING = Hypothesis(name="jobs that always end", unmet=_stalled)
UNLIMITED = Hypothesis(name="a trial without a binding load limit", unmet=_limited)
PRINTED = Hypothesis(name="options of the printed algorithm", unmet=_departing)
IN_TURN = Hypothesis(name="fewest GPUs first, each job on idle GPUs", unmet=_unusual)
ANYWHERE = Hypothesis(name="jobs without region constraints", unmet=_bound)
ALIKE = Hypothesis(name="servers that differ in GPUs only", unmet=_unlike)
FRESH = Hypothesis(name="jobs that have not begun", unmet=_begun)
FITTING = Hypothesis(name="jobs that each fit into every server", unmet=_too_wide)
EQUAL = Hypothesis(name="equal servers", unmet=_unequal)
UPLINKS = Hypothesis(name="contention on the uplinks of servers only", unmet=_entangled)
FEWEST = Hypothesis(name="rings that are fastest on the fewest servers", unmet=_even)
LISTED = Hypothesis(name="a run that fills no servers of rings", unmet=only("fill", "both", "no"))
BATCHED = Hypothesis(name="jobs in batches", unmet=_unbatched)
SINGLE = Hypothesis(name="jobs of one GPU each", unmet=_ringed)
LONGEST = Hypothesis(name="the longest first", unmet=only("ties", "longest"))

_PAPER = "SJF-BCO (arXiv 2207.07817)"
_GANGS = (OFFLINE, SLOTTED, MOVING, ANYWHERE, ALIKE, FRESH)


def _printed(instance: MakespanInstance) -> Fraction:
    known = facts(instance)
    return known.largest * known.phi * known.high / known.low


def _assigned(instance: MakespanInstance) -> Fraction:
    known = facts(instance)
    return _waiting(known) * known.largest * known.high / known.low


def _listed(instance: MakespanInstance) -> Fraction:
    return facts(instance).phi * _waiting(facts(instance))


def _widest(instance: MakespanInstance) -> Fraction:
    sizes = [server.gpus for server in instance.cluster.servers]
    gpus = {job.gpus for job in instance.jobs}
    held = {w: sum(max(w, size - w + 1) for size in sizes) for w in gpus}
    return 1 + max(Fraction(sum(sizes) - w, held[w]) for w in gpus)


def _whole_servers(instance: MakespanInstance) -> Fraction:
    count, size = len(instance.cluster.servers), instance.cluster.servers[0].gpus
    gpus = {job.gpus for job in instance.jobs}
    if max(gpus) <= size:
        return _widest(instance)
    least = count // 2
    crossed = Fraction(count - 1, least)

    def last(w: int) -> Fraction:
        """Return the factor if a job of `w` GPUs ends last."""
        if w > size:
            return crossed + max(Fraction(0), 1 - Fraction((w - 1) // size, least))
        return 1 + crossed + (size - w - crossed) / (count * max(w, size + 1 - w))

    return max(map(last, gpus))


def _batches(instance: MakespanInstance) -> Fraction:
    count, size = len(instance.cluster.servers), instance.cluster.servers[0].gpus
    inside = Fraction(2 * size, size + 1)
    if max(job.gpus for job in instance.jobs) <= size:
        return 2 + inside
    return 2 + Fraction(count - 1, count // 2) + inside / count


def _longest(instance: MakespanInstance) -> Fraction:
    return Fraction(4, 3) - Fraction(1, 3 * facts(instance).gpus)


def _waiting(known: Facts) -> Fraction:
    """Return the factor lost at most because jobs start only when they fit."""
    return 2 - Fraction(1, known.gpus - known.smallest + 1)


def _rounded(instance: MakespanInstance) -> Fraction:
    largest = max(server.gpus for server in instance.cluster.servers)
    return Fraction(4 * largest, largest + 1)


MAKESPAN: tuple[Guarantee, ...] = (
    Guarantee(
        name="theorem-5",
        statement="n_g phi u/l",
        source=f"{_PAPER}, Theorem 5, as printed",
        proved=False,
        hypotheses=(*_GANGS, PRINTED),
        factor=_printed,
        methods=("sjf-bco",),
    ),
    Guarantee(
        name="assign-then-dispatch",
        statement="n_g u/l (2 - 1/(N - w + 1)); w the least w_j",
        source=f"Ringyard, after {_PAPER}, Theorem 5",
        proved=True,
        hypotheses=_GANGS,
        factor=_assigned,
        methods=("sjf-bco-proved",),
    ),
    Guarantee(
        name="ascending",
        statement="phi (2 - 1/(N - w + 1)); w the least w_j",
        source="Ringyard, after Garey and Graham 1975",
        proved=True,
        hypotheses=(*_GANGS, UNLIMITED, IN_TURN),
        factor=_listed,
        methods=("sjf-bco", "first-fit", "list-scheduling", "random"),
    ),
    Guarantee(
        name="any-order",
        statement="phi (2 - 1/(N - w + 1)); w the least w_j",
        source="Garey and Graham 1975, Naroska and Schwiegelshohn 2002 (releases)",
        proved=True,
        hypotheses=(SLOTTED, MOVING, ANYWHERE, ALIKE, FRESH),
        factor=_listed,
        methods=("gang-lpt", "alpha-points", "midpoints"),
    ),
    Guarantee(
        name="widest-inside",
        statement="1 + (N - w_j)/sum max(w_j, O_s + 1 - w_j) < 3",
        source="Ringyard, after Graham 1966",
        proved=True,
        hypotheses=(OFFLINE, SLOTTED, FITTING, ANYWHERE, ALIKE, FRESH),
        factor=_widest,
        methods=("gang-lpt",),
    ),
    Guarantee(
        name="whole-servers",
        statement="3 + 1/S for odd S, 3 - 1/S for even S: below 10/3",
        source="Ringyard, after Garey and Graham 1975",
        proved=True,
        hypotheses=(OFFLINE, SLOTTED, EQUAL, UPLINKS, FEWEST, ANYWHERE, ALIKE, FRESH, LISTED),
        factor=_whole_servers,
        methods=("whole-server-list",),
    ),
    Guarantee(
        name="whole-server-batches",
        statement="4 + 2 O / (S (O + 1)) for odd S, 2/S less for even S: below 14/3",
        source="Ringyard, after Shmoys, Wein and Williamson 1995",
        proved=True,
        hypotheses=(SLOTTED, EQUAL, UPLINKS, FEWEST, ANYWHERE, ALIKE, FRESH, LISTED, BATCHED),
        factor=_batches,
        methods=("whole-server-list",),
    ),
    Guarantee(
        name="longest-first",
        statement="4/3 - 1/(3 N)",
        source="Graham 1969",
        proved=True,
        hypotheses=(*_GANGS, UNLIMITED, IN_TURN, SINGLE, LONGEST),
        factor=_longest,
        methods=("sjf-bco", "sjf-bco-proved", "first-fit", "list-scheduling", "random", "gang-lpt"),
    ),
    optimal("enumeration", "branch-and-bound", "cp-sat"),
    optimal_by_solver(
        "nonconvex", "disjunctive-bigm", "disjunctive-hull", "linearised", "patterns"
    ),
    Guarantee(
        name="rounded-assignment",
        statement="4 O / (O + 1), O the GPUs of the largest server",
        source="Ringyard, after Lenstra, Shmoys and Tardos 1990",
        proved=True,
        hypotheses=(OFFLINE, SLOTTED, FITTING, ANYWHERE, ALIKE, FRESH),
        factor=_rounded,
        methods=("lenstra-shmoys-tardos",),
    ),
)
