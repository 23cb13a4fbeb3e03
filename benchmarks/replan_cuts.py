"""Cut random plans of traces at random moments, and repair them after random changes.

    python benchmarks/replan_cuts.py [COUNT] [FIRST]

Each plan is cut twice. Without a change, the remaining plan must be valid with the same ends, and
following it must give it back. With lost servers and late jobs, every plan must be valid, and the
repaired one no worse than the one that waits. Prints a line for each failure and how many plans
were cut (10,000 if no count is given). Ends with exit code 1 if something failed.
"""

# ruff: noqa: T201

import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from replan_cases import changed, unchanged

from ringyard.instances import RefusedError

if __name__ == "__main__":
    count, first = (int(word) for word in (sys.argv[1:] + ["10000", "0"][len(sys.argv) - 1 :])[:2])
    counts: Counter[str] = Counter()
    for seed in range(first, first + count):
        try:
            wrong = unchanged(seed)
            word, more = changed(seed)
        except RefusedError:
            counts["without a plan"] += 1
            continue
        counts[word] += 1
        counts["wrong"] += bool(wrong or more)
        for line in wrong + more:
            print(f"{seed}: {line}")
    print(", ".join(f"{number} {name}" for name, number in sorted(counts.items())))
    sys.exit(bool(counts["wrong"]))
