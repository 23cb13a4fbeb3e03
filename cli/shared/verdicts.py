"""Verdicts and certificates in commands: as text, as keys of a JSON object, and as files.

`Answer` in `run.py` decides the status of an answer, such as `optimal (certified)`.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...analysis.check.judge import AnyVerdict
from ...families.family import Family
from ...families.registry import family_of
from ...instances import Bound, BoundKind, Instance
from ...instances.certificate import certificate_bytes, certificate_text
from ...instances.errors import plural
from ...instances.reading.encode import as_number, exact_text
from .options import write
from .output import cell, note, say, timed, valued

if TYPE_CHECKING:
    from ...analysis.check.certificates.checking import CertificateVerdict
    from ...analysis.check.certificates.reading import Certificate


MOST_SHOWN = 20
"""Most violations listed as text."""


def verdict_row(family: Family, verdict: AnyVerdict) -> dict[str, Any]:
    """Return a verdict as the keys of a JSON object."""
    from ...run import violation_rows

    return {
        "valid": verdict.valid,
        "objective": as_number(verdict.objective),
        "objective_exact": exact_text(verdict.objective),
        **family.verdict_texts.parts(verdict),
        "violations": violation_rows(verdict),
    }


def exact_texts(values: Mapping[str, Fraction]) -> dict[str, str | None]:
    """Return exact values by name as text."""
    return {name: exact_text(value) for name, value in values.items()}


def print_verdict(
    family: Family, verdict: AnyVerdict, *, listed: bool = True, invalid: str = "INVALID"
) -> None:
    """Print the judge's verdict, with the violations if `listed`, or else their number."""
    count, shown = len(verdict.violations), MOST_SHOWN if listed else 0
    elsewhere = "" if listed else " here (--json lists them)"
    words = f"{invalid}: {plural(count, 'violation')}{elsewhere}"
    say("valid" if verdict.valid else words)
    for violation in verdict.violations[:shown]:
        say(f"  {violation.rule} at {violation.where} by {cell(violation.amount)}")
    if listed and count > shown:
        say(f"  ... and {count - shown} more (--json lists all)")
    rest = family.verdict_texts.rest(verdict)
    say(f"{family.objective} {valued(family, verdict.objective)}{rest}")


def write_certificate(
    instance: Instance, bounds: Sequence[Bound], path: Path, metric: str = ""
) -> Bound | None:
    """Write the certificate of the best bound that has one, and report if a bound is better.

    The bound of a search is written only if no other bound is as good and the checker verifies it.
    """
    family = family_of(instance)
    maximize = family.maximize and not metric
    sign = 1 if maximize else -1
    ordered = sorted(bounds, key=lambda one: (sign * one.value, one.kind is BoundKind.SEARCHED))
    best = ordered[0]
    found = next((one for one in ordered if one.proof and _followed(instance, one)), None)
    if found is None:
        note(f"no certificate is written, because {best.name} has no certificate")
        return None
    if found.value != best.value:
        note(f"{best.name} has no certificate. The best bound with a certificate is {found.name}.")
    write(path, certificate_bytes(instance, found, maximize, path, metric))
    return found


def _followed(instance: Instance, bound: Bound) -> bool:
    """Return True if the proof of a bound can be checked. Proofs of searches are tried."""
    if bound.kind is not BoundKind.SEARCHED:
        return True
    from ...analysis.check.certificates.checking import check_certificate
    from ...analysis.check.certificates.reading import read_certificate

    text = certificate_text(instance, bound, family_of(instance).maximize)
    refused = check_certificate(instance, read_certificate(text, bound.name)).refused
    if refused is not None:
        note(f"the proof of {bound.name} cannot be checked: {refused.why}")
    return refused is None


def certificate_row(certificate: "Certificate", verdict: "CertificateVerdict") -> dict[str, Any]:
    """Return the claim and the verdict of a certificate as the keys of a JSON object."""
    refused = verdict.refused
    return {
        "accepted": verdict.accepted,
        **({"metric": certificate.metric} if certificate.metric else {}),
        "side": _side(certificate).replace(" ", "_"),
        "claim": as_number(certificate.claim),
        "claim_exact": exact_text(certificate.claim),
        "steps": [
            {"line": step.line, "rule": step.rule, "follows": as_number(value)}
            for step, value in zip(certificate.steps, verdict.follows, strict=False)
        ],
        "refused": refused and {"line": refused.line, "rule": refused.rule, "why": refused.why},
    }


def print_certificate(
    instance: Instance, certificate: "Certificate", verdict: "CertificateVerdict"
) -> None:
    """Print if a certificate is accepted, and where it fails."""
    family, refused = family_of(instance), verdict.refused
    if refused is not None:
        rule = f", {refused.rule}" if refused.rule else ""
        say(f"REFUSED at line {refused.line}{rule}: {refused.why}")
        return
    say(f"accepted: {bounded(family, certificate.metric, _side(certificate), certificate.claim)}")
    for step, value in zip(certificate.steps, verdict.follows, strict=True):
        say(f"  line {step.line}, {step.rule}: {_side(certificate)} {cell(value)}")


def bounded(family: Family, metric: str, side: str, value: Fraction) -> str:
    """Return a bound on the objective, or on a metric, as a sentence without its end."""
    if not metric:
        return f"{family.objective} {side} {valued(family, value)}"
    unit = family.bounded[metric].unit
    return f"{metric} {side} {timed(value, cell(value), unit) if unit else cell(value)}"


def _side(certificate: "Certificate") -> str:
    return "at most" if certificate.maximize else "at least"


def print_certified(family: Family, bound: Bound, path: Path) -> None:
    """Report that a searched bound is now certified."""
    side = "at most" if family.maximize else "at least"
    say(f"  certified {side} {cell(bound.value)} ({bound.rules}), in {path}")


def met(certificate: "Certificate", value: Fraction) -> str:
    """Return the joint conclusion of a valid schedule and an accepted certificate."""
    if value == certificate.claim:
        return "optimal: schedule and certificate meet"
    beyond = value > certificate.claim if certificate.maximize else value < certificate.claim
    if beyond:
        return (
            "CONTRADICTION: the schedule is better than the certificate allows. Please report it."
        )
    gap = abs(value - certificate.claim) / max(value, certificate.claim)
    return f"not proved optimal: {100 * float(gap):.2f} % between schedule and certificate"
