"""The experiments of Tiresias repeated: its testbed, a trace, and what the outcome hangs on.

The paper's jobs are not public. Ours have its sizes, arrivals and limits; durations follow laws
that are only known in part (`instances/trace/mix.py`), so its directions can be compared, and its
numbers only roughly.
"""

from collections.abc import Iterator
from itertools import product

from ...campaigns.runs import Run
from ..compared import Compared, compared
from ..study import Answers, Known, Results, Settings, sound
from .chart import draw
from .methods import BASE, METHODS, OPTIONS
from .mixes import AS_IT_IS, CHANGES, TESTBED, TRACE, instance
from .tables import changes_table, directions_table, options_table, policies_table, said


def runs(settings: Settings, _: Known | None = None) -> Iterator[Run]:
    """Yield every run that the report asks for."""
    for mix, name, seed in product((TESTBED, TRACE), METHODS, range(settings.seeds)):
        yield _run(mix, METHODS[name], seed, settings)
    for mix, option, seed in product((TESTBED, TRACE), _options(settings), range(settings.seeds)):
        yield _run(mix, OPTIONS[option], seed, settings)
    for change, name, seed in product(_changes(settings), METHODS, range(settings.seeds)):
        yield _run(CHANGES[change][0], METHODS[name], seed, settings, change)


def report(settings: Settings, answers: Answers) -> Results:
    """Make tables, a chart and sentences of the rows."""
    answers = sound(answers)
    found = {mix: _compared(mix, settings, answers, METHODS) for mix in (TESTBED, TRACE)}
    options = {BASE: METHODS[BASE], **{name: OPTIONS[name] for name in _options(settings)}}
    tuned = {mix: _compared(mix, settings, answers, options) for mix in (TESTBED, TRACE)}
    changed = {
        change: _compared(CHANGES[change][0], settings, answers, METHODS, change)
        for change in _changes(settings)
    }
    return Results(
        tables={
            "directions": directions_table(found, settings),
            "testbed": policies_table(TESTBED, found[TESTBED]),
            "trace": policies_table(TRACE, found[TRACE]),
            "changes": changes_table(found, changed),
            "options": options_table(tuned),
        },
        charts=draw(found),
        statements=tuple(said(found, changed)),
    )


def _options(settings: Settings) -> list[str]:
    return settings.some(tuple(OPTIONS))


def _changes(settings: Settings) -> list[str]:
    return settings.some(tuple(CHANGES))


def _run(mix: str, method: str, seed: int, settings: Settings, change: str = AS_IT_IS) -> Run:
    return Run(instance=instance(mix, seed, settings, change), method=method, seed=seed)


def _compared(
    mix: str,
    settings: Settings,
    answers: Answers,
    methods: dict[str, str],
    change: str = AS_IT_IS,
) -> Compared:
    seeds = range(settings.seeds)
    return compared(
        {
            name: [_run(mix, method, seed, settings, change) for seed in seeds]
            for name, method in methods.items()
        },
        answers,
    )
