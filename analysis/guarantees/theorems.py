"""Every theorem that a run is checked against: those that the records of families name."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from ...extensions.entry_points import Brought, named
from ...families import FAMILIES, Family
from ...instances.errors import InputError, unknown
from .guarantee import Guarantee

GROUP = "ringyard.theorems"
"""Entry points of this group are theorems of other packages: a `Guarantee` each."""


def all_guarantees() -> tuple[Guarantee, ...]:
    """Return the theorems of all families; one that several share speaks of the methods of all."""
    return _joined(tuple(FAMILIES.values()))


@lru_cache(maxsize=8)
def _joined(families: tuple[Family, ...]) -> tuple[Guarantee, ...]:
    found: dict[str, Guarantee] = {}
    for one in (theorem for family in families for theorem in family.theorems):
        known = found.get(one.name)
        methods = one.methods if known is None else (*known.methods, *one.methods)
        found[one.name] = replace(known or one, methods=methods)
    return tuple(found.values())


def guarantees_of(method: str, asked: Sequence[Guarantee] | None = None) -> tuple[Guarantee, ...]:
    """Return the theorems about a method; options behind its name change only hypotheses."""
    names = {method.partition(":")[0], method}
    asked = all_guarantees() if asked is None else asked
    return tuple(one for one in asked if names & {*one.methods})


def find_guarantee(name: str) -> Guarantee:
    """Return a theorem by name."""
    known = {guarantee.name: guarantee for guarantee in all_guarantees()}
    if name in known:
        return known[name]
    if name in named(GROUP):
        return extension_guarantee(named(GROUP)[name])
    names, hint = [*known, *named(GROUP)], "see `ringyard list guarantees`"
    raise InputError("--theorem", [unknown("theorem", name, names, hint, "a name of a theorem")])


def extension_guarantee(one: Brought) -> Guarantee:
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
