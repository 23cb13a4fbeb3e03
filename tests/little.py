"""Little work for methods that go on for long: for tests that only ask whether answers are right.

The work is counted, so that it is the same on every machine.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from unittest.mock import patch

DEFAULT = {
    "makespan.portfolio.BRIEFLY": 100,
    "makespan.portfolio.ROUNDS": 1,
    "makespan.portfolio.ENUMERATED": 20_000,
    "makespan.local_search.MOST_TRIED": 300,
    "makespan.nested.ROUNDS": 1,
    "makespan.branch_and_bound.FIRST_EFFORT": 1_000,
    "makespan.branch_and_bound.UNHINDERED": 2_000,
}
"""Amounts of work at which the default for `makespan` stops by itself."""


@contextmanager
def little_work() -> Iterator[None]:
    """Let the default for `makespan` stop soon."""
    with ExitStack() as patches:
        for name, work in DEFAULT.items():
            patches.enter_context(patch(f"ringyard.search.{name}", work))
        yield
