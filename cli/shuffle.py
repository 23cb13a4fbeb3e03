"""`ringyard shuffle`: the messages of coded shuffling by formula, measured, and decoded."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from ..analysis.shuffle import (
    Measured,
    Setting,
    epoch_of,
    instance_of,
    measured,
    measured_table,
    schemes_table,
    tried,
)
from ..analysis.tables.latex import to_latex
from ..analysis.tables.model import Table
from ..analysis.tables.notations import to_csv
from ..families.registry import family_of
from ..instances import ShuffleInstance
from ..instances.arguments import at_least_one, seed_problems
from ..instances.catalogue import load
from ..instances.errors import InputError, Problem, Words, raise_any
from ..interrupts import keeping
from .shared.options import AsJson, Number, Whole, place_problems, write
from .shared.output import emit, note, say, show_table

MOST_ROWS, MOST_WORKERS, MOST_BYTES = 10**7, 60, 2**27

Swept = Literal["workers", "cache", "rows"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnEpochs:
    """Random epochs.

    Parameters
    ----------
    rows
        Rows of data, q (default: 1000).
    workers
        Workers, n (default: 10).
    cache
        Cached rows per worker, s: its batch of q/n and random other rows. By default, a fifth of
        the other workers' rows.
    seeds
        Number of epochs to measure.
    sweep
        Vary the number of workers, the cached rows, or the rows of data.
    values
        The values of the sweep, separated by commas.
    """

    rows: Whole | None = None
    workers: Whole | None = None
    cache: Whole | None = None
    seeds: Whole = 20
    sweep: Swept | None = None
    values: str | None = None

    def settings(self) -> list[Setting]:
        """Return the settings to measure.

        Raises:
            InputError: If a number is invalid.
        """
        values = [None] if self.sweep is None else _numbers(self.values or "")
        found = [self._setting(value) for value in values]
        problems = [
            *at_least_one("--seeds", self.seeds),
            *(problem for setting in found for problem in _setting_problems(setting)),
        ]
        if (self.sweep is None) != (self.values is None):
            lone, other = ("--values", "--sweep") if self.sweep is None else ("--sweep", "--values")
            problems = [Problem(lone, Words("alone"), f"{other} as well", f"add {other}")]
        raise_any("ringyard shuffle", problems)
        return found

    def _setting(self, value: int | None) -> Setting:
        given = {"rows": self.rows, "workers": self.workers, "cache": self.cache}
        if self.sweep is not None:
            given[self.sweep] = value
        rows, workers, cache = given["rows"], given["workers"], given["cache"]
        rows = 1000 if rows is None else rows
        workers = 10 if workers is None else workers
        batch = rows // max(1, workers)
        return Setting(
            rows=rows,
            workers=workers,
            cache=batch + (rows - batch) // 5 if cache is None else cache,
        )


def _numbers(text: str) -> list[int]:
    try:
        return [int(word) for word in text.split(",")]
    except ValueError:
        problem = Problem(
            "--values", text, "integers separated by commas", "give 5,10,20, for example"
        )
        raise InputError("ringyard shuffle", [problem]) from None


def _setting_problems(setting: Setting) -> Iterator[Problem]:
    rows, workers, cache = setting.rows, setting.workers, setting.cache
    if not 1 <= workers <= MOST_WORKERS:
        yield Problem("--workers", workers, f"from 1 to {MOST_WORKERS}", "change it")
    elif not 1 <= rows <= MOST_ROWS:
        yield Problem("--rows", rows, f"from 1 to {MOST_ROWS:,}", "change it")
    elif rows % workers:
        expected = f"a multiple of the {workers} workers, for equal batches"
        yield Problem("--rows", rows, expected, f"take {rows - rows % workers or workers}")
    elif not rows // workers <= cache <= rows:
        expected = f"from {rows // workers}, a worker's batch, to {rows}, all rows"
        yield Problem("--cache", cache, expected, "change it")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sending:
    """Message costs and output files.

    Parameters
    ----------
    multicast
        Cost of a message to several workers relative to one worker: n over the papers' gamma(n).
        By default as in the instance, or 1.
    row_bytes
        Bytes of a row when the schemes are executed.
    seed
        Seed of the epochs, and of the bytes.
    csv
        Write the table as CSV.
    latex
        Write the table as LaTeX.
    """

    multicast: Number | None = None
    row_bytes: Whole = 64
    seed: Whole = 0
    csv: Path | None = None
    latex: Path | None = None

    def refuse(self, rows: int, instance: str | None) -> None:
        """Raise an error for an invalid option."""
        problems = [*at_least_one("--row-bytes", self.row_bytes), *seed_problems(self.seed)]
        if rows > MOST_BYTES:
            expected = f"at most {MOST_BYTES:,}, to be sent as bytes"
            problems.append(Problem("rows", rows, expected, "name a smaller instance"))
        elif rows * self.row_bytes > MOST_BYTES:
            most = MOST_BYTES // rows
            expected = f"at most {most} for {rows:,} rows"
            problems.append(Problem("--row-bytes", self.row_bytes, expected, "take fewer"))
        if self.multicast is not None and not 0 < self.multicast <= MOST_ROWS:
            found, expected = Words(f"{self.multicast:f}"), f"above 0, at most {MOST_ROWS:,}"
            problems.append(Problem("--multicast", found, expected, "change it"))
        for option, path in (("--csv", self.csv), ("--latex", self.latex)):
            problems += place_problems(option, instance or "", path)
            if path is not None and instance is not None:
                expected = "no instance: the table is about random epochs"
                problems.append(Problem(option, str(path), expected, "leave it out"))
        raise_any("ringyard shuffle", problems)

    def price(self) -> Decimal:
        """Return the multicast cost if the instance does not define it."""
        return Decimal(1) if self.multicast is None else self.multicast


DRAWN, SENDING = DrawnEpochs(), Sending()

Epochs = Annotated[DrawnEpochs, Parameter(name="*")]
Sent = Annotated[Sending, Parameter(name="*")]


def shuffle_command(
    instance: str | None = None,
    /,
    *,
    epochs: Epochs = DRAWN,
    sending: Sent = SENDING,
    json: AsJson = False,
) -> int:
    """Measure the messages of coded shuffling: by formula, over random epochs, and on real bytes.

    Draws epochs of one setting, or of several. For one setting, each scheme also sends the first
    epoch as random bytes, which every worker decodes. The exit code is 1 if a worker lacks a
    row afterwards, or if the judge rejects a plan, and 130 after an interrupt, with the measured
    settings.

    Parameters
    ----------
    instance
        A `shuffle` instance to send instead of epochs: a catalogue name, or a file.
    """
    given = None if instance is None else _loaded(instance, epochs, sending)
    settings = [] if given is not None else epochs.settings()
    sent = 0 if epochs.sweep is not None else settings[0].rows if given is None else given.rows
    sending.refuse(sent, instance)
    result: dict[str, Any] = {}
    if given is None:
        result["settings"] = _measure(settings, epochs, sending, json=json)
    right = True
    if epochs.sweep is None:
        if given is None:  # The first epoch that is measured.
            given = instance_of(epoch_of(settings[0], sending.seed, 0), sending.price())
        with keeping():
            result["sent"], right = _send(given, sending, json=json)
    if json:
        emit(result)
    done = len(result.get("settings", ()))
    if done < len(settings):
        note(f"interrupted: {done} of {len(settings)} settings are measured")
        return 130
    return int(not right)


def _loaded(name: str, epochs: DrawnEpochs, sending: Sending) -> ShuffleInstance:
    found = load(name)
    if not isinstance(found, ShuffleInstance):
        advice = "`ringyard list instances --kind shuffle` lists some"
        raise InputError(name, [Problem("kind", found.kind, "'shuffle'", advice)])
    if epochs != DRAWN:
        expected = "either an instance or random epochs"
        raise InputError("ringyard shuffle", [Problem("instance", name, expected, "leave one out")])
    return found if sending.multicast is None else replace(found, multicast=sending.multicast)


def _measure(
    settings: list[Setting], epochs: DrawnEpochs, sending: Sending, *, json: bool
) -> list[dict[str, Any]]:
    """Measure, print and write. Return the numbers by name."""
    points: list[Measured] = []
    with suppress(KeyboardInterrupt), keeping():
        for one in settings:
            points.append(measured(one, sending.price(), epochs.seeds, sending.seed))
    if not points:
        raise KeyboardInterrupt
    table = measured_table(points, f"Messages of an epoch, measured over {epochs.seeds}")
    _write(table, sending)
    if not json:
        show_table(table)
    return [one.plain() for one in points]


def _send(given: ShuffleInstance, sending: Sending, *, json: bool) -> tuple[dict[str, Any], bool]:
    """Run every scheme and return the numbers by name, and True if all succeeded."""
    found = tried(given, sending.row_bytes, sending.seed)
    bound = family_of(given).bounds(given)[0]
    if not json:
        caption = f"{given.name} with rows of {sending.row_bytes} random bytes"
        show_table(schemes_table(found, caption))
        say(f"bound {float(bound.value):.1f} ({bound.kind}: {bound.argument})")
    result = {
        "instance": given.name,
        "schemes": [one.plain() for one in found],
        "bound": float(bound.value),
    }
    return result, all(one.right for one in found)


def _write(table: Table, sending: Sending) -> None:
    texts = (to_csv(table), to_latex(table, "tab:shuffle"))
    for path, text in zip((sending.csv, sending.latex), texts, strict=True):
        if path is not None:
            write(path, text.encode())
