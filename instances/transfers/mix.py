"""New `transfers` instances: one generator, and the families that are its presets.

Workers are in racks, and the server and its replica are on the core of the network.
"""

from dataclasses import dataclass
from decimal import Decimal
from random import Random
from typing import Annotated, Any, ClassVar, Literal

from ..draw import between, exact, whole
from ..errors import InputError, Problem
from ..generate import generate
from ..reading.vocabulary import Amount, Count, Mix, Positive, Range, Size, Whole
from ..sampled import one_of, seeded
from . import Goal, NetworkLink, TransfersInstance, Update

Spread = Literal["equal", "spread"]
Part = Annotated[Decimal, Range(0, 1)]

TAIL = 1.5
"""Exponent of the Pareto law of spread sizes."""

MOST_AGGREGATORS = 200_000
"""Most updates of an instance whose file can be read."""

LARGEST = 20
"""Largest factor of the least size."""


SIMPLE = 0.4
"""Fraction of instances with one bottleneck link, as theorems about orders require."""

FREE: dict[str, Any] = {
    "racks": 1,
    "slow": Decimal(0),
    "worker_gb_s": Decimal(3),
    "server_gb_s": Decimal("0.7"),
    "oversubscription": Decimal("0.5"),
    "ready_s": Decimal(0),
    "due_s": None,
    "aggregators": 0,
    "divergence": None,
    "goal": "mean",
}
"""Options of these instances."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TransfersMix(Mix):
    """Options of the generator. A family is a set of defaults."""

    workers: Annotated[Size, "number of workers, with an update each"] = 16
    racks: Annotated[Count, "racks of workers"] = 4
    worker_gb_s: Annotated[Positive, "bandwidth of a worker's link"] = Decimal("1.25")
    slow: Annotated[Part, "fraction of workers with 10 % of that"] = Decimal(0)
    server_gb_s: Annotated[Positive, "bandwidth of the links of server and replica"] = Decimal(5)
    oversubscription: Annotated[
        Positive, "bandwidth of a rack's worker links / bandwidth of its uplink"
    ] = Decimal(1)
    sizes: Annotated[Spread, "equal, or spread: Pareto with tail 1.5"] = "spread"
    size_gb: Annotated[Positive, "mean size of an update"] = Decimal("0.5")
    ready_s: Annotated[Amount, "latest time at which updates become ready"] = Decimal(0)
    behind: Annotated[Whole, "most updates applied since a worker read the parameters"] = 0
    staleness: Annotated[Whole | None, "limit on staleness, or null for no limit"] = None
    due_s: Annotated[Positive | None, "latest due time to draw, or null for no due times"] = None
    aggregators: Annotated[Whole, "aggregators in each rack"] = 0
    aggregator_gb_s: Annotated[Positive, "bandwidth of an aggregator's link"] = Decimal(5)
    divergence: Annotated[Amount | None, "largest lag of a replica, or null without it"] = None
    norms: Annotated[Spread, "1 each, or spread from 0.5 to 1.5"] = "equal"
    drop_s: Annotated[Positive | None, "null: when all updates could arrive one by one"] = None
    goal: Annotated[Goal, "mean or last"] = "mean"

    ORDERED: ClassVar = (("racks", "workers"),)

    SIZE: ClassVar = "{self.workers} updates from {self.racks} racks"
    TAG: ClassVar = "{self.workers}x{self.racks}"

    def build(self, seed: int, name: str) -> TransfersInstance:
        """Return the instance of a seed."""
        rng = Random(seed)
        digits = len(str(self.workers - 1))
        workers = [f"w{i:0{digits}}" for i in range(self.workers)]
        if self.racks * self.aggregators > MOST_AGGREGATORS:
            expected = f"at most {MOST_AGGREGATORS} in all racks together"
            problem = Problem("aggregators", self.aggregators, expected, "lower it, or racks")
            raise InputError("options", [problem])
        racks = [f"r{i}" for i in range(self.racks)]
        rates = [self._rate(rng) for _ in workers]
        updates = tuple(self._update(worker, rng) for worker in workers)
        aggregators = [f"{rack}-a{i}" for rack in racks for i in range(self.aggregators)]
        links = [self._link("server", "core", self.server_gb_s)]
        if self.divergence is not None:
            links.append(self._link("replica", "core", self.server_gb_s))
        uplinks = [self._uplink(rates[i :: self.racks]) for i in range(self.racks)]
        for rack, uplink in zip(racks, uplinks, strict=True):
            links.append(self._link(rack, "core", uplink))
        for i, worker in enumerate(workers):
            links.append(self._link(worker, racks[i % self.racks], rates[i]))
        links += [self._link(a, a.partition("-")[0], self.aggregator_gb_s) for a in aggregators]
        return TransfersInstance(
            name=name,
            links=tuple(links),
            updates=updates,
            server="server",
            aggregators=tuple(aggregators),
            replica=None if self.divergence is None else "replica",
            staleness=self.staleness,
            divergence=self.divergence,
            drop_s=self.drop_s or self._late(updates, rates, uplinks),
            goal=self.goal,
        )

    def _rate(self, rng: Random) -> Decimal:
        return self.worker_gb_s / (10 if rng.random() < self.slow else 1)

    def _update(self, worker: str, rng: Random) -> Update:
        size, norm = self.size_gb, Decimal(1)
        if self.sizes == "spread":
            least = float(self.size_gb) * (TAIL - 1) / TAIL
            drawn = min(float(LARGEST), (1 - rng.random()) ** (-1 / TAIL))
            size = max(exact(least * drawn, 4), Decimal("0.0001"))
        if self.norms == "spread":
            norm = exact(between(rng, Decimal("0.5"), Decimal("1.5")), 3)
        due = None
        if self.due_s is not None:
            due = max(exact(float(self.due_s) * rng.random(), 3), Decimal("0.001"))
        return Update(
            name=worker.replace("w", "u"),
            worker=worker,
            size_gb=size,
            ready_s=exact(between(rng, 0, self.ready_s), 3),
            behind=whole(rng, 0, self.behind),
            norm=norm,
            due_s=due,
        )

    def _uplink(self, rates: list[Decimal]) -> Decimal:
        return max(exact(float(sum(rates) / self.oversubscription), 4), Decimal("0.0001"))

    def _late(
        self, updates: tuple[Update, ...], rates: list[Decimal], uplinks: list[Decimal]
    ) -> Decimal:
        """Return a moment by which all updates arrive if each has the network to itself in turn."""
        seconds = float(self.ready_s)
        for i, (update, rate) in enumerate(zip(updates, rates, strict=True)):
            slowest = min(rate, uplinks[i % self.racks], self.server_gb_s)
            seconds += float(update.size_gb / slowest)
        return exact(seconds + 1, 0)

    @staticmethod
    def _link(a: str, b: str, gb_s: Decimal) -> NetworkLink:
        return NetworkLink(a=a, b=b, gb_s=gb_s)


PRESETS: dict[str, tuple[str, TransfersMix]] = {
    "transfers": ("sizes with a heavy tail, no aggregators", TransfersMix()),
    "transfers-racks": (
        "aggregators behind oversubscribed uplinks",
        TransfersMix(
            workers=32,
            oversubscription=Decimal(4),
            aggregators=1,
            ready_s=Decimal(1),
            slow=Decimal("0.1"),
        ),
    ),
    "transfers-stale": (
        "bounds on staleness and due times",
        TransfersMix(workers=24, behind=16, staleness=24, due_s=Decimal(8)),
    ),
    "transfers-replica": (
        "aggregators, and a replica that must not fall behind",
        TransfersMix(
            workers=24,
            oversubscription=Decimal(2),
            aggregators=1,
            divergence=Decimal(6),
            norms="spread",
        ),
    ),
    "tiny-transfers": (
        "a few updates with everything, for exact methods",
        TransfersMix(
            workers=4,
            racks=2,
            oversubscription=Decimal(2),
            aggregators=1,
            ready_s=Decimal("0.5"),
            behind=2,
            staleness=3,
            divergence=Decimal(2),
        ),
    ),
}
"""Families by name: their descriptions, and their defaults."""


def random_transfers(seed: int, index: int) -> TransfersInstance:
    """Return instance number `index` of a campaign."""
    rng = seeded(seed, index)
    workers = int(rng.integers(1, 7))
    most = one_of(rng, 0, 0, 3)
    due = one_of(rng, None, None, "1", "4")
    divergence = one_of(rng, None, "0", "1", "2.5")
    free = FREE if rng.random() < SIMPLE else {}
    options: dict[str, Any] = {
        "workers": workers,
        "racks": int(rng.integers(1, min(3, workers) + 1)),
        "worker_gb_s": Decimal(one_of(rng, "0.5", "1.25", "3")),
        "slow": Decimal(one_of(rng, "0", "0.3")),
        "server_gb_s": Decimal(one_of(rng, "0.7", "5")),
        "oversubscription": Decimal(one_of(rng, "0.5", "1", "4")),
        "sizes": one_of(rng, "equal", "spread"),
        "ready_s": Decimal(one_of(rng, "0", "0", "1")),
        "behind": most,
        "staleness": one_of(rng, None, most, most + 2),
        "due_s": None if due is None else Decimal(due),
        "aggregators": one_of(rng, 0, 1, 2),
        "aggregator_gb_s": Decimal(one_of(rng, "1", "5")),
        "divergence": None if divergence is None else Decimal(divergence),
        "norms": one_of(rng, "equal", "spread"),
        "drop_s": one_of(rng, None, Decimal(2)),
        "goal": one_of(rng, "mean", "last"),
        **free,
    }
    name = f"transfers-{seed}-{index}"
    found: TransfersInstance = generate("transfers", seed=index, name=name, **options)
    return found
