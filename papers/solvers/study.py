"""The campaign: every engine on every program, in three orders of rows and columns."""

from collections import Counter
from collections.abc import Iterator

from ...campaigns.program_run import ProgramRun
from ...formulations.corpus.index import CorpusEntry, corpus
from ..study import Answers, Known, Results, Settings, named
from .engines import Engine, engines


def runs(settings: Settings, _: Known | None = None) -> Iterator[ProgramRun]:
    """Yield all runs: first each program as it is, then in other orders."""
    asked, programs = list(engines()), settings.some(turns())
    for seed in range(settings.seeds):
        for entry in programs:
            for engine in asked:
                if engine.takes(entry):
                    yield run_of(engine, entry, seed, settings.time_limit)


def run_of(engine: Engine, entry: CorpusEntry, seed: int, limit_s: float) -> ProgramRun:
    """Return a run."""
    return ProgramRun(
        instance=named(entry.recipe.instance),
        program=entry.name,
        method=engine.name,
        solver=engine.solver,
        settings=engine.settings(entry, seed),
        seed=seed,
        threads=engine.threads,
        time_limit=limit_s,
    )


def turns() -> list[CorpusEntry]:
    """Return all programs, one of each kind in turn, so that the first of them are of every kind."""
    seen: Counter[tuple[str, str]] = Counter()
    turn = {}
    for entry in corpus().values():
        kind = entry.recipe.program, entry.kind
        turn[entry.name] = seen[kind]
        seen[kind] += 1
    return sorted(corpus().values(), key=lambda entry: turn[entry.name])


def report(settings: Settings, answers: Answers) -> Results:
    """Compare the engines."""
    rows = [answers(run) for run in runs(settings)]
    return Results(tables={})
