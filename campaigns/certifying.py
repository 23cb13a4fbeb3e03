"""Certificates of the named instances: proved, written, checked and kept.

| place | holds |
|---|---|
| `rows/NAME.json` | the result of an instance, written after the files that it names |
| `certificates/NAME.jsonl.gz` | its certificate |
"""

import json
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from fractions import Fraction
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from ..analysis.check.certificates.checking import check_certificate
from ..analysis.check.certificates.reading import read_certificate
from ..analysis.rows import by_key
from ..analysis.tables.model import Cell, Table, numbers, texts
from ..families.family import Family
from ..families.registry import FAMILIES, family_of
from ..instances import Bound, BoundKind, InputError, Instance, Limits, MissingError, RefusedError
from ..instances.catalogue import Entry, load, meet
from ..instances.certificate import certificate_bytes, certificate_text, searched_steps
from ..instances.errors import plural
from ..instances.outcome import now
from ..instances.reading.decode import read_bytes, read_text
from ..instances.reading.vocabulary import held
from ..instances.writing import write_whole
from ..version import __version__
from .code_digest import code_of_modules

ROWS, CERTIFICATES = "rows", "certificates"


class ClaimReach(StrEnum):
    """The strength of a certificate's claim."""

    OPTIMUM = "optimum"
    """The best schedule on record is optimal, by its certificate."""
    RECORD = "record"
    """At least the best bound on record, if no schedule meets that bound."""
    LESS = "less"
    """Less is claimed than is on record."""
    NONE = "none"
    """There is no certificate, or it was refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CertifiedInstance:
    """The result of certifying one instance, with exact values as texts."""

    instance: str
    digest: str
    family: str
    version: str = __version__
    code: str = ""
    """Digest of the Ringyard code that made it."""
    time_limit: float
    best: str | None
    """The best value on record."""
    record: str | None
    """The best bound on record."""
    claim: str | None = None
    bound: str = ""
    """The name of the bound that is claimed."""
    rules: tuple[str, ...] = ()
    accepted: bool = False
    why: str = ""
    """Why there is no certificate, or none of the best bound on record, or why it is refused."""
    size: int = 0
    """Bytes of the file, packed."""
    sealed: str = ""
    """Digest of the file."""
    made_s: float = 0.0
    """Seconds by the clock."""
    checked_s: float = 0.0
    """Seconds of the processor."""

    @property
    def refused(self) -> bool:
        """True if the checker rejected it."""
        return self.claim is not None and not self.accepted

    @property
    def reach(self) -> ClaimReach:
        """The strength of the claim."""
        if self.claim is None or not self.accepted:
            return ClaimReach.NONE
        claim, most = Fraction(self.claim), FAMILIES[self.family].maximize
        if self.best is not None and meet(Fraction(self.best), claim):
            return ClaimReach.OPTIMUM
        if self.record is None or not weaker(claim, Fraction(self.record), most):
            return ClaimReach.RECORD
        return ClaimReach.LESS


def weaker(claim: Fraction, record: Fraction, maximize: bool) -> bool:
    """Return True if a bound is weaker than another, by more than rounding."""
    return not meet(claim, record) and (claim > record if maximize else claim < record)


def kept(folder: Path, entry: Entry, time_limit: float) -> CertifiedInstance | None:
    """Return an earlier result of an instance, if it is of the same question and whole."""
    try:
        row = _row(json.loads(read_bytes(folder / ROWS / f"{entry.name}.json", regular=True)))
        asked = row.instance, row.digest, row.code, row.time_limit
        if asked != (entry.name, entry.digest, code_for(entry.kind), time_limit):
            return None
        whole = not row.size or seal(certificate_path(folder, entry.name)) == row.sealed
        return row if whole else None
    except (InputError, ValueError, TypeError, RecursionError):
        return None


def code_for(kind: str) -> str:
    """Return a digest of the code that makes and checks certificates of a family's bounds."""
    family = FAMILIES[kind]
    own = (held(family, name) for name in ("bounds", "slow_bounds", "all_bounds", "proofs"))
    return code_of_modules(".campaigns.certifying", *filter(None, own)).digest


def _row(values: Any) -> CertifiedInstance:
    return CertifiedInstance(**{**values, "rules": tuple(values["rules"])})


def keep(folder: Path, row: CertifiedInstance) -> None:
    """Write the result of an instance whose certificate is stored."""
    path = folder / ROWS / f"{row.instance}.json"
    write_whole(path, (json.dumps(asdict(row), indent=2) + "\n").encode(), own=True)


def certificate_path(folder: Path, name: str) -> Path:
    """Return the path of an instance's certificate."""
    return folder / CERTIFICATES / f"{name}.jsonl.gz"


def seal(path: Path) -> str:
    """Return the digest of a file."""
    return sha256(read_bytes(path, regular=True)).hexdigest()


ARGUED = "argued"
"""The word of the catalogue for a value that the notes of an instance prove."""


def certify(entry: Entry, time_limit: float, folder: Path) -> CertifiedInstance:
    """Certify the best bound that has a proof, and return the result.

    The check reads the certificate back from its file, as any later check does.
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
    """Check the file, and return the strength of its claim."""
    began = time.process_time()
    certificate = read_certificate(read_text(path, regular=True), str(path))
    verdict = check_certificate(instance, certificate)
    seconds = round(time.process_time() - began, 3)
    row = replace(row, claim=str(certificate.claim), accepted=verdict.accepted, checked_s=seconds)
    if verdict.refused is not None:
        return replace(row, why=f"REFUSED at line {verdict.refused.line}: {verdict.refused.why}")
    return replace(row, why=_less(certificate.claim, certificate.maximize, entry, found))


def _less(claim: Fraction, maximize: bool, entry: Entry, found: list[Bound]) -> str:
    """Return the reason for a claim below the record, or an empty text."""
    if not entry.lower or not weaker(claim, entry.lower[0].value, maximize):
        return ""
    record = entry.lower[0]
    as_good = [one for one in found if not weaker(one.value, record.value, maximize)]
    if any(one.kind is not BoundKind.SEARCHED for one in as_good):
        return "the bound has no rule"
    if as_good:
        return f"by {as_good[0].name}, a search without a log"
    reasons = {
        BoundKind.SEARCHED.value: f"by {record.method}, a search without a log",
        ARGUED: "by an argument in the notes of the instance",
    }
    return reasons.get(record.certificate, f"by {record.method}, not found within the limit")


MINUTE = 60.0

SEEN = 0.1
"""Minimum seconds of a check for meaningful times."""

Rows = Sequence[CertifiedInstance]

_MEASURES = (
    *numbers("all", "most", over="bytes"),
    *numbers("all", over="s to make", digits=1),
    *numbers("all", "most", over="s to check", digits=1),
)


def by_family(rows: Rows) -> Table:
    """Return the strength of certificates by family, with a line for all."""
    groups = [*sorted(by_key(rows, lambda row: (row.family,)).items()), (("all",), rows)]
    return Table(
        caption="Certificates of named instances",
        columns=(
            *texts("family"),
            *numbers("instances"),
            *numbers("the optimum", "the bound on record", "less", over="proved"),
            *numbers("none", over="proved"),
            *_MEASURES,
        ),
        rows=tuple((*key, *_reached(own), *_measured(own)) for key, own in groups),
    )


def by_rule(rows: Rows) -> Table:
    """Return the rules that prove the claims."""
    proved = [row for row in rows if row.accepted]
    groups = by_key(proved, lambda row: (row.family, ", ".join(row.rules)))
    return Table(
        caption="Rules of certificates",
        columns=(*texts("family", "rule"), *numbers("certificates"), *_MEASURES),
        rows=tuple((*key, len(own), *_measured(own)) for key, own in sorted(groups.items())),
    )


def lacking(rows: Rows) -> Table:
    """Return the instances that are not proved as far as on record, and why."""
    short = [row for row in rows if row.reach in (ClaimReach.LESS, ClaimReach.NONE)]
    return Table(
        caption="Recorded bounds without a certificate",
        columns=texts("family", "why", "instances"),
        rows=tuple(
            (*key, ", ".join(row.instance for row in own))
            for key, own in sorted(by_key(short, lambda row: (row.family, row.why)).items())
        ),
    )


def sentences(rows: Rows) -> tuple[str, ...]:
    """Return sentences on how many certificates there are, and the largest of them."""
    proved = [row for row in rows if row.accepted]
    limits = ", ".join(f"{limit:g}" for limit in sorted({row.time_limit for row in rows}))
    optima = sum(row.reach is ClaimReach.OPTIMUM for row in rows)
    refused = sum(row.refused for row in rows)
    lines = [
        f"{plural(len(rows), 'instance')}, at most {limits} s each for bounds: "
        f"{plural(len(proved), 'certificate')} accepted, {refused} refused. {optima} prove that "
        "the best recorded schedule is optimal."
    ]
    quick = [row for row in proved if row.checked_s <= MINUTE]
    if quick:
        largest = max(quick, key=lambda row: row.size)
        lines.append(f"Largest certificate checked within 1 minute: {_about(largest)}.")
        slowest = max(proved, key=lambda row: row.checked_s)
        lines.append(f"Slowest check: {_about(slowest)}.")
    long = [
        row
        for row in proved
        if row.reach is ClaimReach.OPTIMUM and row.checked_s >= SEEN and row.made_s
        if not {FAMILIES[row.family].tries} & {*row.rules}
    ]
    if long:
        most = max(long, key=lambda row: row.checked_s / row.made_s)
        lines.append(
            "Optima proved by bounds: the largest ratio of check time to bound time is "
            f"{most.checked_s / most.made_s:.2f}, on {most.instance} (checks under {SEEN:g} s "
            "ignored)."
        )
    return tuple(lines)


def _about(row: CertifiedInstance) -> str:
    return f"{row.instance}, {row.size:,} bytes packed, {row.checked_s:.1f} s"


def _reached(rows: Rows) -> tuple[Cell, ...]:
    reach = Counter(row.reach for row in rows)
    return len(rows), *(reach[one] for one in ClaimReach)


def _measured(rows: Rows) -> tuple[Cell, ...]:
    sizes, checked = [row.size for row in rows], [row.checked_s for row in rows]
    made = sum(row.made_s for row in rows)
    return sum(sizes), max(sizes), made, sum(checked), max(checked)
