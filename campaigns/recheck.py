"""Schedules and certificates beside the rows of a campaign: checked in a run, and checked again."""

import time
from collections.abc import Iterator

from ..analysis.check.certificates.checking import check_certificate
from ..analysis.check.certificates.reading import read_certificate
from ..analysis.check.judge import check
from ..analysis.rows import ACCEPTED, REFUSED, Row
from ..analysis.sources import Sources
from ..families.registry import family_of
from ..instances import Bound, BoundEvidence, InputError, Instance, digest
from ..instances.certificate import certificate_text
from ..instances.errors import plural
from ..instances.reading.encode import as_number
from .runs import Columns
from .store import Store, kept_text

UNFOLLOWED = "not followed"
"""What the checker does not follow of a search, which is no fault: it tries for a while only."""


def certified(instance: Instance, bound: Bound) -> tuple[Columns, str | None]:
    """Return what the checker says of a bound that has steps, and the certificate if it is good."""
    text = certificate_text(instance, bound, family_of(instance).maximize)
    began = time.perf_counter()
    refused = check_certificate(instance, read_certificate(text, bound.name)).refused
    seconds: Columns = {"seconds_certificate": round(time.perf_counter() - began, 6)}
    if refused is None:
        return {"certificate": bound.rules, "checked": ACCEPTED, **seconds}, text
    word = UNFOLLOWED if bound.evidence is BoundEvidence.SEARCHED else REFUSED
    return {"checked": f"{word}, line {refused.line}: {refused.why}", **seconds}, None


def certificate_faults(row: Row, store: Store) -> Iterator[str]:
    """Say why a row whose certificate was accepted does not hold now."""
    if row["checked"] != ACCEPTED:
        return
    path = store.certificate_file(row["key"])
    try:
        instance = store.instance(row["digest"])
        certificate = read_certificate(kept_text(path), str(path))
    except InputError as error:
        yield f"its certificate: {error.source}: {error.problems[0]}"
        return
    refused = check_certificate(instance, certificate).refused
    claim = as_number(certificate.claim)
    if refused is not None:
        yield f"its certificate is refused at line {refused.line}: {refused.why}"
    elif claim is None or float(claim) != row["bound"]:
        yield f"its certificate claims {claim}, and the row {row['bound']}"


def title(row: Row) -> str:
    """Name a row to people."""
    again = f", repetition {row['repetition']}" if row["repetition"] else ""
    return f"{row['method']} on {row['instance']}, seed {row['seed']}{again}"


def faults(row: Row, sources: Sources) -> Iterator[str]:
    """Say where a row and the judge disagree; nothing is taken from the row but its claims."""
    what = title(row)
    if row["valid"] and not row["schedule"]:
        yield f"{what}: a value of {row['objective']} without a schedule"
    if not row["schedule"]:
        return
    try:
        instance, schedule = sources.read(row)
    except InputError as error:
        yield f"{what}: {error.source}: {error.problems[0]}"
        return
    if digest(instance) != row["digest"] or schedule.digest not in ("", row["digest"]):
        yield f"{what}: instance, schedule and row are not about the same"
    verdict = check(instance, schedule)
    value = as_number(verdict.objective)
    if verdict.violations and not row["violations"]:
        first = verdict.violations[0]
        yield f"{what}: the judge rejects it: {first.rule}: {first.where}"
    elif verdict.valid and not row["valid"]:
        yield f"{what}: the judge says that it is valid, the row that it is not"
    elif len(verdict.violations) != row["violations"]:
        count, said = len(verdict.violations), row["violations"]
        yield f"{what}: the judge finds {plural(count, 'violation')}, the row says {said:,}"
    elif row["objective"] != (None if value is None else float(value)):
        yield f"{what}: the judge says {value}, the row {row['objective']}"
