"""The campaign `demo`, whose rows the pages about figures draw."""

from collections.abc import Iterator
from dataclasses import replace

from ..campaigns.plan import find_campaign, read_plan
from ..campaigns.reproductions import Answers, Known, Results, Run, Settings

FEW = ("small-03x2", "pdors-small-10x4x8")
"""Instances of a small version: one for each sort of figure."""


def runs(settings: Settings, _: Known | None = None) -> Iterator[Run]:
    """Yield the runs of the file, with these seeds and this limit."""
    for run in read_plan(find_campaign("demo")).runs:
        if run.seed < settings.seeds and (settings.points is None or run.instance.name in FEW):
            yield replace(run, time_limit=settings.time_limit)


def report(_: Settings, __: Answers) -> Results:
    """Return no tables: `ringyard plot` draws the figures."""
    return Results(tables={})
