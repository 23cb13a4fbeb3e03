"""`ringyard show`: an instance in one screen."""

import textwrap
from collections import Counter
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from ...families.registry import family_of
from ...instances import Instance, digest
from ...instances.catalogue import entries, load
from ...instances.errors import InputError, Problem
from ...instances.reading.encode import to_text
from ..shared.options import Flag
from ..shared.output import cell, json_visible, say


def show_command(instance: str, /, *, jobs: int = 12, json: Flag = False) -> int:
    """Show an instance: cluster or budget, jobs, bounds, best known.

    Parameters
    ----------
    instance
        A catalogue name, or a file.
    jobs
        Number of jobs to list, or of job types, workers or updates.
    json
        Print the instance as a ringyard/1 JSON object.
    """
    if jobs < 0:
        problems = [Problem("--jobs", jobs, "an integer at least 0", "give 0 or more")]
        raise InputError("ringyard show", problems)
    problem = load(instance)
    if json:
        say(json_visible(to_text(problem).rstrip()))
        return 0
    _head(problem)
    family_of(problem).shown(problem, jobs)
    _known(problem)
    return 0


def _head(problem: Instance) -> None:
    say(f"{problem.name}: {problem.title}" if problem.title else problem.name)
    say(f"  family {problem.kind}, digest {digest(problem)[:16]}")
    if problem.notes:
        say(textwrap.fill(problem.notes, 96, initial_indent="  ", subsequent_indent="  "))


def _known(problem: Instance) -> None:
    family = family_of(problem)
    stuck = family.refusal(problem)
    if stuck:
        say(f"impossible: {stuck}")
        return
    say(f"{'upper' if family.maximize else 'lower'} bounds:")
    for bound in family.bounds(problem):
        say(f"  {cell(bound.value):>8}  {bound.kind}, {bound.name}: {bound.argument}")
    entry = entries().get(problem.name)
    if entry is None or entry.digest != digest(problem):
        return
    for title, records in (("best known", entry.upper), ("best bound", entry.lower)):
        for known in records[:1]:
            how = f"{known.method}, {known.certificate}, {known.date}"
            say(f"{title}: {cell(known.value)} ({how})")


QUANTILES = (0, 25, 50, 75, 95, 100)
"""Percentiles of the jobs."""


def mix(kinds: Iterable[Any], by: str = " x ") -> str:
    """Return the number of objects of each kind, as text."""
    return ", ".join(f"{count}{by}{kind}" for kind, count in sorted(Counter(kinds).items()))


def quantiles(values: Iterable[Decimal]) -> str:
    """Return the quantiles of some values, as text."""
    known = sorted(values)
    values_text = ", ".join(f"{known[(len(known) - 1) * part // 100]:,f}" for part in QUANTILES)
    return f"{', '.join(map(str, QUANTILES))} %: {values_text}"
