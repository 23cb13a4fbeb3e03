"""A line on standard error while something long runs: how far it is, how good, how long yet."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ...instances import Glimpse
from ...instances.errors import visible
from ...interrupts import undoing

CURSOR = b"\r\x1b[K\x1b[?25h"
"""Clears the line and shows the cursor, which a bar hides."""


def tidy() -> undoing:
    """Within this, an end of the process leaves the terminal as it was."""
    return undoing(lambda: os.write(2, CURSOR))


@contextmanager
def progress(title: str) -> Iterator[Callable[[Glimpse], None] | None]:
    """Show a spinner that the yielded function updates; nothing unless on a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with tidy(), Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(f"{visible(title)} (the first run compiles its kernels)")

        def watch(glimpse: Glimpse) -> None:
            text = f"{visible(title)}: best {glimpse.value:g}"
            if glimpse.bound:
                larger = max(glimpse.value, glimpse.bound)
                gap = 100 * abs(glimpse.value - glimpse.bound) / larger
                text += f", bound {glimpse.bound:g}, gap {gap:.2f} %"
            bar.update(task, description=text)

        yield watch


@contextmanager
def counting(title: str, total: int) -> Iterator[Callable[[int], None] | None]:
    """Show a bar that the yielded function moves to a number; nothing unless on a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining

    columns = (
        TextColumn(visible(title), markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        Remaining(),
    )
    with tidy(), Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=total)
        yield lambda done: bar.update(task, completed=done)
