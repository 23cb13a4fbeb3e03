"""Hold the engine against the judge on many random instances, over all options.

    python benchmarks/agreement.py [COUNT] [SEED]

Prints a line for each disagreement, and how many instances were compared (10,000 if no
count is given). Ends with exit code 1 if there was a disagreement.
"""

import sys
from pathlib import Path

from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from agreement import differences
from strategies import makespan_instances, makespan_schedules


def compare(count: int, start: int) -> tuple[int, int, set[tuple[str, str, str]]]:
    """Return instances compared, disagreements, and the option combinations seen."""
    done, bad, seen = 0, 0, set()

    @seed(start)
    @settings(
        max_examples=count, deadline=None, database=None, suppress_health_check=list(HealthCheck)
    )
    @given(st.data())
    def campaign(data: st.DataObject) -> None:
        nonlocal done, bad
        instance = data.draw(makespan_instances())
        schedule = data.draw(makespan_schedules(instance, latest=12))
        found = differences(instance, schedule)
        done += 1
        seen.add((instance.progress, instance.overhead, instance.contention.model))
        if found:
            bad += 1
            print(f"{instance!r}\n  {schedule!r}\n  {found}")  # noqa: T201

    campaign()
    return done, bad, seen


if __name__ == "__main__":
    count, start = (int(word) for word in (sys.argv[1:] + ["10000", "0"][len(sys.argv) - 1 :])[:2])
    done, bad, seen = compare(count, start)
    print(f"{done} instances compared over {len(seen)} option combinations; {bad} disagree")  # noqa: T201
    sys.exit(bool(bad))
