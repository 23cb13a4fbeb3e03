"""Little work for methods that go on for long: for tests that only ask whether answers are right.

The work is counted, so that it is the same on every machine.
"""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import pytest

from ringyard.families import Method
from ringyard.formulations.named import parts


def few(count: int, among: Iterable[Any]) -> list[Any]:
    """Return parameters of which all but the first take a slow test."""
    listed = list(among)
    return [*listed[:count], *(pytest.param(one, marks=pytest.mark.slow) for one in listed[count:])]


def marks(method: Method) -> list[pytest.MarkDecorator]:
    """Mark a method as slow whose program is not linear: solvers need seconds for five jobs."""
    long = bool(method.formulation) and parts(method.formulation)[0].form != "linear"
    return [pytest.mark.slow] if long else []


DEFAULT = {
    "makespan.portfolio.BRIEFLY": 100,
    "makespan.portfolio.ROUNDS": 1,
    "makespan.portfolio.ENUMERATED": 20_000,
    "makespan.annealing.local_search.MOST_TRIED": 300,
    "makespan.annealing.nested.ROUNDS": 1,
    "makespan.diving.block_dive.DIVES": 1,
    "makespan.shared_servers.choice.NODES": 5,
    "makespan.shared_servers.cells.SEEDS": 1,
    "makespan.shared_servers.cells.ROUNDS": 1,
    "makespan.exact.branch_and_bound.FIRST_EFFORT": 1_000,
    "makespan.exact.branch_and_bound.UNCONTENDED": 2_000,
}
"""Amounts of work at which the default for `makespan` stops by itself."""


@contextmanager
def little_work() -> Iterator[None]:
    """Let the default for `makespan` stop soon."""
    with ExitStack() as patches:
        for name, work in DEFAULT.items():
            patches.enter_context(patch(f"ringyard.search.{name}", work))
        yield
