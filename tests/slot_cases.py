"""Random slots for a job, plain ones and those in which much is equal or nothing."""

from collections.abc import Callable

import numpy as np

from ringyard.formulations.online.slot_program import SlotData

Generator = np.random.Generator
Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


def priced(rng: Generator, machines: int, resources: int) -> tuple[Floats, ...]:
    """Prices that grow exponentially with what is taken, and what is left in whole numbers."""
    full = rng.choice([8.0, 16.0, 32.0], (machines, 1)) * rng.choice([1.0, 2.0, 4.0], resources)
    part = rng.uniform(0, 1, (machines, resources)) ** 2
    worker = rng.integers(0, 5, resources).astype(float)
    server = rng.integers(0, 5, resources).astype(float)
    return 1e-4 * 1e6**part, np.floor(full * (1 - part)), worker, server


def smooth(rng: Generator, machines: int, resources: int) -> tuple[Floats, ...]:
    """Nothing is equal."""
    prices, capacity = rng.uniform(0, 1, (2, machines, resources))
    return prices, 10 * capacity, *rng.uniform(0.1, 2, (2, resources))


def ties(rng: Generator, machines: int, resources: int) -> tuple[Floats, ...]:
    """Small whole numbers with zeros: equal prices, needs and corners."""
    prices, capacity = (
        rng.integers(0, 3, (2, machines, resources)) * np.array([1.0, 4.0])[:, None, None]
    )
    return prices, capacity, *rng.integers(0, 3, (2, resources)).astype(float)


def identical(rng: Generator, machines: int, resources: int) -> tuple[Floats, ...]:
    """All machines are alike, as in an empty cluster."""
    parts = smooth(rng, 1, resources)
    return *(np.repeat(part, machines, axis=0) for part in parts[:2]), *parts[2:]


def decimal(rng: Generator, machines: int, resources: int) -> tuple[Floats, ...]:
    """Tenths, whose sums and quotients are rounded: what is equal is so only nearly."""
    prices, capacity, worker, server = ties(rng, machines, resources)
    return prices * 0.1, capacity * 0.3, worker * 0.1, server * 0.3


def twins(rng: Generator, machines: int, resources: int) -> tuple[Floats, ...]:
    """Machines with equal prices and different room, and the other way round."""
    prices, capacity, worker, server = smooth(rng, machines, resources)
    copied = rng.integers(0, machines, machines)
    either = rng.uniform(size=(machines, 1)) < 0.5
    return (
        np.where(either, prices[copied], prices),
        np.where(either, capacity, capacity[copied]),
        worker,
        server,
    )


FAMILIES: tuple[Callable[[Generator, int, int], tuple[Floats, ...]], ...] = (
    priced,
    smooth,
    ties,
    identical,
    decimal,
    twins,
)


def slot_case(rng: Generator, shape: tuple[int, int] | None = None) -> SlotData:
    """Draw a slot of any family, of so many machines and resources; one in four has holes."""
    machines, resources = shape or (int(rng.integers(1, 9)), int(rng.integers(1, 5)))
    family = FAMILIES[int(rng.integers(len(FAMILIES)))]
    prices, capacity, worker, server = family(rng, machines, resources)
    if rng.uniform() < 0.25:
        capacity = capacity * (rng.uniform(size=capacity.shape) < 0.8)
    most = int(rng.integers(1, 16))
    least = rng.uniform(0, most) if rng.uniform() < 0.5 else rng.integers(0, most + 1)
    return SlotData(
        worker_cost=prices @ worker,
        server_cost=prices @ server,
        capacity=capacity,
        worker=worker,
        server=server,
        workers_per_server=float(rng.choice([1.0, 2.0, 3.0, 0.5, 1 / 3, 1.7, 10.0])),
        least_workers=float(least),
        most_workers=float(most),
    )
