"""`ringyard shuffle`: what coded shuffling sends, by formula, as measured, and decoded."""

from contextlib import suppress
from dataclasses import replace
from typing import Any

from ...analysis.shuffle.epoch import Setting, epoch_of, instance_of
from ...analysis.shuffle.measure import Measured, measured, measured_table
from ...analysis.shuffle.schemes import schemes_table, tried
from ...analysis.tables import Table, to_csv, to_latex
from ...families import family_of
from ...instances import ShuffleInstance
from ...instances.catalogue import load
from ...instances.errors import InputError, Problem
from ...interrupts import keeping
from ..shared.options import AsJson, write
from ..shared.output import emit, note, say, show_table
from .options import DRAWN, SENDING, DrawnEpochs, Epochs, Sending, Sent


def shuffle_command(
    instance: str | None = None,
    /,
    *,
    epochs: Epochs = DRAWN,
    sending: Sent = SENDING,
    json: AsJson = False,
) -> int:
    """Say what coded shuffling sends: by formula, as measured over seeds, and on real bytes.

    Draws epochs of one setting, or of several. Of one setting, each scheme also sends the first
    epoch as random bytes, which every worker decodes. Ends with exit code 1 if a worker lacks a
    row afterwards, or if the judge rejects a plan; 130 after an interrupt, with the settings that
    were measured.

    Parameters
    ----------
    instance
        A `shuffle` instance to send, a name of the catalogue or a file, in place of epochs.
    """
    given = None if instance is None else _loaded(instance, epochs, sending)
    settings = [] if given is not None else epochs.settings()
    sent = 0 if epochs.sweep is not None else settings[0].rows if given is None else given.rows
    sending.refuse(sent, instance)
    told: dict[str, Any] = {}
    if given is None:
        told["settings"] = _measure(settings, epochs, sending, json=json)
    right = True
    if epochs.sweep is None:
        given = _first(settings[0], sending) if given is None else given
        with keeping():
            told["sent"], right = _send(given, sending, json=json)
    if json:
        emit(told)
    done = len(told.get("settings", ()))
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
        expected = "either an instance or epochs to be drawn"
        raise InputError("ringyard shuffle", [Problem("instance", name, expected, "leave one out")])
    return found if sending.multicast is None else replace(found, multicast=sending.multicast)


def _first(setting: Setting, sending: Sending) -> ShuffleInstance:
    """Return the first epoch that is measured."""
    return instance_of(epoch_of(setting, sending.seed, 0), sending.price())


def _measure(
    settings: list[Setting], epochs: DrawnEpochs, sending: Sending, *, json: bool
) -> list[dict[str, Any]]:
    """Measure, tell and write; return the numbers by name."""
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
    """Let every scheme send; return the numbers by name, and whether all was right."""
    found = tried(given, sending.row_bytes, sending.seed)
    bound = family_of(given).bounds(given)[0]
    if not json:
        caption = f"{given.name} with rows of {sending.row_bytes} random bytes"
        show_table(schemes_table(found, caption))
        say(f"bound {float(bound.value):.1f} ({bound.kind}: {bound.argument})")
    told = {
        "instance": given.name,
        "schemes": [one.plain() for one in found],
        "bound": float(bound.value),
    }
    return told, all(one.right for one in found)


def _write(table: Table, sending: Sending) -> None:
    texts = (to_csv(table), to_latex(table, "tab:shuffle"))
    for path, text in zip((sending.csv, sending.latex), texts, strict=True):
        if path is not None:
            write(path, text.encode())
