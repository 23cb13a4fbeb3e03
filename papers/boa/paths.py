"""The paths of jobs on which ways to rent GPUs are compared, and the terms of renting."""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from functools import cache
from math import ceil
from typing import Any

from ...instances import FleetInstance
from ...instances.generate import generate
from ..study import Settings

TWO, APPS = "two types", "applications"

FAMILIES: dict[str, tuple[str, Mapping[str, Any]]] = {
    TWO: ("fleet-two-types", {"load": Decimal(20)}),
    APPS: ("fleet-pollux", {}),
}
"""Families of the generator by mix, and their options."""

JOBS, FEW = 100, 30
"""Jobs of a path, and of one of a small version."""

ASKS = 8
"""GPUs that users of the two types ask for; the paper's figure says nothing of it."""

SHARES = ("2", "1.5", "3")
"""Budgets, as multiples of the GPUs that the jobs keep busy if each has one; the usual first."""

USUAL, FREE = SHARES[0], "free"

TERMS: dict[str, Mapping[str, Any]] = {
    FREE: {},
    "stalls of 60 s": {"rescale_s": Decimal(60)},
    "GPUs 120 s late": {"provision_s": Decimal(120)},
    "nodes of 4": {"node_gpus": 4},
    "billed by the hour": {"billing_s": Decimal(3600)},
    "all of these": {
        "rescale_s": Decimal(60),
        "provision_s": Decimal(120),
        "node_gpus": 4,
        "billing_s": Decimal(3600),
    },
}
"""What renting may cost beside the GPUs that jobs hold."""


def instance(
    mix: str, seed: int, settings: Settings, share: str = USUAL, terms: str = FREE
) -> FleetInstance:
    """Return the jobs of a seed, the same whatever the budget and the terms."""
    drawn = _drawn(mix, seed, FEW if settings.points else JOBS)
    load = float(sum(map(sum, drawn.loads)))
    return replace(
        drawn,
        name=f"{drawn.name} {share} {terms}",
        budget_gpus=ceil(1000 * float(share) * load) / Decimal(1000),
        **TERMS[terms],
    )


@cache
def _drawn(mix: str, seed: int, jobs: int) -> FleetInstance:
    name = f"{mix.replace(' ', '-')}-s{seed}"
    family, options = FAMILIES[mix]
    found: FleetInstance = generate(family, seed=seed, name=name, jobs=jobs, **options)
    if mix == APPS:
        return found
    return replace(found, types=tuple(replace(one, asks=ASKS) for one in found.types))
