"""`ringyard reproduce`: tables and figures of papers and of the documentation, regenerated."""

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

SOME = "a package with reproductions"

PAPERS = "install all of Ringyard: ringyard.papers has the reproductions of the papers"
"""Advice if the package has no reproductions."""


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
    """Regenerate tables and figures, for papers next to the paper's own numbers.

    Without a name, list the reproductions. `all` makes all of Ringyard's. Each run is saved as it
    ends: rerun the command to resume after Ctrl-C. It writes rows, tables (.tex, .md, .csv) and
    figures (.svg, .pdf).

    Parameters
    ----------
    what
        The name of a study, or all. Without it, the studies are listed.
    out
        Folder with a subfolder for each study (default: out/ or out/smoke/).
    seeds
        Number of random instances per setting (default: as in the study).
    time_limit
        Seconds per instance for Ringyard's best schedule, and for the bound (default: as in the
        study).
    figure
        Only this figure of the paper (mobihoc).
    method
        Your method, such as my_sched.py:my_sched, in addition to the compared methods: on the same
        instances and seeds, with a separate table. May be repeated.
    smoke
        Run a small version that takes seconds, to test that everything works.
    kept
        Skip the runs and use the stored ones that come with Ringyard (solvers). They are copied to
        the folder.
    docs
        Write tables, findings and figures into the pages of this documentation folder.
    workers
        Parallel runs on this machine (default: one thread per processor).
    dask
        Address of a Dask scheduler whose workers execute the runs.
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
    """Return the seeds and the time limit of a study as text."""
    return f"{settings.seeds} seeds, at most {settings.time_limit:g} s per run"


def _list(found: Mapping[str, Found], json: bool) -> int:
    """Print the reproductions, with their packages if some are external."""
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
    """Return the named reproduction, or all of Ringyard's, or an empty result."""
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
            expected = f"one of {', '.join(map(str, figures))}" if figures else "no value here"
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
    """Make a reproduction from the runs that come with Ringyard."""
    with_runs = {name: one.one for name, one in found.items() if one.one.kept}
    one = with_runs.get(what)
    if one is None:
        names = ", ".join(with_runs)
        problem = Problem("--kept", what, f"one with stored runs: {names}", "leave it out")
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
    """Do the missing runs and write the report. Return the exit code if runs are missing."""
    store = report_left_out(prepared(folder), done=False)
    try:
        with keeping(), follow(name) as tell:
            while missing := _missing(campaign, settings, store):
                drive(store, missing, does, tell)
                if not any(map(store.has, missing)):  # The code has changed: see METHOD_CHANGED.
                    note(f"{name}: {AGAIN}")
                    return 1
            report: Results = campaign.report(settings, store.row)
            return report
    except (KeyboardInterrupt, UnwrittenError) as error:
        why, code = why_stopped(error)
    store.refresh()
    left = len(_missing(campaign, settings, store))
    note(f"{name}: {why}, {left} runs are missing. Rerun the command to resume.")
    return code


def _missing(campaign: Any, settings: Settings, store: Store) -> list[Any]:
    """Return the next runs. Their results may require more."""

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
    setup: str | None = None,
) -> dict[str, Any]:
    """Write and print the report, and put it into the pages if requested."""
    files = list[Path]()
    with remade():
        files += write_report(report, folder)
        for kind, wanted in one.plots.items():
            files.append(folder / f"{kind}.svg")
            plot_command(
                folder, kind=kind, out=files[-1], choice=RowChoice(**wanted), log_time=True
            )
        if docs is not None:
            # Runs that come with Ringyard, without a setup, may be of older code.
            if setup is not None and any(is_study(docs, page) for page in one.pages):
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
