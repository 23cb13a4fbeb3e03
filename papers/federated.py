"""`ringyard reproduce federated`: gains and costs of partial participation in federated averaging.

Rounds come from a small real training. Each client has its data points in its region,
unlike points elsewhere, and only weights are averaged. The time of a round is the makespan of its
clients on the servers of their regions.
"""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cache
from itertools import product
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from numpy.random import default_rng

from ..analysis.intervals import ABOVE, Interval, mean_above, paired_ratio
from ..analysis.tables import Table, cell_text
from ..campaigns.reproductions import Answers, Known, Results, Run, Settings
from ..instances import MakespanInstance
from ..instances.generate import generate
from ..instances.makespan.mix import FederatedMix
from .study import certified, sound, table_of
from .training import WIDTH, TrainingTask, Weights

SHARES = ("0.04", "0.125", "0.25", "0.5", "1")
"""Shares of the clients that take part in a round."""

CLUSTERS: Mapping[str, Mapping[str, Any]] = {
    "as it is": {},
    "slow links": {"region_gb_s": Decimal("0.0125")},
    "room for all": {"servers": 24},
    "room for all, fast links": {"servers": 24, "region_gb_s": Decimal("1.25")},
}
"""Clusters for the rounds: options of the generator."""

METHOD, TURNS = "gang-lpt", 5
"""The method that schedules a round, and the number of rounds that are timed."""

STEP, NEAR, MOST, HELD = 0.02, 0.01, 300, 5
"""Gradients, the part of the initial excess loss that is left at the aim, the most rounds, and the
rounds for which the loss must stay there."""

SLOWER = 4
"""Divisor of the step, to see if the number of clients still matters."""

POINTS = tuple(product(CLUSTERS, SHARES))


class LocalData(NamedTuple):
    """Points of all clients, and which are whose."""

    task: TrainingTask
    of: list[slice]
    batches: list[int]
    """Points of a batch of each client."""


class FederatedPoint(NamedTuple):
    """A cluster and a share, and by seed the seconds and the number of rounds."""

    cluster: str
    share: str
    seconds: list[float]
    over: list[float]
    """Seconds over certified bounds."""
    rounds: list[int]
    slower: list[int]
    """Rounds with a smaller step."""

    @property
    def total(self) -> list[float]:
        """Seconds until the aim."""
        return [a * b for a, b in zip(self.seconds, self.rounds, strict=True)]

    @property
    def clients(self) -> int:
        """Number of clients in a round."""
        return FederatedMix(participation=Decimal(self.share)).participants


def runs(settings: Settings, _: Known | None = None) -> Iterator[Run]:
    """Yield every run once: some rounds of every point."""
    for (cluster, share), seed in product(settings.some(POINTS), range(settings.seeds)):
        yield from _turns(cluster, share, seed)


def report(settings: Settings, answers: Answers) -> Results:
    """Train, and combine the seconds and the number of rounds."""
    answers = sound(answers)
    found = [_point(cluster, share, settings, answers) for cluster, share in settings.some(POINTS)]
    return Results(
        tables={"participation": _table(found, settings)}, statements=tuple(_statements(found))
    )


@cache
def local_data(seed: int) -> LocalData:
    """Draw the points of all clients: around two centres, which differ from region to region.

    A client has more of one class than of the other, by chance. The least loss over all points is
    found by their gradients.
    """
    rng, mix = default_rng(seed), FederatedMix()
    turned = rng.normal(scale=0.5, size=(mix.regions, WIDTH))
    points, classes, of, end = list[Weights](), list[Weights](), list[slice](), 0
    people = mix.population(seed)
    for client in people:
        own = np.where(rng.random(client.samples) < rng.uniform(0.1, 0.9), 1.0, -1.0)
        centres = own[:, None] * (0.5 + turned[int(client.region[1:])])
        points.append(rng.normal(size=(client.samples, WIDTH)) + centres)
        classes.append(own)
        of.append(slice(end, end + client.samples))
        end += client.samples
    task = TrainingTask(np.concatenate(points), np.concatenate(classes), 0.0, 0.0)
    weights = np.zeros(WIDTH)
    for _ in range(500):
        weights -= 0.3 * task.slope(weights, slice(None))
    best = task.loss(weights)
    task = task._replace(start=task.loss(np.zeros(WIDTH)), best=best)
    return LocalData(task, of, [mix.batch_samples * client.gpus for client in people])


def trained(
    data: LocalData,
    weights: Weights,
    client: int,
    step: float,
    seed: int,
    passes: int = FederatedMix().epochs,
) -> Weights:
    """Return the weights that a client sends back, after its passes over its own points."""
    rng, own, batch = default_rng(seed), data.of[client], data.batches[client]
    weights = weights.copy()
    for _ in range(passes):
        order = own.start + rng.permutation(own.stop - own.start)
        for first in range(0, order.size, batch):
            weights -= step * data.task.slope(weights, order[first : first + batch])
    return weights


@cache
def rounds_to_aim(share: str, seed: int, step: float = STEP) -> int:
    """Return the rounds until the loss stays at its aim, the most if it does not."""
    data, weights = local_data(seed), np.zeros(WIDTH)
    aim = data.task.best + NEAR * (data.task.start - data.task.best)
    held = 0
    for turn in range(MOST):
        mix = FederatedMix(participation=Decimal(share), turn=turn)
        chosen = mix.chosen(seed)
        sent = [trained(data, weights, i, step, turn * mix.clients + i) for i in chosen]
        sizes = [data.of[i].stop - data.of[i].start for i in chosen]
        weights = np.average(sent, axis=0, weights=sizes)
        held = held + 1 if data.task.loss(weights) <= aim else 0
        if held == HELD:
            return turn + 2 - HELD
    return MOST


def _turns(cluster: str, share: str, seed: int) -> list[Run]:
    """Return the runs of some rounds."""
    return [
        Run(instance=_drawn(cluster, share, seed, turn), method=METHOD, seed=seed)
        for turn in range(TURNS)
    ]


@cache
def _drawn(cluster: str, share: str, seed: int, turn: int) -> MakespanInstance:
    made: MakespanInstance = generate(
        "federated",
        seed=seed,
        name=f"federated-s{seed} {cluster}, share {share}, round {turn}",
        participation=Decimal(share),
        **CLUSTERS[cluster],
        turn=turn,
    )
    return made


def _point(cluster: str, share: str, settings: Settings, answers: Answers) -> FederatedPoint:
    seeds = range(settings.seeds)
    rows = [[answers(run) for run in _turns(cluster, share, seed)] for seed in seeds]
    return FederatedPoint(
        cluster,
        share,
        seconds=[fmean(float(row["objective"]) for row in some) for some in rows],
        over=[fmean(float(row["objective"]) / certified([row]) for row in some) for some in rows],
        rounds=[rounds_to_aim(share, seed) for seed in seeds],
        slower=[rounds_to_aim(share, seed, STEP / SLOWER) for seed in seeds],
    )


def _table(found: Sequence[FederatedPoint], settings: Settings) -> Table:
    heads = {"cluster": None, "share, %": 1, "clients": 0, "rounds": 0, "s a round": 1}
    heads |= {
        "over the bound": 2,
        "s to the aim": 0,
        "models moved": 0,
        f"rounds, step / {SLOWER}": 0,
        "rounds over all clients'": 2,
        "s a round over all clients'": 2,
    }
    every = {one.cluster: one for one in found}
    return table_of(
        "Federated averaging by the share of clients that take part in a round",
        heads,
        (
            (
                one.cluster,
                100 * float(one.share),
                one.clients,
                mean_above(list(map(float, one.rounds)), 0.0),
                mean_above(one.seconds, 0.0),
                fmean(one.over),
                mean_above(one.total, 0.0),
                2 * one.clients * fmean(one.rounds),
                mean_above(list(map(float, one.slower)), 0.0),
                *_over(one, every[one.cluster]),
            )
            for one in found
        ),
        f"Means over {settings.seeds} seeds with 95 % intervals ({ABOVE} 0). Rounds: until "
        f"the loss over all points stays within {100 * NEAR:g} % of its minimum, relative to "
        f"the initial excess. Seconds: {METHOD}, mean of {TURNS} rounds. Bound: certified. "
        "Over all clients': geometric means of the ratio to a round with all clients on the same "
        "seeds, with 95 % intervals (Student's t on logarithms).",
        shared=1,
    )


def _over(one: FederatedPoint, every: FederatedPoint) -> tuple[Interval | None, Interval | None]:
    """Return the rounds, and the seconds of a round, over those with the largest share."""
    if one is every:
        return None, None
    rounds = paired_ratio(one.rounds, every.rounds)
    return rounds, paired_ratio(one.seconds, every.seconds)


def _statements(found: Sequence[FederatedPoint]) -> Iterator[str]:
    """Yield how many more rounds the smallest share needs, and the best share."""
    for cluster in dict.fromkeys(one.cluster for one in found):
        own = [one for one in found if one.cluster == cluster]
        rounds = cell_text(paired_ratio(own[0].rounds, own[-1].rounds), 2)
        yield f"{cluster}: up to {rounds} times as many rounds as with all clients"
        slower = cell_text(paired_ratio(own[0].slower, own[-1].slower), 2)
        yield f"{cluster}, step / {SLOWER}: up to {slower} times as many"
        best = min(own, key=lambda one: fmean(one.total))
        yield f"{cluster}: soonest at the aim with {100 * float(best.share):g} % of the clients"
