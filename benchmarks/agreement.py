"""Check the engine against the judge on many random instances, over all options.

    python benchmarks/agreement.py [COUNT] [SEED] [runs]

With `runs`, each schedule must also be the same after it has been written as runs and read back.
Half of the instances are made to have ends at slot boundaries or next to them. Prints a line
for each disagreement, and how many instances were compared (10,000 drawn if no count is given);
left out are those that every method refuses, such as jobs of more slots than floats can count.
Ends with exit code 1 if there was a disagreement.
"""

import random
import sys
from pathlib import Path

from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from ringyard.instances import MakespanInstance, Schedule
from ringyard.simulation.makespan.evaluate import refusal

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from agreement import differences
from near_ties import near_ties
from strategies import makespan_instances, makespan_schedules
from written_runs import lost


class Comparison:
    """Instances compared and refused, disagreements, and the option combinations seen."""

    def __init__(self) -> None:
        """Start with nothing."""
        self.done, self.refused, self.bad = 0, 0, 0
        self.seen: set[tuple[str, str, str]] = set()

    def take(self, instance: MakespanInstance, schedule: Schedule) -> None:
        """Compare one schedule, and print where engine and judge differ."""
        if refusal(instance):
            self.refused += 1
            return
        found = differences(instance, schedule)
        found += lost(instance, schedule) if "runs" in sys.argv else []
        self.done += 1
        self.bad += bool(found)
        self.seen.add((instance.progress, instance.overhead, instance.contention.model))
        if found:
            print(f"{instance!r}\n  {schedule!r}\n  {found}")  # noqa: T201


def compare(count: int, start: int) -> Comparison:
    """Compare the given number of instances, half of them near ties."""
    comparison, rng = Comparison(), random.Random(start)
    for _ in range(count // 2):
        comparison.take(*near_ties(rng))

    @seed(start)
    @settings(
        max_examples=count - count // 2,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def campaign(data: st.DataObject) -> None:
        instance = data.draw(makespan_instances())
        comparison.take(instance, data.draw(makespan_schedules(instance, latest=12)))

    campaign()
    return comparison


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "runs"]
    count, start = (int(word) for word in (words + ["10000", "0"][len(words) :])[:2])
    made = compare(count, start)
    print(  # noqa: T201
        f"{made.done} instances compared over {len(made.seen)} option combinations; "
        f"{made.refused} refused; {made.bad} disagree"
    )
    sys.exit(bool(made.bad))
