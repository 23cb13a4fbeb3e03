"""Batch sizes of Shockwave's jobs, epoch by epoch, and the time that their epochs take.

Shockwave's traces name a mode: under `accordion` and `gns` the batch size grows as a job trains
(Zheng et al., NSDI 2023). Which epochs have which size is in `utils.py` of its public simulator
(uw-mad-dash/shockwave, commit 8a44f4a, MIT): its numbers are the tables below. It is apart from
`gavel.py`, which reads the lines, because a job with `Stretch`es can have a speed in each of them.
"""

import re
from collections.abc import Mapping
from fractions import Fraction
from itertools import groupby
from typing import NamedTuple

EXAMPLES = {
    "ResNet-18": 50_000,
    "ResNet-50": 100_000,
    "Transformer": 10_000,
    "LM": 59_675,
    "Recommendation": 117_907,
    "A3C": 4,
    "CycleGAN": 6_287,
}
"""Examples of an epoch, by model."""

LARGEST = {"ResNet-18": 256, "ResNet-50": 128, "LM": 80, "Recommendation": 8192}
"""Largest batch size, by model. Other models keep the size with which they begin."""

REGIMES: Mapping[str, tuple[range, ...]] = {
    "ResNet-18": (range(150, 160), range(250, 260)),
    "ResNet-50": tuple(range(first, first + 10) for first in range(30, 600, 30)),
    "LM": (),
    "Recommendation": (range(60, 70), range(80, 90)),
}
"""Later epochs in which `accordion` returns to the first batch size, by model."""
FIRST_REGIME = {
    **{("ResNet-18", 256): 20, ("Recommendation", 512): 30, ("Recommendation", 1024): 30},
    ("Recommendation", 2048): 40,
}
"""Epochs for which `accordion` keeps the first batch size, if not 10."""

DOUBLINGS: Mapping[tuple[str, int, int], tuple[int, ...]] = {
    ("ResNet-18", 16, 1): (31, 41, 51, 71),
    ("ResNet-18", 16, 2): (21, 31, 91, 111),
    ("ResNet-18", 16, 4): (11, 21, 81, 91),
    ("ResNet-18", 32, 1): (21, 31, 51),
    ("ResNet-18", 32, 2): (11, 21, 41),
    ("ResNet-18", 32, 4): (21, 31, 61),
    ("ResNet-18", 64, 1): (11, 31),
    ("ResNet-18", 64, 2): (21, 41),
    ("ResNet-18", 64, 4): (11, 61),
    ("ResNet-18", 128, 1): (11,),
    ("ResNet-18", 128, 2): (41,),
    ("ResNet-18", 128, 4): (11,),
    ("ResNet-50", 32, 2): (101, 111),
    ("ResNet-50", 32, 4): (131, 221),
    ("ResNet-50", 64, 1): (101,),
    ("ResNet-50", 64, 2): (81,),
    ("ResNet-50", 64, 4): (191,),
    ("LM", 5, 1): (31, 41, 61, 71),
    ("LM", 5, 2): (31, 51, 61, 71),
    ("LM", 5, 4): (11, 31, 71, 91),
    ("LM", 10, 1): (11, 21, 41),
    ("LM", 10, 2): (11, 31, 41),
    ("LM", 10, 4): (11, 31, 61),
    ("LM", 20, 1): (11, 41),
    ("LM", 20, 2): (31, 41),
    ("LM", 20, 4): (11, 61),
    ("LM", 40, 1): (11,),
    ("LM", 40, 2): (11,),
    ("LM", 40, 4): (61,),
    ("Recommendation", 512, 1): (21, 41, 71, 91),
    ("Recommendation", 1024, 1): (21, 51, 91),
    ("Recommendation", 2048, 1): (21, 41),
    ("Recommendation", 4096, 1): (41,),
}
"""Epochs from which `gns` has twice the batch size, by model, first batch size and GPUs."""

KIND = re.compile(r"(.+) \(batch size ([1-9]\d{0,8})\)", re.ASCII)
STATIC, ACCORDION, GNS = "static", "accordion", "gns"
MODES = (STATIC, ACCORDION, GNS)
MOST_EPOCHS = 10**5
"""Most epochs of a job whose batch size grows."""


class Stretch(NamedTuple):
    """Epochs one after the other with the same batch size."""

    epochs: int
    batch: int


def stretches_of(kind: str, gpus: int, mode: str, steps: int) -> tuple[Stretch, ...]:
    """Return the batch sizes of a job, in the order of its epochs.

    It trains for as many whole epochs as `steps` with the first batch size reach into. There are
    none for an unknown kind or mode, or too many epochs.
    """
    named = KIND.fullmatch(kind)
    if not named or named[1] not in EXAMPLES or mode not in MODES:
        return ()
    model, batch = named[1], int(named[2])
    epochs = -(-steps // -(-EXAMPLES[model] // batch))
    doublings = DOUBLINGS.get((model, batch, gpus), ()) if mode == GNS else ()
    grows = bool(doublings) or (mode == ACCORDION and model in REGIMES)
    if not epochs or (grows and epochs > MOST_EPOCHS):
        return ()
    if not grows:
        return (Stretch(epochs, batch),)
    sizes = _gns(batch, doublings, epochs) if doublings else _accordion(model, batch, epochs)
    return tuple(Stretch(len(list(same)), size) for size, same in groupby(sizes))


def _accordion(model: str, batch: int, epochs: int) -> list[int]:
    """Return the largest size outside of regimes, after more than 30 % of the epochs."""
    first = FIRST_REGIME.get((model, batch), 10)

    def large(epoch: int) -> bool:
        regime = epoch < first or any(epoch in later for later in REGIMES[model])
        return 10 * epoch > 3 * epochs and not regime

    return [LARGEST[model] if large(epoch) else batch for epoch in range(epochs)]


def _gns(batch: int, doublings: tuple[int, ...], epochs: int) -> list[int]:
    """Return sizes that double. Once they have doubled twice, the last epoch has the first size.

    That is how the simulator's profiles end.
    """
    sizes = [batch << sum(epoch >= one for one in doublings) for epoch in range(epochs)]
    if len(doublings) > 1 and epochs > doublings[1]:
        sizes[-1] = batch
    return sizes


def seconds_of(
    kind: str,
    gpus: int,
    stretches: tuple[Stretch, ...],
    speeds: Mapping[tuple[str, int], Fraction],
) -> Fraction | None:
    """Return the time of all epochs, or None if a speed is unknown.

    Args:
        kind: The kind of the job, with the first batch size.
        gpus: Its number of GPUs.
        stretches: Its epochs.
        speeds: Steps per second by kind and GPUs.
    """
    named = KIND.fullmatch(kind)
    if not named or not stretches:
        return None
    total = Fraction(0)
    for epochs, batch in stretches:
        speed = speeds.get((f"{named[1]} (batch size {batch})", gpus))
        if not speed:
            return None
        total += epochs * Fraction(EXAMPLES[named[1]], batch) / speed
    return total
