"""The result of a method on a suite: rows, a score, ranks, foresight, and a folder.

Foresight is deciding by jobs that have not arrived. Each instance has a twin in which the later
half of the jobs arrives in a different order. Until these jobs arrive, both are identical to a
method without foresight, even if it knows the lengths of all jobs as a set. Its plans must agree
until then.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from html import escape
from pathlib import Path
from typing import Any

from ..analysis.drawing.svg import to_svg
from ..analysis.gantt import gantt_picture
from ..families.family import Family, Suite
from ..families.registry import FAMILIES
from ..instances import Bound, Instance
from ..instances.reading.encode import as_number, plain
from ..instances.reading.files import to_bytes
from ..instances.writing import write_whole
from ..version import __version__
from .bench import Candidate, Judged, RunLimits
from .suites import Key

ARRIVALS = ("arrival_s", "arrival_slot")
"""Fields that say when a job arrives."""

BEGINS, ENDS = ("start_s", "slot"), ("stop_s", "end_s")
"""Fields with the start and the end of an action."""


def twin(instance: Any) -> Instance | None:
    """Return the instance with its later jobs in another order, if jobs arrive in it."""
    field = _field(instance)
    if field is None:
        return None
    cut = cut_of(instance)
    later = [one for one in instance.jobs if getattr(one, field) >= cut]
    bodies = dict(zip((one.name for one in later), reversed(later), strict=True))
    jobs = [
        replace(bodies.get(one.name, one), **{"name": one.name, field: getattr(one, field)})
        for one in instance.jobs
    ]
    made: Instance = replace(instance, jobs=tuple(jobs))
    return made


def cut_of(instance: Any) -> Any:
    """Return when the later jobs begin to arrive."""
    field = _field(instance)
    times = sorted(getattr(one, str(field)) for one in instance.jobs)
    return times[len(times) // 2]


def foresees(instance: Any, run: Judged, other: Judged) -> bool | None:
    """Return True if a plan depends on future jobs, None if one of the two is missing.

    A fleet's leases are left out because the same GPUs may be divided into leases differently.
    """
    if not (run.valid and other.valid):
        return None
    cut = cut_of(instance)
    plans = [plain(one.schedule, without=("leases",)) for one in (run, other)]
    return _before(plans[0], cut) != _before(plans[1], cut)


def _field(instance: Any) -> str | None:
    return next((name for name in ARRIVALS if hasattr(instance.jobs[0], name)), None)


def _before(value: Any, cut: Any) -> object:
    """Return the actions before a moment in canonical order, None if there are no actions."""
    if isinstance(value, list):
        some = [_before(part, cut) for part in value]
        return sorted((one for one in some if one is not None), key=repr) or None
    if not isinstance(value, dict):
        return None  # Claims, and names of the whole.
    begins = [value[name] for name in BEGINS if value.get(name) is not None]
    if begins:
        ended = {name: None for name in ENDS if value.get(name) is None or value[name] >= cut}
        return None if begins[0] >= cut else value | ended
    parts = {name: _before(part, cut) for name, part in value.items()}
    done = {name: part for name, part in parts.items() if part is not None}
    return {"job": value.get("job"), **done} if done else None


FORMAT = "ringyard-evaluation/1"

ALWAYS = ("process", "time", "environment")
"""Guards on every system that can monitor runs."""

SOMETIMES = ("memory", "files", "network", "processes", "syscalls")
"""Guards on systems that allow them."""

AS_ONE = ("method", "seed", "instance", "digest", "kind")
"""Attributes in which equal schedules may differ."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Evaluation:
    """A method on a suite, with the baselines. `score` is from 0 to 1, and 1 is optimal."""

    suite: Suite
    key: Key
    limits: RunLimits
    method: Candidate
    instances: Sequence[Instance]
    bounds: Sequence[Bound]
    runs: Sequence[Judged]
    twins: Sequence[Judged] = ()
    """Runs of the method on twins of the instances with arrivals over time."""
    baselines: Mapping[str, Sequence[Judged]]

    @property
    def family(self) -> Family:
        """The problem family of the suite."""
        return FAMILIES[self.suite.kind]

    @property
    def score(self) -> float:
        """The mean guaranteed share of the optimum over all runs, 0 for a failure.

        For a makespan it is bound over value, for a utility value over bound.
        """
        return self.score_of(self.runs)

    @property
    def rank(self) -> int:
        """The place of the method among the baselines, by score."""
        others = [self.score_of(runs) for runs in self.baselines.values()]
        return 1 + sum(other > self.score for other in others)

    @property
    def valid(self) -> int:
        """The number of runs that gave a valid schedule."""
        return sum(run.valid for run in self.runs)

    @property
    def guards(self) -> dict[str, bool]:
        """The resources that were guarded in all runs."""
        known = [run.guards for run in self.runs if run.guards]
        return dict.fromkeys(ALWAYS, True) | {
            name: bool(known) and all(one.get(name, False) for one in known) for name in SOMETIMES
        }

    def foresight(self, index: int) -> bool | None:
        """Return True if a plan depends on future jobs, None if unknown."""
        if not self.twins:
            return None
        return foresees(self.instances[index], self.runs[index], self.twins[index])

    def score_of(self, runs: Sequence[Judged]) -> float:
        """Return the score of runs on the instances of the suite."""
        parts = [self._part(run, bound) for run, bound in zip(runs, self.bounds, strict=True)]
        return float(sum(parts, Fraction(0)) / len(parts))

    def _part(self, run: Judged, bound: Bound) -> Fraction:
        if run.value is None:
            return Fraction(0)
        most = self.family.maximize
        above, below = (bound.value, run.value) if not most else (run.value, bound.value)
        if not below:
            return Fraction(1)
        return max(Fraction(0), above / below)

    def best(self, index: int) -> tuple[str, Judged] | None:
        """Return the best baseline on an instance, the first of equals."""
        known = [(name, runs[index]) for name, runs in self.baselines.items()]
        answered = [(name, run) for name, run in known if run.value is not None]
        best = max if self.family.maximize else min
        return best(answered, key=lambda pair: pair[1].value or 0, default=None)

    def behind(self, index: int) -> float | None:
        """Return a run's relative loss to the best baseline, negative if it is ahead."""
        best, value = self.best(index), self.runs[index].value
        if best is None or value is None or not best[1].value:
            return None
        apart = (value - best[1].value) / abs(best[1].value)
        return float(-apart if self.family.maximize else apart)

    def worst(self) -> int:
        """Return the index of the instance with the largest loss, failures first."""
        order = [(not run.valid, self.behind(i) or 0.0, -i) for i, run in enumerate(self.runs)]
        return -max(order)[2]

    def row(self, index: int) -> dict[str, Any]:
        """Return the row of a run, with the method's messages only if seeds are public."""
        run, bound, best = self.runs[index], self.bounds[index], self.best(index)
        values = [runs[index].value for runs in self.baselines.values()]
        better = self.family.better
        words = () if self.key.hidden else (run.words,)
        gap = None if run.value is None else float(self.family.gap(run.value, bound.value))
        return {
            "instance": self.instances[index].name,
            "title": self.instances[index].title,
            "status": run.status,
            "value": as_number(run.value),
            "bound": as_number(bound.value),
            "bound_kind": bound.kind.value,
            "gap": gap,
            "best": as_number(best[1].value) if best else None,
            "best_by": best[0] if best else None,
            "behind": self.behind(index),
            "rank": 1
            + sum(
                value is not None and (run.value is None or better(value, run.value))
                for value in values
            ),
            "same_as": self._same_as(index),
            "foresight": self.foresight(index),
            "seconds": run.seconds,
            "cpu_seconds": run.cpu_seconds,
            "memory_mb": run.memory_mb,
            "note": "; ".join(filter(None, (*run.remarks, *words))),
            "metrics": self.family.metrics(self.instances[index], run.verdict)
            if run.verdict
            else {},
        }

    def _same_as(self, index: int) -> list[str]:
        """Return the baselines with the same schedule."""
        own = self.runs[index].schedule
        if own is None:
            return []
        return [
            name
            for name, runs in self.baselines.items()
            if runs[index].schedule is not None
            and plain(runs[index].schedule, without=AS_ONE) == plain(own, without=AS_ONE)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the object that `ringyard evaluate --json` prints."""
        suite, limits = self.suite, self.limits
        return {
            "format": FORMAT,
            "version": __version__,
            "method": self.method.name,
            "source": self.method.source,
            "suite": {"name": suite.name, "version": suite.version, "kind": suite.kind},
            "seeds": "hidden" if self.key.hidden else "training",
            "secret": self.key.mark,
            "seed": limits.seed,
            "time_limit": limits.time_s,
            "memory_limit": limits.memory_mb,
            "score": self.score,
            "rank": self.rank,
            "of": 1 + len(self.baselines),
            "runs": len(self.runs),
            "valid": self.valid,
            "seconds": _total(self.runs),
            "guards": self.guards,
            "foresight": any(map(self.foresight, range(len(self.runs)))) if self.twins else None,
            "worst": self.instances[self.worst()].name,
            "baselines": [
                {
                    "method": name,
                    "score": self.score_of(runs),
                    "valid": sum(run.valid for run in runs),
                    "seconds": _total(runs),
                }
                for name, runs in self.baselines.items()
            ],
            "instances": [self.row(index) for index in range(len(self.runs))],
        }

    def __repr__(self) -> str:
        """Return the main results in three lines."""
        seeds = "hidden" if self.key.hidden else "training"
        return (
            f"{self.method.name} on {self.suite.name}, {seeds} seeds\n"
            f"  score {self.score:.4f}, rank {self.rank} of {1 + len(self.baselines)}\n"
            f"  {self.valid} of {len(self.runs)} runs valid"
        )


def _total(runs: Sequence[Judged]) -> float:
    return round(sum(run.seconds or 0.0 for run in runs), 6)


PAGE = """<!doctype html>
<meta charset="utf-8">
<title>{title}</title>
<style>
body {{ font-family: sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }}
svg {{ width: 100%; height: auto; border: 1px solid #ddd; }}
</style>
<h1>{title}</h1>
{parts}
"""


def result_text(found: Evaluation) -> str:
    """Return the result as the text of a file."""
    return json.dumps(found.to_dict(), indent=2) + "\n"


def write_artefacts(found: Evaluation, folder: Path) -> None:
    """Write the folder, created if necessary, and replace files of the same names."""
    for part in ("schedules", "charts"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    write_whole(folder / "result.json", result_text(found).encode())
    for index, run in enumerate(found.runs):
        name = found.instances[index].name
        if run.valid:
            plan = folder / "schedules" / f"{name}.json"
            write_whole(plan, to_bytes(run.schedule, plan))
        if (picture := _chart(found, index, run)) is not None:
            write_whole(folder / "charts" / f"{name}.svg", to_svg(picture).encode())
    write_whole(folder / "worst.html", _worst(found).encode())


def _chart(found: Evaluation, index: int, run: Judged) -> Any:
    """Return the chart of a run, if it has a schedule and its family has charts."""
    if not run.valid or found.family.chart is None:
        return None
    bound = found.bounds[index].value
    return gantt_picture(found.instances[index], run.schedule, run.verdict, bound)


def _worst(found: Evaluation) -> str:
    """Return the page of the instance on which the method loses most."""
    index = found.worst()
    best, instance = found.best(index), found.instances[index]
    behind = found.behind(index)
    apart = "" if behind is None else f", {100 * behind:+.2f} % from the best baseline"
    title = f"{instance.name}: {found.method.name}{apart}"
    named = [(found.method.name, found.runs[index]), *([best] if best else [])]
    parts = [f"<p>{escape(instance.title)}</p>"]
    parts += [line for name, run in named for line in _part(found, index, name, run)]
    return PAGE.format(title=escape(title), parts="\n".join(parts))


def _part(found: Evaluation, index: int, name: str, run: Judged) -> Iterator[str]:
    value = "-" if run.value is None else found.family.valued(f"{as_number(run.value):g}")
    result = "; ".join((run.status, f"{found.family.objective} {value}", *run.remarks))
    yield f"<h2>{escape(name)}</h2>\n<p>{escape(result)}</p>"
    picture = _chart(found, index, run)
    if picture is not None:
        yield to_svg(picture, embedded=True)
