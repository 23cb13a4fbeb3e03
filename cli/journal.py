"""`ringyard journal`: the rows of a campaign for other programs."""

import sys
from pathlib import Path

from .output import note


def journal_command(folder: Path, /, *, out: Path | None = None) -> int:
    """Hand the rows of a campaign to other programs; without a file, as lines of JSON.

    Parameters
    ----------
    folder
        The folder of a campaign.
    out
        Write the rows to this file (.parquet, .csv or .jsonl).
    """
    from ..campaigns.handover import form_of, hand_over, to_lines
    from ..campaigns.store import existing

    if out is None:
        sys.stdout.write(to_lines(existing(folder).rows()).decode())
        return 0
    form_of(out)
    rows = existing(folder).rows()
    hand_over(rows, out)
    note(f"wrote {len(rows):,} rows to {out}")
    return 0
