"""The certificate of one named instance: its bounds computed, the proof written and checked."""

import time
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path

from ...analysis.check.certificates.checking import check_certificate
from ...analysis.check.certificates.reading import read_certificate
from ...families import Family, family_of
from ...instances import Bound, BoundKind, Instance, Limits, MissingError, RefusedError
from ...instances.catalogue import Entry, load, meet
from ...instances.certificate import certificate_bytes, certificate_text, searched_steps
from ...instances.clock import now
from ...instances.reading.parse import read_text
from ...instances.writing import write_whole
from .certified import CertifiedInstance, certificate_path, code_for, seal, weaker

ARGUED = "argued"
"""What the catalogue says of a value that the notes of an instance prove."""


def certify(entry: Entry, time_limit: float, folder: Path) -> CertifiedInstance:
    """Certify the best bound that has a proof, and say what became of it.

    The certificate is read back from its file, so what is checked is what anybody may check.
    """
    instance = load(entry.name)
    family, began = family_of(instance), now()
    best = entry.upper[0].value if entry.upper else None
    row = CertifiedInstance(
        instance=entry.name,
        digest=entry.digest,
        family=family.kind,
        code=code_for(family.kind),
        time_limit=time_limit,
        best=None if best is None else str(best),
        record=str(entry.lower[0].value) if entry.lower else None,
    )
    try:
        found = _bounds(family, instance, Limits(time_s=time_limit), best)
    except (RefusedError, MissingError) as error:
        return replace(row, why=str(error), made_s=_since(began))
    found += _searched(family, instance, entry, found)
    proved = _tightest(family, [bound for bound in found if bound.proof])
    if proved is None or proved.proof is None:
        return replace(row, why=_missing(found), made_s=_since(began))
    path = certificate_path(folder, entry.name)
    write_whole(path, certificate_bytes(instance, proved, family.maximize, path), own=True)
    row = replace(
        row,
        bound=proved.name,
        rules=tuple(dict.fromkeys(step["rule"] for step in proved.proof)),
        size=path.stat().st_size,
        sealed=seal(path),
        made_s=_since(began),
    )
    return _checked(row, instance, entry, found, path)


def _bounds(
    family: Family, instance: Instance, limits: Limits, best: Fraction | None
) -> list[Bound]:
    """Return bounds, until one with a proof meets the best value or the time is over."""
    found = [*family.bounds(instance, limits)]
    for ask in (partial(family.asked, best=best), family.beyond):
        met = (meet(one.value, best) for one in found if one.proof and best is not None)
        if limits.over() or any(met):
            break
        found += ask(instance, limits).found
    return found


def _tightest(family: Family, bounds: list[Bound]) -> Bound | None:
    tightest = min if family.maximize else max
    return tightest(bounds, key=lambda bound: bound.value, default=None)


def _since(moment: float) -> float:
    return round(now() - moment, 3)


def _missing(found: list[Bound]) -> str:
    names = ", ".join(dict.fromkeys(bound.name for bound in found))
    return f"no proof of {names}" if names else "no bound"


def _searched(family: Family, instance: Instance, entry: Entry, found: list[Bound]) -> list[Bound]:
    """Return the bound on record if no other is as good and the checker can search by itself."""
    record = entry.lower[0] if entry.lower else None
    if record is None or record.certificate not in (BoundKind.SEARCHED.value, ARGUED):
        return []
    others = (bound.value for bound in found if bound.proof)
    if not family.tries or not all(
        weaker(value, record.value, family.maximize) for value in others
    ):
        return []
    steps = searched_steps(family.tries, record.value)
    bound = Bound(
        value=record.value, kind=BoundKind.SEARCHED, name=record.method, argument="", proof=steps
    )
    text = certificate_text(instance, bound, family.maximize)
    verdict = check_certificate(instance, read_certificate(text, bound.name))
    return [bound] if verdict.accepted else []


def _checked(
    row: CertifiedInstance, instance: Instance, entry: Entry, found: list[Bound], path: Path
) -> CertifiedInstance:
    """Have the checker read the file, and say how far that goes."""
    began = time.process_time()
    certificate = read_certificate(read_text(path, regular=True), str(path))
    verdict = check_certificate(instance, certificate)
    seconds = round(time.process_time() - began, 3)
    row = replace(row, claim=str(certificate.claim), accepted=verdict.accepted, checked_s=seconds)
    if verdict.refused is not None:
        return replace(row, why=f"REFUSED at line {verdict.refused.line}: {verdict.refused.why}")
    return replace(row, why=_less(certificate.claim, certificate.maximize, entry, found))


def _less(claim: Fraction, maximize: bool, entry: Entry, found: list[Bound]) -> str:
    """Say why less is claimed than is on record; nothing if it is not less."""
    if not entry.lower or not weaker(claim, entry.lower[0].value, maximize):
        return ""
    record = entry.lower[0]
    as_good = [one for one in found if not weaker(one.value, record.value, maximize)]
    if any(one.kind is not BoundKind.SEARCHED for one in as_good):
        return "the bound has no rule"
    if as_good:
        return f"by {as_good[0].name}, a search that keeps no log"
    reasons = {
        BoundKind.SEARCHED.value: f"by {record.method}, a search that keeps no log",
        ARGUED: "by an argument in the notes of the instance",
    }
    return reasons.get(record.certificate, f"by {record.method}, not found within the limit")
