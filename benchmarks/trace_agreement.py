"""Check the engine of traces against the judge on many random instances, over all options.

    python benchmarks/trace_agreement.py [COUNT] [SEED] [kinds] [outages] [runs]

With `kinds`, all servers have kinds of GPUs, and jobs have random speeds on them. With `outages`,
servers are out of service at times. With `runs`, each schedule must also be the same after it has
been written as runs and read back.
Each instance is given to one policy: one that ranks jobs, backfill, quotas, or a lot that
decides who runs where. The judge must accept the schedule, and find every end at the same tick.
Prints a line for each disagreement, and how many instances were compared (10,000 if no count is
given). Ends with exit code 1 if there was a disagreement.
"""

# ruff: noqa: T201

import sys
from collections import Counter
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from simulation.trace.drawn_instances import in_kinds, with_outages
from simulation.trace.test_trace_agreement import differences, drawn_policy
from written_runs import lost

from ringyard.instances import RefusedError
from ringyard.instances.trace.mix import random_trace
from ringyard.simulation.trace import simulate
from ringyard.simulation.trace.records import to_schedule

if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word not in ("kinds", "outages", "runs")]
    count, seed = (int(word) for word in (words + ["10000", "0"][len(words) :])[:2])
    counts: Counter[str] = Counter()
    bad = 0
    for index in range(count):
        instance = random_trace(seed, index)
        if "kinds" in sys.argv:
            instance = in_kinds(instance, Random(index))
        if "outages" in sys.argv:
            instance = with_outages(instance, Random(index))
        policy, service = drawn_policy(index, instance)
        try:
            found = differences(instance, index)
        except RefusedError:
            counts["refused"] += 1
            continue
        if "runs" in sys.argv:
            made = simulate(instance, drawn_policy(index, instance)[0], service).trace
            found += lost(instance, to_schedule(instance, made, "drawn"))
        counts[type(policy).__name__] += 1
        counts["instances with quotas"] += any(group.quota for group in instance.groups)
        counts["instances with kinds"] += len(instance.kinds) > 1
        counts["instances with outages"] += bool(instance.outages)
        counts["instances with types"] += bool(instance.types)
        counts["instances with most"] += instance.limited is not None
        if found:
            bad += 1
            print(f"random_trace({seed}, {index}), {policy}: {found}")
    print(", ".join(f"{number} {name}" for name, number in sorted(counts.items())))
    print(f"{count} instances, {bad} disagree")
    sys.exit(bool(bad))
