"""Code shared by commands that run or read a campaign: executors, progress, notes on its folder."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ...instances.arguments import at_least_one
from ...instances.errors import raise_any, visible
from .options import rescue
from .output import note
from .progress import elsewhere, messages, span, tidy

if TYPE_CHECKING:
    from rich.console import Group

    from ...analysis.sources import Sources
    from ...campaigns.executors import Executor
    from ...campaigns.state import CampaignState
    from ...campaigns.store import Store
    from ...instances.writing import UnwrittenError


SHOWN = 8
"""Most active runs that are named."""

EVERY_S = 60.0
"""Seconds between progress lines without a terminal."""


def why_stopped(error: "KeyboardInterrupt | UnwrittenError") -> tuple[str, int]:
    """Explain why runs were stopped, with the exit code. Save rows that could not be written."""
    if isinstance(error, KeyboardInterrupt):
        return "interrupted", 130
    rescue(error)
    return "a run could not be written", 2


@contextmanager
def executor(workers: int | None, dask: str | None) -> "Iterator[Executor]":
    """Yield the executor that the options choose. Close it at the end."""
    raise_any("ringyard run", at_least_one("--workers", workers))
    chosen: Executor
    if dask is not None:
        from ...campaigns.executors.dask import DaskExecutor

        chosen = DaskExecutor(dask)
    else:
        from ...campaigns.executors.local import LocalExecutor

        chosen = LocalExecutor(workers)
    try:
        yield chosen
    finally:
        chosen.close()


@contextmanager
def follow(title: str) -> "Iterator[Callable[[CampaignState], None]]":
    """Show the progress of a campaign, with failures and contradictions as they happen."""
    if not messages().isatty():
        with elsewhere():
            yield _Lines(title)
        return
    from rich.console import Console
    from rich.live import Live

    console = Console(file=messages())
    with elsewhere(), tidy(), Live(console=console, refresh_per_second=4, transient=True) as live:

        def show(state: "CampaignState") -> None:
            for sentence in state.take_news():
                console.print(visible(sentence), markup=False, highlight=False)
            live.update(_picture(title, state))

        yield show


class _Lines:
    """Progress for a log: events as they happen, and a line per minute."""

    def __init__(self, title: str) -> None:
        self.title, self.last = title, time.monotonic()

    def __call__(self, state: "CampaignState") -> None:
        for sentence in state.take_news():
            note(sentence)
        if time.monotonic() - self.last > EVERY_S:
            self.last = time.monotonic()
            note(f"{self.title}: {_counts(state)}")


def _picture(title: str, state: "CampaignState") -> "Group":
    """Return the lines at the bottom of the terminal."""
    from rich.console import Group
    from rich.padding import Padding
    from rich.progress_bar import ProgressBar
    from rich.text import Text

    now = time.monotonic()
    under_way = sorted(state.running.values(), key=lambda pair: pair[1])
    lines = [Text(f"  {now - since:6.0f} s  {visible(what)}") for what, since in under_way[:SHOWN]]
    if len(under_way) > SHOWN:
        lines.append(Text(f"           and {len(under_way) - SHOWN} more"))
    bar = ProgressBar(total=state.total or 1, completed=state.done, width=60)
    return Group(Text(f"{visible(title)}: {_counts(state)}"), Padding(bar), *lines)


def _counts(state: "CampaignState") -> str:
    parts = [f"{state.done:,} of {state.total:,} runs"]
    parts += [f"{state.failed:,} failed"] if state.failed else []
    if state.contradictions:
        parts.append(f"{len(state.contradictions)} contradictions")
    if state.rate and state.done < state.total:
        parts.append(f"{state.rate:.2g} a second")
        parts.append(f"{span(state.left_s or 0)} left")
    return ", ".join(parts)


def report_left_out(store: "Store", *, done: bool = True) -> "Store":
    """Report left-out rows of a store, and missing runs if all are required. Return the store."""
    for sentence in store.remarks(done=done):
        note(sentence)
    return store


def sources_of(store: "Store") -> "Sources":
    """Return the sources of the instances, schedules and methods of a campaign."""
    from ...campaigns.sources import stored

    return stored(store, note)
