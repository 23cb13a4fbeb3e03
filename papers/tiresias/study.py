"""The experiments of Tiresias repeated: its testbed, a trace, and what the outcome hangs on.

The paper's jobs are not public. Ours have its sizes, arrivals and limits; durations follow laws
that are only known in part (`instances/trace/mix.py`), so its directions can be compared, and its
numbers only roughly.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import product

from ...analysis.figures.canvas import Figure, finished
from ...analysis.figures.categories import category_figure, over
from ...analysis.figures.style import GUIDE
from ...campaigns.results import Results
from ...campaigns.runs import Run
from ..compared import Compared, compared
from ..study import Answers, Known, Settings, sound
from .cases import AS_IT_IS, BASE, CHANGES, METHODS, OPTIONS, TESTBED, TRACE, instance
from .numbers import TESTBED_RATIOS
from .numbers import TRACE as PAPER_TRACE
from .tables import changes_table, directions_table, options_table, policies_table, said

PAPER: dict[str, Mapping[str, tuple[float, ...]]] = {TESTBED: TESTBED_RATIOS, TRACE: PAPER_TRACE}

ABOUT = "Mean completion time over that under Tiresias-L, here and in the paper"


def _draw(mix: str, one: Compared) -> Figure:
    """Draw the testbed or the trace."""
    names = [name for name in one.rows if name != BASE]
    paper = {name: ratios[0] for name, ratios in PAPER[mix].items()}
    here = [one.ratio(name, BASE) for name in names]
    bare, up = [name.removeprefix("Tiresias-") for name in names], "mean completion time / that of"
    figure, [axes] = category_figure(ABOUT, ("policy", bare, f"{up} {BASE}, {mix}"))
    over(axes, BASE, [1.0] * len(names), "dashed", GUIDE)
    over(axes, "here", here, "points")
    over(axes, "paper", map(paper.get, names), "marks")
    return finished(figure)


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
        charts={mix: partial(_draw, mix, one) for mix, one in found.items()},
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
