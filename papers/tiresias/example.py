"""The worked example of Tiresias: three jobs on 2 GPUs, schedule by schedule.

No runs are stored: it takes a moment, and the result is the same on every machine.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import groupby

from ...analysis.check.trace import TraceVerdict
from ...analysis.gantt import gantt_picture
from ...analysis.tables import Cell, Table, texts
from ...campaigns.reproductions import Answers, Results, Settings
from ...instances import TraceInstance, TraceSchedule
from ...run import solve
from ..study import named, table_of
from .experiments import EXAMPLE, draw, index_table, index_values, misfit

POLICIES: tuple[tuple[str, str], ...] = (
    ("SRTF", "srtf"),
    ("SRSF", "srsf"),
    ("2D-Gittins, index as defined", "2d-gittins:interval_s=1"),
    ("2D-Gittins, index of the slides", "2d-gittins:index=figure20:interval_s=1"),
    ("2D-LAS, quantum 2", "2d-las:interval_s=2"),
    ("2D-LAS, quantum 1", "2d-las:interval_s=1"),
    ("2D-LAS, quantum 1/2", "2d-las:interval_s=0.5"),
    ("two queues, threshold 3", "tiresias-l:thresholds=[3]"),
    ("two queues, threshold 4", "tiresias-l:thresholds=[4]"),
    ("FIFO", "fifo"),
)
"""Policies, and the methods that stand for them."""

OPTIMUM = "state-search"
"""The method that enumerates all schedules."""

STEPS = {"as defined": POLICIES[2][0], "of the slides": POLICIES[3][0]}
"""By index, the schedule that is shown step by step."""

DRAWN = {"gittins": POLICIES[2][0], "slides": POLICIES[3][0], "las": POLICIES[5][0]}
"""Schedules that are drawn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spell:
    """A stretch of time in which one job runs."""

    job: int
    start: Fraction
    end: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A schedule of the example."""

    name: str
    status: str
    instance: TraceInstance
    schedule: TraceSchedule
    verdict: TraceVerdict

    @property
    def mean(self) -> Fraction:
        """The mean completion time."""
        assert self.verdict.mean_jct is not None
        return self.verdict.mean_jct

    @property
    def ends(self) -> list[Fraction]:
        """When each job ends."""
        return [self.verdict.ends[job.name] for job in self.instance.jobs]

    @property
    def spells(self) -> list[Spell]:
        """The running job by time. No two jobs ever run together."""
        numbers = {job.name: i for i, job in enumerate(self.instance.jobs)}
        tick = Fraction(self.instance.tick_s)
        held = sorted(self.verdict.held, key=lambda one: one.start)
        return [
            Spell(job=numbers[one.run.job.name], start=one.start * tick, end=one.stop * tick)
            for one in held
        ]


def report(_: Settings, __: Answers | None = None) -> Results:
    """Schedule the example by all methods, and make tables of schedules, steps and the index."""
    served = {name: _served(name, method) for name, method in POLICIES}
    best = _served("optimum", OPTIMUM)
    return Results(
        tables={
            "schedules": _schedules(served.values(), best),
            "steps": _steps(served),
            "index": index_table(example()),
        },
        charts={
            "index": partial(draw, example()),
            **{
                name: gantt_picture(one.instance, one.schedule, one.verdict, best.mean)
                for name, one in ((name, served[policy]) for name, policy in DRAWN.items())
            },
        },
        statements=tuple(_statements(served, best)),
    )


def example() -> TraceInstance:
    """Return the instance of the catalogue."""
    found: TraceInstance = named("tiresias-example")
    return found


def _served(name: str, method: str) -> Served:
    """Run a method, in half units of time if these are its quantum."""
    instance, half = example(), Decimal("0.5")
    if method.endswith(f"={half}"):
        instance = replace(instance, tick_s=half)
    answer = solve(instance, method, seed=0)
    assert isinstance(answer.verdict, TraceVerdict)
    return Served(
        name=name,
        status=answer.status,
        instance=instance,
        schedule=answer.schedule,
        verdict=answer.verdict,
    )


def _schedules(served: Iterable[Served], best: Served) -> Table:
    heads = {"policy": None, "who runs": None, "J1 ends": 1, "J2 ends": 1, "J3 ends": 1}
    heads |= {"mean": 2, "the paper's": 1, "over optimum": 3}
    return table_of(
        "Schedules of the worked example of Tiresias",
        heads,
        (
            (
                one.name,
                _order(one),
                *map(float, one.ends),
                float(one.mean),
                EXAMPLE.get(one.name),
                float(one.mean / best.mean),
            )
            for one in (*served, best)
        ),
        "Who runs: a digit for each unit of time (half a unit if that is the quantum), the "
        "number of the job. Optimum: by exhaustive search. The paper's: mean in the paper and "
        "its slides, if given.",
    )


def _order(one: Served) -> str:
    tick = Fraction(one.instance.tick_s)
    parts = groupby(one.spells, key=lambda spell: spell.job)
    return " ".join(
        str(job + 1) * int(sum((spell.end - spell.start for spell in some), Fraction(0)) / tick)
        for job, some in parts
    )


def _steps(served: dict[str, Served]) -> Table:
    rows = [
        (index, *line) for index, policy in STEPS.items() for line in _lines(index, served[policy])
    ]
    return table_of(
        "2D-Gittins step by step, whenever a job takes over or the past knows of no job "
        "as short as the one that runs",
        texts("index", "time", "service of J1, J2, J3", "index of J1, J2, J3", "runs"),
        rows,
        "Service in GPUs times units of time. Equal indices: the lower number first.",
        shared=1,
    )


def _lines(index: str, one: Served) -> Iterator[tuple[Cell, ...]]:
    """Yield a line for each moment at which the order may change."""
    jobs, spells = example().jobs, one.spells
    atoms = [int(job.gpus * job.duration_s) for job in jobs]
    curve = index_values(example(), index)
    service = [0 for _ in jobs]
    for spell in spells:
        for now in range(int(spell.start), int(spell.end)):
            if now == spell.start or service[spell.job] in atoms:
                left = [service[i] < atoms[i] for i in range(len(jobs))]
                had = ", ".join(
                    str(a) if on else "done" for a, on in zip(service, left, strict=True)
                )
                ranks = [
                    f"{curve[a]:.3f}" if on else "-" for a, on in zip(service, left, strict=True)
                ]
                yield str(now), had, ", ".join(ranks), jobs[spell.job].name
            service[spell.job] += jobs[spell.job].gpus


def _statements(served: dict[str, Served], best: Served) -> Iterator[str]:
    for name, paper in EXAMPLE.items():
        mean = float(served[name].mean)
        same = "the same" if round(mean, 1) == paper else "another"
        yield f"{name}: mean {mean:.2f}, the paper's {paper:.1f}: {same}"
    yield f"optimum, by {OPTIMUM}: {float(best.mean):.2f}, {best.status}"
    yield f"index of the slides: within {misfit(example()):.4f} of every drawn point"
