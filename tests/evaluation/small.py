"""Suites of one or two instances, and evaluations on them."""

from dataclasses import replace
from typing import Any

from ringyard.evaluation.evaluate import evaluate
from ringyard.evaluation.score import Evaluation
from ringyard.evaluation.suites import find_suite
from ringyard.families import Recipe, Suite

TINY = Suite(
    name="tiny",
    version=1,
    kind="makespan",
    about="for tests",
    recipes=(Recipe(family="small", options={"jobs": 4, "servers": 2}),),
    baselines=("gang-lpt",),
    time_limit=60.0,
    memory_limit=400.0,
)

SOLE = replace(TINY, name="sole", recipes=(replace(TINY.recipes[0], times=1),))
"""The first of them alone: enough for what is the same on all instances."""

SECRET = "5d41402abc4b2a76b9719d911017c592"


def first_of(name: str) -> Suite:
    """Return a suite with its first instance only, of a few jobs, and its first three baselines."""
    suite = find_suite(name)
    first = suite.recipes[0]
    few = replace(first, times=1, options={**first.options, "jobs": 16})
    return replace(suite, recipes=(few,), baselines=suite.baselines[:3])


def on_tiny(method: Any, suite: Suite = TINY, *, workers: int = 1, **options: Any) -> Evaluation:
    """Evaluate a method on two tiny instances, or one."""
    return evaluate(method, suite, workers=workers, **options)


def rows(found: Evaluation) -> list[dict[str, Any]]:
    """Return the rows of an evaluation."""
    return list(found.to_dict()["instances"])


def gives_nothing(instance: Any) -> None:
    """Answer an instance with no plan."""
    del instance
