"""Run a method by its text on a trace instance, and look at what came of it."""

from fractions import Fraction

import numpy as np

from ringyard.analysis.check import check
from ringyard.instances import Limits, TraceInstance, TraceSchedule
from ringyard.instances.catalogue import load_as
from ringyard.methods import find_method


def example() -> TraceInstance:
    """Return the three jobs of Tiresias' worked example."""
    return load_as(TraceInstance, "tiresias-example")


def played(instance: TraceInstance, method: str) -> TraceSchedule:
    chosen = find_method(method, "trace")
    outcome = chosen.run(instance, Limits(), np.random.default_rng(0))
    return outcome.schedule


def ends(instance: TraceInstance, method: str) -> dict[str, Fraction]:
    """Return when jobs end in a schedule that must be valid, in seconds."""
    verdict = check(instance, played(instance, method))
    assert verdict.violations == ()
    return dict(verdict.ends)


def mean_jct(instance: TraceInstance, method: str) -> Fraction:
    verdict = check(instance, played(instance, method))
    assert verdict.violations == ()
    return verdict.objective


def turns(instance: TraceInstance, method: str) -> list[str]:
    """Return who runs in each tick, where no two jobs ever run together."""
    schedule = played(instance, method)
    over = check(instance, schedule).ends
    order: dict[int, str] = {}
    for entry in schedule.jobs:
        for run in entry.runs:
            stop = over[entry.job] if run.stop_s is None else Fraction(run.stop_s)
            for tick in range(int(run.start_s), int(stop)):
                assert tick not in order
                order[tick] = entry.job
    return [order[tick] for tick in sorted(order)]
