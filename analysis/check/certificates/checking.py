"""Whether a claim follows from the steps of a certificate."""

from dataclasses import dataclass
from fractions import Fraction

from ....families import family_of
from ....instances.errors import shorten
from ....instances.reading.encode import digest, exact_text, fraction_text
from ....instances.reading.vocabulary import Instance
from .reading import Certificate
from .steps import ProofStep, StepError


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """The first line from which nothing follows, and why; `rule` is empty for the claim."""

    line: int
    rule: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CertificateVerdict:
    """What follows from each step, as far as the steps hold, and what is refused, if anything."""

    follows: tuple[Fraction, ...]
    refused: Refusal | None

    @property
    def accepted(self) -> bool:
        """Say whether the claim is proved."""
        return self.refused is None


def check_certificate(instance: Instance, certificate: Certificate) -> CertificateVerdict:
    """Check a certificate about an instance, step by step."""
    if other := _other(instance, certificate):
        return CertificateVerdict(follows=(), refused=Refusal(line=1, rule="", why=other))
    follows = list[Fraction]()
    for step in certificate.steps:
        try:
            follows.append(_follows(instance, step))
        except StepError as error:
            refused = Refusal(line=step.line, rule=step.rule, why=str(error))
            return CertificateVerdict(follows=tuple(follows), refused=refused)
    return CertificateVerdict(follows=tuple(follows), refused=_short(certificate, follows))


def _other(instance: Instance, certificate: Certificate) -> str:
    """Say how a certificate is about something else than the instance's objective."""
    own = digest(instance)
    if certificate.digest != own:
        return (
            f"it is about another instance: {certificate.digest[:12]!r}, and this is {own[:12]!r}"
        )
    if certificate.family != instance.kind:
        return f"its family is {shorten(certificate.family)}, and the instance's {instance.kind!r}"
    if certificate.most != family_of(instance).most:
        side = "at most" if family_of(instance).most else "at least"
        return f"of this family it is proved what the objective is {side}"
    return ""


def _follows(instance: Instance, step: ProofStep) -> Fraction:
    rules = family_of(instance).proofs or {}
    if step.rule not in rules:
        known = ", ".join(rules) or "none for this family"
        raise StepError(f"there is no such rule; there are: {known}")
    found: Fraction = rules[step.rule](instance, step)
    return found


def _short(certificate: Certificate, follows: list[Fraction]) -> Refusal | None:
    """Refuse a claim that none of the steps reaches."""
    if not follows:
        return Refusal(line=1, rule="", why="there are no steps")
    best = min(follows) if certificate.most else max(follows)
    if best <= certificate.claim if certificate.most else best >= certificate.claim:
        return None
    side = "at most" if certificate.most else "at least"
    claimed, reached = (exact_text(one) or fraction_text(one) for one in (certificate.claim, best))
    why = f"it claims {side} {claimed}, and from the steps follows {side} {reached}"
    return Refusal(line=1, rule="", why=why)
