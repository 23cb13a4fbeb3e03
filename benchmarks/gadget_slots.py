"""Measure how GADGET's ways to fill a slot compare with the relaxation of the slot.

    python benchmarks/gadget_slots.py [--seeds N] [--slots N] [--tries N]

Rings of family `gadget` that are all there within the first slots, on its machines and on small
machines with slow links. Prints the least and the median part of the relaxation's value, over all
slots: for the relaxation over one size for each ring, for the best draw with what does not fit
left out, for the best draw repaired, and for rings in the order of their gain.
"""

import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal
from statistics import median
from typing import Any

from numpy.random import default_rng

from ringyard.formulations.reserved.slot_master import RingSlotData
from ringyard.instances import Limits, ReservedInstance
from ringyard.instances.generate import generate
from ringyard.papers.gadget import NARROW
from ringyard.policies.reserved import RingPlans
from ringyard.search.reserved.gadget import asks_of
from ringyard.search.reserved.slot_lp import (
    PlacementLaw,
    chosen_sizes,
    fitting,
    gain_of,
    relaxed,
    repair,
)
from ringyard.simulation.reserved import reserved_model

GROUPS: dict[str, dict[str, Any]] = {"gadget": {}, "small machines, slow links": NARROW}


def parts(instance: ReservedInstance, seed: int, tries: int) -> Iterator[dict[str, float]]:
    """Fill the slots of an instance by repaired draws, and yield what each way had reached."""
    plans, model = RingPlans(instance, Limits(), "gadget"), reserved_model(instance)
    rng = default_rng(seed)
    for slot in plans.slots():
        data = RingSlotData(model=model, asks=asks_of(plans, slot))
        every = [range(1, len(ask.gains) + 1) for ask in data.asks]
        loose = relaxed(data, every, Limits())
        sizes = [{size} for size in chosen_sizes(data, loose)]
        tight = relaxed(data, sizes, Limits(), loose.columns)
        choices = PlacementLaw(data, tight)
        draws = [choices.draw(rng) for _ in range(tries)]
        held = max((repair(data, drawn) for drawn in draws), key=lambda way: gain_of(data, way))
        found = {
            "one size": tight.gain,
            "draw": max(gain_of(data, fitting(data, drawn)) for drawn in draws),
            "repaired": gain_of(data, held),
            "greedy": gain_of(data, repair(data, {})),
        }
        yield {name: gain / loose.gain for name, gain in found.items()}
        plans.add(slot, held)


def main() -> None:
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--slots", type=int, default=12)
    parser.add_argument("--tries", type=int, default=20)
    options = parser.parse_args()
    for title, changes in GROUPS.items():
        found = defaultdict[str, list[float]](list)
        for seed in range(options.seeds):
            early = {"slots": options.slots, "arrival_part": Decimal("0.1")}
            instance = generate("gadget", seed=seed, **early, **changes)
            for row in parts(instance, seed, options.tries):
                for name, part in row.items():
                    found[name].append(part)
        for name, values in found.items():
            line = f"{title}: {name} at least {min(values):.3f}, median {median(values):.3f}"
            sys.stdout.write(f"{line}, {len(values)} slots\n")


if __name__ == "__main__":
    main()
