"""`ringyard bench`: solvers on programs of files and of the corpus, each answer audited."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ..analysis.rows import Row
from ..campaigns.drive import drive
from ..campaigns.reproductions import Results, write_report
from ..campaigns.store import Store, existing, make_folders, prepared
from ..engines.compared import CLASSES, EngineRuns, by_engine
from ..engines.confirm import (
    FOUND,
    NOT_SMALL,
    Confirmation,
    confirmed,
    confirmed_by,
    longest_s,
    require_second,
)
from ..engines.engine import LIMIT_S, ORDERS, Engine, engines, read_engines, told_apart
from ..engines.kept import KEPT_NAME, kept_rows
from ..engines.kept import keep as keep_rows
from ..engines.program_run import ProgramRun, run_of
from ..engines.programs import Selection, find_programs
from ..engines.report import bench_report
from ..engines.site import write_site
from ..engines.upgrade import Upgrade, upgrade
from ..formulations.corpus.index import Class, CorpusEntry, Tier, corpus
from ..instances.arguments import at_least_one, time_limit_problems
from ..instances.errors import InputError, Problem, plural, raise_any
from ..instances.writing import UnwrittenError
from ..interrupts import keeping
from .shared.campaign import executor, follow, why_stopped
from .shared.options import AsJson, Flag, Whole, remade
from .shared.output import emit, note, say, show_table

SOURCE = "ringyard bench"

LONGEST_S = 3600.0
"""The usual limit of a run."""


def bench_command(
    *what: str,
    solvers: str,
    time_limit: float | None = None,
    seeds: Whole | None = None,
    threads: Whole = 1,
    memory_limit: float | None = None,
    kind: Annotated[Class | None, Parameter("--class")] = None,
    tier: Tier = "standard",
    against: str | None = None,
    confirm: Flag = False,
    out: Path | None = None,
    workers: Whole | None = None,
    dask: str | None = None,
    keep: Flag = False,
    plan: Flag = False,
    json: AsJson = False,
) -> int:
    """Compare solvers on program files, audit every answer, and write tables and a site.

    Every run has a process of its own. Points are evaluated in fractions. Each run is saved as it
    ends: after Ctrl-C, rerun the command to resume. Runs are repeated only if the file, the solver
    or the limits changed. The exit code is 1 if an answer is newly contradicted (--against) or
    confirmed to be wrong (--confirm).

    Parameters
    ----------
    what
        Program files (.mps, .lp, .nl, .cbf, also .gz), folders of files, .txt lists of files, or
        names and patterns of the corpus. NAME.sol beside a file is a known point. A .solu file
        in a folder states optima.
    solvers
        Names with commas between, with options if any: highs,highs:presolve=off,mine.py:MySolver.
        all: every installed solver.
    time_limit
        Seconds for each run (default: 3600, or as in the rows of --against).
    seeds
        Orders of rows and columns in which each program is solved (default: 1, as in the file).
    threads
        Threads of each solver. NAME:threads=2 sets those of one.
    memory_limit
        Megabytes of the process of a solver, with libraries and program.
    kind
        Only programs of this class.
    tier
        Tier of the corpus that names and patterns choose from.
    against
        Report changes relative to earlier rows: a folder of this command, or the rows that come
        with Ringyard (kept).
    confirm
        Ask again for every contradicted answer, up to three times with ten times the limit. If a
        point in fractions refutes it again, make a small program of it, in OUT/found. This needs
        a second solver, which supplies points.
    out
        Folder for rows, tables and site (default: out/bench).
    workers
        Parallel runs on this machine (default: one thread per processor).
    dask
        Address of a Dask scheduler whose workers execute the runs.
    keep
        In a checkout, with --against kept: store the runs in place of the solver's runs of the same
        programs and orders. `ringyard reproduce solvers --kept --docs docs` then renews the page.
    plan
        Print the number of runs and the longest time, also of --confirm, and run nothing.
    """
    raise_any(
        SOURCE,
        [
            *at_least_one("--seeds", seeds),
            *at_least_one("--threads", threads),
            *time_limit_problems(time_limit),
        ],
    )
    if not what:
        expected = "program files, folders, or names of the corpus"
        raise InputError(SOURCE, [Problem("WHAT", "nothing", expected, "name some")])
    if keep and (against != KEPT_NAME or time_limit is not None):
        expected = f"--against {KEPT_NAME}, and no --time-limit"
        raise InputError(SOURCE, [Problem("--keep", "other options", expected, "change them")])
    asked = _engines(solvers, threads, against)
    chosen = find_programs(what, tier).of_class(kind)
    before = _before(against)
    limits = _Limits(time_limit, before)
    orders = seeds or (ORDERS if before else 1)
    runs = list(_runs(asked, chosen, orders, limits, memory_limit))
    for sentence in [*chosen.left_out, *_not_asked(asked, chosen)]:
        note(sentence)
    if plan:
        return _plan(runs, workers, confirm, json)
    if confirm:
        require_second(asked, chosen.entries.values())
    store = prepared(out or Path("out", "bench"))
    with executor(workers, dask) as does:
        try:
            with keeping(), follow("bench") as tell:
                drive(store, [run for run in runs if not store.has(run)], does, tell)
        except (KeyboardInterrupt, UnwrittenError) as error:
            why, code = why_stopped(error)
            note(f"bench: {why}, {_missing(store, runs)} runs are missing. Rerun to resume.")
            return code
    if left := _missing(store, runs):
        note(f"bench: {plural(left, 'run')} could not be done as planned, see above. Rerun it.")
        return 1
    rows = [store.row(run) for run in runs]
    if others := len(store) - len({row["key"] for row in rows}):
        note(f"{plural(others, 'row')} of other limits, files or solvers left out")
    if keep:
        for own in by_engine(rows).values():
            keep_rows(own)
    found = EngineRuns(tuple(rows), chosen.entries, frozenset())
    try:
        again = _again(rows, chosen, store, asked) if confirm else None
    except KeyboardInterrupt:
        note("bench: interrupted while asking again. Rerun to resume.")
        return 130
    report = bench_report(found, chosen, again, str(store.folder / FOUND))
    make_folders(store.folder, ("tables", "site/programs", "site/solvers"))
    with remade():
        files = write_report(report, store.folder / "tables")
        site = store.folder / "site"
        page = write_site(found, chosen, report, site, store.rows(), again or ())
    changes = [_changes(one, before, found) for one in asked] if against else []
    if json:
        emit(_facts(report, found, changes, again, page, files))
    else:
        _say(report, changes, page)
    wrong = confirmed_by(again or ()) > 0
    return 1 if wrong or any(one.newly_contradicted for one in changes) else 0


def _again(
    rows: Sequence[Row], chosen: Selection, store: Store, asked: Sequence[Engine]
) -> list[Confirmation]:
    """Ask again for the contradicted answers, with a line for each."""

    def tell(text: str) -> None:
        note(f"bench: {text}")

    with keeping():
        return confirmed(rows, chosen, store.folder, tell, engines=asked)


def _engines(solvers: str, threads: int, against: str | None) -> list[Engine]:
    """Return the engines. Those of kept rows may also have the names of the study."""
    if against != KEPT_NAME:
        return read_engines(solvers, threads)
    study = {one.name: one for one in engines()}
    words = list(filter(None, map(str.strip, solvers.split(","))))
    return told_apart(
        one
        for word in words
        for one in ([study[word]] if word in study else read_engines(word, threads))
    )


def _before(against: str | None) -> list[Row]:
    if against is None:
        return []
    return kept_rows() if against == KEPT_NAME else existing(Path(against)).rows()


class _Limits:
    """The time limit of each run: the given one, or the one of an earlier row."""

    def __init__(self, given: float | None, before: Sequence[Row]) -> None:
        """Note the limits of earlier rows by program."""
        self._given = given
        self._known = {row["instance"]: row["time_limit"] for row in before}
        self._usual = LIMIT_S if before else LONGEST_S

    def of(self, program: str) -> float:
        """Return the limit of a run."""
        if self._given is not None:
            return self._given
        return float(self._known.get(program) or self._usual)


def _runs(
    asked: Sequence[Engine],
    chosen: Selection,
    orders: int,
    limits: _Limits,
    memory_limit: float | None,
) -> Iterator[ProgramRun]:
    """Yield all runs, by engine as the command names them."""
    for engine in asked:
        taken = [entry for entry in chosen.entries.values() if engine.takes(entry)]
        if not taken:
            kinds = sorted({CLASSES[entry.kind] for entry in chosen.entries.values()})
            expected = f"a solver for {' or '.join(kinds)}"
            advice = "see `ringyard list solvers`"
            raise InputError(SOURCE, [Problem("--solvers", engine.name, expected, advice)])
        for seed in range(orders):
            for entry in taken:
                file = str(chosen.files.get(entry.name, ""))
                limit = limits.of(entry.name)
                yield run_of(engine, entry, seed, limit, file=file, memory_limit=memory_limit)


def _not_asked(asked: Sequence[Engine], chosen: Selection) -> Iterator[str]:
    for engine in asked:
        left = [one.kind for one in chosen.entries.values() if not engine.takes(one)]
        for kind in dict.fromkeys(left):
            yield f"{engine.name} is not asked about {CLASSES[kind]}: {left.count(kind)}"


def _plan(runs: Sequence[ProgramRun], workers: int | None, confirm: bool, json: bool) -> int:
    hours = sum(run.time_limit or 0.0 for run in runs) / 3600 / (workers or 1)
    doubtful = [run.time_limit or 0.0 for run in runs if run.entry.kind not in NOT_SMALL]
    each = [longest_s(limit) / 3600 for limit in doubtful if confirm]
    if json:
        longest = {"confirm_hours": sum(each)} if confirm else {}
        emit({"runs": len(runs), "hours": hours, **longest})
        return 0
    at_once = f" with {plural(workers, 'worker')}" if workers else ", one after the other"
    say(f"{plural(len(runs), 'run')}, at most {hours:.2g} hours{at_once}")
    if each:
        most = f"at most {max(each):.2g} hours for each contradicted answer"
        say(f"--confirm: {most}, {sum(each):.2g} hours if all are")
    return 0


def _missing(store: Store, runs: Sequence[ProgramRun]) -> int:
    store.refresh()
    return sum(not store.has(run) for run in runs)


def _changes(engine: Engine, before: Sequence[Row], found: EngineRuns) -> Upgrade:
    own = [row for row in found.rows if row["method"] == engine.name]
    programs: Mapping[str, CorpusEntry] = {**corpus(), **found.programs}
    return upgrade(
        engine.name, [row for row in before if row["instance"] in programs], own, programs
    )


def _say(report: Results, changes: Sequence[Upgrade], page: Path) -> None:
    for name, one in report.tables.items():
        if name in SHOWN:
            show_table(one)
    for change in changes:
        _say_change(change)
    for sentence in report.statements:
        say(f"- {sentence}")
    say(f"page: {page}")


SHOWN = ("engines", *(kind.lower() for kind in CLASSES), "contradicted")
"""The tables that are printed. The others are in the folder."""


def _say_change(found: Upgrade) -> None:
    """Print the changes of one solver."""
    show_table(found.table())
    for sentence in found.moved():
        say(sentence)
    if (ratio := found.ratio()) is not None:
        ends = f", {ratio.low:.2f} to {ratio.high:.2f}" if ratio.bounded else ""
        say(f"ratio of times, now to before, where both solved: {ratio.mean:.2f}{ends}")
    for sentence in found.newly_contradicted:
        say(f"newly CONTRADICTED: {sentence}")
    if not found.newly_contradicted:
        say("no answer is newly contradicted")


def _facts(
    report: Results,
    found: EngineRuns,
    changes: Sequence[Upgrade],
    again: Sequence[Confirmation] | None,
    page: Path,
    files: Sequence[Path],
) -> dict[str, object]:
    """Return the results as a JSON object."""
    return {
        "runs": [{**row, "outcome": found.kind(row)} for row in found.rows],
        "statements": list(report.statements),
        "changes": [_change_row(one) for one in changes],
        "confirmations": None if again is None else [asdict(one) for one in again],
        "page": str(page),
        "files": list(map(str, files)),
    }


def _change_row(found: Upgrade) -> dict[str, object]:
    shown, ratio = found.table(), found.ratio()
    heads = [column.head or "when" for column in shown.columns]
    return {
        "ends": [dict(zip(heads, row, strict=True)) for row in shown.rows],
        "time_ratio": None if ratio is None else [ratio.mean, ratio.low, ratio.high],
        "newly_contradicted": found.newly_contradicted,
        "moved": list(found.moved()),
    }
