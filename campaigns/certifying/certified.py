"""What came of the certificate of a named instance, and the folder in which this is kept.

| place | holds |
|---|---|
| `rows/NAME.json` | what came of an instance; written last, so what it says is there |
| `certificates/NAME.jsonl.gz` | its certificate |
"""

import json
from dataclasses import asdict, dataclass
from enum import StrEnum
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any

from ...families import FAMILIES
from ...families.late import held
from ...instances import InputError
from ...instances.catalogue import Entry, meet
from ...instances.reading.parse import read_bytes
from ...instances.writing import write_whole
from ...version import __version__
from ..code_digest import code_of_modules

ROWS, CERTIFICATES = "rows", "certificates"


class ClaimReach(StrEnum):
    """How far the claim of a certificate goes."""

    OPTIMUM = "optimum"
    """The best schedule on record is optimal, by its certificate."""
    RECORD = "record"
    """As far as the best bound on record, which no schedule meets, or further."""
    LESS = "less"
    """Less is claimed than is on record."""
    NONE = "none"
    """There is no certificate, or it was refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CertifiedInstance:
    """What came of the certificate of one instance; values are exact, as texts."""

    instance: str
    digest: str
    family: str
    version: str = __version__
    code: str = ""
    """A digest of the code of ours that made it."""
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
        """Whether the checker said no."""
        return self.claim is not None and not self.accepted

    @property
    def reach(self) -> ClaimReach:
        """How far the claim goes."""
        if self.claim is None or not self.accepted:
            return ClaimReach.NONE
        claim, most = Fraction(self.claim), FAMILIES[self.family].maximize
        if self.best is not None and meet(Fraction(self.best), claim):
            return ClaimReach.OPTIMUM
        if self.record is None or not weaker(claim, Fraction(self.record), most):
            return ClaimReach.RECORD
        return ClaimReach.LESS


def weaker(claim: Fraction, record: Fraction, maximize: bool) -> bool:
    """Say whether a bound is weaker than another, by more than rounding."""
    return not meet(claim, record) and (claim > record if maximize else claim < record)


def kept(folder: Path, entry: Entry, time_limit: float) -> CertifiedInstance | None:
    """Return what came of an instance before, if that was the same question and is whole."""
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
    return code_of_modules(".campaigns.certifying.certify", *filter(None, own)).digest


def _row(values: Any) -> CertifiedInstance:
    return CertifiedInstance(**{**values, "rules": tuple(values["rules"])})


def keep(folder: Path, row: CertifiedInstance) -> None:
    """Write down what came of an instance, whose certificate is there."""
    path = folder / ROWS / f"{row.instance}.json"
    write_whole(path, (json.dumps(asdict(row), indent=2) + "\n").encode(), own=True)


def certificate_path(folder: Path, name: str) -> Path:
    """Return where the certificate of an instance lies."""
    return folder / CERTIFICATES / f"{name}.jsonl.gz"


def seal(path: Path) -> str:
    """Return the digest of a file."""
    return sha256(read_bytes(path, regular=True)).hexdigest()
