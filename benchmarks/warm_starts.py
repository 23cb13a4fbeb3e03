"""What a start is worth: the same method for the same time, from nothing and from a schedule.

    python benchmarks/warm_starts.py              # all cases, 10 s each: four minutes
    python benchmarks/warm_starts.py 30 cp-sat    # 30 s each, of one method
    python benchmarks/warm_starts.py --page       # also into docs/studies/speed.md

The start is the best schedule on record, or what another method finds. Prints a table in Markdown:
value and bound, and the seconds until the run ended, because it was proved or the time was up.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from on_page import show

from ringyard.instances.catalogue import best_schedule, load
from ringyard.run import Answer, solve
from ringyard.running.method_run import judged_start

RECORD = "record"

CASES = (
    ("small-10x3", "linearised", RECORD),
    ("small-12x5", "patterns", RECORD),
    ("small-14x5", "patterns", RECORD),
    ("small-14x5", "branch-and-bound", RECORD),
    ("small-16x6", "cp-sat", RECORD),
    ("mobihoc-20-s0", "portfolio", RECORD),
    ("tight-full-s0", "local-search", "nested"),
    ("tight-half-s0", "local-search", "nested"),
    ("knot-full-s0", "local-search", RECORD),
    ("pdors-s0", "column-generation", "order-search"),
    ("pdors-small-10x4x8", "offline", RECORD),
)
"""An instance, a method, and where its start is from."""


def table(seconds: float, only: str) -> Iterator[str]:
    """Yield the lines of the table."""
    yield "| instance | method | start | from nothing | with the start |"
    yield "|---|---|---|---|---|"
    for name, method, source in CASES:
        if only and method != only:
            continue
        instance = load(name)
        start = (
            best_schedule(name)
            if source == RECORD
            else solve(instance, source, time_limit=seconds).schedule
        )
        cold = solve(instance, method, time_limit=seconds)
        warm = solve(instance, method, time_limit=seconds, start=start)
        given = f"{float(judged_start(instance, start).value):g}, {source}"
        yield f"| `{name}` | `{method}` | {given} | {said(cold)} | {said(warm)} |"


def said(answer: Answer) -> str:
    """Return value, bound and seconds in a cell."""
    value = "none" if answer.objective is None else f"{float(answer.objective):g}"
    proved = ", proved" if answer.status == "optimal" else f", bound {float(answer.bound.value):g}"
    return f"{value}{proved}, {answer.seconds:.1f} s"


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--page"]
    lines = table(float(words[0]) if words else 10.0, words[1] if len(words) > 1 else "")
    show(lines, "speed", "warm-starts", page="--page" in sys.argv)
