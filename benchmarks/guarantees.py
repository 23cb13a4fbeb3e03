"""Hold theorems against many runs on random instances, on all cores.

    python benchmarks/guarantees.py [RUNS] [SEED] [PICTURE.svg]

Prints what the runs (100,000 unless another number is given) say about each theorem, and draws
measured ratios beside proven factors. The same words give the same findings everywhere. Ends
with exit code 1 if something that is proved was not confirmed in every run it speaks of.
"""

import os
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from time import perf_counter

from ringyard.analysis.gantt.svg import to_svg
from ringyard.analysis.guarantees import GUARANTEES, Verdict
from ringyard.campaigns.guarantee_picture import picture
from ringyard.campaigns.random_runs import claimed_policies, instances_for, random_runs
from ringyard.campaigns.tally import Findings
from ringyard.cli.output import note
from ringyard.cli.verdicts import sentence, show_findings

CHUNK = 100
"""Instances that a process takes at a time."""


def chunk(first: int, count: int, seed: int) -> Findings:
    """Return what a chunk of the instances says."""
    found = Findings()
    indices = range(first, min(first + CHUNK, count))
    for part in random_runs(indices, claimed_policies(), seed=seed):
        found.join(part)
    return found


def campaign(runs: int, seed: int) -> Findings:
    """Return what all instances say, whatever the number of processes."""
    count, found, start = instances_for(runs, claimed_policies()), Findings(), perf_counter()
    work = partial(chunk, count=count, seed=seed)
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for i, part in enumerate(pool.map(work, range(0, count, CHUNK)), start=1):
            found.join(part)
            if i % 10 == 0:
                rate = found.runs / (perf_counter() - start)
                note(f"{found.runs} runs, {found.certified} certified, {rate:.0f} a second")
    return found


def main() -> int:
    """Run the campaign that the command line asks for."""
    words = dict(zip(("runs", "seed", "picture"), sys.argv[1:], strict=False))
    found = campaign(int(words.get("runs", 100_000)), int(words.get("seed", 0)))
    show_findings(found)
    for row in found.broken:
        note(f"error: {sentence(row)}, although it is proved")
    if "picture" in words:
        Path(words["picture"]).write_text(to_svg(picture(found)), encoding="utf-8")
    open_ones = sum(
        found.tallies[g.name].verdicts[Verdict.INCONCLUSIVE]
        for g in GUARANTEES
        if g.proved and g.name in found.tallies
    )
    return 1 if found.broken or open_ones else 0


if __name__ == "__main__":
    sys.exit(main())
