"""Look for lists that end later than is proved of them, on rigid jobs alone.

    python benchmarks/lists.py [SECONDS]

All tiny cases are tried: every order of up to three jobs of up to three slots, released by slot 2,
on up to four GPUs, half of them on each of two servers. Then ratios are climbed for SECONDS (30 if
not given), with more and larger jobs. Prints, for each theorem, the cases tried and the largest
ratio to its factor; ends with exit code 1 if one exceeds 1. The rules are those of
`tests/list_rules.py`, written for this: plain, and without the engine.
"""

# ruff: noqa: T201

import sys
from fractions import Fraction
from itertools import combinations_with_replacement, permutations, product
from pathlib import Path
from random import Random
from time import monotonic

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from list_rules import RULES, Case, Job, drawn, random_job


def tiny(gpus: int) -> list[Case]:
    """Return every order of every few jobs."""
    kinds = list(product(range(1, gpus + 1), (1, 2, 3), (0, 1, 2)))
    sizes = (gpus - gpus // 2, gpus // 2) if gpus > 1 else (1,)
    some = (jobs for n in (1, 2, 3) for jobs in combinations_with_replacement(kinds, n))
    return [
        Case(sizes, tuple(Job(*job) for job in order))
        for jobs in some
        for order in sorted(set(permutations(jobs)))
    ]


def changed(case: Case, rng: Random) -> Case:
    """Return a case with one job changed, moved, copied or left out."""
    jobs, at = list(case.jobs), rng.randrange(len(case.jobs))
    late = max(job.release for job in jobs)
    match rng.randrange(5):
        case 0:
            jobs[at] = random_job(rng, sum(case.sizes), late)
        case 1:
            jobs.insert(rng.randrange(len(jobs)), jobs.pop(at))
        case 2 if len(jobs) < 16:
            jobs.append(jobs[at])
        case 3 if len(jobs) > 1:
            jobs.pop(at)
        case _:
            jobs[at] = jobs[at]._replace(slots=max(1, jobs[at].slots + rng.choice((-1, 1))))
    return Case(case.sizes, tuple(jobs))


def main(seconds: float) -> int:
    """Try all rules; return 1 if one ends later than its theorem allows."""
    rng, worst = Random(0), dict.fromkeys(RULES, Fraction(0))
    tried = dict.fromkeys(RULES, 0)

    def ratio(name: str, case: Case) -> Fraction:
        found = RULES[name](case)
        if found is not None:
            tried[name] += 1
            worst[name] = max(worst[name], found)
        return found or Fraction(0)

    for name, gpus in product(RULES, (1, 2, 3, 4)):
        for case in tiny(gpus):
            ratio(name, case)
    counts = dict(tried)
    end = monotonic() + seconds
    while monotonic() < end:
        for name in RULES:
            case = drawn(rng)
            best = ratio(name, case)
            for _ in range(300):
                other = changed(case, rng)
                value = ratio(name, other)
                if value >= best:
                    case, best = other, value
    for name in RULES:
        print(f"{name:22} {counts[name]:8} tiny {tried[name]:9} in all {float(worst[name]):.4f}")
    return int(max(worst.values()) > 1)


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 30.0))
