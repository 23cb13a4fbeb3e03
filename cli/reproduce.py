"""`ringyard reproduce`: tables and figures of papers and of these pages, regenerated."""

from collections.abc import Mapping
from contextlib import closing, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..analysis.tables import to_markdown
from ..campaigns.drive import drive
from ..campaigns.executors import Executor
from ..campaigns.journal import Writer
from ..campaigns.reproductions import (
    ALL,
    Beside,
    Found,
    Reproduction,
    Results,
    Settings,
    find_reproductions,
    read_pages,
    runs_of,
    show,
    write_report,
)
from ..campaigns.runs import AGAIN
from ..campaigns.store import Store, prepared
from ..campaigns.study_pages import is_study, measured_now, note_measured
from ..extensions.calling import guarded
from ..instances.arguments import at_least_one, time_limit_problems
from ..instances.errors import ABSENT, InputError, Problem, raise_any, unknown
from ..instances.writing import UnwrittenError
from ..interrupts import keeping
from .plot import plot_command
from .shared.campaign import executor, follow, report_left_out, why_stopped
from .shared.choice import RowChoice
from .shared.options import AsJson, Flag, Whole, remade
from .shared.output import emit, note, say, table

SOME = "a package that brings reproductions"

PAPERS = "install all of Ringyard: ringyard.papers brings those of the papers"
"""What to do where this package brings no reproductions."""


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

    Without a name, say what there is; `all` makes everything that comes with Ringyard. Each run is
    written down as it comes: after Ctrl-C the same command goes on where it was. Beside the rows it
    writes tables (.tex, .md, .csv) and figures (.svg, .pdf).

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
    found, remarks = find_reproductions()
    for remark in remarks:
        note(f"warning: {remark}")
    if what is None:
        return _list(found, json)
    _refuse(found, what, seeds, time_limit, figure, docs, method)
    if kept:
        return _from_kept(found, what, out or Path("out"), docs, json)
    place = out or Path("out", "smoke" if smoke else "")
    asked = {"seeds": seeds, "time_limit": time_limit, "figure": figure}
    given: dict[str, Any] = {key: value for key, value in asked.items() if value is not None}
    made = []
    with executor(workers, dask) as does:
        for one in _chosen(found, what):
            settings = replace(one.smoke if smoke else one.settings, **given)
            with nullcontext() if found[one.name].is_ours else guarded(found[one.name].label):
                campaign = one.campaign.summary(docs, place) if one.summary else one.campaign
                campaign = Beside(campaign, method) if method else campaign
                report = _made(one.name, campaign, settings, place / one.name, does)
            if isinstance(report, int):
                return report
            setup = _setup(settings)
            made.append(_written(one, report, place / one.name, docs, json, setup))
    if json:
        emit({"reproduced": made})
    return 0


def _setup(settings: Settings) -> str:
    """Return the seeds and the limit of a study in words."""
    return f"{settings.seeds} seeds, at most {settings.time_limit:g} s a run"


def _list(found: Mapping[str, Found], json: bool) -> int:
    """Show the reproductions, with their packages if some are not ours."""
    if not found:
        raise InputError("ringyard reproduce", [Problem("WHAT", ABSENT, SOME, PAPERS)])
    heads = ["name", "source", "about"]
    rows = [[name, one.point.source, one.one.about] for name, one in found.items()]
    if json:
        emit({"reproductions": [dict(zip(heads, row, strict=True)) for row in rows]})
    elif all(one.is_ours for one in found.values()):
        table(["name", "about"], [[name, about] for name, _, about in rows])
    else:
        table(heads, rows)
    return 0


def _chosen(found: Mapping[str, Found], what: str) -> list[Reproduction]:
    """Return the reproduction of a name, or all of ours; none if there is no such thing."""
    return [one.one for name, one in found.items() if what == name or (what == ALL and one.is_ours)]


def _unknown(found: Mapping[str, Found], what: str) -> Problem:
    if not any(one.is_ours for one in found.values()):
        expected = f"one of {', '.join(found)}" if found else SOME
        return unknown("WHAT", what, found, PAPERS, expected)
    expected = f"one of {', '.join(found)}, or {ALL}"
    return unknown("WHAT", what, found, "see `ringyard reproduce`", expected)


def _refuse(
    found: Mapping[str, Found],
    what: str,
    seeds: int | None,
    time_limit: float | None,
    figure: int | None,
    docs: Path | None,
    methods: tuple[str, ...],
) -> None:

    problems = at_least_one("--seeds", seeds) + time_limit_problems(time_limit)
    chosen = _chosen(found, what)
    if not chosen:
        problems.append(_unknown(found, what))
    elif figure is not None:
        figures = () if what == ALL else chosen[0].figures
        if figure not in figures:
            expected = f"one of {', '.join(map(str, figures))}" if figures else "no choice here"
            problems.append(Problem("--figure", figure, expected, "choose another or leave it out"))
        if docs is not None:
            problems.append(Problem("--docs", str(docs), "all figures", "leave out --figure"))
    if docs is not None and not all(one.pages for one in chosen):
        problems.append(Problem("--docs", str(docs), "a reproduction with pages", "leave it out"))
    if methods and (docs is not None or what == ALL):
        expected = "one reproduction, and no --docs"
        problems.append(Problem("--method", methods[0], expected, "name one"))
    raise_any("ringyard reproduce", problems)
    if docs is not None:
        for one in chosen:
            read_pages(docs, one.pages)


def _from_kept(
    found: Mapping[str, Found], what: str, out: Path, docs: Path | None, json: bool
) -> int:
    """Make one from the runs that come with Ringyard."""
    with_runs = {name: one.one for name, one in found.items() if one.one.kept}
    one = with_runs.get(what)
    if one is None:
        names = ", ".join(with_runs)
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
    store = report_left_out(prepared(folder), done=False)
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

    missing = (run for run in runs_of(campaign, settings, known) if not store.has(run))
    return list({run.key: run for run in missing}.values())


def _written(
    one: Reproduction,
    report: Results,
    folder: Path,
    docs: Path | None,
    json: bool,
    setup: str = "",
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
            if any(is_study(docs, page) for page in one.pages):
                command = f"ringyard reproduce {one.name} --docs docs"
                measured = measured_now(command, setup, one.code, Store(folder).rows())
                note_measured(docs, one.name, measured)
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
