"""Verification of a certificate's claim from its steps."""

from dataclasses import dataclass
from fractions import Fraction

from ....families import family_of
from ....instances.errors import shorten
from ....instances.reading.encode import digest, exact_text, fraction_text
from ....instances.reading.vocabulary import Instance
from .reading import Certificate, StepError


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """The first refused line, with the reason. `rule` is empty for the claim."""

    line: int
    rule: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CertificateVerdict:
    """The values that follow from the steps, as far as these hold, and the refusal, if any."""

    follows: tuple[Fraction, ...]
    refused: Refusal | None

    @property
    def accepted(self) -> bool:
        """True if the claim is proved."""
        return self.refused is None


def check_certificate(
    instance: Instance, certificate: Certificate, metric: str = ""
) -> CertificateVerdict:
    """Check a certificate about the objective of an instance, or about a metric, step by step."""
    follows, line, rule = list[Fraction](), 1, ""
    why = _other(instance, certificate, metric)
    if not why:
        family = family_of(instance)
        rules = family.bounded[metric].proofs if metric else family.proofs or {}
        try:
            for step in certificate.steps:
                line, rule = step.line, step.rule
                if rule not in rules:
                    known = ", ".join(rules) or "no rule for this family"
                    raise StepError(f"there is no such rule. Known rules: {known}")
                value = rules[rule](instance, step)
                step.end()
                follows.append(value)
            line, rule, why = 1, "", _short(certificate, follows)
        except StepError as error:
            why = str(error)
    refused = Refusal(line=line, rule=rule, why=why) if why else None
    return CertificateVerdict(follows=tuple(follows), refused=refused)


def _other(instance: Instance, certificate: Certificate, metric: str) -> str:
    """Return the mismatch between a certificate and the instance's objective or metric."""
    family = family_of(instance)
    own, most = digest(instance), family.maximize and not metric
    if certificate.digest != own:
        other = certificate.digest[:12]
        return f"it is about another instance: {other!r}, and this is {own[:12]!r}"
    if certificate.family != instance.kind:
        return f"its family is {shorten(certificate.family)}, and the instance's {instance.kind!r}"
    if certificate.metric != metric:
        found = (
            f"the metric {shorten(certificate.metric)}" if certificate.metric else "the objective"
        )
        return f"it is about {found}, expected a claim about the {metric or 'objective'}"
    if metric and metric not in family.bounded:
        known = ", ".join(family.bounded) or "none for this family"
        return f"its metric is {shorten(metric)}. Metrics with bounds: {known}"
    if certificate.maximize != most:
        about = metric or "objective"
        return f"for this family, the {about} of a certificate is {_side(most)}"
    return ""


def _short(certificate: Certificate, follows: list[Fraction]) -> str:
    """Return the difference between a claim and the result of the steps."""
    if not follows:
        return "there are no steps"
    best, claim = (min if certificate.maximize else max)(follows), certificate.claim
    if best <= claim if certificate.maximize else best >= claim:
        return ""
    claimed, reached = (exact_text(one) or fraction_text(one) for one in (claim, best))
    side = _side(certificate.maximize)
    return f"it claims {side} {claimed}, and from the steps follows {side} {reached}"


def _side(maximize: bool) -> str:
    return "at most" if maximize else "at least"
