"""`ringyard report`: a campaign as a single web page."""

import tomllib
from pathlib import Path

from ..analysis.report import gather, to_page
from ..campaigns.journal import contents
from ..campaigns.store import PLAN, existing
from ..instances.errors import Problem, brief, plural, raise_any, visible
from .shared.campaign import sources_of
from .shared.choice import ALL_ROWS, Chosen, rows_of
from .shared.options import Whole, is_standard, place_problems, write
from .shared.output import note, say


def report_command(
    folder: Path, /, *, out: Path, choice: Chosen = ALL_ROWS, schedules: Whole = 100
) -> int:
    """Write a campaign as a self-contained web page, which needs no files or network.

    It has tables to sort and filter, figures, schedules to zoom, verdicts of theorems on the
    runs, and the versions and settings of the runs.

    Parameters
    ----------
    folder
        Folder of a campaign, as `ringyard run` creates it.
    out
        The HTML file to write. Its name ends in .html.
    schedules
        Show at most this many schedules, best ones first.
    """
    problems = place_problems("--out", str(folder), out)
    if not is_standard(out) and out.suffix.lower() not in (".html", ".htm"):
        advice = "name the file report.html"
        problems.append(Problem("--out", str(out), "a name that ends in .html", advice))
    if schedules < 0:
        problems.append(Problem("--schedules", schedules, "0 or more", "give a count"))
    raise_any("ringyard report", problems)
    store = existing(folder)
    every = rows_of(store)
    rows = choice.rows(every)

    plan, name, about = _plan(folder)
    if len(rows) < len(every):
        about += f" This page has {len(rows):,} of {len(every):,} runs of the campaign."
    about = " ".join([about, *store.left_out().sentences()]).strip()
    report = gather(
        rows, sources_of(store), name=name, about=about, plan=plan, schedules_shown=schedules
    )
    page = to_page(report).encode()
    write(out, page, announce=False)
    say(f"{out}: {plural(len(rows), 'run')}, {len(page) / 1e6:.1f} MB")
    return 0


def _plan(folder: Path) -> tuple[str, str, str]:
    """Return the text of the campaign file, the campaign's name, and its description."""
    path = folder / PLAN
    try:
        text = contents(path).decode()
        content = tomllib.loads(text)
    except FileNotFoundError:
        return "", folder.resolve().name, ""
    except (OSError, ValueError, RecursionError) as error:
        note(f"left out: {path} is not a campaign file: {brief(visible(str(error)))}")
        return "", folder.resolve().name, ""
    return text, str(content.get("name", folder.resolve().name)), str(content.get("about", ""))
