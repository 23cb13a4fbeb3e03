"""The contention and overhead models under which the paper's comparison is repeated."""

from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Any

from ...instances import MakespanInstance
from ...instances.generate import generate

LIGHT, HEAVY, PACKED = "at most 15 %", "as long as computation", "as long, 4 GPUs a server"
"""How long rings transfer: as in the paper; as long as they compute; the same on small servers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperModel:
    """A model with its difference to the paper's, as options of the generator."""

    transfer: str
    name: str
    about: str
    options: tuple[tuple[str, Any], ...] = ()

    def instance(self, seed: int) -> MakespanInstance:
        """Draw the instance of a seed: the same jobs and servers under every model."""
        return _draw(self, seed)


CHANGES: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("paper", "server uplinks, all rings collide", {}),
    ("fluid", "max-min fair links, 4 servers a rack, 2:1", {"contention": "fluid"}),
    ("alpha 1", "each competitor costs as much again", {"degradation": Decimal(1)}),
    ("share 1/2", "half of the rings collide", {"share": Decimal("0.5")}),
    ("x 10", "ten times the overhead, for each server", {"overhead_s": Decimal("0.0002")}),
    ("step", "ten times the overhead, once", {"overhead_s": Decimal("0.0002"), "overhead": "step"}),
    (
        "workers",
        "ten times the overhead, for each worker of the fullest server",
        {"overhead_s": Decimal("0.0002"), "overhead": "max_workers_per_server"},
    ),
    ("floor", "whole iterations per slot", {"progress": "floor"}),
)
"""Name, meaning, and options of every change."""

MODELS = (
    *(
        PaperModel(transfer=transfer, name=name, about=about, options=(*more, *options.items()))
        for transfer, more in ((LIGHT, ()), (HEAVY, (("communication", Decimal(1)),)))
        for name, about, options in CHANGES
    ),
    PaperModel(transfer=PACKED, name="paper", about="the family tight: 40 servers"),
)


@cache
def _draw(model: PaperModel, seed: int) -> MakespanInstance:
    if model.transfer == PACKED:
        family, name = "tight", f"tight-s{seed}"
    else:
        family, name = "mobihoc", f"mobihoc-20-s{seed}"
    instance: MakespanInstance = generate(family, seed=seed, name=name, **dict(model.options))
    return instance
