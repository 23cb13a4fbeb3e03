"""`ringyard journal`: the rows of a campaign for other programs."""

from pathlib import Path

from ..campaigns.store import existing, form_of, hand_over, to_lines
from ..instances.errors import InputError, plural
from .shared.campaign import report_left_out
from .shared.options import place_problems, written
from .shared.output import json_visible, say


def journal_command(folder: Path, /, *, out: Path | None = None) -> int:
    """Export the rows of a campaign: to a file, or as lines of JSON to standard output.

    Parameters
    ----------
    folder
        The folder of a campaign.
    out
        Write the rows to this file (.parquet, .csv or .jsonl). The default is JSON lines on
        standard output.
    """
    if out is None:
        say(
            json_visible(
                to_lines(report_left_out(existing(folder)).rows()).decode().removesuffix("\n")
            )
        )
        return 0
    form_of(out)
    if problems := place_problems("--out", str(folder), out):
        raise InputError("ringyard journal", problems)
    rows = report_left_out(existing(folder)).rows()
    with written(out, f"{plural(len(rows), 'row')} to "):
        hand_over(rows, out)
    return 0
