"""Suites of one or two instances, and evaluations on them."""

from dataclasses import replace
from typing import Any

from ringyard.evaluation.evaluate import evaluate
from ringyard.evaluation.score import Evaluation
from ringyard.evaluation.suites import Recipe, Suite, find_suite

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

SECRET = "5d41402abc4b2a76b9719d911017c592"


def first_of(name: str) -> Suite:
    """Return a suite with its first instance only."""
    suite = find_suite(name)
    return replace(suite, recipes=(replace(suite.recipes[0], times=1),))


def on_tiny(method: Any, **options: Any) -> Evaluation:
    """Evaluate a method on two tiny instances."""
    return evaluate(method, TINY, workers=2, **options)


def rows(found: Evaluation) -> list[dict[str, Any]]:
    """Return the rows of an evaluation."""
    return list(found.to_dict()["instances"])


def gives_nothing(instance: Any) -> None:
    """Answer an instance with no plan."""
    del instance
