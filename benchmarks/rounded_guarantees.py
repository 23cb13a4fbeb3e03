"""Hold the theorems about rounded relaxations against runs on random instances.

    python benchmarks/rounded_guarantees.py [INSTANCES] [SEED]

Prints, for each theorem and method, in how many runs it holds, is refuted by the best schedule
of the methods, stays open, or does not speak, and the largest part of the factor that was used.
Ends with exit code 1 if something that is proved was not confirmed.
"""

import sys
from collections import Counter, defaultdict
from fractions import Fraction
from importlib import import_module

from numpy.random import default_rng

from ringyard.analysis.check import check
from ringyard.analysis.guarantees import rule
from ringyard.analysis.guarantees.roundings import CARRIED_BY, ROUNDINGS
from ringyard.campaigns.yards import random_yard
from ringyard.instances import Limits
from ringyard.search.bounds import best_bound

MODULES = {name: import_module(f"ringyard.search.{name.replace('-', '_')}") for name in CARRIED_BY}
NAMED = {guarantee.name: guarantee for guarantee in ROUNDINGS}


def main() -> int:
    words = dict(zip(("instances", "seed"), sys.argv[1:], strict=False))
    count, seed = int(words.get("instances", 1000)), int(words.get("seed", 0))
    found: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    used: defaultdict[tuple[str, str], Fraction] = defaultdict(Fraction)
    for index in range(count):
        yard = random_yard(seed, index)
        bound, values = best_bound(yard).value, dict[str, Fraction]()
        for method, module in MODULES.items():
            schedule = module.run(yard, Limits(), default_rng(0)).schedule
            if schedule is None:  # rings stand still, which no theorem here admits
                continue
            verdict = check(yard, schedule)
            if not verdict.valid or verdict.makespan is None:
                raise SystemExit(f"{yard.name}: the judge rejects a schedule")
            values[method] = verdict.makespan
        for method, names in CARRIED_BY.items():
            for name in names:
                if NAMED[name].unmet(yard) is not None:
                    found[name, method]["does not speak"] += 1
                    continue
                factor = NAMED[name].factor(yard)
                found[name, method][rule(factor, values[method], bound, min(values.values()))] += 1
                used[name, method] = max(used[name, method], values[method] / bound / factor)
    for key, verdicts in found.items():
        told = ", ".join(f"{number} {verdict}" for verdict, number in verdicts.items())
        sys.stdout.write(f"{' of '.join(key)}: {told}; {float(used[key]):.2f} of the factor\n")
    unconfirmed = sum(v["violated"] + v["inconclusive"] for v in found.values())
    return 1 if unconfirmed else 0


if __name__ == "__main__":
    sys.exit(main())
