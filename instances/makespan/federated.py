"""Rounds of federated averaging as `makespan` instances: data stay in regions, models move.

A job is a client that takes part in a round. It gets the model, trains on its own data, on
servers of the region that these are in, and sends the model back. Only `random.Random.random` is
used, so a seed names the same instance everywhere.
"""

from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from math import ceil
from random import Random
from typing import Annotated, ClassVar, NamedTuple

from ..cluster import Cluster, Server
from ..draw import exact, whole
from ..reading.vocabulary import Amount, Count, Fraction01, Mix, NonEmpty, Positive, Size, Whole
from .instance import MakespanInstance, RingJob
from .mix import INTER, INTRA, REDUCE


class FederatedClient(NamedTuple):
    """Who may take part in a round."""

    name: str
    region: str
    gpus: int
    samples: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FederatedMix(Mix):
    """Options of the generator: the clients, and how many of them a round has."""

    clients: Annotated[Size, "clients with data of their own"] = 24
    regions: Annotated[Size, "regions that clients and servers are dealt out to in turn"] = 3
    participation: Annotated[
        Fraction01, "share of the clients that take part in the round, one at least"
    ] = Decimal("0.25")
    servers: Annotated[Size, "number of servers, one in each region at least"] = 6
    server_gpus: Annotated[Count, "GPUs of a server"] = 2
    client_gpus: Annotated[
        tuple[Count, ...], NonEmpty(), "GPUs that a client trains on, drawn with equal chances"
    ] = (1, 2)
    least_samples: Annotated[Count, "smallest data of a client"] = 100
    most_samples: Annotated[Count, "largest data of a client"] = 1000
    batch_samples: Annotated[Count, "samples of a batch of a GPU"] = 20
    epochs: Annotated[Count, "passes of a client over its data in a round"] = 2
    sample_s: Annotated[Positive, "time of a sample"] = Decimal("0.005")
    model_gb: Annotated[Amount, "size of the model"] = Decimal("0.1")
    region_gb_s: Annotated[
        Positive, "bandwidth of a region's link, shared evenly by as many clients as fit in at once"
    ] = Decimal("0.125")

    turn: Annotated[Whole, "the number of the round: others take part in each"] = 0

    SIZE: ClassVar = "{self.participants} clients on {self.places} servers"
    TAG: ClassVar = "{self.participants}x{self.places}"

    @property
    def participants(self) -> int:
        """How many clients take part."""
        return max(1, ceil(self.participation * self.clients))

    @property
    def places(self) -> int:
        """How many servers there are."""
        return max(self.servers, self.regions)

    def population(self, seed: int) -> list[FederatedClient]:
        """Draw all clients."""
        rng = Random(seed)
        most = self.server_gpus * (self.places // self.regions)  # Every region has so many GPUs.
        return [
            FederatedClient(
                name=f"c{i:0{len(str(self.clients - 1))}}",
                region=f"r{i % self.regions}",
                gpus=min(most, self.client_gpus[int(rng.random() * len(self.client_gpus))]),
                samples=whole(rng, self.least_samples, self.most_samples),
            )
            for i in range(self.clients)
        ]

    def chosen(self, seed: int) -> list[int]:
        """Return the numbers of those who take part; with a larger share the same, and more."""
        rng = Random(f"round {self.turn} of {seed}")
        order = sorted(range(self.clients), key=lambda _: rng.random())
        return sorted(order[: self.participants])

    def build(self, seed: int, name: str) -> MakespanInstance:
        """Return a round of the clients of a seed."""
        population = self.population(seed)
        chosen = [population[i] for i in self.chosen(seed)]
        room = Counter(f"r{i % self.regions}" for i in range(self.places))
        wanted = Counter(client.region for client in chosen)
        sharing = {r: min(wanted[r], self.server_gpus * room[r]) for r in wanted}
        return MakespanInstance(
            name=name,
            cluster=Cluster(
                servers=tuple(
                    Server(name=f"s{i}", gpus=self.server_gpus, region=f"r{i % self.regions}")
                    for i in range(self.places)
                ),
                intra_bandwidth_gb_s=INTRA,
                inter_bandwidth_gb_s=INTER,
                reduce_gb_s=REDUCE,
            ),
            jobs=tuple(self._job(client, sharing[client.region]) for client in chosen),
            progress="continuous",
        )

    def _job(self, client: FederatedClient, sharing: int) -> RingJob:
        """Return the training of a client; its iterations bear the model's way there and back."""
        steps = -(-client.samples * self.epochs // (self.batch_samples * client.gpus))
        way = 2 * self.model_gb * sharing / self.region_gb_s
        compute = self.batch_samples * self.sample_s
        return RingJob(
            name=client.name,
            gpus=client.gpus,
            iterations=steps,
            gradient_gb=self.model_gb if client.gpus > 1 else Decimal(0),
            batch_samples=self.batch_samples,
            forward_s_per_sample=exact(float(self.sample_s) / 3, 7),
            backward_s=exact(float(compute) * 2 / 3 + float(way) / steps, 7),
            allowed_regions=(client.region,),
        )
