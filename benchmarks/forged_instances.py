"""Tiny instances of all families whose best value is known, with their proofs. Of `forged.py`."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from family_draws import DRAWN, drawn
from fleet_brute import best_by_hand
from shuffle_small import exchange, least_load

from ringyard.analysis.check.certificates.checking import check_certificate
from ringyard.analysis.check.certificates.makespan import every
from ringyard.analysis.check.certificates.reading import read_certificate
from ringyard.analysis.check.certificates.trace import ticks as every_tick
from ringyard.analysis.check.certificates.transfers import every as every_plan
from ringyard.families import FAMILIES
from ringyard.instances import (
    NO_LIMITS,
    Bound,
    BoundKind,
    Cluster,
    InputError,
    Instance,
    MakespanInstance,
    RefusedError,
    RingJob,
    Server,
    ServerUplink,
    ShuffleInstance,
    validate,
)
from ringyard.instances.catalogue import entries, load
from ringyard.instances.certificate import certificate_text, searched_steps
from ringyard.run import solve

MOST_JOBS, MOST_GPUS = 8, 24
"""Of instances of the catalogue; larger ones take long to check a hundred times."""

SEARCHED = {
    "makespan": ("every schedule", every, 5_000),
    "trace": ("every tick", every_tick, 5_000),
    "transfers": ("every plan", every_plan, 500),
}
"""The rules by which the checker searches, and the steps that it may take here: a tenth of a
second or so. What it accepts with more it would accept anyway."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proved:
    """An instance with its best value and the texts of its proofs."""

    instance: Instance
    best: Fraction
    proofs: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceSource:
    """Where instances of a family come from, and how their best value is known."""

    draw: Callable[[int, int], Any]
    best: Callable[[Any], Fraction | None]
    by: str


def of(kind: str, seed: int, index: int) -> Proved:
    """Return instance `index` of a seed; even ones are of the catalogue, as long as it has some."""
    attempt = 0
    while True:
        found = _of(kind, seed, index, attempt)
        if found is not None:
            return found
        attempt += 1


@lru_cache(maxsize=64)
def _of(kind: str, seed: int, index: int, attempt: int) -> Proved | None:
    names = named(kind)
    if index % 2 == 0 and names and not attempt:
        name = names[index // 2 % len(names)]
        instance, best = load(name), entries()[name].upper[0].value
    else:
        instance = SOURCES[kind].draw(seed, 1000 * index + attempt)
        value = SOURCES[kind].best(instance)
        if value is None:
            return None
        best = value
    family = FAMILIES[kind]
    found = [*family.bounds(instance), *family.beyond(instance, NO_LIMITS).found]
    proofs = dict.fromkeys(
        certificate_text(instance, bound, family.maximize) for bound in found if bound.proof
    )
    proofs |= dict.fromkeys(_searched(kind, instance, best))
    return Proved(instance=instance, best=best, proofs=tuple(proofs)) if proofs else None


@contextmanager
def few_steps() -> Iterator[None]:
    """Let the checker search for a short time only."""
    with ExitStack() as held:
        for _, module, most in SEARCHED.values():
            held.enter_context(patch.object(module, "MOST_WORK", most))
        yield


def _searched(kind: str, instance: Any, best: Fraction) -> Iterator[str]:
    """Yield the proof of the best value by a search of the checker, if that is short enough."""
    if kind in SEARCHED:
        rule = SEARCHED[kind][0]
        bound = Bound(
            value=best,
            kind=BoundKind.SEARCHED,
            name=rule,
            argument="",
            proof=searched_steps(rule, best),
        )
        text = certificate_text(instance, bound, maximize=False)
        with few_steps():
            accepted = check_certificate(instance, read_certificate(text, "searched")).accepted
        if accepted:
            yield text


def named(kind: str) -> list[str]:
    """Return the tiny instances of the catalogue whose best value is proved."""
    return [
        name
        for name, one in entries().items()
        if one.kind == kind and one.closed and one.jobs <= MOST_JOBS and one.gpus <= MOST_GPUS
    ]


def rings(seed: int, index: int) -> MakespanInstance:
    """Draw a few rings on a few servers, in slots, with all options."""
    rng = Random(f"{seed}/{index}")

    def one_of(*words: str) -> Decimal:
        return Decimal(rng.choice(words))

    regions = rng.choice((None, None, ("a", "b")))
    servers = tuple(
        Server(name=f"s{i}", gpus=rng.randint(1, 3), region=regions and rng.choice(regions))
        for i in range(rng.randint(1, 3))
    )
    jobs = tuple(
        RingJob(
            name=f"j{i}",
            gpus=rng.randint(1, min(4, sum(one.gpus for one in servers))),
            iterations=rng.randint(1, 5),
            gradient_gb=one_of("0", "0.3", "0.5", "1"),
            backward_s=one_of("0.2", "0.333333333333", "0.5", "1"),
            release_slot=one_of("0", "0", "0", "1", "3"),
            allowed_regions=regions and rng.choice((None, ("a",), ("a", "b"))),
        )
        for i in range(rng.randint(2, 4))
    )
    made = MakespanInstance(
        name=f"rings-{seed}-{index}",
        cluster=Cluster(
            servers=servers,
            intra_bandwidth_gb_s=Decimal(2),
            inter_bandwidth_gb_s=Decimal(1),
            reduce_gb_s=rng.choice((None, Decimal(2))),
        ),
        jobs=jobs,
        contention=ServerUplink(
            share=one_of("0.25", "0.5", "1"), degradation=one_of("0", "0.5", "1")
        ),
        overhead=rng.choice(["paper", "step", "max_workers_per_server"]),
        overhead_s=one_of("0", "0.1", "0.25"),
        progress=rng.choice(["floor", "fractional", "fractional"]),
        slot_s=one_of("1", "2", "0.999999999"),
    )
    return made if _sound(made) else rings(seed, index + 10**9)


def exchanges(seed: int, index: int) -> ShuffleInstance:
    """Draw what a few workers have and want of three or four rows."""
    rng = Random(f"{seed}/{index}")
    rows = rng.choice((3, 3, 3, 4))

    def some() -> list[int]:
        return rng.sample(range(rows), rng.randint(0, rows - 1))

    sides = [(some(), some()) for _ in range(rng.randint(2, 4))]
    return exchange(*sides, multicast=rng.choice(["0.5", "1", "1.5", "2.5"]), rows=rows)


def _sound(instance: Instance) -> bool:
    try:
        validate(instance)
    except InputError:
        return False
    return True


def _enumerated(instance: MakespanInstance) -> Fraction | None:
    try:
        return _met(instance, "enumeration")
    except RefusedError:
        return None


def _met(instance: Instance, method: str | None = None) -> Fraction | None:
    """Return the value of a checked schedule that a bound meets."""
    answer = solve(instance, method)
    return answer.objective if answer.valid and answer.status == "optimal" else None


def _fleet(instance: Any) -> Fraction | None:
    """Return the value of the best checked log: no bound is beyond it, whether it is the best."""
    answer, by_hand = solve(instance), best_by_hand(instance)
    values = [answer.objective if answer.valid else None, by_hand and by_hand.mean_h]
    return min((value for value in values if value is not None), default=None)


def _small(kind: str) -> InstanceSource:
    best = DRAWN[kind].optimum
    assert best is not None
    return InstanceSource(draw=lambda s, i: drawn(kind, s, i), best=best, by="exhaustive search")


MET = "a checked schedule that meets a bound"

SOURCES: dict[str, InstanceSource] = {
    "makespan": InstanceSource(draw=rings, best=_enumerated, by="exhaustive search"),
    "online": _small("online"),
    "reserved": _small("reserved"),
    "trace": _small("trace"),
    "rental": InstanceSource(draw=FAMILIES["rental"].drawn, best=_met, by=MET),
    "fleet": InstanceSource(
        draw=lambda s, i: drawn("fleet", s, i), best=_fleet, by="the best checked schedule known"
    ),
    "coded": InstanceSource(draw=FAMILIES["coded"].drawn, best=_met, by=MET),
    "shuffle": InstanceSource(draw=exchanges, best=least_load, by="exhaustive search"),
    "transfers": _small("transfers"),
}
"""By family. Of the catalogue the best values are those on record, which bounds meet."""
