"""Every theorem that a run is checked against. Proofs: `docs/campaigns/guarantees.md`."""

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

from ...instances import MakespanInstance
from ...instances.errors import InputError, unknown
from ...outside.entry_points import Brought, named
from .coded import CODED
from .guarantee import Guarantee, best
from .hypotheses import (
    ANYWHERE,
    FITTING,
    IN_TURN,
    LONGEST,
    MOVING,
    OFFLINE,
    PRINTED,
    SINGLE,
    SLOTTED,
    UNLIMITED,
    Facts,
    facts,
)
from .online import ONLINE
from .rental import RENTED
from .reserved import RESERVED
from .roundings import CARRIED_BY as BY_ROUNDING
from .roundings import ROUNDINGS
from .shuffled import SHUFFLED
from .trace import TRACE
from .transferred import TRANSFERRED

_PAPER = "SJF-BCO (arXiv 2207.07817)"
_GANGS = (OFFLINE, SLOTTED, MOVING, ANYWHERE)


def _printed(instance: MakespanInstance) -> Fraction:
    known = facts(instance)
    return known.largest * known.phi * known.high / known.low


def _assigned(instance: MakespanInstance) -> Fraction:
    known = facts(instance)
    return _waiting(known) * known.largest * known.high / known.low


def _listed(instance: MakespanInstance) -> Fraction:
    return facts(instance).phi * _waiting(facts(instance))


def _inside(instance: MakespanInstance) -> Fraction:
    sizes = [server.gpus for server in instance.cluster.servers]
    gpus = {job.gpus for job in instance.jobs}
    held = {w: sum(max(w, size - w + 1) for size in sizes) for w in gpus}
    return 1 + max(Fraction(sum(sizes) - w, held[w]) for w in gpus)


def _longest(instance: MakespanInstance) -> Fraction:
    return Fraction(4, 3) - Fraction(1, 3 * facts(instance).gpus)


def _waiting(known: Facts) -> Fraction:
    """Return what it costs at most that jobs start only where they did not fit before."""
    return 2 - Fraction(1, known.gpus - known.smallest + 1)


GUARANTEES: tuple[Guarantee, ...] = (
    Guarantee(
        name="theorem-5",
        statement="n_g phi u/l",
        source=f"{_PAPER}, Theorem 5, as printed",
        proved=False,
        hypotheses=(*_GANGS, PRINTED),
        factor=_printed,
    ),
    Guarantee(
        name="assign-then-dispatch",
        statement="n_g u/l (2 - 1/(N - w + 1)); w the least w_j",
        source=f"ours, after {_PAPER}, Theorem 5",
        proved=True,
        hypotheses=_GANGS,
        factor=_assigned,
    ),
    Guarantee(
        name="ascending",
        statement="phi (2 - 1/(N - w + 1)); w the least w_j",
        source="ours, after Garey and Graham 1975",
        proved=True,
        hypotheses=(*_GANGS, UNLIMITED, IN_TURN),
        factor=_listed,
    ),
    Guarantee(
        name="any-order",
        statement="phi (2 - 1/(N - w + 1)); w the least w_j",
        source="Garey and Graham 1975; with releases Naroska and Schwiegelshohn 2002",
        proved=True,
        hypotheses=(SLOTTED, MOVING, ANYWHERE),
        factor=_listed,
    ),
    Guarantee(
        name="widest-inside",
        statement="1 + (N - w_j)/sum max(w_j, O_s + 1 - w_j) < 3",
        source="ours, after Graham 1966",
        proved=True,
        hypotheses=(OFFLINE, SLOTTED, FITTING, ANYWHERE),
        factor=_inside,
    ),
    Guarantee(
        name="longest-first",
        statement="4/3 - 1/(3 N)",
        source="Graham 1969",
        proved=True,
        hypotheses=(*_GANGS, UNLIMITED, IN_TURN, SINGLE, LONGEST),
        factor=_longest,
    ),
    Guarantee(
        name="optimal",
        statement="1",
        source="a complete search",
        proved=True,
        hypotheses=(SLOTTED,),
        factor=best,
    ),
    Guarantee(
        name="optimal-by-solver",
        statement="1",
        source="the word of a solver, which computes in floating point",
        proved=False,
        hypotheses=(SLOTTED,),
        factor=best,
    ),
    *ROUNDINGS,
    *ONLINE,
    *RESERVED,
    *TRACE,
    *RENTED,
    *TRANSFERRED,
    *CODED,
    *SHUFFLED,
)
"""In the order in which `ringyard list guarantees` shows them."""


_BASELINE = ("ascending", "longest-first")
_EXACT = ("optimal",)
_BY_SOLVER = ("optimal-by-solver",)
_WIDTHS = ("fixed-width", "two-widths")
_ORDERS = ("shortest-transfer-first", "longest-last")

_CARRIED_BY: dict[str, tuple[str, ...]] = {
    "sjf-bco": ("theorem-5", *_BASELINE),
    "sjf-bco-proved": ("assign-then-dispatch", "longest-first"),
    "first-fit": _BASELINE,
    "list-scheduling": _BASELINE,
    "random": _BASELINE,
    "gang-lpt": ("any-order", "widest-inside", "longest-first"),
    "enumeration": _EXACT,
    "branch-and-bound": _EXACT,
    "cp-sat": _EXACT,
    "nonconvex": _BY_SOLVER,
    "disjunctive-bigm": _BY_SOLVER,
    "disjunctive-hull": _BY_SOLVER,
    "linearised": _BY_SOLVER,
    "patterns": _BY_SOLVER,
    "offline": _BY_SOLVER,
    **BY_ROUNDING,
    "pd-ors": ("competitive-printed",),
    "pd-ors-corrected": ("competitive",),
    "oasis": ("two-alpha", "two-alpha-printed"),
    "gadget": ("slot-by-slot",),
    "srtf": ("least-left-first",),
    "srsf": ("least-left-first",),
    "state-search": _EXACT,
    "tickwise": _BY_SOLVER,
    "boa": _WIDTHS,
    "shortest-first": ("shortest-transfer-first",),
    "mlfabric-order": _ORDERS,
    "mlfabric-aggregate": _ORDERS,
    "mlfabric": _ORDERS,
    "mds": ("mds-bound",),
    "exact": _EXACT,
    "greedy-cover": ("concerned",),
    "subsets": ("concerned", "padding"),
    "uncoded": ("log-n",),
}


GROUP = "ringyard.theorems"
"""Entry points of this group are theorems of other packages: a `Guarantee` each."""


def guarantees_of(method: str, asked: Iterable[Guarantee] = GUARANTEES) -> tuple[Guarantee, ...]:
    """Return the theorems about a method; options behind its name change only hypotheses."""
    own = method.partition(":")[0]
    known = _CARRIED_BY.get(own, ())
    about = [one for one in asked if one.name in known or {own, method} & {*one.methods}]
    return tuple(sorted(about, key=lambda one: [*known, one.name].index(one.name)))


def methods_with(guarantee: Guarantee) -> list[str]:
    """Return the names of the methods that a theorem speaks of."""
    own = [method for method, names in _CARRIED_BY.items() if guarantee.name in names]
    return [*guarantee.methods, *own]


def find_guarantee(name: str) -> Guarantee:
    """Return a theorem by name."""
    known = {guarantee.name: guarantee for guarantee in GUARANTEES}
    if name in known:
        return known[name]
    if name in named(GROUP):
        return outside_guarantee(named(GROUP)[name])
    names, hint = [*known, *named(GROUP)], "see `ringyard list guarantees`"
    raise InputError("--theorem", [unknown("theorem", name, names, hint, "a name of a theorem")])


def outside_guarantee(one: Brought) -> Guarantee:
    """Return a theorem of another package; none of our pages proves it."""
    found: Guarantee = one.load(Guarantee)
    needs = (
        replace(part, unmet=one.guard(part.unmet, (str, type(None)))) for part in found.hypotheses
    )
    return replace(
        found,
        name=one.name,
        source=f"{one.source}; {found.source}",
        proved=False,
        hypotheses=tuple(needs),
        factor=one.guard(found.factor, (Fraction, int)),
    )
