"""What a user's method proves, and what it only claims: the runner shows claims as such."""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from math import isfinite

from ..families import family_of
from ..instances import Bound, Instance, Outcome, SolutionStatus
from ..instances.certificate import certificate_text
from ..instances.errors import InputError, MethodError, shorten
from ..instances.reading.encode import as_number
from ..instances.short import cut


def proved_part(
    method: str, instance: Instance, outcome: Outcome, first: Bound
) -> tuple[Outcome, Outcome | None]:
    """Return what an outcome of a user's method proves, and the outcome itself if it claims more.

    A bound is proved if it is no tighter than the `first` one, or if the checker of certificates
    follows its steps. Nothing can prove that there is no schedule.
    """
    bound = None if outcome.bound is None else _understood(method, outcome.bound)
    if bound is not None and not family_of(instance).better(first.value, bound.value):
        bound = None
    whole = replace(outcome, bound=bound)
    told = list(_claims(instance, whole))
    if not told:
        return whole, None
    status = SolutionStatus.NOTHING if outcome.schedule is None else SolutionStatus.FEASIBLE
    note = f"it claims {' and '.join(told)}, which nothing proves"
    note = "; ".join(filter(None, (note, outcome.note)))
    return replace(outcome, bound=None, status=status, note=note), whole


def _understood(method: str, bound: Bound) -> Bound:
    """Return a bound with an exact value."""
    value = getattr(bound, "value", None)
    if not isinstance(value, int | float | Decimal | Fraction) or not isfinite(value):
        found = shorten(bound if value is None else value)
        raise MethodError(f"{method} gave the bound {found}; expected a Bound with a finite value")
    return replace(bound, value=Fraction(value))


def _claims(instance: Instance, outcome: Outcome) -> Iterator[str]:
    bound = outcome.bound
    if bound is not None and not _followed(instance, bound):
        yield f"a bound of {as_number(bound.value)} ({cut(str(bound.argument))})"
    if outcome.status is SolutionStatus.INFEASIBLE and outcome.schedule is None:
        yield "that there is no schedule"


def _followed(instance: Instance, bound: Bound) -> bool:
    """Return True if the checker accepts the certificate of a bound."""
    if not bound.proof:
        return False
    from .check.certificates.checking import check_certificate
    from .check.certificates.reading import read_certificate

    try:
        text = certificate_text(instance, bound, family_of(instance).maximize)
        return check_certificate(instance, read_certificate(text, bound.name)).accepted
    except (InputError, TypeError, ValueError):  # Its steps are no steps.
        return False
