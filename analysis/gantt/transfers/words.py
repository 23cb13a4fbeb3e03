"""What is said of a plan and its sends: headline and tooltips."""

from fractions import Fraction

from ....instances.errors import visible
from ..words import fit, number, percent, plural
from .facts import SendBars, TransferFacts

NAMED = 8
"""Updates of a group that a tooltip names."""


def headline(facts: TransferFacts) -> str:
    """Say in one line what was sent, how, and how well."""
    parts = [fit(facts.instance, 16, 480), fit(facts.method, 16, 200)]
    parts.append(f"{value_name(facts)} {seconds(facts.value)}")
    if facts.bound is not None:
        parts.append(f"bound {seconds(facts.bound)}")
    if facts.gap is not None:
        parts.append(f"gap {percent(facts.gap)}")
    if facts.dropped:
        parts.append(f"{len(facts.dropped):,} dropped")
    return " · ".join(filter(None, parts))


def value_name(facts: TransferFacts) -> str:
    """Say what the goal is."""
    return "mean moment" if facts.goal == "mean" else "last moment"


def seconds(value: Fraction) -> str:
    """Write a moment."""
    return f"{number(value)} s"


def names(send: SendBars) -> str:
    """Name the updates of a send."""
    told = ", ".join(visible(name) for name, _ in send.updates[:NAMED])
    return told + (", …" if len(send.updates) > NAMED else "")


def tooltip(send: SendBars) -> str:
    """Describe a send in a few lines."""
    way = "directly" if send.via is None else f"added up by {visible(send.via)}"
    lines = [f"{plural(len(send.updates), 'update')}, {way}: {names(send)}"]
    lines.append(f"arrives at {seconds(send.arrives)}")
    if send.copied is not None:
        lines.append(f"its copy at {seconds(send.copied)}")
    applied = send.applied
    lines.append("never applied" if applied is None else f"applied at {seconds(applied)}")
    return "\n".join(lines)
