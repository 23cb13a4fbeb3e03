"""`ringyard plot`: a figure of a campaign."""

from pathlib import Path

from ..analysis.drawing.paint import form_of
from ..analysis.figures.canvas import figure_format
from ..analysis.figures.view import GROUP, ONE_SCHEDULE, rows_figure
from ..analysis.gantt import GROUP_FORMATS, gantt_format
from ..campaigns.store import existing
from ..extensions.entry_points import brought_as, named
from ..instances.errors import Problem, Words, raise_any
from .shared.campaign import sources_of
from .shared.choice import ALL_ROWS, Chosen, kind_problems, new_names, rename_problems, rows_of
from .shared.options import Flag, place_problems, written

KINDS = {
    "gantt": "one schedule",
    "groups": "GPUs of groups over time",
    "ecdf": "completion times of jobs",
    "profile": "performance profiles on time",
    "profile-ratio": "performance profiles on objectives",
    "convergence": "objective and bound over time",
    "tradeoff": "time against quality",
    "ratios": "ratios to bounds",
    "factors": "ratios to proved factors",
}


def plot_command(
    folder: Path,
    /,
    *,
    kind: str,
    out: Path,
    choice: Chosen = ALL_ROWS,
    rename: tuple[str, ...] = (),
    log_time: Flag = False,
) -> int:
    """Draw a figure of a campaign's rows.

    Parameters
    ----------
    folder
        Folder of a campaign, as `ringyard run` creates it.
    kind
        One schedule (gantt), the GPUs of its groups of jobs over time (groups), completion times of
        jobs (ecdf), performance profiles on time (profile) or on objectives (profile-ratio),
        objective and bound over time (convergence), time against quality (tradeoff), ratios to
        bounds (ratios) or to proved factors (factors), or a kind of another package, from `ringyard
        list figures`.
    out
        Write this file: .svg, .pdf or .png, or .html for a gantt, or .csv for the numbers of
        groups.
    rename
        A name in the legend and its replacement, as in sjf-bco=SJF-BCO. May be repeated.
    log_time
        With convergence: a logarithmic axis of time.
    """
    _refuse(kind, out, folder, rename)
    store = existing(folder)
    rows, names = choice.rows(rows_of(store)), new_names(rename)
    with written(out):
        rows_figure(
            kind, rows, sources_of(store), rename=names, log_time=log_time, lead="--"
        ).write(out)
    return 0


def _refuse(kind: str, out: Path, folder: Path, rename: tuple[str, ...]) -> None:
    problems = rename_problems(rename)
    if rename and kind in ONE_SCHEDULE:
        expected = "a figure with a legend of methods"
        problems.append(Problem("--rename", Words(f"--kind {kind}"), expected, "leave it out"))
    problems += place_problems("--out", str(folder), out)
    if brought_as(GROUP, kind) is None:
        problems += kind_problems("--kind", kind, [*KINDS, *named(GROUP)], "ringyard plot")
    raise_any("ringyard plot", problems)
    if kind == "gantt":
        gantt_format(out)
    elif kind == "groups":
        form_of(out, GROUP_FORMATS, "groups")
    else:
        figure_format(out)
