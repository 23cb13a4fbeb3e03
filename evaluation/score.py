"""What runs of a method on a suite come to: rows, a score, ranks, and one JSON object."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..families import FAMILIES, Family, Suite
from ..instances import Bound, Instance
from ..instances.reading.encode import as_number, plain
from ..version import __version__
from .bench import Judged, RunLimits
from .candidate import Candidate
from .foresight import foresees
from .seeds import Key

FORMAT = "ringyard-evaluation/1"

ALWAYS = ("process", "time", "environment")
"""What is guarded on every system that runs can be watched on."""

SOMETIMES = ("memory", "files", "network", "processes", "syscalls")
"""What is guarded where the system allows it."""

AS_ONE = ("method", "seed", "instance", "digest", "kind")
"""What two schedules may differ in and be one."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Evaluation:
    """A method on a suite, beside the baselines; `score` is from 0 to 1, and 1 is optimal."""

    suite: Suite
    key: Key
    limits: RunLimits
    method: Candidate
    instances: Sequence[Instance]
    bounds: Sequence[Bound]
    runs: Sequence[Judged]
    twins: Sequence[Judged] = ()
    """Of the method on twins of the instances, where jobs arrive over time."""
    baselines: Mapping[str, Sequence[Judged]]

    @property
    def family(self) -> Family:
        """The problem family of the suite."""
        return FAMILIES[self.suite.kind]

    @property
    def score(self) -> float:
        """The mean of what part of the best possible each run is sure to be, 0 for one that failed.

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
        """How many runs gave a valid schedule."""
        return sum(run.valid for run in self.runs)

    @property
    def guards(self) -> dict[str, bool]:
        """What a run could not reach, or take too much of."""
        told = [run.guards for run in self.runs if run.guards]
        return dict.fromkeys(ALWAYS, True) | {
            name: bool(told) and all(one.get(name, False) for one in told) for name in SOMETIMES
        }

    def foresight(self, index: int) -> bool | None:
        """Say whether a plan depends on jobs to come; None where that cannot be told."""
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
        found: tuple[str, Judged] | None = None
        for name, runs in self.baselines.items():
            value = runs[index].value
            if value is not None and (
                found is None or self.family.better(value, found[1].value or 0)
            ):
                found = name, runs[index]
        return found

    def behind(self, index: int) -> float | None:
        """Return by what part of the best baseline's value a run is behind; below 0: ahead."""
        best, value = self.best(index), self.runs[index].value
        if best is None or value is None or not best[1].value:
            return None
        apart = (value - best[1].value) / abs(best[1].value)
        return float(-apart if self.family.maximize else apart)

    def worst(self) -> int:
        """Return the number of the instance on which the method loses most; failures come first."""
        order = [(not run.valid, self.behind(i) or 0.0, -i) for i, run in enumerate(self.runs)]
        return -max(order)[2]

    def row(self, index: int) -> dict[str, Any]:
        """Return what is said of a run; of what the method says only where seeds are public."""
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
        }

    def _same_as(self, index: int) -> list[str]:
        """Name the baselines whose schedule is the same."""
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
        """Say what matters in three lines."""
        seeds = "hidden" if self.key.hidden else "training"
        return (
            f"{self.method.name} on {self.suite.name}, {seeds} seeds\n"
            f"  score {self.score:.4f}, rank {self.rank} of {1 + len(self.baselines)}\n"
            f"  {self.valid} of {len(self.runs)} runs valid"
        )


def _total(runs: Sequence[Judged]) -> float:
    return round(sum(run.seconds or 0.0 for run in runs), 6)
