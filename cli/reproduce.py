"""`ringyard reproduce`: tables and figures of papers and of these pages, regenerated."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..analysis.tables import to_markdown
from ..campaigns.drive import drive
from ..campaigns.executors import Executor
from ..campaigns.journal import Writer
from ..campaigns.pages import read_pages, show
from ..campaigns.results import Results, write_report
from ..campaigns.runs import AGAIN
from ..campaigns.store import Store, prepared
from ..instances.arguments import at_least_one, time_limit_problems
from ..instances.errors import InputError, Problem, raise_any, unknown
from ..instances.writing import UnwrittenError
from ..interrupts import keeping
from ..papers.beside import Beside
from ..papers.reproductions import REPRODUCTIONS, Reproduction
from ..papers.study import Settings
from .plot import plot_command
from .shared.campaign import executor, follow, why_stopped
from .shared.choice import RowChoice
from .shared.options import AsJson, Flag, Whole, remade
from .shared.output import emit, note, say, table
from .shared.sources import told

ALL = "all"


def reproduce_command(
    what: str | None = None,
    /,
    *,
    out: Path | None = None,
    seeds: Whole | None = None,
    time_limit: float | None = None,
    figure: Whole | None = None,
    method: tuple[str, ...] = (),
    smoke: Flag = False,
    kept: Flag = False,
    docs: Path | None = None,
    workers: Whole | None = None,
    dask: str | None = None,
    json: AsJson = False,
) -> int:
    """Regenerate tables and figures, those of papers beside the paper's own numbers.

    Without a name, say what there is; `all` makes everything. Each run is written down as it
    comes: after Ctrl-C the same command goes on where it was. Beside the rows it writes tables
    (.tex, .md, .csv) and figures (.svg, .pdf).

    Parameters
    ----------
    what
        What to reproduce.
    out
        Folder in which each reproduction has a folder of its name; out/ if it is left out, or
        out/smoke/.
    seeds
        Number of instances drawn for each point, where any are drawn.
    time_limit
        Seconds for our best schedule, and for the bound, of an instance.
    figure
        Only this figure of the paper (mobihoc).
    method
        A method of your own, such as my_sched.py:my_sched, beside those that are compared: on the
        same instances and seeds, with a table of its own. May be given more than once.
    smoke
        A small version that takes seconds, to see that all works.
    kept
        Run nothing: make everything from the runs that come with Ringyard (solvers), which the
        folder then has.
    docs
        Put tables, sentences and pictures into the pages of this folder.
    workers
        Runs side by side on this machine; as many as processors if it is left out.
    dask
        Address of a Dask scheduler whose workers do the runs.
    """
    if what is None:
        return _list(json)
    _refuse(what, seeds, time_limit, figure, docs, method)
    if kept:
        return _from_kept(what, out or Path("out"), docs, json)
    chosen = [one for one in REPRODUCTIONS if what in (ALL, one.name)]
    place = out or Path("out", "smoke" if smoke else "")
    asked = {"seeds": seeds, "time_limit": time_limit, "figure": figure}
    given: dict[str, Any] = {key: value for key, value in asked.items() if value is not None}
    made = []
    with executor(workers, dask) as does:
        for one in chosen:
            settings = replace(one.smoke if smoke else one.settings, **given)
            campaign = one.campaign.summary(docs, place) if one.summary else one.campaign
            campaign = Beside(campaign, method) if method else campaign
            report = _made(one.name, campaign, settings, place / one.name, does)
            if isinstance(report, int):
                return report
            made.append(_written(one, report, place / one.name, docs, json))
    if json:
        emit({"reproduced": made})
    return 0


def _list(json: bool) -> int:

    if json:
        emit({"reproductions": [{"name": r.name, "about": r.about} for r in REPRODUCTIONS]})
    else:
        table(["name", "about"], [[r.name, r.about] for r in REPRODUCTIONS])
    return 0


def _refuse(
    what: str,
    seeds: int | None,
    time_limit: float | None,
    figure: int | None,
    docs: Path | None,
    methods: tuple[str, ...],
) -> None:

    problems = at_least_one("--seeds", seeds) + time_limit_problems(time_limit)
    known = {one.name: one for one in REPRODUCTIONS}
    if what != ALL and what not in known:
        expected = f"one of {', '.join(known)}, or {ALL}"
        problems.append(unknown("WHAT", what, known, "see `ringyard reproduce`", expected))
    elif figure is not None:
        figures = known[what].figures if what in known else ()
        if figure not in figures:
            expected = f"one of {', '.join(map(str, figures))}" if figures else "no choice here"
            problems.append(Problem("--figure", figure, expected, "choose another or leave it out"))
        if docs is not None:
            problems.append(Problem("--docs", str(docs), "all figures", "leave out --figure"))
    if methods and (docs is not None or what == ALL):
        expected = "one reproduction, and no --docs"
        problems.append(Problem("--method", methods[0], expected, "name one"))
    raise_any("ringyard reproduce", problems)
    if docs is not None:
        for one in REPRODUCTIONS if what == ALL else [known[what]]:
            read_pages(docs, one.pages)


def _from_kept(what: str, out: Path, docs: Path | None, json: bool) -> int:
    """Make one from the runs that come with Ringyard."""
    one = next((one for one in REPRODUCTIONS if one.name == what and one.kept), None)
    if one is None:
        names = ", ".join(known.name for known in REPRODUCTIONS if known.kept)
        problem = Problem("--kept", what, f"one whose runs are kept: {names}", "leave it out")
        raise InputError("ringyard reproduce", [problem])
    store, rows = prepared(out / one.name), one.campaign.kept_rows()
    with remade(), closing(Writer(store.folder / "journal")) as writer:
        there = {row["key"] for row in store.rows()}
        for row in rows:
            if row["key"] not in there:
                writer.add(row)
    made = _written(one, one.campaign.report_of(rows), store.folder, docs, json)
    if json:
        emit({"reproduced": [made]})
    return 0


def _made(
    name: str, campaign: Any, settings: Settings, folder: Path, does: Executor
) -> Results | int:
    """Do what is missing and make the report; return the exit code if some was not done."""
    store = told(prepared(folder), done=False)
    try:
        with keeping(), follow(name) as tell:
            while missing := _missing(campaign, settings, store):
                drive(store, missing, does, tell)
                if not any(map(store.has, missing)):  # Code was edited: see METHOD_CHANGED.
                    note(f"{name}: {AGAIN}")
                    return 1
            report: Results = campaign.report(settings, store.row)
            return report
    except (KeyboardInterrupt, UnwrittenError) as error:
        why, code = why_stopped(error)
    store.refresh()
    left = len(_missing(campaign, settings, store))
    note(f"{name}: {why}, {left} runs are missing; the same command goes on")
    return code


def _missing(campaign: Any, settings: Settings, store: Store) -> list[Any]:
    """Return the runs that are wanted next; more may be once these are known."""

    def known(run: Any) -> Any:
        return store.row(run) if store.has(run) else None

    missing = (run for run in campaign.runs(settings, known) if not store.has(run))
    return list({run.key: run for run in missing}.values())


def _written(
    one: Reproduction, report: Results, folder: Path, docs: Path | None, json: bool
) -> dict[str, Any]:
    """Write what was made, show it, and put it into the pages if that is asked for."""
    files = list[Path]()
    with remade():
        files += write_report(report, folder)
        for kind, wanted in one.plots.items():
            files.append(folder / f"{kind}.svg")
            plot_command(
                folder, kind=kind, out=files[-1], choice=RowChoice(**wanted), log_time=True
            )
        if docs is not None:
            files += show(one.name, list(files), docs, one.pages)
    if not json:
        for part in report.tables.values():
            say(f"{part.caption}\n")
            say(to_markdown(part))
        for sentence in report.statements:
            say(f"- {sentence}")
        say(f"\n{one.name}: tables and figures are in {folder}")
    return {
        "name": one.name,
        "statements": list(report.statements),
        "files": [str(path) for path in files],
    }
